"""The parser of Go's regular expressions, with the flags and errors of regexp.Compile. Upstream: regexp/syntax (Go 1.25)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, TypeAlias

from crdlint.golang import regexp_tree as syntax
from crdlint.golang.regexp_classes import EVERY, NEWLINE, PERL, POSIX, class_size, joined, negated
from crdlint.golang.regexp_tree import InvalidPatternError, Members, PatternNode, PatternStack
from crdlint.light import NamedTuple, regex

_INVALID_CHAR_RANGE: Final = "invalid character class range"
_INVALID_ESCAPE: Final = "invalid escape sequence"
_INVALID_NAMED_CAPTURE: Final = "invalid named capture"
_INVALID_UTF8: Final = "invalid UTF-8"


class NamedClass(NamedTuple):
    r"""A class with a name within a pattern, such as `\p{Lu}`."""

    text: str
    in_brackets: bool


# A part of a pattern that RE2 spells otherwise: a class, the limits of a repetition (None for no limit), or a name of a group.
Part: TypeAlias = "NamedClass | tuple[int, int | None] | str"


class Pattern(NamedTuple):
    """A valid pattern: its tree, and some of its parts with their starts and ends."""

    tree: PatternNode
    parts: tuple[tuple[int, int, Part], ...]


def compile_error(pattern: str) -> str | None:
    """Return the error of regexp.Compile for a pattern, or None if it is valid.

    The time is linear in the length of the pattern, regardless of its nesting.

    >>> compile_error("[a")
    'error parsing regexp: missing closing ]: `[a`'
    """
    return _kept_error(pattern) if len(pattern) <= _SHORT else _error(pattern)


def _error(pattern: str) -> str | None:
    try:
        parse(pattern)
    except InvalidPatternError as error:
        return str(error)
    return None


_kept_error: Final = lru_cache(maxsize=4096)(_error)


def anchors(pattern: str) -> tuple[bool, bool] | None:
    """Return whether all that a pattern matches begins at the start of a text, and ends at its end; None if not known."""
    tree = shallow_tree(pattern)
    return (
        None
        if tree is None
        else (_has_everywhere(tree, syntax.BEGIN), _has_everywhere(tree, syntax.END))
    )


@lru_cache(maxsize=256)  # many fields and CRDs have the same patterns
def anchors_of_alternatives(pattern: str) -> tuple[tuple[bool, bool], ...]:
    """Return what `anchors` returns for each alternative of a pattern, empty if it has none at its top."""
    tree = shallow_tree(pattern)
    if tree is None or tree.kind != syntax.ALTERNATE:
        return ()
    return tuple(
        (_has_everywhere(part, syntax.BEGIN), _has_everywhere(part, syntax.END))
        for part in tree.parts
    )


def shallow_tree(pattern: str) -> PatternNode | None:
    """Return the tree of a pattern, or None if it is invalid or too deep for a recursion."""
    try:
        tree = parse(pattern).tree
    except InvalidPatternError:
        return None
    return tree if tree.depth <= _DEEPEST else None


def _has_everywhere(node: PatternNode, assertion: str) -> bool:
    """Return whether an assertion applies to all that a node matches: of alternatives, to each."""
    if node.kind == syntax.ASSERTION:
        return node.leaves == assertion
    if node.kind in _ALWAYS or (node.kind == syntax.REPEAT and node.low > 0):
        return any(_has_everywhere(part, assertion) for part in node.parts)
    return node.kind == syntax.ALTERNATE and all(
        _has_everywhere(part, assertion) for part in node.parts
    )


_ALWAYS: Final = frozenset({syntax.CONCAT, syntax.CAPTURE, syntax.PLUS})


def parse(pattern: str) -> Pattern:
    """Parse a pattern; raise InvalidPatternError if it is invalid. Upstream: syntax.Parse."""
    return _PatternParser(pattern).parse()


class _PatternParser:
    """Parses a pattern from left to right; `index` is the position of the next character."""

    __slots__ = ("flags", "index", "no_posix", "parts", "text", "tree")

    def __init__(self, text: str) -> None:
        self.text = text
        self.index = 0
        self.flags = 0
        self.parts: list[tuple[int, int, Part]] = []
        self.no_posix = False  # the rest contains no ":]"
        self.tree = PatternStack(text)

    def parse(self) -> Pattern:
        text = self.text
        last_repeat = -1
        while self.index < len(text):
            start = self.index
            char = text[start]
            if char in _COUNTED and self._repeat(last_repeat):
                last_repeat = start
                continue
            last_repeat = -1
            handler = _HANDLERS.get(char)
            if handler is None:
                self.tree.literal(self._rune(), self.flags)
            else:
                handler(self)
        return Pattern(self.tree.finish(), tuple(self.parts))

    def _rune(self) -> str:
        """Consume a character; return an empty string at the end."""
        char = self.text[self.index : self.index + 1]
        if "\ud800" <= char <= "\udfff":
            raise InvalidPatternError(_INVALID_UTF8, self.text[self.index :])
        self.index += len(char)
        return char

    def assertion(self) -> None:
        of_text, of_line = _ANCHORS[self.text[self.index]]
        self.index += 1
        self.tree.assertion(of_line if self.flags & syntax.LINES else of_text)

    def dot(self) -> None:
        self.index += 1
        self.tree.char_class(_EVERY if self.flags & syntax.ALL else _NO_NEWLINE, 0)

    def bar(self) -> None:
        self.index += 1
        self.tree.bar()

    def close(self) -> None:
        self.flags = self.tree.close()
        self.index += 1

    def _repeat(self, last_repeat: int) -> bool:
        """Parse a repetition operator; return False if a brace does not start one."""
        text, start = self.text, self.index
        kind, low, high = _OPERATORS.get(text[start], (syntax.REPEAT, 0, 0))
        end = start + 1
        if kind == syntax.REPEAT:
            count = _COUNT.match(text, start)
            if count is None:
                return False
            end = count.end()
            low, high = _counts(count)
            self.parts.append((start, end, (low, None if high < 0 else high)))
        if text.startswith("?", end):
            end += 1
        if last_repeat >= 0:
            raise InvalidPatternError("invalid nested repetition operator", text[last_repeat:end])
        self.tree.repeat(kind, low, high, text[start:end])
        self.index = end
        return True

    def open(self) -> None:
        text, start = self.text, self.index
        if not text.startswith("(?", start):
            self.index += 1
            self.tree.open(self.flags, True)
        elif _NAMED_GROUP.match(text, start):
            self._open_named()
        else:
            self._flags()

    def _open_named(self) -> None:
        text, start = self.text, self.index
        end = text.find(">", start)
        if end < 0:
            self._check_utf8(start, len(text))
            raise InvalidPatternError(_INVALID_NAMED_CAPTURE, text[start:])
        begin = text.index("<", start) + 1
        self._check_utf8(begin, end)
        if not _NAME.fullmatch(text, begin, end):
            raise InvalidPatternError(_INVALID_NAMED_CAPTURE, text[start : end + 1])
        self.index = end + 1
        self.parts.append((start, self.index, "("))
        self.tree.open(self.flags, True)

    def _flags(self) -> None:
        start = self.index
        match = _SET_FLAGS.match(self.text, start)
        assert match is not None  # noqa: S101  the caller checks the start
        self.index = match.end()
        closing = self._rune()
        is_minus_alone = match[2] == "-"
        if closing not in {":", ")"} or is_minus_alone:
            part = self.text[start : self.index]
            raise InvalidPatternError("invalid or unsupported Perl syntax", part)
        if closing == ":":
            self.tree.open(self.flags, False)
        for char in match[1]:
            self.flags |= _FLAGS[char]
        for char in (match[2] or "").removeprefix("-"):
            self.flags &= ~_FLAGS[char]

    def _check_utf8(self, start: int, end: int) -> None:
        invalid = _SURROGATE.search(self.text, start, end)
        if invalid is not None:
            raise InvalidPatternError(_INVALID_UTF8, self.text[invalid.start() : end])

    def backslash(self) -> None:
        text, start = self.text, self.index
        following = text[start + 1 : start + 2]
        if following in _CONDITIONS:
            self.index += 2
            self.tree.assertion(_CONDITIONS[following])
        elif following == "C":
            raise InvalidPatternError(_INVALID_ESCAPE, text[start : start + 2])
        elif following == "Q":
            self._quoted()
        else:
            shorthand = self._class_escape(in_brackets=False)
            if shorthand is None:
                self.tree.literal(chr(self._escape()), self.flags)
            else:
                self.tree.char_class(*shorthand)

    def _quoted(self) -> None:
        text, start = self.text, self.index + 2
        closing = text.find(r"\E", start)
        end = closing if closing >= 0 else len(text)
        self._check_utf8(start, end)
        for char in text[start:end]:
            self.tree.literal(char, self.flags)
        self.index = end if closing < 0 else end + 2

    def _class_escape(self, *, in_brackets: bool) -> tuple[Members, int] | None:
        r"""Parse `\d` and the like or `\p{...}`; return its members and its number of runes, None if there is none."""
        escape = self.text[self.index : self.index + 2]
        if escape in {r"\p", r"\P"}:
            return self._unicode_class(in_brackets=in_brackets)
        ranges = PERL.get(escape[1:].lower()) if escape.startswith("\\") else None
        if ranges is None:
            return None
        self.index += 2
        is_negated = escape[1].isupper()
        runes = 2 * len(negated(ranges) if is_negated else ranges)
        return Members(ranges, fold=self._folds, negated=is_negated), runes

    @property
    def _folds(self) -> bool:
        return bool(self.flags & syntax.FOLD)

    def _unicode_class(self, *, in_brackets: bool) -> tuple[Members, int]:
        text, start = self.text, self.index
        self.index += 2
        if self._rune() != "{":
            name = text[start + 2 : self.index]
        else:
            end = text.find("}", start)
            if end < 0:
                self._check_utf8(start, len(text))
                raise InvalidPatternError(_INVALID_CHAR_RANGE, text[start:])
            self._check_utf8(start + 3, end)
            name = text[start + 3 : end]
            self.index = end + 1
            self.parts.append(
                (start, self.index, NamedClass(text[start : self.index], in_brackets))
            )
        runes = class_size(name.removeprefix("^"))
        if runes is None:
            raise InvalidPatternError(_INVALID_CHAR_RANGE, text[start : self.index])
        is_negated = (text[start + 1] == "P") != name.startswith("^")
        return Members(name=name.removeprefix("^"), fold=self._folds, negated=is_negated), runes

    def _escape(self) -> int:
        """Parse an escaped character and return its rune."""
        start = self.index
        self.index += 1
        char = self._rune()
        if not char:
            raise InvalidPatternError("trailing backslash at end of expression", "")
        if char in _ESCAPES:
            return _ESCAPES[char]
        is_sign = char < "\x80" and not char.isalnum()
        if is_sign:
            return ord(char)
        rune = -1
        if char == "x":
            rune = self._hexadecimal()
        elif char in "01234567":
            rune = self._octal(char)
        if rune < 0:
            raise InvalidPatternError(_INVALID_ESCAPE, self.text[start : self.index])
        return rune

    def _octal(self, first: str) -> int:
        """Parse the rest of an octal escape; return -1 for a backreference."""
        more = _OCTAL.match(self.text, self.index)
        if more is None:
            return 0 if first == "0" else -1
        self.index = more.end()
        return int(first + more[0], 8)

    def _hexadecimal(self) -> int:
        """Parse the rest of a hexadecimal escape; return -1 if it is invalid."""
        first = self._rune()
        if first == "{":
            return self._braced_hexadecimal()
        digits = first + self._rune() if first else ""
        is_valid = len(digits) == 2 and _HEX.issuperset(digits)
        return int(digits, 16) if is_valid else -1

    def _braced_hexadecimal(self) -> int:
        start, rune = self.index, 0
        char = self._rune()
        while char in _HEX:
            rune = rune * 16 + int(char, 16)
            if rune > 0x10FFFF:
                return -1
            char = self._rune()
        has_digits = self.index > start + 1
        return rune if has_digits and char == "}" else -1

    def bracket(self) -> None:
        text, start = self.text, self.index
        is_negated = text.startswith("[^", start)
        self.index += 2 if is_negated else 1
        first = True
        runes = 0
        pairs: list[tuple[int, int]] = []
        classes: list[Members] = []
        while first or not text.startswith("]", self.index):
            first = False
            shorthand = self._posix_class() or self._class_escape(in_brackets=True)
            if shorthand is None:
                pairs.append(self._range(start))
                runes += 2
            else:
                members, count = shorthand
                classes.append(members)
                runes += count
        self.index += 1
        is_plain = not (classes or is_negated or self._folds)
        written = Members(joined(pairs), fold=self._folds)
        members = Members(parts=(written, *classes), negated=is_negated)
        self.tree.char_class(members, runes, _single(pairs) if is_plain else "")

    def _range(self, bracket: int) -> tuple[int, int]:
        text, start = self.text, self.index
        low = high = self._class_char(bracket)
        after_dash = text[self.index + 1 : self.index + 2]
        if text.startswith("-", self.index) and after_dash not in ("", "]"):
            self.index += 1
            high = self._class_char(bracket)
            if high < low:
                raise InvalidPatternError(_INVALID_CHAR_RANGE, text[start : self.index])
        return low, high

    def _class_char(self, bracket: int) -> int:
        if self.index == len(self.text):
            raise InvalidPatternError("missing closing ]", self.text[bracket:])
        return self._escape() if self.text[self.index] == "\\" else ord(self._rune())

    def _posix_class(self) -> tuple[Members, int] | None:
        """Parse `[:alpha:]` and the like; return its members and its number of runes, None if there is none."""
        text, start = self.text, self.index
        if not text.startswith("[:", start):
            return None
        end = -1 if self.no_posix else text.find(":]", start + 2)
        if end < 0:
            self.no_posix = True
            return None
        self.index = end + 2
        name = text[start + 2 : end]
        ranges = POSIX.get(name.removeprefix("^"))
        if ranges is None:
            raise InvalidPatternError(_INVALID_CHAR_RANGE, text[start : self.index])
        return Members(ranges, fold=self._folds, negated=name.startswith("^")), 2 * len(ranges)


def _count(digits: str) -> int:
    return int(digits) if len(digits) < 9 else syntax.MAX_REPEAT + 1


def _counts(count: re.Match[str]) -> tuple[int, int]:
    """Return the lowest and the highest count of a repetition, -1 for no highest; raise InvalidPatternError."""
    low = high = _count(count[1])
    if count[2] is not None:
        high = _count(count[3]) if count[3] else -1
    is_turned = 0 <= high < low
    if is_turned or max(low, high) > syntax.MAX_REPEAT:
        raise InvalidPatternError("invalid repeat count", count[0])
    return low, high


def _single(pairs: Sequence[tuple[int, int]]) -> str:
    """Return the only character of ranges, empty if there are several."""
    codes = set(chain.from_iterable(pairs))
    return chr(*codes) if len(codes) == 1 else ""


_COUNT: Final = regex(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_NAMED_GROUP: Final = regex(r"\(\?P?<(?s:.)")
_SET_FLAGS: Final = regex(r"\(\?([imsU]*)(-[imsU]*)?")
_NAME: Final = regex(r"[A-Za-z0-9_]+")
_OCTAL: Final = regex(r"[0-7]{1,2}")
_SURROGATE: Final = regex("[\ud800-\udfff]")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_ESCAPES: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OPERATORS: Final = {
    "*": (syntax.STAR, 0, -1),
    "+": (syntax.PLUS, 1, -1),
    "?": (syntax.QUEST, 0, 1),
}
_COUNTED: Final = frozenset("*+?{")
_HANDLERS: Final = {
    "(": _PatternParser.open,
    ")": _PatternParser.close,
    "|": _PatternParser.bar,
    "^": _PatternParser.assertion,
    "$": _PatternParser.assertion,
    ".": _PatternParser.dot,
    "[": _PatternParser.bracket,
    "\\": _PatternParser.backslash,
}
_FLAGS: Final = {"i": syntax.FOLD, "m": syntax.LINES, "s": syntax.ALL, "U": 0}
# The conditions of the begin or the end of the text, and of a line with the flag `m`.
_ANCHORS: Final = {"^": (syntax.BEGIN, syntax.LINE_BEGIN), "$": (syntax.END, syntax.LINE_END)}
_CONDITIONS: Final = {
    "A": syntax.BEGIN,
    "z": syntax.END,
    "b": syntax.BOUNDARY,
    "B": syntax.NO_BOUNDARY,
}
_EVERY: Final = Members(EVERY)
_NO_NEWLINE: Final = Members(NEWLINE, negated=True)
_DEEPEST: Final = 250
_SHORT: Final = 900  # characters of a pattern whose error is kept
