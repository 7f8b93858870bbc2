"""Implementations of the standard functions, by function or overload. Upstream: cel-go's common/stdlib, common/types.

Texts are parsed as by Go's packages strconv and time.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from crdlint.cel.ast import Uint
from crdlint.cel.decls import Binding, Implementation
from crdlint.cel.errors import NO_OVERLOAD, Error, FunctionError
from crdlint.cel.eval import values
from crdlint.cel.eval.equality import compare, contains
from crdlint.cel.eval.functions import matches, no_such_overload, without_trait
from crdlint.cel.eval.values import (
    MAX_INT,
    MIN_INT,
    PLAIN_LISTS,
    SECOND,
    Duration,
    Timestamp,
    Value,
    kind_of,
)
from crdlint.cel.library.stdlib import with_zone
from crdlint.cel.types import BOOL, DOUBLE, DURATION, INT, TIMESTAMP, UINT, Kind, Type
from crdlint.golang import times
from crdlint.golang.printing import format_float
from crdlint.golang.text import quote
from crdlint.light import regex
from crdlint.safety import work

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    Operators: TypeAlias = Mapping[type, Mapping[type, Callable[[Value, Value], Value]]]

INT_OVERFLOW: Final = "integer overflow"
UINT_OVERFLOW: Final = "unsigned integer overflow"
TIMESTAMP_OVERFLOW: Final = "timestamp overflow"
_LONGEST_ZONE: Final = 64  # characters; the longest name in the time zone database has 38
_BOOLS: Final = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}
_INT: Final = regex(r"[+-]?[0-9]+")
_MOST_DIGITS: Final = 20
_SPECIAL: Final = regex(r"[+-]?inf(?:inity)?|nan", re.IGNORECASE)
_DIGITS: Final = "[0-9]+(?:_[0-9]+)*"
_HEX: Final = "[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*"
_DECIMAL: Final = regex(
    rf"[+-]?(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][+-]?{_DIGITS})?"
)
_HEXADECIMAL: Final = regex(rf"[+-]?0[xX](?:_?{_HEX}(?:\.(?:{_HEX})?)?|\.{_HEX})[pP][+-]?{_DIGITS}")


def _failure(value: Value, to: Type) -> FunctionError:
    return FunctionError(f"type conversion error from '{values.type_of(value)}' to '{to}'")


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
    if not values.MIN_TIMESTAMP <= seconds <= values.MAX_TIMESTAMP:
        raise FunctionError(TIMESTAMP_OVERFLOW)
    return Timestamp(seconds * SECOND + nanoseconds, offset)


def _parsed(
    to: Type, parse: Callable[[str], Value], characters: float = math.inf
) -> Callable[[str], Value]:
    """Return a conversion that fails where `parse` returns None; a unit of work reads that many characters."""

    def convert(text: str) -> Value:
        work.spend(int(len(text) / characters))
        value = parse(text)
        if value is None:
            raise _failure(text, to)
        return value

    return convert


def _integer(text: str, low: int = MIN_INT, high: int = MAX_INT) -> int | None:
    if _INT.fullmatch(text) is None or len(text.lstrip("+-").lstrip("0")) > _MOST_DIGITS:
        return None
    number = int(text.lstrip("+-").lstrip("0") or 0)
    number = -number if text[0] == "-" else number
    return number if low <= number <= high else None


def _unsigned(text: str) -> Uint | None:
    number = None if text.startswith(("+", "-")) else _integer(text, 0, values.MAX_UINT)
    return None if number is None else Uint(number)


def _double(text: str) -> float | None:
    if _SPECIAL.fullmatch(text):
        return float(text)
    try:
        if _DECIMAL.fullmatch(text):
            number = float(text.replace("_", ""))
        elif _HEXADECIMAL.fullmatch(text):
            number = float.fromhex(text.replace("_", ""))
        else:
            return None
    except OverflowError:
        return None
    return None if math.isinf(number) else number


def _rfc3339(text: str) -> Timestamp | None:
    try:
        parsed = times.parse_time(text)
    except times.TimeError:
        return None
    return _int_to_timestamp(*parsed)


def _go_duration(text: str) -> Duration | None:
    nanoseconds = times.parse_duration(text)
    return None if nanoseconds is None else Duration(nanoseconds)


def _bytes_to_string(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        raise FunctionError("invalid UTF-8 in bytes, cannot convert to string") from None


_IDENTITIES: Final = (
    "bool",
    "bytes",
    "double",
    "duration",
    "int64",
    "string",
    "timestamp",
    "uint64",
)
CONVERSIONS: Final[dict[str, Callable[..., Value]]] = {
    **{f"{name}_to_{name}": identity for name in _IDENTITIES},
    "string_to_bool": _parsed(BOOL, _BOOLS.get),
    "string_to_bytes": lambda text: text.encode("utf-8", "surrogatepass"),
    "int64_to_double": float,
    "string_to_double": _parsed(DOUBLE, _double, 128),
    "uint64_to_double": float,
    "int64_to_duration": _int_to_duration,
    "string_to_duration": _parsed(DURATION, _go_duration, 0.5),
    "double_to_int64": _to_int,
    "duration_to_int64": lambda duration: duration.nanoseconds,
    "string_to_int64": _parsed(INT, _integer, 256),
    "timestamp_to_int64": lambda moment: moment.nanoseconds // SECOND,
    "uint64_to_int64": _to_int,
    "bool_to_string": lambda value: "true" if value else "false",
    "bytes_to_string": _bytes_to_string,
    "double_to_string": format_float,
    **{f"{name}_to_string": str for name in ("duration", "int64", "timestamp", "uint64")},
    "int64_to_timestamp": _int_to_timestamp,
    "string_to_timestamp": _parsed(TIMESTAMP, _rfc3339, 4),
    "double_to_uint64": _to_uint,
    "int64_to_uint64": _to_uint,
    "string_to_uint64": _parsed(UINT, _unsigned, 256),
}


def _offset(seconds: int, zone: str) -> int:
    """Return the offset in seconds east of UTC of a zone name or `+hh:mm`; raise FunctionError with Go's text (inTimeZone)."""
    work.spend(len(zone) >> 4)
    hours, colon, minutes = zone.partition(":")
    if colon:
        hour, minute = _atoi(hours), _atoi(minutes)
        return (hour * 60 - minute if zone.startswith("-") else hour * 60 + minute) * 60
    if zone in ("", "UTC"):
        return 0
    zone_info = None if zone == "Local" else _zone(zone)
    moment = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(
        seconds=min(
            max(seconds, values.MIN_TIMESTAMP + values.DAY), values.MAX_TIMESTAMP - values.DAY
        )
    )
    offset = moment.astimezone(zone_info).utcoffset()
    return 0 if offset is None else round(offset.total_seconds())


@lru_cache(maxsize=64)
def _zone(name: str) -> ZoneInfo:
    if ".." in name or name[0] in "/\\":
        raise FunctionError("time: invalid location name")
    from zoneinfo import ZoneInfo

    try:
        if (
            len(name) <= _LONGEST_ZONE
        ):  # ZoneInfo imports a package for each part of an unknown name
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


# By field of a timestamp: how it is read from the days since 1970, the second of the day, and the nanosecond.
_FIELDS: Final[dict[str, Callable[[int, int, int], int]]] = {
    "year": lambda days, _second, _nanos: times.civil_date(days)[0],
    "month": lambda days, _second, _nanos: times.civil_date(days)[1] - 1,
    "day_of_year": lambda days, _second, _nanos: days - times.days(times.civil_date(days)[0], 1, 1),
    "day_of_month": lambda days, _second, _nanos: times.civil_date(days)[2] - 1,
    "day_of_month_1_based": lambda days, _second, _nanos: times.civil_date(days)[2],
    "day_of_week": lambda days, _second, _nanos: (days + 4) % 7,
    "hours": lambda _days, second, _nanos: second // 3600,
    "minutes": lambda _days, second, _nanos: second // 60 % 60,
    "seconds": lambda _days, second, _nanos: second % 60,
    "milliseconds": lambda _days, _second, nanos: nanos // 10**6,
}


def timestamp_getter(field: str) -> Callable[..., int]:
    """Return a function of a timestamp and an optional time zone; it raises FunctionError if the zone is invalid."""

    def get(moment: Timestamp, zone: str = "UTC") -> int:
        seconds, nanos = divmod(moment.nanoseconds, SECOND)
        return _FIELDS[field](*divmod(seconds + _offset(seconds, zone), values.DAY), nanos)

    return get


def _duration_getter(unit: int) -> Callable[[Duration], int]:
    """Return a function that converts a duration to whole units of `unit` nanoseconds, rounded towards zero.

    As in Go, units of at least a second are computed as a double, which may round up if the fraction is close to one.
    """

    def get(duration: Duration) -> int:
        count, rest = divmod(abs(duration.nanoseconds), unit)
        count = int(count + rest / unit) if unit >= SECOND else count
        return -count if duration.nanoseconds < 0 else count

    return get


_UNITS: Final = {
    "hours": 3600 * SECOND,
    "minutes": 60 * SECOND,
    "seconds": SECOND,
    "milliseconds": 10**6,
}
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
    return Uint(value) if 0 <= value <= values.MAX_UINT else Error(UINT_OVERFLOW)


def _duration(nanoseconds: int) -> Duration | Error:
    return Duration(nanoseconds) if MIN_INT <= nanoseconds <= MAX_INT else _INT_OVERFLOW


def _shifted(moment: Timestamp, nanoseconds: int) -> Timestamp | Error:
    total = moment.nanoseconds + nanoseconds
    if not values.MIN_TIMESTAMP <= total // SECOND <= values.MAX_TIMESTAMP:
        return Error(TIMESTAMP_OVERFLOW)
    return Timestamp(total, moment.offset)


def _difference(left: Timestamp, right: Timestamp) -> Duration | Error:
    # cel-go first scales the seconds alone, and that result must fit as well.
    if (
        not MIN_INT
        <= (left.nanoseconds // SECOND - right.nanoseconds // SECOND) * SECOND
        <= MAX_INT
    ):
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
    return (
        math.nan
        if left == 0 or math.isnan(left)
        else math.copysign(math.inf, left) * math.copysign(1.0, right)
    )


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
    Timestamp: {
        Timestamp: _difference,
        Duration: lambda left, right: (
            _INT_OVERFLOW if right.nanoseconds == MIN_INT else _shifted(left, -right.nanoseconds)
        ),
    },
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
    if type(left) is values.MutableList:
        left.extend(list(right))
        return left
    if not len(left):
        return right
    if not len(right):
        return left
    if len(left) + len(right) <= _JOINED_SIZE and type(right) in PLAIN_LISTS:
        return [*left, *right]
    return values.ConcatList(left, tuple(right) if type(right) is values.MutableList else right)


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
        if kind_of(left) not in values.COMPARABLE:
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
    "type": values.type_of,
    "dyn": identity,
    "matches": _matches,
}

BOUND: Final[dict[str, Binding]] = {
    "not_strictly_false": Implementation(_not_strictly_false, strict=False, guarded=False),
    **CONVERSIONS,
    "contains_string": _of_strings(lambda text, part: part in text),
    "ends_with_string": _of_strings(str.endswith),
    "starts_with_string": _of_strings(str.startswith),
    **{f"timestamp_to_{field}": timestamp_getter(field) for field in _FIELDS},
    **{with_zone(field): timestamp_getter(field) for field in _FIELDS},
    **{f"duration_to_{field}": _duration_getter(unit) for field, unit in _UNITS.items()},
}
