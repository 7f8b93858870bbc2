"""What a process makes once: declarations of equal schemas, and compiled expressions for servers that compile them alike.

Versions and copies of a CRD repeat types and rules, and most servers of a range treat them alike.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from collections.abc import Set as AbstractSet
from dataclasses import field
from functools import cached_property
from itertools import count
from typing import TYPE_CHECKING, Final, Protocol

from crdlint.light import dataclass

if TYPE_CHECKING:
    from crdlint.kubecel.environment import Environment
    from crdlint.kubecel.reuse import Compilations, Uses

    Alike = Callable[[AbstractSet[Uses], Environment, Environment], bool]

# Parts of shapes and characters of expressions, each of about 60 bytes.
_LARGEST: Final = 100_000
_numbers: Final = count(1)


@dataclass(slots=True)
class Sharing:
    """Numbers for equal declarations, each unique in the process, and the results of compiling expressions against them.

    `size` is the number of parts of all shapes plus the characters of all expressions, for each environment that compiles them.
    """

    size: int = 0
    _shapes: dict[Hashable, int] = field(default_factory=dict)
    _compilations: dict[Hashable, Compilations] = field(default_factory=dict)

    def shape(self, *parts: Hashable) -> int:
        """Return the number for declarations that consist of `parts`."""
        number = self._shapes.get(parts)
        if number is not None:
            return number
        self.size += len(parts)
        return self._shapes.setdefault(parts, next(_numbers))

    def compilations(self, key: Hashable, make: Callable[[], Compilations]) -> Compilations:
        """Return what is known of an expression; `key` is its text, and what its result depends on besides the server."""
        return self._compilations.get(key) or self._compilations.setdefault(key, make())


_shared = Sharing()


def shared() -> Sharing:
    """Return the declarations and expressions shared by all CRDs of this process; it is emptied when it becomes too large."""
    global _shared
    if _shared.size > _LARGEST:
        _shared = Sharing()
    return _shared


class CompiledExpression(Protocol):
    """An expression that a result depends on: the server's error, if it has one, and its features."""

    @property
    def error(self) -> str | None:
        """The server's message, None without an error."""

    @property
    def uses(self) -> Uses:
        """The features of an expression without an error."""

    def fails_alike(self, other: Environment, *, in_words: bool) -> bool:
        """Return whether an expression with an error has the same one in another environment, in the same words or others."""


@dataclass(frozen=True)
class Dependence:
    """The expressions that a result depends on, and the environment that they are compiled in, None without any."""

    expressions: tuple[CompiledExpression, ...]
    environment: Environment | None

    @cached_property
    def _failed(self) -> list[CompiledExpression]:
        """The expressions with an error."""
        return [each for each in self.expressions if each.error is not None]

    @cached_property
    def _uses(self) -> frozenset[Uses]:
        """The features of the others."""
        return frozenset(each.uses for each in self.expressions if each.error is None)

    def holds_in(
        self,
        environment_of: Callable[[], Environment],
        alike: Alike,
        *,
        in_words: bool = True,
    ) -> bool:
        """Return whether the result is that of another server as well; `alike` compares how both treat expressions.

        Unless the results are compared `in_words`, errors at the same characters are the same.
        """
        if self.environment is None:
            return True
        other = environment_of()
        if not all(each.fails_alike(other, in_words=in_words) for each in self._failed):
            return False
        return alike(self._uses, self.environment, other)
