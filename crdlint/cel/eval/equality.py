"""Equality, order and membership of values. Upstream: cel-go's common/types (Equal, Compare, Contains)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from math import isnan
from typing import Final

from crdlint.cel.ast import Uint
from crdlint.cel.errors import NO_OVERLOAD, Error
from crdlint.cel.eval import values
from crdlint.cel.eval.values import (
    MISSING,
    PLAIN_LISTS,
    PLAIN_MAPS,
    ConcatList,
    Value,
    element,
    find,
    kind_of,
)
from crdlint.cel.types import Kind
from crdlint.safety import work

_NUMBERS: Final = frozenset({int, Uint, float})
_SIMPLE: Final = frozenset({bool, int, Uint, str, bytes, type(None)})


def equal(first: Value, second: Value) -> bool | Error:
    """Return whether two values are equal, or the error that the `cel_equal` method of a value returns.

    Nested values that occur several times are compared once. Raise WorkLimitError if the comparison takes too much work.
    """
    if type(first) is type(second) and type(first) in _SIMPLE:
        return bool(first == second)
    if first is None or second is None:
        return first is second
    return _Comparison().equal(first, second)


class _Comparison:
    """The comparison of two values, with a stack of pairs that are still to be compared."""

    __slots__ = ("_seen", "_stack")

    def __init__(self) -> None:
        # Two values, and whether an error between them counts: it does so in concatenated lists only.
        self._stack: Final[list[tuple[Value, Value, bool]]] = []
        # Pairs of containers that were compared. The references prevent that Python reuses their ids.
        self._seen: Final[dict[tuple[int, int, bool], tuple[Value, Value]]] = {}

    def equal(self, first: Value, second: Value) -> bool | Error:
        stack = self._stack
        stack.append((first, second, True))
        problem: Error | None = None
        while stack:
            left, right, counts = stack.pop()
            result = self._step(left, right, counts=counts)
            if result is False:
                return False
            if type(result) is Error and counts and problem is None:
                problem = result
        return True if problem is None else problem

    def _is_new(self, left: Value, right: Value, *, counts: bool) -> bool:
        key = (id(left), id(right), counts)
        if key in self._seen:
            return False
        self._seen[key] = (left, right)
        return True

    def _step(self, left: Value, right: Value, *, counts: bool) -> bool | Error:
        """Compare two values, except for their content, which is pushed on the stack."""
        cls = type(left)
        if cls in _NUMBERS:
            return type(right) in _NUMBERS and _equal_numbers(left, right)
        if cls in PLAIN_LISTS:
            return self._push_elements(left, right, counts=counts and cls is ConcatList)
        if cls in PLAIN_MAPS:
            return self._push_entries(left, right)
        own = getattr(left, "cel_equal", None)
        if own is not None:
            result: bool | Error = right is not None and own(right)
            return result
        if cls is values.Optional_:
            return self._push_content(left, right, counts=counts)
        if kind_of(left) is not kind_of(right):
            return False
        if kind_of(left) is Kind.TYPE:
            return bool(left.name == right.name)
        return bool(left == right)

    def _push_content(self, left: Value, right: Value, *, counts: bool) -> bool:
        if type(right) is not values.Optional_ or left.has_value is not right.has_value:
            return False
        if left.has_value:
            self._stack.append((left.content, right.content, counts))
        return True

    def _push_elements(self, left: Value, right: Value, *, counts: bool) -> bool:
        """Push the pairs of elements of two lists on the stack, with the first pair on top; return False for other lengths."""
        if kind_of(right) is not Kind.LIST or len(left) != len(right):
            return False
        lists: list[tuple[Value, Value]] = []
        parts = [(left, right)]
        while parts:
            first, second = parts.pop()
            if not self._is_new(first, second, counts=counts):
                continue
            if type(first) is type(second) is ConcatList and len(first.first) == len(second.first):
                parts += ((first.second, second.second), (first.first, second.first))
            else:
                lists.append((first, second))
        for first, second in reversed(lists):
            work.spend(len(first))
            indices = range(len(first) - 1, -1, -1)
            self._stack.extend(
                (element(first, index), element(second, index), counts) for index in indices
            )
        return True

    def _push_entries(self, left: Value, right: Value) -> bool:
        if kind_of(right) is not Kind.MAP or len(left) != len(right):
            return False
        if self._is_new(left, right, counts=False):
            work.spend(len(left))
            for key in left:
                right_value = find(right, key)
                if right_value is MISSING:
                    return False
                self._stack.append((find(left, key), right_value, False))
        return True


def _equal_numbers(left: Value, right: Value) -> bool:
    if type(left) is float or type(right) is float:
        # As doubles, so that integers beyond 2**53 equal their neighbours; NaN equals nothing.
        return float(left) == float(right)
    return int(left) == int(right)


def compare(first: Value, second: Value) -> int | Error:
    """Return -1, 0 or 1 by the order of two values, or an error if they have no order. Upstream: traits.Comparer."""
    cls, other = type(first), type(second)
    if cls in _NUMBERS:
        return _compare_numbers(first, second) if other in _NUMBERS else NO_OVERLOAD
    if cls is not other or kind_of(first) not in values.COMPARABLE:
        return NO_OVERLOAD
    return int(first > second) - int(first < second)


def _compare_numbers(first: Value, second: Value) -> int | Error:
    if type(first) is float or type(second) is float:
        if isnan(first) or isnan(second):
            return Error("NaN values cannot be ordered")
        first, second = float(first), float(second)
    else:
        first, second = int(first), int(second)
    return int(first > second) - int(first < second)


def contains(container: Value, value: Value) -> bool | Error:
    """Return whether a list has an element equal to `value`, or a map has it as a key. Upstream: interpreter.inAggregate."""
    if type(container) is ConcatList:
        return _concat_contains(container, value)
    own = getattr(container, "cel_contains", None)
    if own is not None:
        result: bool | Error = own(value)
        return result
    kind = kind_of(container)
    if kind is Kind.LIST:
        work.spend(len(container))
        return any(equal(value, item) is True for item in container)
    if kind is Kind.MAP:
        return find(container, value) is not MISSING
    return NO_OVERLOAD


def _concat_contains(container: ConcatList, value: Value) -> bool | Error:
    """Search each of the concatenated lists; return an error of one list if no list has the value."""
    problem: Error | None = None
    for leaf in container.leaves():
        result = contains(leaf, value)
        if result is True:
            return True
        if type(result) is Error:
            problem = problem or result
    return problem or False


# Values of these kinds are equal if and only if their hash keys are equal.
_KEYED: Final[dict[Kind, Kind]] = {
    **{kind: kind for kind in (*values.COMPARABLE, Kind.NULL) if kind is not Kind.DOUBLE},
    Kind.UINT: Kind.INT,
}


class HashedMembers:
    """A collection that looks up values by hash if possible, integers also as doubles, and otherwise compares with each member."""

    __slots__ = ("_doubles", "_integers", "_keys", "_others")

    def __init__(self, members: Iterable[Value] = ()) -> None:
        self._keys: set[Hashable] = set()
        self._integers: set[float] = set()
        self._doubles: set[float] = set()
        self._others: list[Value] = []
        for member in members:
            self.add(member)

    def add(self, value: Value) -> None:
        """Add a member."""
        kind = kind_of(value)
        key = _KEYED.get(kind)
        if key is not None:
            self._keys.add((key, value))
            if key is Kind.INT:
                self._integers.add(float(value))
        elif kind is not Kind.DOUBLE:
            self._others.append(value)
        elif not isnan(value):
            self._doubles.add(value)

    def __contains__(self, value: Value) -> bool:
        kind = kind_of(value)
        key = _KEYED.get(kind)
        if key is not None:
            return (key, value) in self._keys or (key is Kind.INT and float(value) in self._doubles)
        if kind is Kind.DOUBLE:
            return not isnan(value) and (value in self._doubles or value in self._integers)
        return any(equal(value, other) is True for other in self._others)


_INTEGERS: Final = frozenset({int, Uint})


def members_of(container: Value) -> frozenset[tuple[type, Value]] | None:
    """Return the types and values of the elements of a constant list, or None if not all are primitive."""
    members: set[tuple[type, Value]] = set()
    for value in container:
        cls = type(value)
        if cls not in values.KEYS:
            return None
        if value == value:
            members.add((cls, value))
            members.update((type(other), other) for other in values.other_integers(value))
            if cls in _INTEGERS:
                members.add((float, float(value)))
        else:
            members.add((float, _NAN))
    return frozenset(members)


# Represents NaN, which is never found.
_NAN: Final = object()
