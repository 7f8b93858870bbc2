"""The state of one evaluation: variables and cost. Upstream: interpreter/runtimecost.go.

cel-go computes costs from a stack of values by expression id. A step removes its arguments and everything above them,
from the topmost position of their ids. An earlier iteration of a comprehension may have left a value at that position.
This module keeps the same stack in order to compute the same costs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.cel.eval.errors import COST_LIMIT_EXCEEDED, CancelledError
from crdlint.cel.eval.values import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.cel.eval.values import Value

NO_LIMIT: Final = 1 << 80


class Frame:
    """Variables by name, variables of comprehensions by slot, and the cost so far in cost units."""

    __slots__ = ("_last", "_stack", "cost", "limit", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int | None) -> None:
        self.variables: Final = variables
        self.slots: Final[list[Value]] = [MISSING] * slots
        self.cost = 0
        self.limit: Final = NO_LIMIT if limit is None else limit
        # Id, value, and the previous position of the same id; `_last` has the topmost position of each id.
        self._stack: Final[list[tuple[int, Value, int]]] = []
        self._last: Final[dict[int, int]] = {}

    def push(self, id_: int, value: Value) -> None:
        """Push a value on the stack."""
        stack, last = self._stack, self._last
        stack.append((id_, value, last.get(id_, -1)))
        last[id_] = len(stack) - 1

    def drop(self, id_: int) -> None:
        """Remove the topmost value with the id `id_` and everything above it, if there is one."""
        index = self._last.get(id_, -1)
        if index >= 0:
            self.cut(index)

    def cut(self, size: int) -> None:
        """Truncate the stack to `size` values."""
        stack, last = self._stack, self._last
        while len(stack) > size:
            id_, _, before = stack.pop()
            last[id_] = before

    def take(self, ids: Sequence[int]) -> list[Value] | None:
        """Remove and return the values of arguments, starting with the last; return None if one is missing."""
        values: list[Value] = []
        for id_ in reversed(ids):
            index = self._last.get(id_, -1)
            if index < 0:
                return None
            values.append(self._stack[index][1])
            self.cut(index)
        values.reverse()
        return values

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

    def mark(self) -> int:
        """Return the size of the stack."""
        return len(self._stack)

    def selected(self, _id: int, _value: Value) -> None:
        """Count the selection of a field, key or index, if no stack is needed."""
        self.cost += 1
        if self.cost > self.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)

    def qualified(self, id_: int, value: Value) -> None:
        """Record the selection of a field, key or index."""
        stack, last = self._stack, self._last
        stack.append((id_, value, last.get(id_, -1)))
        last[id_] = len(stack) - 1
        self.cost += 1
        if self.cost > self.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)

    def attribute(self, id_: int, value: Value, pushed: int, cost: int) -> None:
        """Record the value of an attribute (a name with its selections)."""
        stack, last = self._stack, self._last
        index = last.get(id_, -1)
        if index >= 0:
            self.cut(index)
        stack.append((pushed, value, last.get(pushed, -1)))
        last[pushed] = len(stack) - 1
        self.cost += cost
        if self.cost > self.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)


class Event(NamedTuple):
    """The value of a node, by its id, and the cost of the evaluation so far (cost units)."""

    id: int
    value: Value
    cost: int


class TracingFrame(Frame):
    """A frame that records the values of all nodes in the order of their evaluation."""

    __slots__ = ("events",)

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int | None) -> None:
        super().__init__(variables, slots, limit)
        self.events: Final[list[Event]] = []

    def push(self, id_: int, value: Value) -> None:
        """Push a value on the stack, and record it."""
        super().push(id_, value)
        self.events.append(Event(id_, value, self.cost))

    def attribute(self, id_: int, value: Value, pushed: int, cost: int) -> None:
        """Record the value of an attribute."""
        super().attribute(id_, value, pushed, cost)
        self.events.append(Event(pushed, value, self.cost))


def traced_selection(frame: Frame, id_: int, value: Value) -> None:
    """Record the selection of a field, key or index in a trace."""
    frame.qualified(id_, value)
    assert type(frame) is TracingFrame  # noqa: S101  a traced plan requires it
    frame.events.append(Event(id_, value, frame.cost))
