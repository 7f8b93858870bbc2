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


def relation(old: str, new: str) -> Relation:
    """Return how the languages of two patterns differ, as far as a limited amount of work finds out."""
    if old == new:
        return Relation(is_decided=True)
    try:
        found, steps = _compared(old, new)
        work.spend(steps // _STEPS)
    except work.WorkLimitError:
        return Relation(is_decided=False)
    return found


@lru_cache(maxsize=512)
def _compared(old: str, new: str) -> tuple[Relation, int]:
    if max(len(old), len(new)) > _LONGEST:
        return Relation(is_decided=False), 0
    try:
        found = regexp_language.compare(old, new)
    except PartialError as error:
        return Relation(is_decided=False, lost=error.only_first, gained=error.only_second), regexp_language.MOST_STEPS
    except UnsupportedError:
        return Relation(is_decided=False), regexp_language.MOST_STEPS
    return Relation(is_decided=True, lost=found.only_first, gained=found.only_second), found.steps


def accepts_everything(pattern: str) -> bool:
    """Return whether a pattern matches any text."""
    return relation("", pattern).is_covered


def length_bound(pattern: str, *, is_upper: bool) -> Bound | None:
    """Return the length of the longest or the shortest text that a pattern matches, None if it is not known."""
    try:
        shortest, longest = _lengths(pattern)
        work.spend(regexp_language.MOST_STEPS // _STEPS)
    except (UnsupportedError, work.WorkLimitError):
        return None
    length = longest if is_upper else shortest
    return None if length is None else Bound(length)


@lru_cache(maxsize=512)
def _lengths(pattern: str) -> tuple[int, int | None]:
    if len(pattern) > _LONGEST:
        raise UnsupportedError
    return regexp_language.lengths(pattern)
