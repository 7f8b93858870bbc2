"""Conversions between types. Upstream: ConvertToType of cel-go's common/types, with Go's strconv."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Uint
from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.eval.values import MAX_INT, MAX_UINT, MIN_INT, Duration, Timestamp, type_of
from crdlint.cel.library.timestamps import from_seconds, parse_duration, parse_timestamp
from crdlint.cel.types import BOOL, DOUBLE, DURATION, INT, TIMESTAMP, UINT
from crdlint.golang.numbers import format_float
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.values import Value
    from crdlint.cel.types import Type

_INT_OVERFLOW: Final = "integer overflow"
_UINT_OVERFLOW: Final = "unsigned integer overflow"
_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
_INT: Final = re.compile(r"[+-]?[0-9]+")
_UINT: Final = re.compile(r"[0-9]+")
_MOST_DIGITS: Final = 20
_SPECIAL: Final = re.compile(r"[+-]?inf(?:inity)?|nan", re.IGNORECASE)
_DIGITS: Final = "[0-9]+(?:_[0-9]+)*"
_HEX: Final = "[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*"
_DECIMAL: Final = re.compile(rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?")
_HEXADECIMAL: Final = re.compile(rf"[+-]?0[xX](?:_?{_HEX}(?:\.(?:{_HEX})?)?|\.{_HEX})[pP][+-]?{_DIGITS}")


def _failure(value: Value, to: Type) -> FunctionError:
    return FunctionError(f"type conversion error from '{type_of(value)}' to '{to}'")


def identity(value: Value) -> Value:
    """Return the value unchanged."""
    return value


def double_to_int(value: float) -> int:
    """Return the integer part of a double; raise FunctionError if it does not fit into 64 bits."""
    if not MIN_INT < value < 2.0**63:
        raise FunctionError(_INT_OVERFLOW)
    return int(value)


def double_to_uint(value: float) -> Uint:
    """Return the integer part of a double; raise FunctionError if it does not fit into 64 bits."""
    if not 0 <= value < 2.0**64:
        raise FunctionError(_UINT_OVERFLOW)
    return Uint(value)


def uint_to_int(value: Uint) -> int:
    """Return the number as an int; raise FunctionError if it is too large."""
    if value > MAX_INT:
        raise FunctionError(_INT_OVERFLOW)
    return int(value)


def int_to_uint(value: int) -> Uint:
    """Return the number as a uint; raise FunctionError if it is negative."""
    if value < 0:
        raise FunctionError(_UINT_OVERFLOW)
    return Uint(value)


def duration_to_int(value: Duration) -> int:
    """Return the nanoseconds."""
    return value.nanoseconds


def timestamp_to_int(value: Timestamp) -> int:
    """Return the whole seconds since 1970."""
    return value.nanoseconds // 10**9


def int_to_duration(value: int) -> Duration:
    """Raise FunctionError: the overload is declared but not implemented."""
    raise _failure(value, DURATION)


def string_to_bool(value: str) -> bool:
    """Parse a bool or raise FunctionError. Upstream: strconv.ParseBool."""
    parsed = _BOOLS.get(value)
    if parsed is None:
        raise _failure(value, BOOL)
    return parsed


def string_to_int(value: str) -> int:
    """Parse an int or raise FunctionError. Upstream: strconv.ParseInt."""
    work.spend(len(value) >> 8)
    number = _integer(value, _INT)
    if number is None or not MIN_INT <= number <= MAX_INT:
        raise _failure(value, INT)
    return number


def string_to_uint(value: str) -> Uint:
    """Parse a uint or raise FunctionError. Upstream: strconv.ParseUint."""
    work.spend(len(value) >> 8)
    number = _integer(value, _UINT)
    if number is None or number > MAX_UINT:
        raise _failure(value, UINT)
    return Uint(number)


def _integer(text: str, pattern: re.Pattern[str]) -> int | None:
    if pattern.fullmatch(text) is None:
        return None
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > _MOST_DIGITS:
        return None
    return -int(digits or "0") if text[0] == "-" else int(digits or "0")


def string_to_double(value: str) -> float:
    """Parse a double or raise FunctionError. Upstream: strconv.ParseFloat."""
    work.spend(len(value) >> 7)
    if _SPECIAL.fullmatch(value):
        return float(value)
    try:
        if _DECIMAL.fullmatch(value):
            number = float(value.replace("_", ""))
        elif _HEXADECIMAL.fullmatch(value):
            number = float.fromhex(value.replace("_", ""))
        else:
            raise _failure(value, DOUBLE)
    except OverflowError:
        raise _failure(value, DOUBLE) from None
    if math.isinf(number):
        raise _failure(value, DOUBLE)
    return number


def string_to_bytes(value: str) -> bytes:
    """Return the text encoded as UTF-8."""
    return value.encode("utf-8", "surrogatepass")


def string_to_duration(value: str) -> Duration:
    """Parse a duration or raise FunctionError. Upstream: time.ParseDuration."""
    work.spend(len(value) << 1)
    duration = parse_duration(value)
    if duration is None:
        raise _failure(value, DURATION)
    return duration


def string_to_timestamp(value: str) -> Timestamp:
    """Parse an RFC 3339 timestamp or raise FunctionError."""
    work.spend(len(value) >> 2)
    timestamp = parse_timestamp(value)
    if timestamp is None:
        raise _failure(value, TIMESTAMP)
    return timestamp


def bytes_to_string(value: bytes) -> str:
    """Decode UTF-8 or raise FunctionError."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise FunctionError("invalid UTF-8 in bytes, cannot convert to string") from None


def bool_to_string(value: bool) -> str:
    """Return `true` or `false`."""
    return "true" if value else "false"


def number_to_string(value: int) -> str:
    """Return an int or uint in decimal digits."""
    return str(int(value))


CONVERSIONS: Final[dict[str, Callable[..., Value]]] = {
    "bool_to_bool": identity,
    "string_to_bool": string_to_bool,
    "bytes_to_bytes": identity,
    "string_to_bytes": string_to_bytes,
    "double_to_double": identity,
    "int64_to_double": float,
    "string_to_double": string_to_double,
    "uint64_to_double": float,
    "duration_to_duration": identity,
    "int64_to_duration": int_to_duration,
    "string_to_duration": string_to_duration,
    "int64_to_int64": identity,
    "double_to_int64": double_to_int,
    "duration_to_int64": duration_to_int,
    "string_to_int64": string_to_int,
    "timestamp_to_int64": timestamp_to_int,
    "uint64_to_int64": uint_to_int,
    "string_to_string": identity,
    "bool_to_string": bool_to_string,
    "bytes_to_string": bytes_to_string,
    "double_to_string": format_float,
    "duration_to_string": str,
    "int64_to_string": number_to_string,
    "timestamp_to_string": str,
    "uint64_to_string": number_to_string,
    "timestamp_to_timestamp": identity,
    "int64_to_timestamp": from_seconds,
    "string_to_timestamp": string_to_timestamp,
    "uint64_to_uint64": identity,
    "double_to_uint64": double_to_uint,
    "int64_to_uint64": int_to_uint,
    "string_to_uint64": string_to_uint,
}
