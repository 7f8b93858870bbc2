"""Operators of numbers, texts, lists and times, with cel-go's limits (common/types: Add to Negate, overflow.go).

Each table gives the implementation by the class of the first operand; a class that is not there lacks the trait.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Uint
from crdlint.cel.eval.errors import NO_OVERLOAD, Error
from crdlint.cel.eval.values import (
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
)
from crdlint.cel.library.timestamps import TIMESTAMP_OVERFLOW
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from crdlint.cel.eval.values import Value

    Operators: TypeAlias = Mapping[type, Callable[[Value, Value], Value]]

_INT_OVERFLOW: Final = Error("integer overflow")
_UINT_OVERFLOW: Final = Error("unsigned integer overflow")
_DIVISION: Final = Error("division by zero")
_MODULUS: Final = Error("modulus by zero")
# Shorter lists are put together at once.
_JOINED_SIZE: Final = 64


def _checked(value: int) -> int | Error:
    return value if MIN_INT <= value <= MAX_INT else _INT_OVERFLOW


def _checked_uint(value: int) -> Uint | Error:
    return Uint(value) if 0 <= value <= MAX_UINT else _UINT_OVERFLOW


def _add_int(one: int, other: Value) -> Value:
    return _checked(one + other) if type(other) is int else NO_OVERLOAD


def _add_uint(one: Uint, other: Value) -> Value:
    return _checked_uint(int(one) + int(other)) if type(other) is Uint else NO_OVERLOAD


def _add_double(one: float, other: Value) -> Value:
    return one + other if type(other) is float else NO_OVERLOAD


def _add_string(one: str, other: Value) -> Value:
    return one + other if type(other) is str else NO_OVERLOAD


def _add_bytes(one: bytes, other: Value) -> Value:
    return one + other if type(other) is bytes else NO_OVERLOAD


def _add_duration(one: Duration, other: Value) -> Value:
    if type(other) is Duration:
        return _duration(one.nanoseconds + other.nanoseconds)
    return _shifted(other, one.nanoseconds) if type(other) is Timestamp else NO_OVERLOAD


def _add_timestamp(one: Timestamp, other: Value) -> Value:
    return _shifted(one, other.nanoseconds) if type(other) is Duration else NO_OVERLOAD


def _add_list(one: Value, other: Value) -> Value:
    if kind_of(other) is not Kind.LIST:
        return NO_OVERLOAD
    if not len(one):
        return other
    if not len(other):
        return one
    if len(one) + len(other) <= _JOINED_SIZE and type(other) in PLAIN_LISTS:
        return [*one, *other]
    return ConcatList(one, tuple(other) if type(other) is MutableList else other)


def _add_in_place(one: MutableList, other: Value) -> Value:
    if kind_of(other) is not Kind.LIST:
        return NO_OVERLOAD
    one.extend(list(other))
    return one


def _duration(nanoseconds: int) -> Duration | Error:
    return Duration(nanoseconds) if MIN_INT <= nanoseconds <= MAX_INT else _INT_OVERFLOW


def _shifted(moment: Timestamp, nanoseconds: int) -> Timestamp | Error:
    total = moment.nanoseconds + nanoseconds
    if not MIN_TIMESTAMP <= total // SECOND <= MAX_TIMESTAMP:
        return Error(TIMESTAMP_OVERFLOW)
    return Timestamp(total, moment.offset)


def _subtract_int(one: int, other: Value) -> Value:
    return _checked(one - other) if type(other) is int else NO_OVERLOAD


def _subtract_uint(one: Uint, other: Value) -> Value:
    return _checked_uint(int(one) - int(other)) if type(other) is Uint else NO_OVERLOAD


def _subtract_double(one: float, other: Value) -> Value:
    return one - other if type(other) is float else NO_OVERLOAD


def _subtract_duration(one: Duration, other: Value) -> Value:
    return _duration(one.nanoseconds - other.nanoseconds) if type(other) is Duration else NO_OVERLOAD


def _subtract_timestamp(one: Timestamp, other: Value) -> Value:
    if type(other) is Timestamp:
        return _difference(one.nanoseconds, other.nanoseconds)
    if type(other) is Duration:
        return _INT_OVERFLOW if other.nanoseconds == MIN_INT else _shifted(one, -other.nanoseconds)
    return NO_OVERLOAD


def _difference(one: int, other: int) -> Duration | Error:
    # cel-go scales the seconds alone first, which must already fit.
    if not MIN_INT <= (one // SECOND - other // SECOND) * SECOND <= MAX_INT:
        return _INT_OVERFLOW
    return _duration(one - other)


def _multiply_int(one: int, other: Value) -> Value:
    return _checked(one * other) if type(other) is int else NO_OVERLOAD


def _multiply_uint(one: Uint, other: Value) -> Value:
    return _checked_uint(int(one) * int(other)) if type(other) is Uint else NO_OVERLOAD


def _multiply_double(one: float, other: Value) -> Value:
    return one * other if type(other) is float else NO_OVERLOAD


def _divide_int(one: int, other: Value) -> Value:
    if type(other) is not int:
        return NO_OVERLOAD
    if other == 0:
        return _DIVISION
    quotient = abs(one) // abs(other)
    return _checked(quotient if (one < 0) == (other < 0) else -quotient)


def _divide_uint(one: Uint, other: Value) -> Value:
    if type(other) is not Uint:
        return NO_OVERLOAD
    return Uint(int(one) // int(other)) if other else _DIVISION


def _divide_double(one: float, other: Value) -> Value:
    if type(other) is not float:
        return NO_OVERLOAD
    if other != 0:
        return one / other
    if one == 0 or math.isnan(one):
        return math.nan
    return math.copysign(math.inf, one) * math.copysign(1.0, other)


def _modulo_int(one: int, other: Value) -> Value:
    if type(other) is not int:
        return NO_OVERLOAD
    if other == 0:
        return _MODULUS
    if one == MIN_INT and other == -1:
        return _INT_OVERFLOW
    rest = abs(one) % abs(other)
    return -rest if one < 0 else rest


def _modulo_uint(one: Uint, other: Value) -> Value:
    if type(other) is not Uint:
        return NO_OVERLOAD
    return Uint(int(one) % int(other)) if other else _MODULUS


ADD: Final[Operators] = {
    int: _add_int,
    Uint: _add_uint,
    float: _add_double,
    str: _add_string,
    bytes: _add_bytes,
    Duration: _add_duration,
    Timestamp: _add_timestamp,
    list: _add_list,
    tuple: _add_list,
    range: _add_list,
    ConcatList: _add_list,
    MutableList: _add_in_place,
}
SUBTRACT: Final[Operators] = {
    int: _subtract_int,
    Uint: _subtract_uint,
    float: _subtract_double,
    Duration: _subtract_duration,
    Timestamp: _subtract_timestamp,
}
MULTIPLY: Final[Operators] = {int: _multiply_int, Uint: _multiply_uint, float: _multiply_double}
DIVIDE: Final[Operators] = {int: _divide_int, Uint: _divide_uint, float: _divide_double}
MODULO: Final[Operators] = {int: _modulo_int, Uint: _modulo_uint}


def negate(value: Value) -> Value:
    """Return `-value` of an int, double or duration."""
    if type(value) is Duration:
        return _duration(-value.nanoseconds)
    return -value if type(value) is float else _checked(-value)
