"""List functions of version 3. Upstream: cel-go's ext/lists.go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key
from typing import Any, Final

from crdlint.cel import estimates
from crdlint.cel.ast import Literal
from crdlint.cel.decls import CallCost, Implementation, Overload, member, overload
from crdlint.cel.errors import NO_SUCH_OVERLOAD, CancelledError, FunctionError
from crdlint.cel.estimates import (
    LIST_COST,
    UINT64_MAX,
    ASTNode,
    CallEstimate,
    Estimate,
    Estimator,
    fixed,
    size_of,
)
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.eval.equality import HashedMembers, compare
from crdlint.cel.eval.values import COMPARABLE, element, go_type, kind_of, type_of
from crdlint.cel.types import BYTES, DYN, INT, ORDERED, STRING, Kind, list_type, type_param
from crdlint.safety import work

_BY_INSERTION: Final = 12  # elements


def slice_(values: Sequence[Any], start: int, end: int) -> list[Any]:
    """Return the elements from `start` up to `end`; raise FunctionError if an index is out of range."""
    call = f"cannot slice({start}, {end}), "
    if start < 0 or end < 0:
        raise FunctionError(f"{call}negative indexes not supported")
    if start > end:
        raise FunctionError(f"{call}start index must be less than or equal to end index")
    if len(values) < end:
        raise FunctionError(f"{call}list is length {len(values)}")
    work.spend(end - start)
    return list(values[start:end])


def flatten(values: Any, depth: Any = None) -> list[Any]:
    """Return the elements with nested lists flattened up to `depth` levels (default 1).

    Raise FunctionError for a negative depth. Arguments are not guarded, so other types raise FunctionError as well.
    """
    if kind_of(values) is not Kind.LIST or (depth is not None and type(depth) is not int):
        type_name = "" if depth is None else str(type_of(depth))
        raise FunctionError(f"{NO_SUCH_OVERLOAD}: {type_of(values)}.flatten({type_name})")
    if depth is None:
        depth = 1
    if depth < 0:
        raise FunctionError("level must be non-negative")
    result: list[Any] = []
    open_: list[Iterator[Any]] = [iter(values)]
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


def sort_values(values: Sequence[Any]) -> Sequence[Any]:
    """Return the elements in order; raise FunctionError if they have no order or several types."""
    return sort_by_keys(values, values)


def sort_by_keys(values: Sequence[Any], keys: Sequence[Any]) -> Sequence[Any]:
    """Return the elements sorted by their keys (`@sortByAssociatedKeys`); equal keys stay in order.

    So they do in Go up to 12 elements, which it sorts by insertion; it does not specify the order for more.
    Raise FunctionError if the lists differ in length, or if the keys have no order or several types.
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

    def order(i: int, j: int) -> int:
        return int(compare(keys[j], keys[i]) == -1) - int(compare(keys[i], keys[j]) == -1)

    indices = [*range(len(keys))]
    if len(keys) > _BY_INSERTION:
        indices.sort(key=cmp_to_key(order))
    else:
        _sort_by_insertion(indices, order)
    return [values[index] for index in indices]


def _sort_by_insertion(indices: list[int], order: Callable[[int, int], int]) -> None:
    """Sort as Go does, which matters where the order is not one, because of NaN."""
    for end in range(1, len(indices)):
        for index in range(end, 0, -1):
            before, here = indices[index - 1], indices[index]
            if order(here, before) >= 0:
                break
            indices[index - 1], indices[index] = here, before


def distinct(values: Sequence[Any]) -> Sequence[Any]:
    """Return the elements without duplicates."""
    seen = HashedMembers()
    result: list[Any] = []
    work.spend(len(values))
    for value in values:
        if value not in seen:
            seen.add(value)
            result.append(value)
    return result


def range_(count: int, *, is_limited: bool = True) -> range:
    """Return the integers from 0 up to `count`; since cel-go 0.29, which `is_limited`, raise FunctionError for too many."""
    if is_limited and count < 0:
        raise FunctionError(f"lists.range: size must be non-negative, got {count}")
    if is_limited and count > _LARGEST_RANGE:
        raise FunctionError(f"lists.range: size {count} exceeds maximum allowed ({_LARGEST_RANGE})")
    return range(count)


_LARGEST_RANGE: Final = 1_000_000


def reverse(values: Sequence[Any]) -> list[Any]:
    """Return the elements in reverse order."""
    work.spend(len(values))
    return list(values)[::-1]


def _int(node: ASTNode, default: int) -> int:
    """Return the value of a non-negative int literal, or the default for any other node."""
    return (
        max(node.expr.value, 0)
        if isinstance(node.expr, Literal) and type(node.expr.value) is int
        else default
    )


def _estimated(factor: float, size: Estimate) -> CallEstimate:
    return CallEstimate(size.scaled(factor).plus(fixed(1 + LIST_COST)), size)


def _tracked(factor: float, size: int) -> int:
    return 1 + LIST_COST + int(float(size) * factor)


def _estimate_slice(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
    start, end = _int(nodes[1], 0), _int(nodes[2], size_of(estimator, nodes[0]).max)
    return _estimated(1, fixed(end - start & UINT64_MAX))


def _estimate_flatten(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
    depth = _int(nodes[1], UINT64_MAX) if len(nodes) == 2 else 1
    return _estimated(float(depth), size_of(estimator, nodes[0]))


def _track_result(_values: Sequence[Any], result: Any) -> int:
    return _tracked(1, actual_size(result))


def _track_flatten(values: Sequence[Any], _: Any) -> int:
    depth = _depth(values)
    return _tracked(1.0 if depth < 0 else depth, actual_size(values[0]))


def _track_any_depth(values: Sequence[Any], _: Any) -> int:
    return _tracked(_depth(values), actual_size(values[0]))


def _depth(values: Sequence[Any]) -> float:
    """Return the second argument of `flatten`, 1 if it is absent."""
    if len(values) == 1:
        return 1.0
    if type(values[1]) is not int:
        raise _type_assertion("ref.Val is {}, not types.Int", values[1])
    return float(values[1])


def _pairs_cost(factor: float, index: int, *, in_advance: bool = False) -> CallCost:
    """Return the cost of comparing all pairs of elements of the list at an argument index."""

    def estimate(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
        size = size_of(estimator, nodes[index])
        return _estimated(factor, size.times(size))

    def track(values: Sequence[Any], _: Any) -> int:
        compared = values[index]
        if kind_of(compared) is not Kind.LIST:
            raise _type_assertion("{} is not traits.Lister: missing method Add", compared)
        size = len(compared)
        is_textual = size > 0 and kind_of(element(compared, 0)) in (Kind.STRING, Kind.BYTES)
        return _tracked(_TEXT_FACTOR if is_textual else 2.0, size * size)

    return CallCost(estimate, track, in_advance)


def _type_assertion(text: str, value: Any) -> CancelledError:
    """Return the error that replaces cel-go's panic when it computes the cost for an argument of another type."""
    return CancelledError(f"internal error: interface conversion: {text.format(go_type(value))}")


_TEXT_FACTOR: Final = 2.0 + estimates.STRING_FACTOR
_T: Final = list_type(type_param("T"))
_FLATTEN: Final = Implementation(flatten, guarded=False)
# The cost of `flatten`, and that before cel-go 0.29, which a negative depth lowers.
FLATTEN_COST: Final = CallCost(_estimate_flatten, _track_flatten)
FLATTEN_COST_OF_ANY_DEPTH: Final = CallCost(_estimate_flatten, _track_any_depth)


def _sorts() -> Iterator[Overload]:
    """Yield the overloads of `sort`, then those of `@sortByAssociatedKeys`, one for each key type."""
    factors = {key: _TEXT_FACTOR if key in (STRING, BYTES) else 2.0 for key in ORDERED}
    for key, factor in factors.items():
        keys = list_type(key)
        yield member(
            "sort",
            f"list_{key.name}_sort",
            (keys,),
            keys,
            sort_values,
            _pairs_cost(factor, 0),
        )
    for key, factor in factors.items():
        id_ = f"list_{key.name}_sortByAssociatedKeys"
        yield member(
            "@sortByAssociatedKeys",
            id_,
            (_T, list_type(key)),
            _T,
            sort_by_keys,
            _pairs_cost(factor, 1),
        )


_RANGE_COST: Final = CallCost(
    lambda _, nodes: _estimated(1, fixed(_int(nodes[0], UINT64_MAX))), _track_result
)
_REVERSE_COST: Final = CallCost(
    lambda estimator, nodes: _estimated(1, size_of(estimator, nodes[0])), _track_result
)
FUNCTIONS: Final = (
    member(
        "slice",
        "list_slice",
        (_T, INT, INT),
        _T,
        slice_,
        CallCost(_estimate_slice, _track_result),
    ),
    member("flatten", "list_flatten", (list_type(_T),), _T, _FLATTEN),
    member("flatten", "list_flatten_int", (list_type(DYN), INT), list_type(DYN), _FLATTEN),
    *_sorts(),
    overload("lists.range", "lists_range", (INT,), list_type(INT), range_, _RANGE_COST),
    member("reverse", "list_reverse", (_T,), _T, reverse, _REVERSE_COST),
    member("distinct", "list_distinct", (_T,), _T, distinct, _pairs_cost(2.0, 0, in_advance=True)),
)


# What each function does, in one sentence, for editors and prompts.
DOCS: Final = {
    "distinct": "Returns the elements of a list without repetitions.",
    "flatten": "Returns a list in which the elements of inner lists replace these lists.",
    "lists.range": "Returns the list of the integers from 0 up to a number.",
    "reverse": "Returns a string or list in reverse order.",
    "slice": "Returns the elements of a list from an index up to another one.",
    "sort": "Returns a list in ascending order.",
}
