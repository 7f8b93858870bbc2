"""Classes of characters of Go's regular expressions, as ranges of code points."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# Sorted ranges of code points, both ends included.
Ranges: TypeAlias = "tuple[tuple[int, int], ...]"

LAST: Final = 0x10FFFF  # the largest code point
EVERY: Final[Ranges] = ((0, LAST),)
SURROGATES: Final = range(0xD800, 0xE000)
_LAST_CASED: Final = 0x1E943  # the largest code point that has another case (Adlam)


def joined(pairs: Iterable[tuple[int, int]]) -> Ranges:
    """Return sorted ranges, with adjacent ones joined."""
    result: list[tuple[int, int]] = []
    for low, high in sorted(pairs):
        if result and low <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], high))
        else:
            result.append((low, high))
    return tuple(result)


def negated(ranges: Ranges) -> Ranges:
    """Return all other code points."""
    result = []
    start = 0
    for low, high in ranges:
        if start < low:
            result.append((start, low - 1))
        start = high + 1
    if start <= LAST:
        result.append((start, LAST))
    return tuple(result)


def contains(ranges: Ranges, code: int) -> bool:
    """Return whether a code point is in one of the ranges."""
    index = bisect_left(ranges, (code + 1,)) - 1
    return index >= 0 and ranges[index][1] >= code


def folded(ranges: Ranges) -> Ranges:
    """Return ranges with the other cases of their characters, for the flag `i`. Upstream: unicode.SimpleFold."""
    cases, cased = _cases(), _cased()
    others = {
        other
        for low, high in ranges
        for code in cased[bisect_left(cased, low) : bisect_right(cased, high)]
        for other in cases[code]
    }
    return joined((*ranges, *((code, code) for code in others)))


@lru_cache
def _cases() -> Mapping[int, tuple[int, ...]]:
    """Return all cases of each character that has several, by its code point."""
    orbits: dict[str, list[int]] = {}
    for code in range(_LAST_CASED + 1):
        char = chr(code)
        common = char.casefold()
        if len(common) > 1:  # a text of several characters, which simple folding does not use
            common = char.lower()
        orbits.setdefault(common if len(common) == 1 else char, []).append(code)
    return {code: tuple(orbit) for orbit in orbits.values() if len(orbit) > 1 for code in orbit}


@lru_cache
def _cased() -> Sequence[int]:
    return sorted(_cases())


def _of(text: str) -> Ranges:
    """Return the ranges of pairs of characters: `azAZ` is both alphabets."""
    return joined((ord(low), ord(high)) for low, high in zip(text[::2], text[1::2], strict=True))


WORDS: Final = _of("09AZ__az")
NEWLINE: Final = _of("\n\n")
_DIGITS, _SPACES = _of("09"), _of("\t\n\f\r  ")
# The classes of one letter; those of capital letters are their negations.
PERL: Final = {"d": _DIGITS, "s": _SPACES, "w": WORDS}
POSIX: Final = {
    "alnum": _of("09AZaz"), "alpha": _of("AZaz"), "ascii": _of("\x00\x7f"), "blank": _of("\t\t  "),
    "cntrl": _of("\x00\x1f\x7f\x7f"), "digit": _DIGITS, "graph": _of("!~"), "lower": _of("az"),
    "print": _of(" ~"), "punct": _of("!/:@[`{~"),
    "space": _of("\t\r  "), "upper": _of("AZ"), "word": WORDS, "xdigit": _of("09AFaf"),
}  # fmt: skip
