"""Phrases of messages: numbers with their nouns, lists of names, the most similar of known words, and where texts differ."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import Final

from crdlint.safety.bugs import attempt


class Sample(str):
    """A help that shows what to write by an example, so that the instruction of a safe fix is better.

    >>> Sample("Write a number, such as `1`")
    'Write a number, such as `1`'
    """

    __slots__ = ()


class OneCommand(str):
    """A help that commands to write one text and nothing else, so that a fix which writes more is described instead.

    >>> OneCommand("Add `type: string`")
    'Add `type: string`'
    """

    __slots__ = ()


class Layout(str):
    """A help for the arrangement of what is written, which a fix changes that adds or removes only spaces.

    >>> Layout("Indent line 3 by 4 spaces instead of 2 spaces")
    'Indent line 3 by 4 spaces instead of 2 spaces'
    """

    __slots__ = ()


class Routine(str):
    """A notice about what many repositories have on purpose, so that users need not act.

    >>> Routine("skipped: a patch of a kustomization")
    'skipped: a patch of a kustomization'
    """

    __slots__ = ()


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, such as `1 file` or `2 files`."""
    return f"{number:,} {agreeing(number, noun, plural or f'{noun}s')}"


def agreeing(number: int, singular: str, plural: str) -> str:
    """Return the form of a word that goes with a number of things, such as `is` or `are`, `it` or `them`."""
    return singular if number == 1 else plural


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Return parts as a list in words: `a`, `a and b`, `a, b and c`."""
    return f" {word} ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def some(parts: Sequence[str], most: int) -> str:
    """Return a list of at most `most` parts, and how many more there are: `a, b and 3 more`."""
    shown = ", ".join(parts[:most])
    return f"{shown} and {len(parts) - most:,} more" if len(parts) > most else shown


def differing(old: Sequence[str], new: Sequence[str]) -> tuple[int, list[str], list[str]]:
    """Return two texts or lists without their equal items at the start, which are counted, and at the end."""
    first = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))
    old_rest, new_rest = [*old[first:]], [*new[first:]]
    while old_rest and new_rest and old_rest[-1] == new_rest[-1]:
        del old_rest[-1], new_rest[-1]
    return first, old_rest, new_rest


# Longer names are not compared, because the work grows with the square of their length.
_LONGEST: Final = 256


def nearest(name: str, names: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name most similar to `name`, ignoring case, or None if no similarity reaches `cutoff` (up to 1).

    Among equally similar names, return the last in alphabetical order.

    >>> nearest("metdata", ["metadata", "spec"])
    'metadata'
    """
    distinct_names = tuple(names)
    is_asked_often = len(distinct_names) <= _FEW and len(name) <= _LONGEST
    return attempt(
        _nearest_of_few if is_asked_often else _nearest,
        name,
        distinct_names,
        cutoff,
    )


def _nearest(name: str, names: tuple[str, ...], cutoff: float) -> str | None:
    target = name.lower()
    folded = {known_name.lower(): known_name for known_name in names}
    if target in folded:
        return folded[target]
    if len(target) > _LONGEST:
        return None
    from difflib import get_close_matches

    near = get_close_matches(
        target,
        [known_name for known_name in folded if len(known_name) <= _LONGEST],
        1,
        cutoff,
    )
    return folded[near[0]] if near else None


# Files repeat their mistakes: the same name is compared with the same few names for each finding and for its fixes.
_FEW: Final = 32
_nearest_of_few: Final = lru_cache(256)(_nearest)
