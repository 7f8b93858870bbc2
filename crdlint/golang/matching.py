"""Patterns of Go's, compiled by RE2, whose syntax and meaning are Go's but for names of Unicode classes that Go added."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache
from typing import Final, Protocol

from crdlint.golang.regexp import compile_error
from crdlint.golang.regexp_unicode import category

_MAX_MEMORY: Final = 1 << 27  # bytes for a compiled expression; Go bounds the expression instead


class Match(Protocol):
    """A match in bytes of UTF-8."""

    def span(self) -> tuple[int, int]:
        """Return where it starts and ends."""


class Pattern(Protocol):
    """A compiled expression, of bytes of UTF-8."""

    def search(self, text: bytes, pos: int = 0) -> Match | None:
        """Return the first match from a place on."""


class PatternError(ValueError):
    """A pattern that Go refuses; ``str()`` is its error."""


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> Pattern:
    """Return a compiled expression; raise PatternError."""
    refused = compile_error(pattern)
    if refused is not None:
        raise PatternError(refused)
    import re2  # type: ignore[import-untyped, import-not-found, unused-ignore]

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    try:
        made: Pattern = re2.compile(_as_re2_spells(pattern), options)
    except re2.error as error:
        raise PatternError(f"error parsing regexp: {error}") from None
    return made


# A bracket's ends, quoted text and escapes, which say whether a class stands within a bracket.
_TOKEN: Final = re.compile(r"\\(?:Q.*?(?:\\E|\Z)|[pP]\{\^?(?P<name>[^}]*)\}|.)|\[:\^?\w+:\]|\[\^?\]?|\]", re.DOTALL)
_CASED: Final = r"\p{Lu}\p{Ll}\p{Lt}"
_ASSIGNED: Final = r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\p{Cc}\p{Cf}\p{Co}\p{Cs}"
_OTHER: Final = r"\p{Cc}\p{Cf}\p{Co}\p{Cs}"


def _as_re2_spells(pattern: str) -> str:
    r"""Return a pattern whose classes (``\p{Letter}``) have names that RE2 knows."""
    if r"\p{" not in pattern and r"\P{" not in pattern:
        return pattern
    in_bracket = False

    def spelt(match: re.Match[str]) -> str:
        nonlocal in_bracket
        piece, name = match[0], match["name"]
        if piece == "]" or (piece[0] == "[" and not in_bracket):
            in_bracket = piece != "]"
        if name is None:
            return piece
        negated = (piece[1] == "P") != (piece[3] == "^")
        return _class(name, negated=negated, in_bracket=in_bracket)

    return _TOKEN.sub(spelt, pattern)


def _class(name: str, *, negated: bool, in_bracket: bool) -> str:
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
