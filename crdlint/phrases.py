"""Phrases of messages: numbers with their nouns, lists of names, and the names that misspelled ones may mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from os.path import commonprefix
from typing import Final

from crdlint.safety.bugs import attempt


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as `1 file` or `2 files`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Return parts as a list in words: `a`, `a and b`, `a, b and c`."""
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def some(parts: Sequence[str], most: int) -> str:
    """Return a list of at most `most` parts, and how many more there are: `a, b and 3 more`."""
    shown = ", ".join(parts[:most])
    return f"{shown} and {len(parts) - most:,} more" if len(parts) > most else shown


# Longer names are not compared, because the work grows with the square of their length.
_LONGEST: Final = 256
_SHORT: Final = 3  # names with as few letters are different ones


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most similar to `name`, ignoring case, or None if no similarity reaches `cutoff` (up to 1).

    Among equally similar names, return the last in alphabetical order.

    >>> nearest("metdata", ["metadata", "spec"])
    'metadata'
    """
    return attempt(_nearest, name, names, cutoff)


def is_slip(written: str, meant: str) -> bool:
    """Return whether two names differ by case, separators, or one letter that is missing, too much or exchanged with the next.

    >>> is_slip("replica", "replicas"), is_slip("minSize", "maxSize")
    (True, False)
    """
    letters, others = (name.replace("-", "").replace("_", "") for name in (written, meant))
    start = len(commonprefix([letters, others]))  # noqa: RUF071  of letters
    end = len(commonprefix([name[start:][::-1] for name in (letters, others)]))  # noqa: RUF071
    rest, other_rest = letters[start : len(letters) - end], others[start : len(others) - end]
    lone = rest + other_rest
    is_inside_word = (
        start > 0 and letters[start - 1].isalpha() and lone.islower() and min(len(letters), len(others)) > _SHORT
    )
    is_exchange = rest == other_rest[::-1] and len(rest) == len("ab")
    return letters.lower() == others.lower() or (is_inside_word and (len(lone) == 1 or is_exchange))


def _nearest(name: str, names: Iterable[str], cutoff: float) -> str | None:
    target = name.lower()
    folded = {known_name.lower(): known_name for known_name in names}
    if target in folded:
        return folded[target]
    if len(target) > _LONGEST:
        return None
    from difflib import get_close_matches

    near = get_close_matches(target, [known_name for known_name in folded if len(known_name) <= _LONGEST], 1, cutoff)
    return folded[near[0]] if near else None
