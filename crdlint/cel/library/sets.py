"""Set operations on lists. Upstream: cel-go's ext/sets.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.decls import CallCost, overload
from crdlint.cel.estimates import ONE, CallEstimate, Estimator, Node, size_of
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.eval.equality import HashedMembers
from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.eval.values import kind_of
from crdlint.cel.types import BOOL, Kind, list_type, type_param
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Sequence


def contains(values: Sequence[Any], part: Sequence[Any]) -> bool:
    """Return whether `values` contains every element of `part`; raise FunctionError for an error before a missing element."""
    work.spend(len(values) + len(part))
    members = HashedMembers(values)
    for value in part:
        if kind_of(value) is Kind.ERROR:
            raise FunctionError(str(value))
        if value not in members:
            return False
    return True


def equivalent(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Return whether each list contains the other."""
    return contains(first, second) and contains(second, first)


def intersects(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Return whether the lists have an element in common."""
    work.spend(len(first) + len(second))
    members = HashedMembers(second)
    return any(value in members for value in first)


def _cost(factor: float) -> CallCost:
    """Return the cost of comparing each element of one list with each element of another."""

    def estimate(estimator: Estimator, _target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
        if len(args) != 2:
            return None
        pairs = size_of(estimator, args[0]).times(size_of(estimator, args[1]))
        return CallEstimate(pairs.scaled(factor).plus(ONE))

    def track(values: Sequence[Any], _: Any) -> int:
        return 1 + int(float(actual_size(values[0]) * actual_size(values[1])) * factor)

    return CallCost(estimate, track, in_advance=True)


_LISTS: Final = (list_type(type_param("T")),) * 2

FUNCTIONS: Final = (
    overload("sets.contains", "list_sets_contains_list", _LISTS, BOOL, contains, _cost(1)),
    overload("sets.equivalent", "list_sets_equivalent_list", _LISTS, BOOL, equivalent, _cost(2)),
    overload("sets.intersects", "list_sets_intersects_list", _LISTS, BOOL, intersects, _cost(1)),
)
