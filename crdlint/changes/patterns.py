"""Patterns compared by the languages that they match."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crdlint.changes.constraints import Bound


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
    """Return how the languages of two patterns differ."""
    return Relation(is_decided=old == new)


def accepts_everything(pattern: str) -> bool:
    """Return whether a pattern matches any text."""
    return pattern in {"", ".*", "^.*"}


def length_bound(pattern: str, *, is_upper: bool) -> Bound | None:
    """Return the length of the longest or the shortest text that a pattern matches, None if it is not known."""
    del pattern, is_upper
    return None
