"""Operators of numbers, texts, lists and times, with cel-go's limits. Upstream: common/types (Add to Negate, overflow.go).

Each table maps the class of the first operand to an implementation; a class that is missing lacks the trait.
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
# Lists with fewer elements are copied when they are concatenated.
_JOINED_SIZE: Final = 64


def _checked(value: int) -> int | Error:
    return value if MIN_INT <= value <= MAX_INT else _INT_OVERFLOW


def _checked_uint(value: int) -> Uint | Error:
    return Uint(value) if 0 <= value <= MAX_UINT else _UINT_OVERFLOW


def _add_int(left: int, right: Value) -> Value:
    return _checked(left + right) if type(right) is int else NO_OVERLOAD


def _add_uint(left: Uint, right: Value) -> Value:
    return _checked_uint(int(left) + int(right)) if type(right) is Uint else NO_OVERLOAD


def _add_double(left: float, right: Value) -> Value:
    return left + right if type(right) is float else NO_OVERLOAD


def _add_string(left: str, right: Value) -> Value:
    return left + right if type(right) is str else NO_OVERLOAD


def _add_bytes(left: bytes, right: Value) -> Value:
    return left + right if type(right) is bytes else NO_OVERLOAD


def _add_duration(left: Duration, right: Value) -> Value:
    if type(right) is Duration:
        return _duration(left.nanoseconds + right.nanoseconds)
    return _shifted(right, left.nanoseconds) if type(right) is Timestamp else NO_OVERLOAD


def _add_timestamp(left: Timestamp, right: Value) -> Value:
    return _shifted(left, right.nanoseconds) if type(right) is Duration else NO_OVERLOAD


def _add_list(left: Value, right: Value) -> Value:
    if kind_of(right) is not Kind.LIST:
        return NO_OVERLOAD
    if not len(left):
        return right
    if not len(right):
        return left
    if len(left) + len(right) <= _JOINED_SIZE and type(right) in PLAIN_LISTS:
        return [*left, *right]
    return ConcatList(left, tuple(right) if type(right) is MutableList else right)


def _add_in_place(left: MutableList, right: Value) -> Value:
    if kind_of(right) is not Kind.LIST:
        return NO_OVERLOAD
    left.extend(list(right))
    return left


def _duration(nanoseconds: int) -> Duration | Error:
    return Duration(nanoseconds) if MIN_INT <= nanoseconds <= MAX_INT else _INT_OVERFLOW


def _shifted(moment: Timestamp, nanoseconds: int) -> Timestamp | Error:
    total = moment.nanoseconds + nanoseconds
    if not MIN_TIMESTAMP <= total // SECOND <= MAX_TIMESTAMP:
        return Error(TIMESTAMP_OVERFLOW)
    return Timestamp(total, moment.offset)


def _subtract_int(left: int, right: Value) -> Value:
    return _checked(left - right) if type(right) is int else NO_OVERLOAD


def _subtract_uint(left: Uint, right: Value) -> Value:
    return _checked_uint(int(left) - int(right)) if type(right) is Uint else NO_OVERLOAD


def _subtract_double(left: float, right: Value) -> Value:
    return left - right if type(right) is float else NO_OVERLOAD


def _subtract_duration(left: Duration, right: Value) -> Value:
    return _duration(left.nanoseconds - right.nanoseconds) if type(right) is Duration else NO_OVERLOAD


def _subtract_timestamp(left: Timestamp, right: Value) -> Value:
    if type(right) is Timestamp:
        return _difference(left.nanoseconds, right.nanoseconds)
    if type(right) is Duration:
        return _INT_OVERFLOW if right.nanoseconds == MIN_INT else _shifted(left, -right.nanoseconds)
    return NO_OVERLOAD


def _difference(left: int, right: int) -> Duration | Error:
    # cel-go first scales the seconds alone, and that result must fit as well.
    if not MIN_INT <= (left // SECOND - right // SECOND) * SECOND <= MAX_INT:
        return _INT_OVERFLOW
    return _duration(left - right)


def _multiply_int(left: int, right: Value) -> Value:
    return _checked(left * right) if type(right) is int else NO_OVERLOAD


def _multiply_uint(left: Uint, right: Value) -> Value:
    return _checked_uint(int(left) * int(right)) if type(right) is Uint else NO_OVERLOAD


def _multiply_double(left: float, right: Value) -> Value:
    return left * right if type(right) is float else NO_OVERLOAD


def _divide_int(left: int, right: Value) -> Value:
    if type(right) is not int:
        return NO_OVERLOAD
    if right == 0:
        return _DIVISION
    quotient = abs(left) // abs(right)
    return _checked(quotient if (left < 0) == (right < 0) else -quotient)


def _divide_uint(left: Uint, right: Value) -> Value:
    if type(right) is not Uint:
        return NO_OVERLOAD
    return Uint(int(left) // int(right)) if right else _DIVISION


def _divide_double(left: float, right: Value) -> Value:
    if type(right) is not float:
        return NO_OVERLOAD
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _modulo_int(left: int, right: Value) -> Value:
    if type(right) is not int:
        return NO_OVERLOAD
    if right == 0:
        return _MODULUS
    if left == MIN_INT and right == -1:
        return _INT_OVERFLOW
    rest = abs(left) % abs(right)
    return -rest if left < 0 else rest


def _modulo_uint(left: Uint, right: Value) -> Value:
    if type(right) is not Uint:
        return NO_OVERLOAD
    return Uint(int(left) % int(right)) if right else _MODULUS


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
