"""A bound on the work that goes into help texts.

Hostile input can ask for as many suggestions as it has characters, and each of them can take long. Findings are always
complete; a help that would take too much work falls back to a general one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# A step takes some microseconds: all helps of a file together take about a second at most.
_STEPS: Final = 150_000


@dataclass(slots=True)
class Effort:
    """The steps that the helps of one file may still take.

    A step is a node of an expression estimated once, or two names compared.
    """

    left: int = _STEPS

    def affords(self, steps: int) -> bool:
        """Return whether `steps` are left."""
        return steps <= self.left

    def spend(self, steps: int) -> None:
        """Count `steps` as done."""
        self.left = max(self.left - steps, 0)
