"""Conversions between types, and the fields of timestamps and durations. Upstream: ConvertToType of cel-go's common/types.

Texts are parsed as by Go's packages strconv and time.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Uint
from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.eval.values import (
    DAY,
    MAX_INT,
    MAX_TIMESTAMP,
    MAX_UINT,
    MIN_INT,
    MIN_TIMESTAMP,
    SECOND,
    Duration,
    Timestamp,
    civil_date,
    type_of,
)
from crdlint.cel.types import BOOL, DOUBLE, DURATION, INT, TIMESTAMP, UINT
from crdlint.golang import times
from crdlint.golang.numbers import format_float
from crdlint.golang.text import quote
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable
    from zoneinfo import ZoneInfo

    from crdlint.cel.eval.values import Value
    from crdlint.cel.types import Type

INT_OVERFLOW: Final = "integer overflow"
UINT_OVERFLOW: Final = "unsigned integer overflow"
TIMESTAMP_OVERFLOW: Final = "timestamp overflow"
_LONGEST_ZONE: Final = 64  # characters; the longest name in the time zone database has 38
_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
_INT: Final = re.compile(r"[+-]?[0-9]+")
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


def _to_int(value: float) -> int:
    if not MIN_INT < value < 2.0**63:
        raise FunctionError(INT_OVERFLOW)
    return int(value)


def _to_uint(value: float) -> Uint:
    if not 0 <= value < 2**64:
        raise FunctionError(UINT_OVERFLOW)
    return Uint(value)


def _int_to_duration(value: int) -> Duration:
    """Raise FunctionError: the overload is declared but not implemented."""
    raise _failure(value, DURATION)


def _int_to_timestamp(seconds: int, nanoseconds: int = 0, offset: int = 0) -> Timestamp:
    if not MIN_TIMESTAMP <= seconds <= MAX_TIMESTAMP:
        raise FunctionError(TIMESTAMP_OVERFLOW)
    return Timestamp(seconds * SECOND + nanoseconds, offset)


def _string_to_bool(value: str) -> bool:
    """Parse a bool or raise FunctionError. Upstream: strconv.ParseBool."""
    parsed = _BOOLS.get(value)
    if parsed is None:
        raise _failure(value, BOOL)
    return parsed


def _string_to_int(value: str) -> int:
    """Parse an int or raise FunctionError. Upstream: strconv.ParseInt."""
    work.spend(len(value) >> 8)
    number = _integer(value)
    if number is None:
        raise _failure(value, INT)
    return number


def _string_to_uint(value: str) -> Uint:
    """Parse a uint or raise FunctionError. Upstream: strconv.ParseUint."""
    work.spend(len(value) >> 8)
    number = None if value[:1] in ("+", "-") else _integer(value, 0, MAX_UINT)
    if number is None:
        raise _failure(value, UINT)
    return Uint(number)


def _integer(text: str, low: int = MIN_INT, high: int = MAX_INT) -> int | None:
    """Return the integer that a text is, None if it is none or out of range."""
    if _INT.fullmatch(text) is None or len(text.lstrip("+-").lstrip("0")) > _MOST_DIGITS:
        return None
    number = int(text.lstrip("+-").lstrip("0") or 0)
    number = -number if text[0] == "-" else number
    return number if low <= number <= high else None


def _string_to_double(value: str) -> float:
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


def _string_to_duration(value: str) -> Duration:
    """Parse a duration or raise FunctionError. Upstream: time.ParseDuration."""
    work.spend(len(value) << 1)
    nanoseconds = times.parse_duration(value)
    if nanoseconds is None:
        raise _failure(value, DURATION)
    return Duration(nanoseconds)


def _string_to_timestamp(value: str) -> Timestamp:
    """Parse an RFC 3339 timestamp or raise FunctionError."""
    work.spend(len(value) >> 2)
    try:
        parsed = times.parse_time(value)
    except times.TimeError:
        raise _failure(value, TIMESTAMP) from None
    return _int_to_timestamp(*parsed)


def _bytes_to_string(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise FunctionError("invalid UTF-8 in bytes, cannot convert to string") from None


_IDENTITIES: Final = ("bool", "bytes", "double", "duration", "int64", "string", "timestamp", "uint64")
CONVERSIONS: Final[dict[str, Callable[..., Value]]] = {
    **{f"{name}_to_{name}": identity for name in _IDENTITIES},
    "string_to_bool": _string_to_bool,
    "string_to_bytes": lambda text: text.encode("utf-8", "surrogatepass"),
    "int64_to_double": float,
    "string_to_double": _string_to_double,
    "uint64_to_double": float,
    "int64_to_duration": _int_to_duration,
    "string_to_duration": _string_to_duration,
    "double_to_int64": _to_int,
    "duration_to_int64": lambda duration: duration.nanoseconds,
    "string_to_int64": _string_to_int,
    "timestamp_to_int64": lambda moment: moment.nanoseconds // SECOND,
    "uint64_to_int64": _to_int,
    "bool_to_string": lambda value: "true" if value else "false",
    "bytes_to_string": _bytes_to_string,
    "double_to_string": format_float,
    **{f"{name}_to_string": str for name in ("duration", "int64", "timestamp", "uint64")},
    "int64_to_timestamp": _int_to_timestamp,
    "string_to_timestamp": _string_to_timestamp,
    "double_to_uint64": _to_uint,
    "int64_to_uint64": _to_uint,
    "string_to_uint64": _string_to_uint,
}


def _local(moment: Timestamp, zone: str) -> tuple[int, int, int]:
    """Return (days since 1970, second of the day, nanosecond) in a time zone."""
    seconds, nanos = divmod(moment.nanoseconds, SECOND)
    days, second = divmod(seconds + _offset(seconds, zone), DAY)
    return days, second, nanos


def _offset(seconds: int, zone: str) -> int:
    """Return the offset in seconds east of UTC of a zone name or `+hh:mm`; raise FunctionError with Go's text (inTimeZone)."""
    work.spend(len(zone) >> 4)
    hours, colon, minutes = zone.partition(":")
    if colon:
        hour, minute = _atoi(hours), _atoi(minutes)
        return (hour * 60 - minute if zone.startswith("-") else hour * 60 + minute) * 60
    if zone in ("", "UTC"):
        return 0
    from datetime import datetime, timedelta, timezone

    zone_info = None if zone == "Local" else _zone(zone)
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(
        seconds=min(max(seconds, MIN_TIMESTAMP + DAY), MAX_TIMESTAMP - DAY)
    )
    offset = moment.astimezone(zone_info).utcoffset()
    return 0 if offset is None else round(offset.total_seconds())


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    if ".." in name or name[0] in "/\\":
        raise FunctionError("time: invalid location name")
    from zoneinfo import ZoneInfo

    try:
        if len(name) <= _LONGEST_ZONE:  # ZoneInfo imports a package for each part of an unknown name
            return ZoneInfo(name)
    except (ValueError, OSError, KeyError):
        pass
    raise FunctionError(f"unknown time zone {name}")


def _atoi(text: str) -> int:
    number = _integer(text)
    if number is None:
        reason = "invalid syntax" if _INT.fullmatch(text) is None else "value out of range"
        raise FunctionError(f"strconv.Atoi: parsing {quote(text)}: {reason}")
    return number


_FIELDS: Final[dict[str, Callable[[int, int, int], int]]] = {
    "getFullYear": lambda days, _second, _nanos: civil_date(days)[0],
    "getMonth": lambda days, _second, _nanos: civil_date(days)[1] - 1,
    "getDayOfYear": lambda days, _second, _nanos: days - times.days(civil_date(days)[0], 1, 1),
    "getDayOfMonth": lambda days, _second, _nanos: civil_date(days)[2] - 1,
    "getDate": lambda days, _second, _nanos: civil_date(days)[2],
    "getDayOfWeek": lambda days, _second, _nanos: (days + 4) % 7,
    "getHours": lambda _days, second, _nanos: second // 3600,
    "getMinutes": lambda _days, second, _nanos: second // 60 % 60,
    "getSeconds": lambda _days, second, _nanos: second % 60,
    "getMilliseconds": lambda _days, _second, nanos: nanos // 10**6,
}


def timestamp_getter(name: str) -> Callable[..., int]:
    """Return a function of a timestamp and an optional time zone; it raises FunctionError if the zone is invalid."""
    field = _FIELDS[name]

    def get(moment: Timestamp, zone: str = "UTC") -> int:
        return field(*_local(moment, zone))

    return get


def duration_milliseconds(duration: Duration) -> int:
    """Return the whole milliseconds of a duration, rounded towards zero."""
    count = abs(duration.nanoseconds) // 10**6
    return -count if duration.nanoseconds < 0 else count


def duration_getter(unit: int) -> Callable[[Duration], int]:
    """Return a function that converts a duration to whole units of `unit` nanoseconds, rounded towards zero.

    As in Go, the number is computed as a double, which may round it up if the fraction is close to one.
    """

    def get(duration: Duration) -> int:
        units, rest = divmod(abs(duration.nanoseconds), unit)
        count = int(units + rest / unit)
        return -count if duration.nanoseconds < 0 else count

    return get
