"""Patterns compared by the languages that they match."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from crdlint.changes.constraints import Bound
from crdlint.golang import regexp_language
from crdlint.golang.regexp_language import PartialError, UnsupportedError
from crdlint.safety import work

_STEPS: Final = 2  # of a comparison for one step of work
_LONGEST: Final = 1000  # characters of a pattern that is compared
_SHORTEST: Final = 64  # the largest lower limit of lengths that is taken into account
_MOST_CLASSES: Final = 8  # Unicode classes of two patterns
_CLASS_STEPS: Final = 100_000  # for the members of a Unicode class


@dataclass(frozen=True, slots=True)
class Relation:
    """How the languages of two patterns differ.

    ``lost`` matches the old pattern only, and ``gained`` the new one only; None if there is no such text or, unless
    ``is_decided``, none was found.
    """

    is_decided: bool
    lost: str | None = None
    gained: str | None = None

    @property
    def is_covered(self) -> bool:
        """Whether the new pattern matches all texts of the old one."""
        return self.is_decided and self.lost is None

    @property
    def covers(self) -> bool:
        """Whether the old pattern matches all texts of the new one."""
        return self.is_decided and self.gained is None

    @property
    def is_equal(self) -> bool:
        """Whether the two match the same texts."""
        return self.is_covered and self.covers


def relation(old: str, new: str, shortest: float = 0, longest: float | None = None) -> Relation:
    """Return how the languages of two patterns differ, as far as a limited amount of work finds out.

    ``shortest`` and ``longest`` are the lengths of the texts that matter.
    """
    if old == new:
        return Relation(is_decided=True)
    try:
        result, steps = _compared(
            old, new, int(shortest) if 0 <= shortest <= _SHORTEST else 0, None if longest is None else int(longest)
        )
        work.spend(steps // _STEPS)
    except work.WorkLimitError:
        return Relation(is_decided=False)
    return result


@lru_cache(maxsize=512)
def _compared(old: str, new: str, shortest: int, longest: int | None) -> tuple[Relation, int]:
    classes = _classes(old) + _classes(new)
    if max(len(old), len(new)) > _LONGEST or classes > _MOST_CLASSES:
        return Relation(is_decided=False), 0
    steps = regexp_language.MOST_STEPS + classes * _CLASS_STEPS
    try:
        comparison = regexp_language.compare(old, new, shortest, longest)
    except PartialError as error:
        return Relation(is_decided=False, lost=error.only_first, gained=error.only_second), steps
    except UnsupportedError:
        return Relation(is_decided=False), steps
    steps = comparison.steps + classes * _CLASS_STEPS
    return Relation(is_decided=True, lost=comparison.only_first, gained=comparison.only_second), steps


def _classes(pattern: str) -> int:
    """Return the number of Unicode classes of a pattern, whose members take long to find."""
    return pattern.count(r"\p") + pattern.count(r"\P")


def length_bound(pattern: str, *, is_upper: bool) -> Bound | None:
    """Return the length of the longest or the shortest text that a pattern matches, None if it is not known."""
    try:
        shortest, longest = _lengths(pattern)
        work.spend((regexp_language.MOST_STEPS + _classes(pattern) * _CLASS_STEPS) // _STEPS)
    except (UnsupportedError, work.WorkLimitError):
        return None
    length = longest if is_upper else shortest
    return None if length is None else Bound(length)


@lru_cache(maxsize=512)
def _lengths(pattern: str) -> tuple[int, int | None]:
    if len(pattern) > _LONGEST or _classes(pattern) > _MOST_CLASSES:
        raise UnsupportedError
    return regexp_language.lengths(pattern)
