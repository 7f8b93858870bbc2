"""Timestamps and durations: parsing, calendar fields, time zones. Upstream: Go's package time, cel-go's common/stdlib."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.eval.values import (
    DAY,
    MAX_INT,
    MAX_TIMESTAMP,
    MIN_TIMESTAMP,
    SECOND,
    Duration,
    Timestamp,
    civil_date,
)
from crdlint.golang import times
from crdlint.golang.times import TimeError, parse_time
from crdlint.golang.times import days as days_of
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable
    from zoneinfo import ZoneInfo

TIMESTAMP_OVERFLOW: Final = "timestamp overflow"
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_ATOI_DIGITS: Final = 30
_LONGEST_ZONE: Final = 64  # characters; the longest name in the time zone database has 38


def parse_duration(text: str) -> Duration | None:
    """Return the duration of a text, or None if it is invalid. Upstream: time.ParseDuration."""
    nanoseconds = times.parse_duration(text)
    return None if nanoseconds is None else Duration(nanoseconds)


def parse_timestamp(text: str) -> Timestamp | None:
    """Return the timestamp of an RFC 3339 text, or None if it is invalid; raise FunctionError outside the years 1 to 9999."""
    try:
        seconds, nanoseconds, offset = parse_time(text)
    except TimeError:
        return None
    if not MIN_TIMESTAMP <= seconds <= MAX_TIMESTAMP:
        raise FunctionError(TIMESTAMP_OVERFLOW)
    return Timestamp(seconds * SECOND + nanoseconds, offset)


def from_seconds(seconds: int) -> Timestamp:
    """Return the timestamp for a Unix time in seconds; raise FunctionError outside the years 1 to 9999."""
    if not MIN_TIMESTAMP <= seconds <= MAX_TIMESTAMP:
        raise FunctionError(TIMESTAMP_OVERFLOW)
    return Timestamp(seconds * SECOND)


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
    if _INTEGER.fullmatch(text) is None:
        raise FunctionError(f"strconv.Atoi: parsing {_quoted(text)}: invalid syntax")
    digits = text.lstrip("+-").lstrip("0")
    value = int(digits or "0") if len(digits) < _ATOI_DIGITS else 10**_ATOI_DIGITS
    value = -value if text.startswith("-") else value
    if not -MAX_INT - 1 <= value <= MAX_INT:
        raise FunctionError(f"strconv.Atoi: parsing {_quoted(text)}: value out of range")
    return value


def _quoted(text: str) -> str:
    from crdlint.golang.text import quote

    return quote(text)


_FIELDS: Final[dict[str, Callable[[int, int, int], int]]] = {
    "getFullYear": lambda days, _second, _nanos: civil_date(days)[0],
    "getMonth": lambda days, _second, _nanos: civil_date(days)[1] - 1,
    "getDayOfYear": lambda days, _second, _nanos: days - days_of(civil_date(days)[0], 1, 1),
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
