"""What the schemas of one CRD have in common: versions and aliases repeat types and rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from crdlint.kubecel.compilation import Compilation


@dataclass(slots=True)
class Sharing:
    """Numbers of equal declarations, from 1 on, and what compiling an expression against one of them results in."""

    shapes: dict[Hashable, int] = field(default_factory=dict)
    compilations: dict[Hashable, Compilation] = field(default_factory=dict)

    def shape(self, *parts: Hashable) -> int:
        """Return the number of declarations made up of ``parts``."""
        return self.shapes.setdefault(parts, len(self.shapes) + 1)
