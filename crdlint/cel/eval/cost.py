"""Run-time costs of calls, by overload. Upstream: CostTracker.costCall in interpreter/runtimecost.go, common/cost.go."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.cel.estimates import REGEX_FACTOR, traversal
from crdlint.cel.eval.values import Optional_, kind_of
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from crdlint.cel.decls import CallCost
    from crdlint.cel.eval.values import Value

    Tracker: TypeAlias = Callable[[Sequence[Value], Value], int]

_SIZED: Final = frozenset({Kind.STRING, Kind.BYTES, Kind.LIST, Kind.MAP})


@dataclass(frozen=True, slots=True)
class Costs:
    """The cost model of calls, and what else evaluation does differently on a server.

    `overloads` contains costs by overload id, `functions` by function name. The cost of a call is looked up in this
    order; if neither has it, cel-go's own cost applies. `selection_from_error_has_cost` counts the first field that is
    selected from a variable whose value is an error. `hides_errors_of_ranges` and `keeps_errors_of_indexes` are
    those of the dialect.
    """

    selection_from_error_has_cost: bool = False
    hides_errors_of_ranges: bool = False
    keeps_errors_of_indexes: bool = True
    overloads: Mapping[str, CallCost] = field(default_factory=dict)
    functions: Mapping[str, CallCost] = field(default_factory=dict)

    def of_call(self, function: str, overload_id: str) -> Tracker:
        """Return a function that computes the cost of a call; `overload_id` is empty if several overloads match."""
        default = _DEFAULTS.get(overload_id, _constant)
        tables = ((self.overloads, overload_id), (self.functions, function))
        own = [costs[name].track for costs, name in tables if name in costs]
        if not own:
            return default

        def track(values: Sequence[Value], result: Value) -> int:
            for tracker in own:
                cost = tracker(values, result)
                if cost is not None:
                    return cost
            return default(values, result)

        return track

    def is_in_advance(self, overload_id: str) -> bool:
        """Return whether the cost of a call depends on its arguments only."""
        own = self.overloads.get(overload_id)
        return own.in_advance if own is not None else overload_id in _IN_ADVANCE


_IN_ADVANCE: Final = frozenset({"equals", "not_equals", "in_list"})


def actual_size(value: Value) -> int:
    """Return the number of characters, bytes, elements or entries of a value or of the content of an optional; else 1."""
    while type(value) is Optional_ and value.has_value:
        value = value.content
    if kind_of(value) in _SIZED:
        return len(value)
    own: int = getattr(value, "cel_size", 1)
    return own


def _constant(_values: Sequence[Value], _result: Value) -> int:
    return 1


def _of_first(values: Sequence[Value], _: Value) -> int:
    return traversal(actual_size(values[0]))


def _of_list(values: Sequence[Value], _: Value) -> int:
    return actual_size(values[1])


def _of_shorter(values: Sequence[Value], _: Value) -> int:
    return traversal(min(actual_size(values[0]), actual_size(values[1])))


def _of_both(values: Sequence[Value], _: Value) -> int:
    return traversal(actual_size(values[0]) + actual_size(values[1]))


def _of_match(values: Sequence[Value], _: Value) -> int:
    return traversal(1.0 + actual_size(values[0])) * math.ceil(actual_size(values[1]) * REGEX_FACTOR)


def _of_search(values: Sequence[Value], _: Value) -> int:
    return traversal(actual_size(values[0])) * traversal(actual_size(values[1]))


_ORDERS: Final = ("less", "less_equals", "greater", "greater_equals")
_DEFAULTS: Final[dict[str, Tracker]] = {
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
