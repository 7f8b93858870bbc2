"""A configuration as it was read, before it is judged: its values, and where each of them stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

Step: TypeAlias = "str | int"
# 1-based line and column.
LineColumn: TypeAlias = "tuple[int, int]"


@dataclass(frozen=True, slots=True)
class Source:
    """The values of a configuration, and ``place(steps, key)``, which tells where the value, or its key, stands.

    ``said`` are faults of the text itself: (message, place).
    """

    values: Any
    place: Callable[[Sequence[Step], bool], LineColumn]
    said: tuple[tuple[str, LineColumn], ...] = ()


class BrokenError(Exception):
    """A text that cannot be read at all: why, and where."""

    def __init__(self, message: str, place: LineColumn) -> None:
        super().__init__(message, place)
        self.message = message
        self.place = place
