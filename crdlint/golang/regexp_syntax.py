"""The parser of Go's regular expressions, with the flags of regexp.Compile. Upstream: regexp/syntax (parse.go)."""

from __future__ import annotations

import re
from typing import Final

from crdlint.golang.regexp_tree import MAX_REPEAT, PLUS, QUEST, REPEAT, STAR, TooDeepError, TooLargeError, Tree
from crdlint.golang.regexp_unicode import class_size

INVALID_CHAR_RANGE: Final = "invalid character class range"
INVALID_ESCAPE: Final = "invalid escape sequence"
INVALID_NAMED_CAPTURE: Final = "invalid named capture"
INVALID_PERL_OP: Final = "invalid or unsupported Perl syntax"
INVALID_REPEAT_OP: Final = "invalid nested repetition operator"
INVALID_REPEAT_SIZE: Final = "invalid repeat count"
INVALID_UTF8: Final = "invalid UTF-8"
LARGE: Final = "expression too large"
MISSING_BRACKET: Final = "missing closing ]"
MISSING_PAREN: Final = "missing closing )"
MISSING_REPEAT_ARGUMENT: Final = "missing argument to repetition operator"
NESTING_DEPTH: Final = "expression nests too deeply"
TRAILING_BACKSLASH: Final = "trailing backslash at end of expression"
UNEXPECTED_PAREN: Final = "unexpected )"


class InvalidPatternError(Exception):
    """Go rejects the pattern; the text is Go's."""

    def __init__(self, code: str, part: str) -> None:
        super().__init__(f"error parsing regexp: {code}: `{part}`")


def check(pattern: str) -> None:
    """Parse a pattern; raise InvalidPatternError if it is invalid. Upstream: syntax.Parse."""
    try:
        _Parser(pattern).parse()
    except TooLargeError:
        raise InvalidPatternError(LARGE, pattern) from None
    except TooDeepError:
        raise InvalidPatternError(NESTING_DEPTH, pattern) from None


class _Parser:
    """Parses a pattern from left to right; `index` is the position of the next character, `fold` the flag `i`."""

    __slots__ = ("fold", "index", "no_posix", "text", "tree")

    def __init__(self, text: str) -> None:
        self.text = text
        self.index = 0
        self.fold = False
        self.no_posix = False  # the rest contains no ":]"
        self.tree = Tree()

    def parse(self) -> None:
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
                self._rune()
                self.tree.literal(self.fold)
            else:
                handler(self)
        if not self.tree.finish():
            raise InvalidPatternError(MISSING_PAREN, text)

    def _rune(self) -> str:
        """Consume a character; return an empty string at the end."""
        char = self.text[self.index : self.index + 1]
        if "\ud800" <= char <= "\udfff":
            raise InvalidPatternError(INVALID_UTF8, self.text[self.index :])
        self.index += len(char)
        return char

    def assertion(self) -> None:
        self.index += 1
        self.tree.assertion()

    def dot(self) -> None:
        self.index += 1
        self.tree.any_char()

    def brace(self) -> None:
        # A valid count would have been parsed already.
        self.index += 1
        self.tree.literal(self.fold)

    def bar(self) -> None:
        self.index += 1
        self.tree.bar()

    def close(self) -> None:
        fold = self.tree.close()
        if fold is None:
            raise InvalidPatternError(UNEXPECTED_PAREN, self.text)
        self.fold = fold
        self.index += 1

    def _repeat(self, last_repeat: int) -> bool:
        """Parse a repetition operator; return False if a brace does not start one."""
        text, start = self.text, self.index
        kind, low, high = _OPERATORS.get(text[start], REPEAT), 0, 0
        end = start + 1
        if kind == REPEAT:
            count = _COUNT.match(text, start)
            if count is None:
                return False
            end = count.end()
            low = _count(count[1])
            high = low if count[2] is None else _count(count[3]) if count[3] else -1
            if low > MAX_REPEAT or high > MAX_REPEAT or 0 <= high < low:
                raise InvalidPatternError(INVALID_REPEAT_SIZE, text[start:end])
        if text.startswith("?", end):
            end += 1
        if last_repeat >= 0:
            raise InvalidPatternError(INVALID_REPEAT_OP, text[last_repeat:end])
        missing = self.tree.repeat(kind, low, high)
        if missing is not None:
            raise InvalidPatternError(_REPEAT_ERRORS[missing], text[start:end])
        self.index = end
        return True

    def open(self) -> None:
        text, start = self.text, self.index
        if not text.startswith("(?", start):
            self.index += 1
            self.tree.open(self.fold, True)
        elif (text.startswith("(?P<", start) and len(text) > start + 4) or (
            text.startswith("(?<", start) and len(text) > start + 3
        ):
            self._open_named()
        else:
            self._flags()

    def _open_named(self) -> None:
        text, start = self.text, self.index
        end = text.find(">", start)
        if end < 0:
            self._check_utf8(start, len(text))
            raise InvalidPatternError(INVALID_NAMED_CAPTURE, text[start:])
        begin = text.index("<", start) + 1
        self._check_utf8(begin, end)
        if not _NAME.fullmatch(text, begin, end):
            raise InvalidPatternError(INVALID_NAMED_CAPTURE, text[start : end + 1])
        self.index = end + 1
        self.tree.open(self.fold, True)

    def _flags(self) -> None:
        start = self.index
        self.index += 2
        fold, negative, seen = self.fold, False, False
        while char := self._rune():
            if char in "imsU":
                seen = True
                if char == "i":
                    fold = not negative
            elif char == "-" and not negative:
                negative, seen = True, False
            elif char in ":)" and (seen or not negative):
                if char == ":":
                    self.tree.open(self.fold, False)
                self.fold = fold
                return
            else:
                break
        raise InvalidPatternError(INVALID_PERL_OP, self.text[start : self.index])

    def _check_utf8(self, start: int, end: int) -> None:
        invalid = _SURROGATE.search(self.text, start, end)
        if invalid is not None:
            raise InvalidPatternError(INVALID_UTF8, self.text[invalid.start() : end])

    def backslash(self) -> None:
        text, start = self.text, self.index
        following = text[start + 1 : start + 2]
        if following and following in "AbBz":
            self.index += 2
            self.tree.assertion()
        elif following == "C":
            raise InvalidPatternError(INVALID_ESCAPE, text[start : start + 2])
        elif following == "Q":
            self._quoted()
        else:
            runes = self._class_escape()
            if runes:
                self.tree.char_class(runes, False)
            else:
                self._escape()
                self.tree.literal(self.fold)

    def _quoted(self) -> None:
        text = self.text
        self.index += 2
        end = text.find(r"\E", self.index)
        closing = end if end >= 0 else len(text)
        self._check_utf8(self.index, closing)
        for _ in range(closing - self.index):
            self.tree.literal(self.fold)
        self.index = closing + 2 if end >= 0 else closing

    def _class_escape(self) -> int:
        r"""Parse `\d` and the like or `\p{...}`; return its number of runes, 0 if there is none."""
        text, start = self.text, self.index
        escape = text[start : start + 2]
        runes = _PERL_CLASSES.get(escape, 0)
        if runes:
            self.index += 2
        elif escape in (r"\p", r"\P"):
            runes = self._unicode_class()
        return runes

    def _unicode_class(self) -> int:
        text, start = self.text, self.index
        self.index += 2
        if self._rune() != "{":
            name = text[start + 2 : self.index]
        else:
            end = text.find("}", start)
            if end < 0:
                self._check_utf8(start, len(text))
                raise InvalidPatternError(INVALID_CHAR_RANGE, text[start:])
            self._check_utf8(start + 3, end)
            name = text[start + 3 : end]
            self.index = end + 1
        runes = class_size(name.removeprefix("^"))
        if runes is None:
            raise InvalidPatternError(INVALID_CHAR_RANGE, text[start : self.index])
        return runes

    def _escape(self) -> int:
        """Parse an escaped character and return its rune."""
        start = self.index
        self.index += 1
        char = self._rune()
        if not char:
            raise InvalidPatternError(TRAILING_BACKSLASH, "")
        if char in _ESCAPES:
            return _ESCAPES[char]
        if char < "\x80" and not char.isalnum():
            return ord(char)
        rune = self._hexadecimal() if char == "x" else self._octal(char) if char in "01234567" else -1
        if rune < 0:
            raise InvalidPatternError(INVALID_ESCAPE, self.text[start : self.index])
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
        if not first:
            return -1
        if first != "{":
            second = self._rune()
            return int(first + second, 16) if first in _HEX and second and second in _HEX else -1
        rune = digits = 0
        while (char := self._rune()) and char in _HEX:
            rune = rune * 16 + int(char, 16)
            if rune > 0x10FFFF:
                return -1
            digits += 1
        return rune if char == "}" and digits else -1

    def bracket(self) -> None:
        text, start = self.text, self.index
        self.index += 2 if text.startswith("[^", start) else 1
        negated = self.index > start + 1
        first = True
        runes = 0
        only: set[int] = set()
        while first or not text.startswith("]", self.index):
            first = False
            count = self._posix_class() or self._class_escape()
            if count:
                runes += count
                only.add(-1)
                continue
            low, high = self._range(start)
            runes += 2
            only.update((low, high))
        self.index += 1
        self.tree.char_class(runes, len(only) == 1 and -1 not in only and not negated and not self.fold)

    def _range(self, bracket: int) -> tuple[int, int]:
        text, start = self.text, self.index
        low = high = self._class_char(bracket)
        if text.startswith("-", self.index) and len(text) > self.index + 1 and text[self.index + 1] != "]":
            self.index += 1
            high = self._class_char(bracket)
            if high < low:
                raise InvalidPatternError(INVALID_CHAR_RANGE, text[start : self.index])
        return low, high

    def _class_char(self, bracket: int) -> int:
        if self.index == len(self.text):
            raise InvalidPatternError(MISSING_BRACKET, self.text[bracket:])
        return self._escape() if self.text[self.index] == "\\" else ord(self._rune())

    def _posix_class(self) -> int:
        """Parse `[:alpha:]` and the like; return its number of runes, 0 if there is none."""
        text, start = self.text, self.index
        if not text.startswith("[:", start):
            return 0
        end = -1 if self.no_posix else text.find(":]", start + 2)
        if end < 0:
            self.no_posix = True
            return 0
        self.index = end + 2
        runes = _POSIX_CLASSES.get(text[start + 2 : end].removeprefix("^"))
        if runes is None:
            raise InvalidPatternError(INVALID_CHAR_RANGE, text[start : self.index])
        return runes


def _count(digits: str) -> int:
    return int(digits) if len(digits) < 9 else MAX_REPEAT + 1


_COUNT: Final = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_NAME: Final = re.compile(r"[A-Za-z0-9_]+")
_OCTAL: Final = re.compile(r"[0-7]{1,2}")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_ESCAPES: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_OPERATORS: Final = {"*": STAR, "+": PLUS, "?": QUEST}
_COUNTED: Final = frozenset("*+?{")
_REPEAT_ERRORS: Final = {"argument": MISSING_REPEAT_ARGUMENT, "count": INVALID_REPEAT_SIZE}
_HANDLERS: Final = {
    "(": _Parser.open,
    ")": _Parser.close,
    "|": _Parser.bar,
    "^": _Parser.assertion,
    "$": _Parser.assertion,
    ".": _Parser.dot,
    "[": _Parser.bracket,
    "{": _Parser.brace,
    "\\": _Parser.backslash,
}
# The number of runes that upstream stores for each class, two per range.
_PERL_CLASSES: Final = {r"\d": 2, r"\D": 4, r"\s": 6, r"\S": 8, r"\w": 8, r"\W": 10}
_POSIX_CLASSES: Final = {
    "alnum": 6,
    "alpha": 4,
    "ascii": 2,
    "blank": 4,
    "cntrl": 4,
    "digit": 2,
    "graph": 2,
    "lower": 2,
    "print": 2,
    "punct": 8,
    "space": 4,
    "upper": 2,
    "word": 8,
    "xdigit": 6,
}
