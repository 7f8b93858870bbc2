"""Functions of lists. Upstream: apiserver pkg/cel/library/lists.go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final

from crdlint.cel.ast import Uint
from crdlint.cel.decls import CallCost, Overload, member
from crdlint.cel.errors import NO_SUCH_OVERLOAD, Error, FunctionError
from crdlint.cel.estimates import ONE, STRING_FACTOR, ASTNode, CallEstimate, Estimator, size_of
from crdlint.cel.eval.equality import compare, equal
from crdlint.cel.eval.values import COMPARABLE, Duration, find, kind_of
from crdlint.cel.types import BOOL, DYN, INT, ORDERED, Kind, list_type, type_param
from crdlint.kubecel.library.declaration import ALWAYS, Library, element_of
from crdlint.safety import work


def _is_sorted(values: Sequence[Any]) -> bool:
    return not any(compare(left, right) == 1 for left, right in pairwise(_comparable(values)))


def _sum(zero: Any) -> Callable[[Sequence[Any]], Any]:
    """Return the function that sums a list, starting with `zero`."""

    def sum_(values: Sequence[Any]) -> Any:
        from crdlint.cel.library.stdlib_functions import add

        total = zero
        work.spend(len(values))
        for value in values:
            total = value if type(value) is Error else add(total, value)
            if type(total) is Error:
                raise FunctionError(total.message)
        return total

    return sum_


def _extreme(name: str, replaced: int) -> Callable[[Sequence[Any]], Any]:
    """Return a function for the minimum or maximum: an element replaces the result if comparing both returns `replaced`."""

    def extreme(values: Sequence[Any]) -> Any:
        if not values:
            raise FunctionError(f"{name} called on empty list")
        result = values[0]
        for value in _comparable(values):
            # Upstream tests for this result only; an error, as for NaN, is a different result.
            if compare(result, value) == replaced:
                result = value
        return result

    return extreme


def _comparable(values: Sequence[Any]) -> Iterator[Any]:
    """Yield the elements; raise FunctionError at an element without an order."""
    work.spend(len(values))
    for value in values:
        kind = kind_of(value)
        if kind not in COMPARABLE:
            raise FunctionError(str(value) if kind is Kind.ERROR else NO_SUCH_OVERLOAD)
        yield value


def _index_of(values: Sequence[Any], item: Any, step: int = 1) -> int:
    """Return the first index at which an element equals a value, with a `step` of -1 the last one; -1 if there is none."""
    work.spend(len(values))
    return next(
        (index for index in range(len(values))[::step] if equal(values[index], item) is True), -1
    )


def _estimate(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
    size, element = size_of(estimator, nodes[0]), element_of(nodes[0])
    if element is None:  # the indexOf of a string
        return CallEstimate(size.traversal())
    each = ONE
    if element.type.kind in (Kind.STRING, Kind.BYTES):
        each = each.plus(size_of(estimator, element).traversal())
    return CallEstimate(size.times(each))


def _estimate_includes(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
    """Return the cost of `includes`: one unit for each element of a value that may be a list."""
    is_list = element_of(nodes[0]) is not None
    return (
        _estimate(estimator, nodes)
        if is_list
        else CallEstimate(size_of(estimator, nodes[0]).times(ONE))
    )


def _includes(value: Any, item: Any) -> bool:
    if kind_of(value) is not Kind.LIST:
        return equal(value, item) is True
    work.spend(len(value))
    return any(equal(element, item) is True for element in value)


def _track(values: Sequence[Any], _: Any) -> int:
    """Return the cost of reading all of a value. Upstream: library.traversalCost."""
    total = 0
    stack = [values[0]]
    while stack:
        value = stack.pop()
        kind = kind_of(value)
        if kind is Kind.STRING:
            total += int(len(value.encode("utf-8", "surrogatepass")) * STRING_FACTOR)
        elif kind is Kind.BYTES:
            total += int(len(value) * STRING_FACTOR)
        elif kind is Kind.LIST:
            work.spend(len(value))
            stack.extend(value)
        elif kind is Kind.MAP:
            work.spend(len(value))
            keys = list(value)
            for key in keys:
                stack += (key, find(value, key))
            # A field that the schema does not declare has neither key nor value.
            total += 2 * (len(value) - len(keys))
        else:
            total += 1
    return total


_T: Final = type_param("A")
_NAMED: Final = {type_.kind.name.lower(): type_ for type_ in ORDERED}
_ZEROS: Final[dict[str, Any]] = {"int": 0, "uint": Uint(0), "double": 0.0, "duration": Duration(0)}


def _functions() -> Iterator[Overload]:
    lists = {name: (list_type(type_),) for name, type_ in _NAMED.items()}
    for name, args in lists.items():
        yield member(
            "isSorted",
            f"list_{name}_is_sorted_bool",
            args,
            BOOL,
            _is_sorted,
        )
    for name, zero in _ZEROS.items():
        yield member(
            "sum",
            f"list_{name}_sum_{name}",
            lists[name],
            _NAMED[name],
            _sum(zero),
        )
    for function, replaced in (("max", -1), ("min", 1)):
        find = _extreme(function, replaced)
        for name, args in lists.items():
            yield member(
                function,
                f"list_{name}_{function}_{name}",
                args,
                _NAMED[name],
                find,
            )
    yield member(
        "indexOf",
        "list_a_index_of_int",
        (list_type(_T), _T),
        INT,
        _index_of,
    )
    yield member(
        "lastIndexOf",
        "list_a_last_index_of_int",
        (list_type(_T), _T),
        INT,
        partial(_index_of, step=-1),
    )


_INCLUDES: Final = Library(
    "list, version 1",
    introduced=(1, 37),
    docs={"includes": "Returns whether a list contains a value."},
    functions=(member("includes", "list_includes_dyn_dyn", (DYN, DYN), BOOL, _includes),),
    costs={"includes": CallCost(_estimate_includes, _track)},
)
LIBRARY: Final = Library(
    "list",
    introduced=ALWAYS,
    later=(_INCLUDES,),
    docs={
        "isSorted": "Returns whether the elements of a list are in ascending order.",
        "max": "Returns the greatest element of a list; an error if the list is empty.",
        "min": "Returns the least element of a list; an error if the list is empty.",
        "sum": "Returns the sum of the elements of a list.",
        "indexOf": "Returns the index of the first occurrence in a string or list, -1 if there is none.",
        "lastIndexOf": "Returns the index of the last occurrence in a string or list, -1 if there is none.",
    },
    functions=tuple(_functions()),
    costs=dict.fromkeys(
        ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), CallCost(_estimate, _track)
    ),
)
