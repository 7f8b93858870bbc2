"""Kubernetes' functions of lists (apiserver pkg/cel/library/lists.go)."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from crdlint.cel.eval.equality import COMPARABLE, compare, equal
from crdlint.cel.eval.errors import NO_SUCH_OVERLOAD, Error, FunctionError
from crdlint.cel.eval.values import kind_of
from crdlint.cel.library.operators import ADD
from crdlint.cel.types import Kind
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crdlint.cel.eval.values import Value


def is_sorted(values: Sequence[Value]) -> bool:
    """Whether no element is greater than the next; raise FunctionError for elements without an order."""
    return not any(compare(one, other) == 1 for one, other in pairwise(_comparable(values)))


def sum_(values: Sequence[Value], zero: Value) -> Value:
    """Return the sum, beginning with a zero of the elements' type; raise FunctionError where 64 bits overflow."""
    total = zero
    work.spend(len(values))
    for value in values:
        total = value if type(value) is Error else ADD[type(total)](total, value)
        if type(total) is Error:
            raise FunctionError(total.message)
    return total


def min_(values: Sequence[Value]) -> Value:
    """Return the least element; raise FunctionError for an empty list."""
    return _select(values, "min", 1)


def max_(values: Sequence[Value]) -> Value:
    """Return the greatest element; raise FunctionError for an empty list."""
    return _select(values, "max", -1)


def index_of(values: Sequence[Value], item: Value) -> int:
    """Return where an element is equal to a value, -1 where none is."""
    return _find(values, range(len(values)), item)


def last_index_of(values: Sequence[Value], item: Value) -> int:
    """Return where the last element equal to a value is, -1 where none is."""
    return _find(values, range(len(values) - 1, -1, -1), item)


def _find(values: Sequence[Value], places: Iterable[int], item: Value) -> int:
    work.spend(len(values))
    return next((place for place in places if equal(values[place], item) is True), -1)


def _select(values: Sequence[Value], name: str, replace: int) -> Value:
    if not values:
        raise FunctionError(f"{name} called on empty list")
    result = values[0]
    for value in _comparable(values):
        if compare(result, value) == replace:
            result = value
    return result


def _comparable(values: Sequence[Value]) -> Iterator[Value]:
    work.spend(len(values))
    for value in values:
        kind = kind_of(value)
        if kind not in COMPARABLE:
            raise FunctionError(str(value) if kind is Kind.ERROR else NO_SUCH_OVERLOAD)
        yield value
