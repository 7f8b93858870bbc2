"""Costs at run time: those of calls, by overload, and the state of one evaluation. Upstream: interpreter/runtimecost.go.

cel-go computes costs from a stack of values by expression id. A step removes its arguments and everything above them,
from the topmost position of their ids. An earlier iteration of a comprehension may have left a value at that position.
`StackedFrame` keeps the same stack in order to compute the same costs, for the few expressions where that matters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final, TypeAlias

from crdlint.cel.decls import CallCost
from crdlint.cel.dialect import NEWEST, CELDialect
from crdlint.cel.errors import COST_LIMIT_EXCEEDED, CancelledError
from crdlint.cel.estimates import COMPARISONS, REGEX_FACTOR, traversal
from crdlint.cel.eval.values import MISSING, Optional_, Value, kind_of
from crdlint.cel.types import Kind
from crdlint.light import NamedTuple, dataclass

Tracker: TypeAlias = Callable[[Sequence[Value], Value], int]

_SIZED: Final = frozenset({Kind.STRING, Kind.BYTES, Kind.LIST, Kind.MAP})


@dataclass(frozen=True, slots=True)
class CostModel:
    """The cost model of calls on a server, and what else its dialect evaluates differently.

    `overloads` contains costs by overload id, `functions` by function name. The cost of a call is looked up in this
    order; if neither has it, cel-go's own cost applies.
    """

    dialect: CELDialect = NEWEST
    overloads: Mapping[str, CallCost] = field(default_factory=dict)
    functions: Mapping[str, CallCost] = field(default_factory=dict)

    def of_call(self, function: str, overload_id: str) -> Tracker:
        """Return a function that computes the cost of a call; `overload_id` is empty if several overloads match."""
        default = _DEFAULTS.get(overload_id, _DEFAULTS[""])
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
    if type(value) is str:  # the most frequent case
        return len(value)
    while type(value) is Optional_ and value.has_value:
        value = value.content
    if kind_of(value) in _SIZED:
        return len(value)
    own: int = getattr(value, "cel_size", 1)
    return own


def of_match(values: Sequence[Value], _: Value) -> int:
    """Return the cost of matching a text with a pattern."""
    return traversal(1.0 + actual_size(values[0])) * math.ceil(
        actual_size(values[1]) * REGEX_FACTOR
    )


def _of_comparison(values: Sequence[Value], _: Value) -> int:
    left, right = values
    return traversal(min(actual_size(left), actual_size(right)))


_FIRST_READ: Final = (
    "starts_with_string",
    "ends_with_string",
    "string_to_bytes",
    "bytes_to_string",
)
# By overload: the costs of calls; others cost one unit.
_DEFAULTS: Final[dict[str, Tracker]] = {
    "": lambda _values, _result: 1,
    **dict.fromkeys(
        (*_FIRST_READ, "strings_quote", "string_format"),
        lambda values, _: traversal(actual_size(values[0])),
    ),
    **dict.fromkeys(COMPARISONS, _of_comparison),
    **dict.fromkeys(
        ("add_string", "add_bytes"), lambda values, _: traversal(sum(map(actual_size, values)))
    ),
    "in_list": lambda values, _: actual_size(values[1]),
    "matches_string": of_match,
    "contains_string": lambda values, _: (
        traversal(actual_size(values[0])) * traversal(actual_size(values[1]))
    ),
}

NO_LIMIT: Final = 1 << 80


class Frame:
    """Variables by name, variables of comprehensions by slot, and the cost so far in cost units.

    A call is charged for the arguments that it is made with.
    """

    __slots__ = ("cost", "limit", "slots", "variables")

    def __init__(
        self,
        variables: Mapping[str, Value],
        slots: int,
        limit: int | None = None,
    ) -> None:
        self.variables: Final = variables
        self.slots: Final[list[Value]] = [MISSING] * slots
        self.cost = 0
        self.limit: Final = NO_LIMIT if limit is None else limit

    def put(self, id_: int, value: Value, dropped: Sequence[int] = ()) -> None:
        """Record a value, if there is a stack."""

    def take(self, ids: Sequence[int], values: Sequence[Value]) -> Sequence[Value] | None:
        """Return the evaluated `values` that are the arguments of a call, None if one is missing."""
        return values if len(values) == len(ids) else None

    def cut(self, size: int) -> None:
        """Truncate the stack to `size` values, if there is one."""

    def mark(self) -> int:
        """Return the size of the stack."""
        return 0

    def charge(self, cost: int) -> None:
        """Add to the cost; raise CancelledError if it exceeds the limit. A negative cost exceeds it, because it is a uint64."""
        self.cost += cost
        if not 0 <= self.cost <= self.limit:
            self.cost %= 1 << 64
            raise CancelledError(COST_LIMIT_EXCEEDED)

    def reserve_cost(self, cost: int) -> None:
        """Raise CancelledError if a future cost would exceed the limit."""
        if self.cost + cost > self.limit:
            self.charge(cost)

    def select(self, id_: int, value: Value, dropped: Sequence[int] = ()) -> None:
        """Charge for a name, or the selection of a field, key or index, and record its value."""
        del id_, value, dropped
        self.cost += 1
        if self.cost > self.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)


class StackedFrame(Frame):
    """A frame with cel-go's stack, which decides the arguments that a call is charged for."""

    __slots__ = ("_last", "_stack")

    def __init__(
        self,
        variables: Mapping[str, Value],
        slots: int,
        limit: int | None = None,
    ) -> None:
        super().__init__(variables, slots, limit)
        # Id, value, and the previous position of the same id; `_last` has the topmost position of each id.
        self._stack: Final[list[tuple[int, Value, int]]] = []
        self._last: Final[dict[int, int]] = {}

    def put(self, id_: int, value: Value, dropped: Sequence[int] = ()) -> None:
        """Remove the topmost value of each id in `dropped` and everything above it from the stack, and push a value."""
        stack, last = self._stack, self._last
        for argument in dropped:
            self.take((argument,), ())
        stack.append((id_, value, last.get(id_, -1)))
        last[id_] = len(stack) - 1

    def select(self, id_: int, value: Value, dropped: Sequence[int] = ()) -> None:
        """Charge for a name, or the selection of a field, key or index, and put its value on the stack."""
        super().select(id_, value, dropped)
        self.put(id_, value, dropped)

    def take(self, ids: Sequence[int], values: Sequence[Value]) -> Sequence[Value] | None:
        """Remove and return the arguments of a call, last one first; None if one is missing."""
        del values
        stack = self._stack
        arguments: list[Value] = []
        for id_ in reversed(ids):
            index = self._last.get(id_, -1)
            if index < 0:
                return None
            arguments.append(stack[index][1])
            self.cut(index)
        return arguments[::-1]

    def cut(self, size: int) -> None:
        """Truncate the stack to `size` values."""
        stack, last = self._stack, self._last
        while stack and len(stack) > size:
            id_, _, before = stack.pop()
            last[id_] = before

    def mark(self) -> int:
        """Return the size of the stack."""
        return len(self._stack)


class Event(NamedTuple):
    """The value of a node, by its id, and the cost of the evaluation so far (cost units)."""

    id: int
    value: Value
    cost: int


class TracingFrame(StackedFrame):
    """A frame that records the values of all nodes in the order of their evaluation."""

    __slots__ = ("events",)

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int | None) -> None:
        super().__init__(variables, slots, limit)
        self.events: Final[list[Event]] = []

    def put(self, id_: int, value: Value, dropped: Sequence[int] = ()) -> None:
        """Push a value on the stack, and record it."""
        super().put(id_, value, dropped)
        self.events.append(Event(id_, value, self.cost))
