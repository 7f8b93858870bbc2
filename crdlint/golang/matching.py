"""Patterns of Go's, matched by RE2, whose syntax and meaning are Go's but for the names of some Unicode classes.

RE2 makes a program of a pattern that is far larger than Go's where a large class repeats. Programs are therefore made for
the length of the text, kept within a fixed amount of memory, and counted as work of the document.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from crdlint.golang.regexp import compile_error
from crdlint.golang.regexp_unicode import category
from crdlint.safety import work

# Bytes that RE2 may take for a program and what it caches of it; the first limit that suffices is taken.
_MEMORY: Final = (1 << 16, 1 << 18, 1 << 20, 1 << 23, 1 << 25)
_KEPT: Final = 1 << 25  # bytes of all programs that are kept
_LONGEST: Final = 1 << 23  # characters of a pattern in RE2's spelling
_TOO_LARGE: Final = "the regular expression is too large for crdlint"
_KEPT_TEXT: Final = 1 << 22  # characters of all patterns that are kept in RE2's spelling
# Programs of so few instructions have so few states that a search takes the same time for every character.
_SMALL: Final = 16


class PatternError(ValueError):
    """A pattern that Go refuses; ``str()`` is its error."""


class _Matcher(Protocol):
    """A program of RE2's, for bytes of UTF-8."""

    programsize: int

    def search(self, text: bytes, pos: int = 0) -> _Match | None:
        """Return the first match from an offset on."""


class _Match(Protocol):
    def span(self) -> tuple[int, int]:
        """Return its start and end in bytes."""


@dataclass(frozen=True, slots=True)
class _Program:
    """A compiled pattern: ``size`` in instructions, the ``memory`` that it takes at most, the ``steps`` that it took to make."""

    matcher: _Matcher
    size: int
    memory: int
    steps: int

    def search(self, octets: bytes, at: int = 0) -> tuple[int, int] | None:
        """Return the first match from an offset on, in bytes; raise WorkLimitError."""
        left = len(octets) - at
        work.spend(4 + (left >> 8) + (left * self.size >> 8 if self.size > _SMALL else 0))
        found = self.matcher.search(octets, at)
        return None if found is None else found.span()


@dataclass(frozen=True, slots=True)
class _Spelling:
    """A pattern in RE2's spelling: texts and counts of repetitions in turns; whether it is nothing but literal text."""

    pieces: tuple[str | tuple[int, int | None], ...]
    most: int = 0  # repetitions that are asked for
    literal: bool = False

    @property
    def length(self) -> int:
        """The characters of the whole; a class may take far more of them than in the pattern."""
        return sum(map(len, self.pieces))

    def text(self, most: int | None) -> str:
        """Return the pattern with no repetition asked for more often than a limit."""
        return "".join(one if isinstance(one, str) else _count(one, most) for one in self.pieces)


_SPELLINGS: Final[work.Recent[_Spelling]] = work.Recent(_KEPT_TEXT)
_PROGRAMS: Final[work.Recent[_Program]] = work.Recent(_KEPT)


def check(pattern: str) -> None:
    """Raise PatternError for a pattern that Go refuses."""
    _spelling(pattern)


def matches(pattern: str, text: str) -> bool:
    """Return whether a pattern matches anywhere in a text; raise PatternError, and WorkLimitError if that takes too much."""
    spelling = _spelling(pattern)
    if spelling.literal:
        work.spend(1 + (len(text) >> 9))
        return pattern in text
    return _program(pattern, spelling, _repetitions(spelling.most, len(text))).search(encoded(text)) is not None


def spans(pattern: str, octets: bytes) -> Iterator[tuple[int, int]]:
    """Yield the matches in a text of UTF-8, as offsets; raise PatternError, and WorkLimitError.

    An empty match right after a match is none (Regexp.allMatches).
    """
    spelling = _spelling(pattern)
    program = _program(pattern, spelling, None)
    at, last_end = 0, -1
    while at <= len(octets):
        found = program.search(octets, at)
        if found is None:
            return
        start, end = found
        is_match = end > at or start != last_end
        at = end if end > at else _next_character(octets, at)
        last_end = end
        if is_match:
            yield found


def encoded(text: str) -> bytes:
    """Return a text in UTF-8; what Go holds as bytes that are no UTF-8 stays so."""
    return text.encode("utf-8", "surrogatepass")


def _next_character(octets: bytes, at: int) -> int:
    at += 1
    while at < len(octets) and octets[at] & 0xC0 == 0x80:
        at += 1
    return at


def _repetitions(most: int, length: int) -> int | None:
    """Return the limit of repetitions that makes no difference in a text of so many characters, None for no limit.

    Beyond one more than the characters, repetitions either match nothing at all or cannot match.
    """
    limit = 1 << length.bit_length()
    return None if limit >= most else limit


def _count(count: tuple[int, int | None], most: int | None) -> str:
    low, high = count
    if most is not None:
        low, high = min(low, most), None if high is None else min(high, most)
    return f"{{{low},}}" if high is None else f"{{{low},{high}}}"


def _spelling(pattern: str) -> _Spelling:
    found = _SPELLINGS.get(pattern)
    if found is None:
        refused = compile_error(pattern)
        if refused is not None:
            raise PatternError(refused)
        found = _spelt(pattern)
        _SPELLINGS.put(pattern, found, len(pattern))
    budget = work.current()
    if budget is not None:
        budget.spend_once(_SPELLINGS, pattern, len(pattern), len(pattern))
    return found


def _program(pattern: str, spelling: _Spelling, most: int | None) -> _Program:
    key = (pattern, most)
    found = _PROGRAMS.get(key)
    if found is None:
        work.spend(0)
        found = _compiled(spelling, most)
        _PROGRAMS.put(key, found, found.memory)
    budget = work.current()
    if budget is not None:
        budget.spend_once(_PROGRAMS, key, found.memory, found.steps)
    return found


def _compiled(spelling: _Spelling, most: int | None) -> _Program:
    """Compile a pattern that Go takes; raise WorkLimitError for one that RE2 has no room for."""
    length = spelling.length
    if length > _LONGEST:
        raise work.WorkLimitError(_TOO_LARGE)
    import re2  # type: ignore[import-untyped, import-not-found, unused-ignore]

    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    spelt = spelling.text(most)
    for memory in _MEMORY:
        options.max_mem = memory
        try:
            made = re2.compile(spelt, options)
        except re2.error:
            continue
        finally:
            re2.purge()  # it would keep programs itself
        return _Program(made, made.programsize, memory, 50 + (made.programsize >> 1) + (length >> 2))
    raise work.WorkLimitError(_TOO_LARGE)


_ESCAPED_CLASS: Final = r"\\[pP]\{\^?[^}]*\}"
_COUNT_DIGITS: Final = "0|[1-9][0-9]*"
# What is not the same to both, and what holds the same characters with another meaning.
_TOKEN: Final = re.compile(
    rf"(?P<unchanged>\\Q.*?(?:\\E|\Z)|\\x\{{[^}}]*\}}|(?!{_ESCAPED_CLASS})\\.)"
    rf"|(?P<named>{_ESCAPED_CLASS})"
    r"|(?P<bracket>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\])"
    r"|(?P<group>\(\?P?<[^>]*>)"
    rf"|\{{(?P<low>{_COUNT_DIGITS})(?P<comma>,(?P<high>{_COUNT_DIGITS})?)?\}}",
    re.DOTALL,
)
_NAMED: Final = re.compile(_ESCAPED_CLASS)
_NOT_LITERAL: Final = re.compile(r"[\\\[\](){}.*+?|^$]")
_CASED: Final = r"\p{Lu}\p{Ll}\p{Lt}"
_ASSIGNED: Final = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}"
_OTHER: Final = r"\p{Cc}\p{Cf}\p{Co}\p{Cs}"


def _spelt(pattern: str) -> _Spelling:
    r"""Return a pattern with classes by names that RE2 knows (``\p{L}`` for ``\p{Letter}``), and without names of groups."""
    if _NOT_LITERAL.search(pattern) is None:
        return _Spelling((pattern,), literal=True)
    pieces: list[str | tuple[int, int | None]] = []
    at = most = 0
    for token in _TOKEN.finditer(pattern):
        pieces.append(pattern[at : token.start()])
        at = token.end()
        if token["low"] is None:
            pieces.append(_token(token))
            continue
        low = int(token["low"])
        high = low if token["comma"] is None else None if token["high"] is None else int(token["high"])
        most = max(most, low, high or 0)
        pieces.append((low, high))
    pieces.append(pattern[at:])
    return _Spelling(tuple(pieces), most)


def _token(token: re.Match[str]) -> str:
    if token["named"] is not None:
        return _class(token[0], in_bracket=False)
    if token["bracket"] is not None:
        return _NAMED.sub(lambda name: _class(name[0], in_bracket=True), token["bracket"])
    return "(" if token["group"] is not None else token[0]


@lru_cache(maxsize=256)
def _class(escape: str, *, in_bracket: bool) -> str:
    name = escape[3:-1].removeprefix("^")
    negated = (escape[1] == "P") != (escape[3] == "^")
    key = category(name)
    if key is None:  # a script, which RE2 wants spelt as Unicode does
        return rf"\{'P' if negated else 'p'}{{{name if name != name.lower() else name.title()}}}"
    members = _members(key, negated=negated)
    if members is None:
        return rf"\{'P' if negated else 'p'}{{{key.title()}}}"
    return members if in_bracket else f"[{members}]"


def _members(key: str, *, negated: bool) -> str | None:
    """Return what stands in brackets for a class that RE2 does not have, None for one that it has."""
    if key == "ascii":
        return r"\x{80}-\x{10FFFF}" if negated else r"\x00-\x7F"
    if key == "lc":
        return r"\p{C}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Lm}\p{Lo}" + _unassigned() if negated else _CASED
    if key in {"assigned", "cn"}:
        return _ASSIGNED if negated == (key == "cn") else _unassigned()
    if key == "c":
        return r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}" if negated else _OTHER + _unassigned()
    return None


@lru_cache
def _unassigned() -> str:
    """Return the ranges of code points that Unicode has not assigned."""
    ranges: list[str] = []
    start: int | None = None
    for code in range(sys.maxunicode + 2):
        free = code <= sys.maxunicode and unicodedata.category(chr(code)) == "Cn"
        if free and start is None:
            start = code
        elif not free and start is not None:
            ranges.append(rf"\x{{{start:x}}}-\x{{{code - 1:x}}}")
            start = None
    return "".join(ranges)
