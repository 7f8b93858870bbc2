"""Optional values (versions 0 to 2), sets, comprehensions of two variables. Upstream: cel-go's ext package, and cel/library.go."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from crdlint.cel import types
from crdlint.cel.decls import CallCost, Implementation, Variable, member, overload
from crdlint.cel.errors import Error, FunctionError
from crdlint.cel.estimates import ONE, ASTNode, CallEstimate, Estimator, size_of
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.eval.equality import HashedMembers
from crdlint.cel.eval.values import (
    MISSING,
    NONE,
    Map,
    MutableMap,
    Optional_,
    element,
    find,
    go_text,
    is_zero,
    kind_of,
)
from crdlint.cel.types import (
    BOOL,
    DYN,
    INT,
    STRING,
    Kind,
    list_type,
    map_type,
    optional_type,
    type_param,
)
from crdlint.safety import work


def _of_non_zero_value(value: Any) -> Any:
    return NONE if is_zero(value) else Optional_(value)


def _element(values: Any, index: int) -> Any:
    return Optional_(element(values, index)) if len(values) else NONE


def _unwrap(values: Any) -> Any:
    result: list[Any] = []
    work.spend(len(values))
    for value in values:
        if type(value) is not Optional_:
            return Error(f"value {go_text(value)} is not optional")
        if value.has_value:
            result.append(value.content)
    return result


_K: Final = type_param("K")
_V: Final = type_param("V")
_LIST: Final = list_type(_V)
_MAP: Final = map_type(_K, _V)
_OPT_V: Final = optional_type(_V)
_LIST_OPT_V: Final = list_type(_OPT_V)

# The planner implements `or`, `orValue`, and selection and indexing with `?`.
OPTIONALS: Final = (
    overload("optional.of", "optional_of", (_V,), _OPT_V, Optional_),
    overload(
        "optional.ofNonZeroValue",
        "optional_ofNonZeroValue",
        (_V,),
        _OPT_V,
        _of_non_zero_value,
    ),
    overload("optional.none", "optional_none", (), _OPT_V, lambda: NONE),
    member("value", "optional_value", (_OPT_V,), _V, lambda optional: optional.value),
    member("hasValue", "optional_hasValue", (_OPT_V,), BOOL, lambda optional: optional.has_value),
    member("or", "optional_or_optional", (_OPT_V, _OPT_V), _OPT_V),
    member("orValue", "optional_orValue_value", (_OPT_V, _V), _V),
    overload("_?._", "select_optional_field", (DYN, STRING), _OPT_V),
    overload("_[?_]", "list_optindex_optional_int", (_LIST, INT), _OPT_V),
    overload("_[?_]", "optional_list_optindex_optional_int", (optional_type(_LIST), INT), _OPT_V),
    overload("_[?_]", "map_optindex_optional_value", (_MAP, _K), _OPT_V),
    overload("_[?_]", "optional_map_optindex_optional_value", (optional_type(_MAP), _K), _OPT_V),
    overload("_[_]", "optional_list_index_int", (optional_type(_LIST), INT), _OPT_V),
    overload("_[_]", "optional_map_index_value", (optional_type(_MAP), _K), _OPT_V),
)

OPTIONALS_ADDED_BY_VERSION_2: Final = (
    member("last", "list_last", (_LIST,), _OPT_V, lambda values: _element(values, len(values) - 1)),
    member("first", "list_first", (_LIST,), _OPT_V, lambda values: _element(values, 0)),
    overload("optional.unwrap", "optional_unwrap", (_LIST_OPT_V,), _LIST, _unwrap),
    member("unwrapOpt", "optional_unwrapOpt", (_LIST_OPT_V,), _LIST, _unwrap),
)

OPTIONAL_TYPES: Final = (
    Variable("optional_type", types.type_type(types.opaque_type("optional_type"))),
)
OPTIONAL_TYPES_BY_DYN: Final = (Variable("optional_type", types.type_type(optional_type(DYN))),)


def contains(values: Sequence[Any], part: Sequence[Any]) -> bool:
    """Return whether `values` contains every element of `part`; raise FunctionError for an error before a missing element."""
    work.spend(len(values) + len(part))
    members = HashedMembers(values)
    for value in part:
        if kind_of(value) is Kind.ERROR:
            raise FunctionError(str(value))
        if value not in members:
            return False
    return True


def equivalent(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Return whether each list contains the other."""
    return contains(first, second) and contains(second, first)


def intersects(first: Sequence[Any], second: Sequence[Any]) -> bool:
    """Return whether the lists have an element in common."""
    work.spend(len(first) + len(second))
    members = HashedMembers(second)
    return any(value in members for value in first)


def _cost(factor: float) -> CallCost:
    """Return the cost of comparing each element of one list with each element of another."""

    def estimate(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
        pairs = size_of(estimator, nodes[0]).times(size_of(estimator, nodes[1]))
        return CallEstimate(pairs.scaled(factor).plus(ONE))

    def track(values: Sequence[Any], _: Any) -> int:
        return 1 + int(float(actual_size(values[0]) * actual_size(values[1])) * factor)

    return CallCost(estimate, track, in_advance=True)


_TWO_LISTS: Final = (list_type(type_param("T")),) * 2

SETS: Final = (
    overload("sets.contains", "list_sets_contains_list", _TWO_LISTS, BOOL, contains, _cost(1)),
    overload(
        "sets.equivalent",
        "list_sets_equivalent_list",
        _TWO_LISTS,
        BOOL,
        equivalent,
        _cost(2),
    ),
    overload(
        "sets.intersects",
        "list_sets_intersects_list",
        _TWO_LISTS,
        BOOL,
        intersects,
        _cost(1),
    ),
)


def _insert(target: Any, key: Any, value: Any) -> Any:
    """Return a map with one more entry, or an error if it has the key; a mutable map grows. Upstream: ext.InsertMapKeyValue."""
    if find(target, key) is not MISSING:
        return Error(f"insert failed: key {go_text(key)} already exists")
    if type(target) is MutableMap:
        target.insert(key, value)
        return target
    work.spend(len(target))
    return Map([*((old, find(target, old)) for old in target), (key, value)])


def _insert_all(target: Any, update: Any) -> Any:
    """Return a map with the entries of another map, or an error for a key in both."""
    if type(target) is not MutableMap and len(update):
        # Copy once; the result is the same as copying for each entry.
        work.spend(len(target))
        growing = MutableMap([(key, find(target, key)) for key in target])
        result = _insert_all(growing, update)
        return result if type(result) is Error else growing.frozen()
    work.spend(2 * len(update))
    for key in list(update):
        result = _insert(target, key, find(update, key))
        if type(result) is Error:
            return result
    return target


TWO_VARIABLE_COMPREHENSIONS: Final = (
    overload(
        "cel.@mapInsert",
        "@mapInsert_map_key_value",
        (_MAP, _K, _V),
        _MAP,
        Implementation(_insert, variadic=True),
    ),
    overload("cel.@mapInsert", "@mapInsert_map_map", (_MAP, _MAP), _MAP, _insert_all),
)


# What each function does, in one sentence, for editors and prompts.
DOCS: Final = {
    "first": "Returns the first element of a list as an optional.",
    "last": "Returns the last element of a list as an optional.",
    "optional.unwrap": "Returns the values of the optionals of a list that have one.",
    "unwrapOpt": "Returns the values of the optionals of a list that have one.",
    "hasValue": "Returns whether an optional has a value.",
    "optional.none": "Returns an optional without a value.",
    "optional.of": "Returns an optional with a value.",
    "optional.ofNonZeroValue": "Returns an optional with a value, without one if the value is the zero value of its type.",
    "or": "Returns an optional, or another one if it has no value.",
    "orValue": "Returns the value of an optional, or another value if it has none.",
    "value": "Returns the value of an optional; an error if it has none.",
    "sets.contains": "Returns whether a list contains every element of another one.",
    "sets.equivalent": "Returns whether two lists have the same elements, in any order and number.",
    "sets.intersects": "Returns whether two lists have an element in common.",
}
