"""Go's regular expressions as trees, for comparing the texts that they match."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.golang import matching
from crdlint.golang.regexp_classes import EVERY, NEWLINE, PERL, POSIX, Ranges, folded, joined, negated

if TYPE_CHECKING:
    from collections.abc import Sequence

_DEEPEST: Final = 60  # nested groups
# What is true between two characters.
BEGIN: Final = "begin of text"
END: Final = "end of text"
LINE_BEGIN: Final = "begin of line"
LINE_END: Final = "end of line"
BOUNDARY: Final = "word boundary"
NO_BOUNDARY: Final = "no word boundary"


class UnsupportedError(Exception):
    """The texts of a pattern cannot be compared: it is too large or nested too deeply."""


@dataclass(frozen=True, slots=True)
class Class:
    """One of several characters."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class Assertion:
    """A condition between two characters, which matches no text itself."""

    kind: str


@dataclass(frozen=True, slots=True)
class Concatenation:
    """Parts one after the other."""

    parts: Sequence[Node]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of several parts."""

    parts: Sequence[Node]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part from ``low`` to ``high`` times, None for any number of times."""

    part: Node
    low: int
    high: int | None


Node: TypeAlias = "Class | Assertion | Concatenation | Alternatives | Repeat"

_ESCAPES: Final = {"a": 7, "f": 12, "n": 10, "r": 13, "t": 9, "v": 11}
_ASSERTIONS: Final = {"A": BEGIN, "z": END, "b": BOUNDARY, "B": NO_BOUNDARY}
_COUNT: Final = re.compile(r"\{(0|[1-9][0-9]*)(,(0|[1-9][0-9]*)?)?\}")
_HEX: Final = re.compile(r"x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))")
_OCTAL: Final = re.compile(r"[1-7][0-7]{1,2}|0[0-7]{0,2}")
_POSIX_CLASS: Final = re.compile(r"\[:(\^?)(\w+):\]")
_UNICODE_CLASS: Final = re.compile(r"\\[pP](?:\{[^\\{}]*\}|.)", re.DOTALL)
_GROUP: Final = re.compile(r"\((?:\?(?:P?<\w+>|(?P<on>[imsU]*)(?:-(?P<off>[imsU]+))?(?P<end>[:)])))?")
_NO_FLAGS: Final[frozenset[str]] = frozenset()


def read(pattern: str) -> Node:
    """Return the tree of a pattern that Go accepts; raise UnsupportedError."""
    return _Reader(pattern).read()


def anchors(pattern: str) -> tuple[bool, bool]:
    """Return whether all that a pattern matches begins at the start of a text, and ends at its end; raise UnsupportedError."""
    tree = read(pattern)
    return _has_everywhere(tree, BEGIN), _has_everywhere(tree, END)


def _has_everywhere(node: Node, assertion: str) -> bool:
    """Return whether an assertion applies to all that a node matches: of alternatives, to each."""
    if isinstance(node, Assertion):
        return node.kind == assertion
    if isinstance(node, Alternatives):
        return all(_has_everywhere(part, assertion) for part in node.parts)
    if isinstance(node, Concatenation):
        return any(_has_everywhere(part, assertion) for part in node.parts)
    return isinstance(node, Repeat) and node.low > 0 and _has_everywhere(node.part, assertion)


class _Reader:
    """Reads a pattern from left to right; the flags are those of the innermost group."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._flags = _NO_FLAGS

    def read(self) -> Node:
        return self._alternatives()

    def _alternatives(self) -> Node:
        parts = [self._concatenation()]
        while self._text.startswith("|", self._at):
            self._at += 1
            parts.append(self._concatenation())
        return parts[0] if len(parts) == 1 else Alternatives(parts)

    def _concatenation(self) -> Node:
        parts: list[Node] = []
        while self._at < len(self._text) and self._text[self._at] not in "|)":
            bounds = self._repetition()
            if bounds is None:
                parts += self._parts()
            else:
                parts[-1] = Repeat(parts[-1], *bounds)
        return Concatenation(parts)

    def _repetition(self) -> tuple[int, int | None] | None:
        """Read a repetition operator, and return how often it repeats; None if there is none."""
        text = self._text
        bounds = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(text[self._at])
        end = self._at + 1
        if bounds is None:
            count = _COUNT.match(text, self._at)
            if count is None:
                return None
            end, low = count.end(), int(count[1])
            bounds = (low, low if count[2] is None else None if count[3] is None else int(count[3]))
        self._at = end + text.startswith("?", end)
        return bounds

    def _parts(self) -> Sequence[Node]:
        """Read what a repetition can apply to; none for flags, several for quoted text."""
        char = self._text[self._at]
        if char == "(":
            return self._group()
        if char == "[":
            return (Class(self._bracket()),)
        if char == "\\":
            return self._escaped()
        self._at += 1
        if char == ".":
            return (Class(EVERY if "s" in self._flags else negated(NEWLINE)),)
        if char in "^$":
            of_lines = "m" in self._flags
            return (Assertion((LINE_BEGIN if of_lines else BEGIN) if char == "^" else LINE_END if of_lines else END),)
        return (self._literal(ord(char)),)

    def _literal(self, code: int) -> Node:
        return Class(self._folded(((code, code),)))

    def _folded(self, ranges: Ranges) -> Ranges:
        return folded(ranges) if "i" in self._flags else ranges

    def _group(self) -> Sequence[Node]:
        opening = _GROUP.match(self._text, self._at)
        if opening is None or self._depth > _DEEPEST:
            raise UnsupportedError
        self._at = opening.end()
        flags = (self._flags | frozenset(opening["on"] or "")) - frozenset(opening["off"] or "")
        if opening["end"] == ")":
            self._flags = flags
            return ()
        outer, self._flags = self._flags, flags
        self._depth += 1
        node = self._alternatives()
        self._depth -= 1
        self._flags = outer
        self._at += 1  # the closing parenthesis
        return (node,)

    def _escaped(self) -> Sequence[Node]:
        text, following = self._text, self._text[self._at + 1]
        if following in _ASSERTIONS:
            self._at += 2
            return (Assertion(_ASSERTIONS[following]),)
        if following == "Q":
            end = text.find(r"\E", self._at)
            quoted = text[self._at + 2 : end if end >= 0 else len(text)]
            self._at = end + 2 if end >= 0 else len(text)
            return [self._literal(ord(char)) for char in quoted]
        return (Class(self._folded_escape()),)

    def _folded_escape(self) -> Ranges:
        """Read an escape of one character or of a class."""
        text, start = self._text, self._at + 1
        following = text[start]
        self._at = start + 1
        if following.lower() in PERL:
            members = self._folded(PERL[following.lower()])
            return negated(members) if following.isupper() else members
        named = _UNICODE_CLASS.match(text, start - 1)
        if named is not None:
            self._at = named.end()
            return self._unicode_class(named[0])
        code = self._escaped_code(start)
        return self._folded(((code, code),))

    def _unicode_class(self, escape: str) -> Ranges:
        r"""Return the members of `\p{...}`; the flag `i` adds cases before the class is negated."""
        name = escape[2:].strip("{}")
        is_negated = (escape[1] == "P") != name.startswith("^")
        members = self._folded(matching.class_members(rf"\p{{{name.removeprefix('^')}}}"))
        return negated(members) if is_negated else members

    def _escaped_code(self, start: int) -> int:
        """Read what follows a backslash as the code of a character."""
        text = self._text
        if text[start] in _ESCAPES:
            return _ESCAPES[text[start]]
        number, base = _HEX.match(text, start), 16
        digits = "" if number is None else number[1] or number[2]
        if number is None:
            number, base = _OCTAL.match(text, start), 8
            digits = "" if number is None else number[0]
        if number is None:
            return ord(text[start])
        self._at = number.end()
        return int(digits, base)

    def _bracket(self) -> Ranges:
        text = self._text
        self._at += 1
        is_negated = text.startswith("^", self._at)
        self._at += is_negated
        pairs: list[tuple[int, int]] = []
        first = True
        while first or text[self._at] != "]":
            first = False
            posix = _POSIX_CLASS.match(text, self._at)
            if posix is not None:
                self._at = posix.end()
                ranges = self._folded(POSIX[posix[2]])
                pairs += negated(ranges) if posix[1] else ranges
            elif text[self._at] == "\\" and text[self._at + 1] in "dDsSwWpP":
                pairs += self._folded_escape()
            else:
                low = high = self._member()
                if text.startswith("-", self._at) and text[self._at + 1] != "]":
                    self._at += 1
                    high = self._member()
                pairs += self._folded(((low, high),))
        self._at += 1
        members = joined(pairs)
        return negated(members) if is_negated else members

    def _member(self) -> int:
        """Read a character of a bracket expression, and return its code."""
        start = self._at
        if self._text[start] == "\\":
            self._at += 2
            return self._escaped_code(start + 1)
        self._at += 1
        return ord(self._text[start])
