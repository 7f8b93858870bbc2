"""Implementations of the standard functions, by function or overload. Upstream: cel-go's common/stdlib/standard.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.decls import Implementation
from crdlint.cel.eval.equality import COMPARABLE, compare, contains
from crdlint.cel.eval.errors import NO_OVERLOAD, Error
from crdlint.cel.eval.functions import no_such_overload, without_trait
from crdlint.cel.eval.regex import matches
from crdlint.cel.eval.values import SECOND, kind_of, type_of
from crdlint.cel.library import operators
from crdlint.cel.library.conversions import CONVERSIONS, identity
from crdlint.cel.library.timestamps import duration_getter, duration_milliseconds, timestamp_getter
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.decls import Binding
    from crdlint.cel.eval.values import Value

_SIZERS: Final = frozenset({Kind.STRING, Kind.BYTES, Kind.LIST, Kind.MAP})
_NEGATORS: Final = frozenset({Kind.INT, Kind.DOUBLE, Kind.DURATION})
_SAME_ORDER: Final = frozenset({int, str, bytes, bool})


def _operator(function: str, table: operators.Operators) -> Callable[[Value, Value], Value]:
    def run(left: Value, right: Value) -> Value:
        own = table.get(type(left))
        return without_trait(function, left) if own is None else own(left, right)

    return run


def _add(left: Value, right: Value) -> Value:
    own = operators.ADD.get(type(left))
    if own is not None:
        return own(left, right)
    supplied = getattr(left, "cel_add", None)
    return without_trait("_+_", left) if supplied is None else supplied(right)


def _negate(value: Value) -> Value:
    kind = kind_of(value)
    if kind in _NEGATORS:
        return operators.negate(value)
    return NO_OVERLOAD if kind is Kind.BOOL else without_trait("-_", value)


def _relation(function: str, accepted: frozenset[int]) -> Callable[[Value, Value], Value]:
    def run(left: Value, right: Value) -> Value:
        if type(left) is type(right) and type(left) in _SAME_ORDER:
            return (left > right) - (left < right) in accepted
        if kind_of(left) not in COMPARABLE:
            return without_trait(function, left)
        order = compare(left, right)
        return order if type(order) is Error else order in accepted

    return run


def _not(value: Value) -> Value:
    return not value if type(value) is bool else NO_OVERLOAD


def _not_strictly_false(value: Value) -> Value:
    if type(value) is bool:
        return value
    return True if type(value) is Error else no_such_overload("@not_strictly_false", (value,))


def _in(value: Value, container: Value) -> Value:
    return contains(container, value)


def _size(value: Value) -> Value:
    return len(value) if kind_of(value) in _SIZERS else without_trait("size", value)


def _matches(text: Value, pattern: Value) -> Value:
    if type(text) is not str:
        return without_trait("matches", text)
    return matches(text, pattern) if type(pattern) is str else NO_OVERLOAD


def _of_strings(function: Callable[[str, str], bool]) -> Implementation:
    def run(text: Value, part: Value) -> Value:
        return function(text, part) if type(text) is str and type(part) is str else NO_OVERLOAD

    return Implementation(run, guarded=False)


SINGLETONS: Final[dict[str, Binding]] = {
    "!_": _not,
    "_+_": _add,
    "_-_": _operator("_-_", operators.SUBTRACT),
    "_*_": _operator("_*_", operators.MULTIPLY),
    "_/_": _operator("_/_", operators.DIVIDE),
    "_%_": _operator("_%_", operators.MODULO),
    "-_": _negate,
    "_<_": _relation("_<_", frozenset({-1})),
    "_<=_": _relation("_<=_", frozenset({-1, 0})),
    "_>_": _relation("_>_", frozenset({1})),
    "_>=_": _relation("_>=_", frozenset({0, 1})),
    "@in": _in,
    "size": _size,
    "type": type_of,
    "dyn": identity,
    "matches": _matches,
}

_GETTERS: Final = {
    "getFullYear": "timestamp_to_year",
    "getMonth": "timestamp_to_month",
    "getDayOfYear": "timestamp_to_day_of_year",
    "getDayOfMonth": "timestamp_to_day_of_month",
    "getDate": "timestamp_to_day_of_month_1_based",
    "getDayOfWeek": "timestamp_to_day_of_week",
    "getHours": "timestamp_to_hours",
    "getMinutes": "timestamp_to_minutes",
    "getSeconds": "timestamp_to_seconds",
    "getMilliseconds": "timestamp_to_milliseconds",
}

BOUND: Final[dict[str, Binding]] = {
    "not_strictly_false": Implementation(_not_strictly_false, strict=False, guarded=False),
    **CONVERSIONS,
    "contains_string": _of_strings(lambda text, part: part in text),
    "ends_with_string": _of_strings(str.endswith),
    "starts_with_string": _of_strings(str.startswith),
    **{id_: timestamp_getter(name) for name, id_ in _GETTERS.items()},
    **{f"{id_}_with_tz": timestamp_getter(name) for name, id_ in _GETTERS.items() if name != "getSeconds"},
    "timestamp_to_seconds_tz": timestamp_getter("getSeconds"),
    "duration_to_hours": duration_getter(3600 * SECOND),
    "duration_to_minutes": duration_getter(60 * SECOND),
    "duration_to_seconds": duration_getter(SECOND),
    "duration_to_milliseconds": duration_milliseconds,
}
