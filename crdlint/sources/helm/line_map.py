"""Mapping of rendered lines to the lines of their template."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence


def align(rendered: Sequence[str], template: Sequence[str]) -> list[int | None]:
    """Return for each rendered line the index of the equal template line, ignoring indentation, or None.

    Lines that occur once on both sides are matched in order (the longest ascending sequence), and then their equal
    neighbours on either side. It takes O(n log n) time for n lines.
    """
    here, there = [line.strip() for line in rendered], [line.strip() for line in template]
    matches: list[int | None] = [None] * len(here)
    for i, j in _ascending(_unique_pairs(here, there)):
        matches[i] = j
    _extend(matches, here, there, 1)
    _extend(matches, here, there, -1)
    return matches


def _extend(matches: list[int | None], here: Sequence[str], there: Sequence[str], step: int) -> None:
    """Match equal neighbours below (`step` 1) or above (-1) matched lines, up to the next matched line."""
    order = range(len(here)) if step > 0 else range(len(here) - 1, -1, -1)
    bounds: list[int] = [0] * len(here)
    bound = len(there) if step > 0 else -1
    for i in reversed(order):
        bounds[i] = bound
        match = matches[i]
        bound = bound if match is None else match
    near: int | None = None
    for i in order:
        if matches[i] is None and near is not None:
            match = near + step
            if (match - bounds[i]) * step < 0 and here[i] == there[match]:
                matches[i] = match
        near = matches[i]


def _unique_pairs(here: Sequence[str], there: Sequence[str]) -> list[tuple[int, int]]:
    once = {line for line, times in Counter(here).items() if times == 1 and line}
    counts = Counter(there)
    numbers = {line: j for j, line in enumerate(there) if counts[line] == 1}
    return [(i, numbers[line]) for i, line in enumerate(here) if line in once and line in numbers]


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest sequence of pairs whose second members ascend (patience sorting)."""
    tops: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for k, (_, j) in enumerate(pairs):
        length = bisect_left(tops, j)
        if length == len(tops):
            tops.append(j)
            ends.append(k)
        else:
            tops[length] = j
            ends[length] = k
        before.append(ends[length - 1] if length else -1)
    made: list[tuple[int, int]] = []
    k = ends[-1] if ends else -1
    while k >= 0:
        made.append(pairs[k])
        k = before[k]
    return made[::-1]
