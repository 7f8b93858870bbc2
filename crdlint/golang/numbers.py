"""Numbers as Go prints them (`%v` of fmt, and encoding/json), and which of them are integers."""

from __future__ import annotations

import sys
from math import inf, isfinite
from typing import Final

_SAFE: Final = 2**53 - 1  # float64 has all integers up to it
_EPSILON: Final = 1e-9


def format_float(value: float) -> str:
    """Return a float64 as `%v` prints it, with an exponent below 1e-4 and from 1e+06 on. Upstream: strconv's 'g'."""
    if not isfinite(value):
        return "+Inf" if value == inf else "-Inf" if value == -inf else "NaN"
    sign, digits, exponent = _shortest(value)
    return _scientific(sign, digits, exponent) if not -4 <= exponent < 6 else _positional(sign, digits, exponent)


def format_fixed(value: float) -> str:
    """Return a finite float64 without an exponent, with as few digits as identify it. Upstream: strconv's 'f'."""
    return _positional(*_shortest(value))


def json_float(value: float) -> str:
    """Return a float64 as encoding/json prints it, with an exponent without leading zero below 1e-6 and from 1e+21 on.

    Raise ValueError for a value that is not finite, as json.Marshal does.
    """
    if not isfinite(value):
        raise ValueError(f"json: unsupported value: {format_float(value)}")
    sign, digits, exponent = _shortest(value)
    if -6 <= exponent < 21:
        return _positional(sign, digits, exponent)
    return _scientific(sign, digits, exponent).replace("e-0", "e-")


def is_json_integer(value: float) -> bool:
    """Return whether a float64 is an integer, or slightly larger than one. Upstream: swag.IsFloat64AJSONInteger."""
    if not -_SAFE <= value <= _SAFE:
        return False
    if value == int(value):
        return True
    # A negative number wraps around when it is converted to uint64.
    if not int(value):
        return False
    integer = float(int(value) if value > 0 else int(value) + 2**64)
    return abs(value - integer) / min(abs(value) + integer, sys.float_info.max) < _EPSILON


def _shortest(value: float) -> tuple[str, str, int]:
    """Return the sign, the shortest digits that identify the number, and the exponent of the first digit."""
    text = repr(value)
    sign = ""
    if text[0] == "-":
        sign, text = "-", text[1:]
    mantissa, _, power = text.partition("e")
    integer, _, fraction = mantissa.partition(".")
    digits = (integer + fraction).lstrip("0")
    if not digits:
        return sign, "0", 0
    return sign, digits.rstrip("0"), int(power or 0) + len(digits) - len(fraction) - 1


def _scientific(sign: str, digits: str, exponent: int) -> str:
    point = "." if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{point}{digits[1:]}e{exponent:+03d}"


def _positional(sign: str, digits: str, exponent: int) -> str:
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    integer = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{sign}{integer}.{fraction}" if fraction else sign + integer
