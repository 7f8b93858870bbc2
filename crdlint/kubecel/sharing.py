"""What schemas have in common: versions, aliases and copies of a CRD repeat types and rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable

    from crdlint.cel.compiler import Compiled
    from crdlint.kubecel.environment import Environment
    from crdlint.kubecel.reuse import Uses

# Parts of shapes and characters of expressions, which take some 60 bytes each.
_LARGEST: Final = 100_000
_numbers: Final = count(1)


@dataclass(slots=True)
class Compilation:
    """The result of compiling an expression: `error` is the server's message, None for an expression without errors.

    `highest_cost` is what one evaluation costs at most, and `uses` what the expression uses that not every server has;
    both are None until they are needed.
    """

    compiled: Compiled
    error: str | None
    highest_cost: int | None = None
    uses: Uses | None = None


@dataclass(slots=True)
class Sharing:
    """Numbers of equal declarations, and what compiling an expression against one of them results in.

    No other declarations in the process have such a number. ``size`` counts the parts of all shapes and the characters
    of all expressions.
    """

    size: int = 0
    _shapes: dict[Hashable, int] = field(default_factory=dict)
    _compilations: dict[Hashable, Compilation] = field(default_factory=dict)
    _valid: dict[Hashable, tuple[Environment, Compilation]] = field(default_factory=dict)

    def shape(self, *parts: Hashable) -> int:
        """Return the number of declarations made up of ``parts``."""
        known = self._shapes.get(parts)
        if known is not None:
            return known
        self.size += len(parts)
        return self._shapes.setdefault(parts, next(_numbers))

    def compilation(self, key: Hashable) -> Compilation | None:
        """Return what is known under a key."""
        return self._compilations.get(key)

    def valid(self, key: Hashable) -> tuple[Environment, Compilation] | None:
        """Return the newest environment in which an expression is known to compile, and the result."""
        return self._valid.get(key)

    def add_valid(self, key: Hashable, environment: Environment, compilation: Compilation) -> None:
        """Keep that an expression compiles without errors in an environment."""
        known = self._valid.get(key)
        if known is None or known[0].version < environment.version:
            self._valid[key] = environment, compilation

    def add(self, key: Hashable, compilation: Compilation, text: str) -> None:
        """Keep what compiling ``text`` resulted in."""
        self.size += len(text)
        self._compilations[key] = compilation


_shared = Sharing()


def shared() -> Sharing:
    """Return what the CRDs that this process checks have in common; it is emptied when it has grown large."""
    global _shared
    if _shared.size > _LARGEST:
        _shared = Sharing()
    return _shared
