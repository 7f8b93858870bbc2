"""What is done before evaluation: folding, sets of constants, regular expressions (interpreter/decorators.go)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Uint
from crdlint.cel.eval.errors import Error, FunctionError
from crdlint.cel.eval.functions import Resolved
from crdlint.cel.eval.regex import matcher
from crdlint.cel.eval.values import lossless_int, lossless_uint

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.values import Value

CONVERSIONS: Final = frozenset(
    {"bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"}
)
_PRIMITIVE: Final = frozenset({bool, int, Uint, float, str})


@dataclass(frozen=True, slots=True)
class RegexOptimization:
    """A function with a regular expression as one argument, compiled once where it is constant.

    `compile` takes the expression and returns the function of all arguments; it raises PlanError.
    """

    function: str
    index: int
    compile: Callable[[str], Callable[..., Value]]
    overload_id: str = ""

    def resolve(self, pattern: str) -> Resolved:
        """Return what a call with an expression runs; raises PlanError."""
        call = self.compile(pattern)

        def run(*values: Value) -> Value:
            try:
                return call(*values)
            except FunctionError as error:
                return Error(str(error))

        return Resolved(run, strict=True, variadic=True)


MATCHES: Final = RegexOptimization("matches", 1, matcher)


def members_of(container: Value) -> frozenset[tuple[type, Value]] | None:
    """Return type and value of all that is in a list of constants, None if it holds other than primitive values."""
    members: set[tuple[type, Value]] = set()
    for value in container:
        cls = type(value)
        if cls not in _PRIMITIVE:
            return None
        if value == value:
            members.add((cls, value))
            members.update((type(other), other) for other in _others(value))
        else:
            members.add((float, _NAN))
    return frozenset(members)


# Stands for NaN, which is never found.
_NAN: Final = object()


def _others(value: Value) -> list[Value]:
    """Return the same number as values of other types."""
    cls = type(value)
    if cls is float:
        return [other for other in (lossless_int(value), lossless_uint(value)) if other is not None]
    if cls is int:
        return [float(value), Uint(value)] if value >= 0 else [float(value)]
    if cls is Uint:
        return [float(value), int(value)] if value < 2**63 else [float(value)]
    return []
