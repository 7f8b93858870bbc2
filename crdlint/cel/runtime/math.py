"""Functions of numbers (cel-go's ext/math.go); `least` and `greatest` are the functions behind the macros."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Uint
from crdlint.cel.runtime.errors import FunctionError
from crdlint.cel.runtime.values import MAX_UINT, MIN_INT, compare, type_of
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crdlint.cel.runtime.values import Value

_NUMBERS: Final = frozenset({Kind.INT, Kind.UINT, Kind.DOUBLE})
_BITS: Final = 2**64


def least(*values: Value) -> Value:
    """Return the least of one or two numbers (`math.@min`); raise FunctionError where they have no order."""
    return _select(values, "math.@min", 1)


def greatest(*values: Value) -> Value:
    """Return the greatest of one or two numbers (`math.@max`); raise FunctionError where they have no order."""
    return _select(values, "math.@max", -1)


def least_of(values: Sequence[Value]) -> Value:
    """Return the least number of a list; raise FunctionError where there is none."""
    return _of_list(values, "math.@min", least)


def greatest_of(values: Sequence[Value]) -> Value:
    """Return the greatest number of a list; raise FunctionError where there is none."""
    return _of_list(values, "math.@max", greatest)


def ceil(value: float) -> float:
    """Return the least whole number not below a double."""
    return math.copysign(float(math.ceil(value)), value) if math.isfinite(value) else value


def floor(value: float) -> float:
    """Return the greatest whole number not above a double."""
    return math.copysign(float(math.floor(value)), value) if math.isfinite(value) else value


def round_(value: float) -> float:
    """Return the nearest whole number, halves away from zero (math.Round)."""
    if not math.isfinite(value):
        return value
    whole = math.trunc(value)
    # The difference is exact, as a sum with 0.5 is not.
    if abs(value - whole) >= 0.5:
        whole += 1 if value > 0 else -1
    return math.copysign(float(whole), value)


def trunc(value: float) -> float:
    """Return a double without its fraction."""
    return math.copysign(float(math.trunc(value)), value) if math.isfinite(value) else value


def is_inf(value: float) -> bool:
    """Whether a double is infinite."""
    return math.isinf(value)


def is_nan(value: float) -> bool:
    """Whether a double is no number."""
    return math.isnan(value)


def is_finite(value: float) -> bool:
    """Whether a double is a finite number."""
    return math.isfinite(value)


def abs_(value: Value) -> Value:
    """Return a number without its sign; raise FunctionError for the least int, which has no positive."""
    if type(value) is int and value == MIN_INT:
        raise FunctionError("integer overflow")
    return value if type(value) is Uint else abs(value)


def sign(value: Value) -> Value:
    """Return -1, 0 or 1 in the type of a number, NaN for NaN."""
    if type(value) is float:
        return value if math.isnan(value) else float((value > 0) - (value < 0))
    return type(value)((value > 0) - (value < 0))


def sqrt(value: Value) -> float:
    """Return the square root as a double, NaN below zero."""
    number = float(value)
    return math.nan if number < 0 else math.sqrt(number)


def bit_and(first: Value, second: Value) -> Value:
    """Return the bits that two numbers of one type share."""
    return type(first)(int(first) & int(second))


def bit_or(first: Value, second: Value) -> Value:
    """Return the bits of either of two numbers of one type."""
    return type(first)(int(first) | int(second))


def bit_xor(first: Value, second: Value) -> Value:
    """Return the bits of just one of two numbers of one type."""
    return type(first)(int(first) ^ int(second))


def bit_not(value: Value) -> Value:
    """Return a number with every bit turned."""
    return Uint(MAX_UINT - int(value)) if type(value) is Uint else ~value


def bit_shift_left(value: Value, bits: int) -> Value:
    """Return 64 bits shifted to the left; raise FunctionError for a negative offset."""
    _check_offset("math.bitShiftLeft()", bits)
    return _as_type_of(value, 0 if bits > 63 else int(value) << bits)


def bit_shift_right(value: Value, bits: int) -> Value:
    """Return 64 bits shifted to the right, zeros following; raise FunctionError for a negative offset."""
    _check_offset("math.bitShiftRight()", bits)
    return _as_type_of(value, 0 if bits > 63 else int(value) % _BITS >> bits)


def _select(values: tuple[Value, ...], name: str, swap: int) -> Value:
    if len(values) == 1:
        return values[0]
    first, second = values
    try:
        return second if compare(first, second) == swap else first
    except FunctionError as error:
        raise _suffixed(error, name) from None


def _of_list(values: Sequence[Value], name: str, select: Callable[..., Value]) -> Value:
    if not values:
        raise FunctionError(f"{name}(list) argument must not be empty")
    result = values[0]
    for value in values[1:]:
        result = select(result, value)
    if type_of(result).kind not in _NUMBERS:
        raise FunctionError(f"no such overload: {name}")
    return result


def _suffixed(error: FunctionError, name: str) -> FunctionError:
    message = str(error)
    return error if name in message else FunctionError(f"{message}: {name}")


def _check_offset(name: str, bits: int) -> None:
    if bits < 0:
        raise FunctionError(f"{name} negative offset: {bits}")


def _as_type_of(value: Value, bits: int) -> Value:
    bits %= _BITS
    if type(value) is Uint:
        return Uint(bits)
    return bits - _BITS if bits >= _BITS // 2 else bits
