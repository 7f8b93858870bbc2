"""Implementations of the standard functions, by function or overload. Upstream: cel-go's common/stdlib, common/types."""

from __future__ import annotations

import math
import operator
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Uint
from crdlint.cel.decls import Implementation
from crdlint.cel.eval.equality import compare, contains
from crdlint.cel.eval.errors import NO_OVERLOAD, Error
from crdlint.cel.eval.functions import matches, no_such_overload, without_trait
from crdlint.cel.eval.values import (
    COMPARABLE,
    MAX_INT,
    MAX_TIMESTAMP,
    MAX_UINT,
    MIN_INT,
    MIN_TIMESTAMP,
    PLAIN_LISTS,
    SECOND,
    ConcatList,
    Duration,
    MutableList,
    Timestamp,
    kind_of,
    type_of,
)
from crdlint.cel.library.conversions import (
    CONVERSIONS,
    INT_OVERFLOW,
    TIMESTAMP_OVERFLOW,
    UINT_OVERFLOW,
    duration_getter,
    duration_milliseconds,
    identity,
    timestamp_getter,
)
from crdlint.cel.library.stdlib import TIMESTAMP_GETTERS, with_zone
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from crdlint.cel.decls import Binding
    from crdlint.cel.eval.values import Value

    Operators: TypeAlias = Mapping[type, Mapping[type, Callable[[Value, Value], Value]]]

_INT_OVERFLOW: Final = Error(INT_OVERFLOW)
_DIVISION: Final = Error("division by zero")
_MODULUS: Final = Error("modulus by zero")
# Lists with fewer elements are copied when they are concatenated.
_JOINED_SIZE: Final = 64
_SIZERS: Final = frozenset({Kind.STRING, Kind.BYTES, Kind.LIST, Kind.MAP})
_NEGATORS: Final = frozenset({Kind.INT, Kind.DOUBLE, Kind.DURATION})
_SAME_ORDER: Final = frozenset({int, str, bytes, bool})


def _int(value: int) -> int | Error:
    return value if MIN_INT <= value <= MAX_INT else _INT_OVERFLOW


def _uint(value: int) -> Uint | Error:
    return Uint(value) if 0 <= value <= MAX_UINT else Error(UINT_OVERFLOW)


def _duration(nanoseconds: int) -> Duration | Error:
    return Duration(nanoseconds) if MIN_INT <= nanoseconds <= MAX_INT else _INT_OVERFLOW


def _shifted(moment: Timestamp, nanoseconds: int) -> Timestamp | Error:
    total = moment.nanoseconds + nanoseconds
    if not MIN_TIMESTAMP <= total // SECOND <= MAX_TIMESTAMP:
        return Error(TIMESTAMP_OVERFLOW)
    return Timestamp(total, moment.offset)


def _earlier(moment: Timestamp, by: Duration) -> Timestamp | Error:
    return _INT_OVERFLOW if by.nanoseconds == MIN_INT else _shifted(moment, -by.nanoseconds)


def _difference(left: Timestamp, right: Timestamp) -> Duration | Error:
    # cel-go first scales the seconds alone, and that result must fit as well.
    if not MIN_INT <= (left.nanoseconds // SECOND - right.nanoseconds // SECOND) * SECOND <= MAX_INT:
        return _INT_OVERFLOW
    return _duration(left.nanoseconds - right.nanoseconds)


def _divide_int(left: int, right: int) -> int | Error:
    if right == 0:
        return _DIVISION
    quotient = abs(left) // abs(right)
    return _int(quotient if (left < 0) == (right < 0) else -quotient)


def _divide_double(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _modulo_int(left: int, right: int) -> int | Error:
    if right == 0:
        return _MODULUS
    if left == MIN_INT and right == -1:
        return _INT_OVERFLOW
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


# By the class of the first operand and that of the second; a class that is missing as the first lacks the trait.
_ADD: Final[Operators] = {
    int: {int: lambda left, right: _int(left + right)},
    Uint: {Uint: lambda left, right: _uint(left + right)},
    float: {float: operator.add},
    str: {str: operator.add},
    bytes: {bytes: operator.add},
    Duration: {
        Duration: lambda left, right: _duration(left.nanoseconds + right.nanoseconds),
        Timestamp: lambda left, right: _shifted(right, left.nanoseconds),
    },
    Timestamp: {Duration: lambda left, right: _shifted(left, right.nanoseconds)},
}
_SUBTRACT: Final[Operators] = {
    int: {int: lambda left, right: _int(left - right)},
    Uint: {Uint: lambda left, right: _uint(left - right)},
    float: {float: operator.sub},
    Duration: {Duration: lambda left, right: _duration(left.nanoseconds - right.nanoseconds)},
    Timestamp: {Timestamp: _difference, Duration: _earlier},
}
_MULTIPLY: Final[Operators] = {
    int: {int: lambda left, right: _int(left * right)},
    Uint: {Uint: lambda left, right: _uint(left * right)},
    float: {float: operator.mul},
}
_DIVIDE: Final[Operators] = {
    int: {int: _divide_int},
    Uint: {Uint: lambda left, right: Uint(left // right) if right else _DIVISION},
    float: {float: _divide_double},
}
_MODULO: Final[Operators] = {
    int: {int: _modulo_int},
    Uint: {Uint: lambda left, right: Uint(left % right) if right else _MODULUS},
}


def _operator(function: str, table: Operators) -> Callable[[Value, Value], Value]:
    def run(left: Value, right: Value) -> Value:
        own = table.get(type(left))
        if own is None:
            return without_trait(function, left)
        operate = own.get(type(right))
        return NO_OVERLOAD if operate is None else operate(left, right)

    return run


_add_plain: Final = _operator("_+_", _ADD)


def add(left: Value, right: Value) -> Value:
    """Return `left + right`, or an error as a value."""
    if type(left) in PLAIN_LISTS:
        return _concatenated(left, right) if kind_of(right) is Kind.LIST else NO_OVERLOAD
    supplied = None if type(left) in _ADD else getattr(left, "cel_add", None)
    return _add_plain(left, right) if supplied is None else supplied(right)


def _concatenated(left: Value, right: Value) -> Value:
    if type(left) is MutableList:
        left.extend(list(right))
        return left
    if not len(left):
        return right
    if not len(right):
        return left
    if len(left) + len(right) <= _JOINED_SIZE and type(right) in PLAIN_LISTS:
        return [*left, *right]
    return ConcatList(left, tuple(right) if type(right) is MutableList else right)


def _negate(value: Value) -> Value:
    kind = kind_of(value)
    if kind not in _NEGATORS:
        return NO_OVERLOAD if kind is Kind.BOOL else without_trait("-_", value)
    if kind is Kind.DURATION:
        return _duration(-value.nanoseconds)
    return -value if kind is Kind.DOUBLE else _int(-value)


def _relation(function: str, accepted: frozenset[int]) -> Callable[[Value, Value], Value]:
    def run(left: Value, right: Value) -> Value:
        if type(left) is type(right) and type(left) in _SAME_ORDER:
            return (left > right) - (left < right) in accepted
        if kind_of(left) not in COMPARABLE:
            return without_trait(function, left)
        order = compare(left, right)
        return order if type(order) is Error else order in accepted

    return run


def _not_strictly_false(value: Value) -> Value:
    if type(value) is bool:
        return value
    return True if type(value) is Error else no_such_overload("@not_strictly_false", (value,))


def _matches(text: Value, pattern: Value) -> Value:
    if type(text) is not str:
        return without_trait("matches", text)
    return matches(text, pattern) if type(pattern) is str else NO_OVERLOAD


def _of_strings(function: Callable[[str, str], bool]) -> Implementation:
    def run(text: Value, part: Value) -> Value:
        return function(text, part) if type(text) is str and type(part) is str else NO_OVERLOAD

    return Implementation(run, guarded=False)


SINGLETONS: Final[dict[str, Binding]] = {
    "!_": lambda value: not value if type(value) is bool else NO_OVERLOAD,
    "_+_": add,
    "_-_": _operator("_-_", _SUBTRACT),
    "_*_": _operator("_*_", _MULTIPLY),
    "_/_": _operator("_/_", _DIVIDE),
    "_%_": _operator("_%_", _MODULO),
    "-_": _negate,
    "_<_": _relation("_<_", frozenset({-1})),
    "_<=_": _relation("_<=_", frozenset({-1, 0})),
    "_>_": _relation("_>_", frozenset({1})),
    "_>=_": _relation("_>=_", frozenset({0, 1})),
    "@in": lambda value, container: contains(container, value),
    "size": lambda value: len(value) if kind_of(value) in _SIZERS else without_trait("size", value),
    "type": type_of,
    "dyn": identity,
    "matches": _matches,
}

BOUND: Final[dict[str, Binding]] = {
    "not_strictly_false": Implementation(_not_strictly_false, strict=False, guarded=False),
    **CONVERSIONS,
    "contains_string": _of_strings(lambda text, part: part in text),
    "ends_with_string": _of_strings(str.endswith),
    "starts_with_string": _of_strings(str.startswith),
    **{id_: timestamp_getter(name) for name, id_ in TIMESTAMP_GETTERS.items()},
    **{with_zone(id_): timestamp_getter(name) for name, id_ in TIMESTAMP_GETTERS.items()},
    "duration_to_hours": duration_getter(3600 * SECOND),
    "duration_to_minutes": duration_getter(60 * SECOND),
    "duration_to_seconds": duration_getter(SECOND),
    "duration_to_milliseconds": duration_milliseconds,
}
