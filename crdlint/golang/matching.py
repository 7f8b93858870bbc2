"""Matching of Go's regular expressions by RE2, which has the same syntax except for the names of some Unicode classes.

If a large class is repeated, RE2's program is far larger than Go's. So programs are compiled for the length of the
text, cached within a fixed amount of memory, and counted as work of the document.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby
from typing import Final, Protocol

from crdlint.golang import regexp_tree as syntax
from crdlint.golang.regexp import NamedClass, parse
from crdlint.golang.regexp_classes import SURROGATES, category
from crdlint.light import dataclass
from crdlint.safety import work

# Memory limits in bytes for a program of RE2 and its cache; the first limit that suffices is used.
_MEMORY: Final = (1 << 16, 1 << 18, 1 << 20, 1 << 23, 1 << 25)
_KEPT: Final = 1 << 25  # bytes of all cached programs
_LONGEST: Final = 1 << 23  # characters of a pattern in RE2's spelling
_TOO_LARGE: Final = "the regular expression is too large for crdlint"
_KEPT_TEXT: Final = 1 << 22  # characters of all cached patterns in RE2's syntax
# Programs of at most this many instructions have so few states that the search time per character is constant.
_SMALL: Final = 16


class PatternError(ValueError):
    """Go rejects the pattern; `str()` is its error."""


class _Matcher(Protocol):
    """A program of RE2 for UTF-8 bytes."""

    programsize: int

    def search(self, text: bytes, pos: int = 0) -> _Match | None:
        """Return the first match at or after an offset."""


class _Match(Protocol):
    def span(self) -> tuple[int, int]:
        """Return its start and end in bytes."""


@dataclass(frozen=True, slots=True)
class _Program:
    """A compiled pattern: its maximum `memory`, and the number of `steps` for compiling it."""

    matcher: _Matcher
    memory: int
    steps: int

    def search(self, octets: bytes, start: int = 0) -> tuple[int, int] | None:
        """Return the first match at or after an offset, in bytes; raise WorkLimitError."""
        left, size = len(octets) - start, self.matcher.programsize
        work.spend(4 + (left >> 8) + (left * size >> 8 if size > _SMALL else 0))
        match = self.matcher.search(octets, start)
        return None if match is None else match.span()


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A pattern in RE2's syntax: alternating texts and counts of repetitions, and whether it is only literal text."""

    pieces: tuple[str | tuple[int, int | None], ...]
    most: int = 0  # the largest count of repetitions
    literal: bool = False

    @property
    def length(self) -> int:
        """The total length in characters; a class may be much longer than in the pattern."""
        return sum(map(len, self.pieces))

    def text(self, most: int | None) -> str:
        """Return the pattern with all counts of repetitions limited to `most`."""
        return "".join(
            piece if isinstance(piece, str) else _count(piece, most) for piece in self.pieces
        )


_SPELLINGS: Final[work.Recent[_Spelling]] = work.Recent(_KEPT_TEXT)
_PROGRAMS: Final[work.Recent[_Program]] = work.Recent(_KEPT)


def check(pattern: str) -> None:
    """Raise PatternError if Go rejects the pattern."""
    _spelling(pattern)


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches anywhere in a text; raise PatternError or WorkLimitError.

    >>> matches("^a+$", "aaa")
    True
    """
    spelling = _spelling(pattern)
    if spelling.literal:
        work.spend(1 + (len(text) >> 9))
        return pattern in text
    return (
        _program(pattern, spelling, _repetitions(spelling.most, len(text))).search(encoded(text))
        is not None
    )


def spans(pattern: str, octets: bytes) -> Iterator[tuple[int, int]]:
    """Yield matches as byte offsets in UTF-8, as Go without empty ones after others; raise PatternError or WorkLimitError."""
    program = _program(pattern, _spelling(pattern), None)
    position, last_end = 0, -1
    while position <= len(octets):
        match = program.search(octets, position)
        if match is None:
            return
        start, end = match
        is_match = end > position or start != last_end
        position = end if end > position else _next_character(octets, position)
        last_end = end
        if is_match:
            yield match


@lru_cache(maxsize=256)
def class_members(escape: str) -> tuple[tuple[int, int], ...]:
    r"""Return the ranges of code points that a class such as `\pL` or `\p{^Greek}` matches; no work is counted."""
    matcher = _compiled(_spelt(f"(?:{escape})+"), None, _MEMORY[-1:]).matcher
    ranges: list[tuple[int, int]] = []
    for block in range(0, sys.maxunicode + 1, _BLOCK):
        text = "".join(
            chr(code) for code in range(block, block + _BLOCK) if code not in SURROGATES
        ).encode()
        match = matcher.search(text)
        while match is not None:
            start, end = match.span()
            characters = text[start:end].decode()
            low, high = ord(characters[0]), ord(characters[-1])
            if ranges and ranges[-1][1] == low - 1:
                low = ranges.pop()[0]
            ranges.append((low, high))
            match = matcher.search(text, end)
    return tuple(ranges)


_BLOCK: Final = 0x800  # surrogates are exactly one block


def encoded(text: str) -> bytes:
    """Return a text as UTF-8; lone surrogates become the invalid bytes that Go would have."""
    return text.encode("utf-8", "surrogatepass")


def _next_character(octets: bytes, index: int) -> int:
    index += 1
    while index < len(octets) and octets[index] & 0xC0 == 0x80:
        index += 1
    return index


def _repetitions(most: int, length: int) -> int | None:
    """Return a limit of repetitions that does not change the result for texts of `length` characters, or None.

    More repetitions than one per character (plus one) either match only empty text or cannot match.
    """
    limit = 1 << length.bit_length()
    return None if limit >= most else limit


def _count(count: tuple[int, int | None], most: int | None) -> str:
    low, high = count
    if most is not None:
        low, high = min(low, most), None if high is None else min(high, most)
    return f"{{{low},}}" if high is None else f"{{{low},{high}}}"


def _spelling(pattern: str) -> _Spelling:
    spelling = _SPELLINGS.get(pattern)
    if spelling is None:
        try:
            spelling = _spelt(pattern)
        except syntax.InvalidPatternError as error:
            raise PatternError(str(error)) from None
        _SPELLINGS.put(pattern, spelling, len(pattern))
    budget = work.current()
    if budget is not None:
        budget.spend_once(
            _SPELLINGS,
            pattern,
            len(pattern),
            len(pattern),
        )
    return spelling


def _program(pattern: str, spelling: _Spelling, most: int | None) -> _Program:
    key = (pattern, most)
    compiled = _PROGRAMS.get(key)
    if compiled is None:
        work.spend(0)
        compiled = _compiled(spelling, most)
        _PROGRAMS.put(key, compiled, compiled.memory)
    budget = work.current()
    if budget is not None:
        budget.spend_once(
            _PROGRAMS,
            key,
            compiled.memory,
            compiled.steps,
        )
    return compiled


def _compiled(spelling: _Spelling, most: int | None, limits: tuple[int, ...] = _MEMORY) -> _Program:
    """Compile a pattern that Go accepts; raise WorkLimitError if it exceeds all memory limits."""
    length = spelling.length
    if length > _LONGEST:
        raise work.WorkLimitError(_TOO_LARGE)
    import re2  # type: ignore[import-untyped, import-not-found, unused-ignore]

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    spelt = spelling.text(most)
    for memory in limits:
        options.max_mem = memory
        try:
            compiled = re2.compile(spelt, options)
        except re2.error:
            continue
        finally:
            re2.purge()  # otherwise it would cache programs itself
        return _Program(compiled, memory, 50 + (compiled.programsize >> 1) + (length >> 2))
    raise work.WorkLimitError(_TOO_LARGE)


# The content of the brackets for each class that RE2 does not have, and for its negation.
_UNASSIGNED: Final = "unassigned"
_ASSIGNED: Final = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}"
_LACKING: Final = {
    "ascii": (r"\x00-\x7F", r"\x{80}-\x{10FFFF}"),
    "lc": (r"\p{Lu}\p{Ll}\p{Lt}", r"\p{C}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Lm}\p{Lo}" + _UNASSIGNED),
    "assigned": (_ASSIGNED, _UNASSIGNED),
    "cn": (_UNASSIGNED, _ASSIGNED),
    "c": (r"\p{Cc}\p{Cf}\p{Co}\p{Cs}" + _UNASSIGNED, r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}"),
}


def _spelt(pattern: str) -> _Spelling:
    r"""Return a pattern with RE2's names of classes (`\p{L}` for `\p{Letter}`), and without names of groups."""
    tree, parts = parse(pattern)
    if (
        tree.kind in {syntax.EMPTY, syntax.LITERAL}
        and not tree.flags
        and "".join(map(str, tree.each())) == pattern
    ):
        return _Spelling((pattern,), literal=True)
    pieces: list[str | tuple[int, int | None]] = []
    position = most = 0
    for start, end, part in parts:
        pieces.append(pattern[position:start])
        position = end
        if isinstance(part, NamedClass):
            pieces.append(_class(part.text, in_bracket=part.in_brackets))
            continue
        pieces.append(part)
        if not isinstance(part, str):
            most = max(most, part[0], part[1] or 0)
    pieces.append(pattern[position:])
    return _Spelling(tuple(pieces), most)


@lru_cache(maxsize=256)
def _class(escape: str, *, in_bracket: bool) -> str:
    name = escape[3:-1].removeprefix("^")
    negated = (escape[1] == "P") != (escape[3] == "^")
    key = category(name)
    if key is None:  # a script, whose name RE2 requires as in Unicode
        return rf"\{'P' if negated else 'p'}{{{name if name != name.lower() else name.title()}}}"
    if key not in _LACKING:
        return rf"\{'P' if negated else 'p'}{{{key.title()}}}"
    members = _LACKING[key][negated]
    if members.endswith(_UNASSIGNED):
        members = members.removesuffix(_UNASSIGNED) + _unassigned()
    return members if in_bracket else f"[{members}]"


@lru_cache
def _unassigned() -> str:
    """Return the ranges of code points that are not assigned in Unicode."""
    groups = groupby(
        range(sys.maxunicode + 1), lambda code: unicodedata.category(chr(code)) == "Cn"
    )
    ranges = [list(codes) for is_free, codes in groups if is_free]
    return "".join(rf"\x{{{codes[0]:x}}}-\x{{{codes[-1]:x}}}" for codes in ranges)
