"""The state of one evaluation: variables, and what its cost is counted with (interpreter/runtimecost.go).

cel-go counts from a stack of observed values by expression id: a step removes its arguments, and all above them, by the
topmost place of their ids, which may be one that an earlier round of a comprehension has left there. To count the same,
the stack is kept the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.errors import COST_LIMIT_EXCEEDED, CancelledError
from crdlint.cel.eval.values import MISSING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.cel.eval.values import Value

NO_LIMIT: Final = 1 << 80


class Frame:
    """Variables by name, those of comprehensions by slot; the cost so far, in cost units."""

    __slots__ = ("_last", "_stack", "cost", "limit", "slots", "variables")

    def __init__(self, variables: Mapping[str, Value], slots: int, limit: int | None) -> None:
        self.variables: Final = variables
        self.slots: Final[list[Value]] = [MISSING] * slots
        self.cost = 0
        self.limit: Final = NO_LIMIT if limit is None else limit
        # Id, value, and the place of the id before; `_last` has the topmost place of each id.
        self._stack: Final[list[tuple[int, Value, int]]] = []
        self._last: Final[dict[int, int]] = {}

    def push(self, id_: int, value: Value) -> None:
        """Put a value on the stack."""
        stack, last = self._stack, self._last
        stack.append((id_, value, last.get(id_, -1)))
        last[id_] = len(stack) - 1

    def drop(self, id_: int) -> None:
        """Remove the topmost value of an id and all above it, if there is one."""
        at = self._last.get(id_, -1)
        if at >= 0:
            self.cut(at)

    def cut(self, size: int) -> None:
        """Remove all above a size."""
        stack, last = self._stack, self._last
        while len(stack) > size:
            id_, _, before = stack.pop()
            last[id_] = before

    def take(self, ids: Sequence[int]) -> list[Value] | None:
        """Remove the values of arguments, the last first, and return them, or None from where one is missing."""
        values: list[Value] = []
        for id_ in reversed(ids):
            at = self._last.get(id_, -1)
            if at < 0:
                return None
            values.append(self._stack[at][1])
            self.cut(at)
        values.reverse()
        return values

    def charge(self, cost: int) -> None:
        """Add to the cost; raise CancelledError beyond the limit, where a cost below zero is, being one of uint64."""
        self.cost += cost
        if not 0 <= self.cost <= self.limit:
            self.cost %= 1 << 64
            raise CancelledError(COST_LIMIT_EXCEEDED)

    def reserve_cost(self, cost: int) -> None:
        """Raise CancelledError where a cost that is still to come is beyond the limit."""
        if self.cost + cost > self.limit:
            self.charge(cost)

    def mark(self) -> int:
        """Return the size of the stack."""
        return len(self._stack)

    def selected(self, _id: int, _value: Value) -> None:
        """Count that a field, key or index was looked up, where no stack is needed."""
        self.cost += 1
        if self.cost > self.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)

    def qualified(self, id_: int, value: Value) -> None:
        """Note that a field, key or index was looked up."""
        stack, last = self._stack, self._last
        stack.append((id_, value, last.get(id_, -1)))
        last[id_] = len(stack) - 1
        self.cost += 1
        if self.cost > self.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)

    def attribute(self, id_: int, value: Value, pushed: int, cost: int) -> None:
        """Note the value of a name with what is selected from it."""
        stack, last = self._stack, self._last
        at = last.get(id_, -1)
        if at >= 0:
            self.cut(at)
        stack.append((pushed, value, last.get(pushed, -1)))
        last[pushed] = len(stack) - 1
        self.cost += cost
        if self.cost > self.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)
