"""Functions of lists (cel-go's ext/lists.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.eval.equality import COMPARABLE, HashedMembers, compare
from crdlint.cel.eval.errors import NO_SUCH_OVERLOAD, FunctionError
from crdlint.cel.eval.values import kind_of, type_of
from crdlint.cel.library.go_sort import sort
from crdlint.cel.types import Kind
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.cel.eval.values import Value


def slice_(values: Sequence[Value], start: int, end: int) -> list[Value]:
    """Return the elements from start up to end; raise FunctionError for indices outside the list."""
    call = f"cannot slice({start}, {end}), "
    if start < 0 or end < 0:
        raise FunctionError(f"{call}negative indexes not supported")
    if start > end:
        raise FunctionError(f"{call}start index must be less than or equal to end index")
    if len(values) < end:
        raise FunctionError(f"{call}list is length {len(values)}")
    work.spend(end - start)
    return list(values[start:end])


def flatten(values: Value, depth: Value = None) -> list[Value]:
    """Return the elements with lists among them opened to a depth, 1 if not given.

    Raises FunctionError for a negative depth, and, as this function's arguments are not guarded, for other types.
    """
    if kind_of(values) is not Kind.LIST or (depth is not None and type(depth) is not int):
        given = "" if depth is None else str(type_of(depth))
        raise FunctionError(f"{NO_SUCH_OVERLOAD}: {type_of(values)}.flatten({given})")
    if depth is None:
        depth = 1
    if depth < 0:
        raise FunctionError("level must be non-negative")
    result: list[Value] = []
    open_: list[Iterator[Value]] = [iter(values)]
    work.spend(len(values))
    while open_:
        for value in open_[-1]:
            if len(open_) <= depth and kind_of(value) is Kind.LIST:
                work.spend(len(value))
                open_.append(iter(value))
                break
            result.append(value)
        else:
            open_.pop()
    return result


def sort_values(values: Sequence[Value]) -> Sequence[Value]:
    """Return the elements in order; raise FunctionError if they have none or are of several types."""
    return sort_by_keys(values, values)


def sort_by_keys(values: Sequence[Value], keys: Sequence[Value]) -> Sequence[Value]:
    """Return the elements in the order of their keys (`@sortByAssociatedKeys`), equal ones as Go's sort leaves them.

    Raises FunctionError if the lists differ in length, or the keys have no order or are of several types.
    """
    if len(values) != len(keys):
        raise FunctionError(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
            f"but got {len(values)} and {len(keys)} elements respectively"
        )
    if not values:
        return values
    work.spend(len(values))
    kind = kind_of(keys[0])
    if kind not in COMPARABLE:
        raise FunctionError("list elements must be comparable")
    if any(kind_of(key) is not kind for key in keys):
        raise FunctionError("list elements must have the same type")
    return [values[index] for index in sort(len(values), lambda i, j: _is_less(keys[i], keys[j]))]


def distinct(values: Sequence[Value]) -> Sequence[Value]:
    """Return the elements without those that equal an earlier one."""
    seen = HashedMembers()
    result: list[Value] = []
    work.spend(len(values))
    for value in values:
        if value not in seen:
            seen.add(value)
            result.append(value)
    return result


def range_(count: int) -> range:
    """Return the numbers from 0 up to a count, none of which are made before they are asked for."""
    return range(count)


def reverse(values: Sequence[Value]) -> list[Value]:
    """Return the elements in reverse."""
    work.spend(len(values))
    return list(values)[::-1]


def _is_less(one: Value, other: Value) -> bool:
    return compare(one, other) == -1  # an error for NaN
