"""What calls cost at run time, by overload (CostTracker.costCall in interpreter/runtimecost.go, common/cost.go)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.errors import CancelledError
from crdlint.cel.eval.values import Optional_, go_type, kind_of
from crdlint.cel.library.lists import COMPARABLE
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from crdlint.cel.eval.values import Value

    CallCost: TypeAlias = Callable[[Sequence[Value], Value], int]
    OverloadCost: TypeAlias = Callable[[Sequence[Value], Value], int | None]
    Estimator: TypeAlias = Callable[[str, str, Sequence[Value], Value], int | None]

LIST_COST: Final = 10
MAP_COST: Final = 30
STRUCT_COST: Final = 40
# What costs as much whatever its result is, and is not done where that is too much.
FORESEEN: Final = frozenset(
    {
        *("equals", "not_equals", "in_list", "list_distinct"),
        *("list_sets_contains_list", "list_sets_equivalent_list", "list_sets_intersects_list"),
    }
)
_TRAVERSAL: Final = 0.1
_PATTERN: Final = 0.25
_SIZED: Final = frozenset({Kind.STRING, Kind.BYTES, Kind.LIST, Kind.MAP})
# What cel-go takes an argument for when it counts a call's cost, and its panic where that is an error instead.
_LIST: Final = (Kind.LIST, "{} is not traits.Lister: missing method Add")
_TAKEN: Final = {
    "list_distinct": (0, *_LIST),
    "list_flatten_int": (1, Kind.INT, "ref.Val is {}, not types.Int"),
    **{f"list_{key.name}_sort": (0, *_LIST) for key in COMPARABLE},
    **{f"list_{key.name}_sortByAssociatedKeys": (1, *_LIST) for key in COMPARABLE},
}


@dataclass(frozen=True, slots=True)
class Costs:
    """How cost is counted.

    `overloads` has functions of arguments and result by overload id; `estimator` is asked next, with function, overload
    id (empty if several fit), arguments and result. Both may return None to leave it to the next, last cel-go's own.
    `presence_test_has_cost` is false for Kubernetes; `selection_from_error_has_cost` counts the first field that is
    selected from a variable whose value is an error.
    """

    presence_test_has_cost: bool = True
    selection_from_error_has_cost: bool = False
    overloads: Mapping[str, OverloadCost] = field(default_factory=dict)
    estimator: Estimator | None = None

    def of_call(self, function: str, overload_id: str) -> CallCost:
        """Return the function of arguments and result that a call's cost units are counted with."""
        own, estimator = _taking(overload_id, self.overloads), self.estimator
        default = _DEFAULTS.get(overload_id, _constant)
        if own is None and estimator is None:
            return default

        def cost(values: Sequence[Value], result: Value) -> int:
            found = None if own is None else own(values, result)
            if found is None and estimator is not None:
                found = estimator(function, overload_id, values, result)
            return default(values, result) if found is None else found

        return cost


def _taking(overload_id: str, overloads: Mapping[str, OverloadCost]) -> OverloadCost | None:
    """Return the cost function of an overload, ended where an argument is not what it is taken for."""
    own, taken = overloads.get(overload_id), _TAKEN.get(overload_id)
    if own is None or taken is None:
        return own
    index, kind, panic = taken

    def cost(values: Sequence[Value], result: Value) -> int | None:
        if kind_of(values[index]) is not kind:
            raise CancelledError(f"internal error: interface conversion: {panic.format(go_type(values[index]))}")
        return own(values, result)

    return cost


def actual_size(value: Value) -> int:
    """Return characters, bytes, elements or entries of a value, also within an optional; 1 for most others."""
    while type(value) is Optional_ and value.has_value:
        value = value.content
    if kind_of(value) in _SIZED:
        return len(value)
    own: int = getattr(value, "cel_size", 1)
    return own


def _constant(_values: Sequence[Value], _result: Value) -> int:
    return 1


def _traversal(size: float) -> int:
    return math.ceil(size * _TRAVERSAL)


def _of_first(values: Sequence[Value], _: Value) -> int:
    return _traversal(actual_size(values[0]))


def _of_list(values: Sequence[Value], _: Value) -> int:
    return actual_size(values[1])


def _of_shorter(values: Sequence[Value], _: Value) -> int:
    return _traversal(min(actual_size(values[0]), actual_size(values[1])))


def _of_both(values: Sequence[Value], _: Value) -> int:
    return _traversal(actual_size(values[0]) + actual_size(values[1]))


def _of_match(values: Sequence[Value], _: Value) -> int:
    return _traversal(1.0 + actual_size(values[0])) * math.ceil(actual_size(values[1]) * _PATTERN)


def _of_search(values: Sequence[Value], _: Value) -> int:
    return _traversal(actual_size(values[0])) * _traversal(actual_size(values[1]))


_ORDERS: Final = ("less", "less_equals", "greater", "greater_equals")
_DEFAULTS: Final[dict[str, CallCost]] = {
    **dict.fromkeys(("starts_with_string", "ends_with_string", "string_to_bytes", "bytes_to_string"), _of_first),
    **dict.fromkeys(("strings_quote", "string_format"), _of_first),
    "in_list": _of_list,
    **{f"{order}_{type_}": _of_shorter for order in _ORDERS for type_ in ("string", "bytes")},
    "equals": _of_shorter,
    "not_equals": _of_shorter,
    "add_string": _of_both,
    "add_bytes": _of_both,
    "matches_string": _of_match,
    "contains_string": _of_search,
}
