"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from crdlint.safety.bugs import attempt
from crdlint.yaml.edit import differing

if TYPE_CHECKING:
    from difflib import SequenceMatcher

# Longer names are not compared, because the work grows with the square of their length.
_LONGEST: Final = 256
_SHORT: Final = 3  # names with as few letters are different ones


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most similar to `name`, ignoring case, or None if no similarity reaches `cutoff` (up to 1).

    Among equally similar names, return the last in alphabetical order, as difflib.get_close_matches does.

    >>> nearest("metdata", ["metadata", "spec"])
    'metadata'
    """
    return attempt(_nearest, name, known, cutoff)


def is_slip(written: str, meant: str) -> bool:
    """Return whether two names differ by case, separators, or one letter that is missing, too much or exchanged with the next.

    >>> is_slip("replica", "replicas"), is_slip("minSize", "maxSize")
    (True, False)
    """
    letters, others = (name.replace("-", "").replace("_", "") for name in (written, meant))
    start, rest, other_rest = differing(list(letters), list(others))
    lone = "".join(rest + other_rest)
    is_inside_word = (
        start > 0 and letters[start - 1].isalpha() and lone.islower() and min(len(letters), len(others)) > _SHORT
    )
    is_exchange = rest == other_rest[::-1] and len(rest) == len("ab")
    return letters.lower() == others.lower() or (is_inside_word and (len(lone) == 1 or is_exchange))


def _nearest(name: str, known: Iterable[str], cutoff: float) -> str | None:
    target = name.lower()
    folded = {known_name.lower(): known_name for known_name in known}
    if target in folded:
        return folded[target]
    if len(target) > _LONGEST:
        return None
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(b=target)
    best, nearest_name = cutoff, None
    # Names are sorted by an upper bound, so that the ratio is computed only for names that can still be the best.
    for bound, candidate in sorted(_bounds(matcher, folded, cutoff), reverse=True):
        if bound < best:
            break
        matcher.set_seq1(candidate)
        ratio = matcher.ratio()
        if ratio > best or (ratio == best and (nearest_name is None or candidate > nearest_name)):
            best, nearest_name = ratio, candidate
    return None if nearest_name is None else folded[nearest_name]


def _bounds(matcher: SequenceMatcher[str], names: Iterable[str], cutoff: float) -> Iterable[tuple[float, str]]:
    """Yield each name that may reach `cutoff`, with an upper bound of its similarity."""
    for name in names:
        if len(name) > _LONGEST:
            continue
        matcher.set_seq1(name)
        if matcher.real_quick_ratio() >= cutoff:
            bound = matcher.quick_ratio()
            if bound >= cutoff:
                yield bound, name
