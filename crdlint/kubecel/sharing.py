"""Sharing of declarations and compiled expressions between schemas: versions and copies of a CRD repeat types and rules."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from itertools import count
from typing import TYPE_CHECKING, Final

from crdlint.light import dataclass

if TYPE_CHECKING:
    from crdlint.cel.compiler import Compiled
    from crdlint.kubecel.environment import Environment
    from crdlint.kubecel.reuse import Uses

# Parts of shapes and characters of expressions, each of about 60 bytes.
_LARGEST: Final = 100_000
_numbers: Final = count(1)


@dataclass(slots=True)
class Compilation:
    """The result of compiling an expression: `error` is the server's message, None for an expression without errors.

    `highest_cost` is the maximum cost of one evaluation, `uses` the features in which servers differ; both are None
    until they are needed. `costs` has the maximum costs on all servers that compile the expression identically, by the
    switches that they depend on (`reuse.cost_key`).
    """

    compiled: Compiled
    error: str | None
    highest_cost: int | None = None
    uses: Uses | None = None
    costs: dict[Hashable, int] = field(default_factory=dict)


@dataclass(slots=True)
class Sharing:
    """Numbers for equal declarations, and the results of compiling expressions against them.

    Each number is unique in the process. `size` is the number of parts of all shapes plus the characters of all
    expressions. `valid` has the newest environment in which an expression is known to compile, and the result.
    """

    size: int = 0
    _shapes: dict[Hashable, int] = field(default_factory=dict)
    compilations: dict[Hashable, Compilation] = field(default_factory=dict)
    valid: dict[Hashable, tuple[Environment, Compilation]] = field(default_factory=dict)

    def shape(self, *parts: Hashable) -> int:
        """Return the number for declarations that consist of `parts`."""
        number = self._shapes.get(parts)
        if number is not None:
            return number
        self.size += len(parts)
        return self._shapes.setdefault(parts, next(_numbers))


_shared = Sharing()


def shared() -> Sharing:
    """Return the declarations and expressions shared by all CRDs of this process; it is emptied when it becomes too large."""
    global _shared
    if _shared.size > _LARGEST:
        _shared = Sharing()
    return _shared
