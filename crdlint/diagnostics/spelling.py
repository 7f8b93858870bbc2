"""Suggestions for misspelled names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from crdlint.safety.bugs import attempt
from crdlint.yaml.edit import differing

# Longer names are not compared, because the work grows with the square of their length.
_LONGEST: Final = 256
_SHORT: Final = 3  # names with as few letters are different ones


def nearest(name: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most similar to `name`, ignoring case, or None if no similarity reaches `cutoff` (up to 1).

    Among equally similar names, return the last in alphabetical order.

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
    from difflib import get_close_matches

    near = get_close_matches(target, [known_name for known_name in folded if len(known_name) <= _LONGEST], 1, cutoff)
    return folded[near[0]] if near else None
