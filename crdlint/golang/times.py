"""Times as Go's time.Parse parses them, with its error texts. Upstream: package time (format.go)."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from crdlint.light import NamedTuple, regex


class TimeLayout(NamedTuple):
    """A layout: its text, the number of numbers after the year, and whether a zone follows."""

    text: str
    numbers: int
    zone: bool


RFC3339: Final = TimeLayout("2006-01-02T15:04:05Z07:00", 5, zone=True)
LOCAL: Final = TimeLayout("2006-01-02T15:04:05", 5, zone=False)
DATE: Final = TimeLayout("2006-01-02", 2, zone=False)

# For each element: its separator, its name in the layout, whether it always has two digits, its range, its name in
# errors. The range of the day is checked last.
_NUMBERS: Final = (
    ("-", "01", True, (1, 12), "month"),
    ("-", "02", True, (0, 99), "day"),
    ("T", "15", False, (0, 23), "hour"),
    (":", "04", True, (0, 59), "minute"),
    (":", "05", True, (0, 59), "second"),
)
_EPOCH: Final = date(1970, 1, 1).toordinal()
_CYCLE: Final = 400  # years after which the calendar repeats; Python's has no year 0
_CYCLE_DAYS: Final = 146097


class TimeError(ValueError):
    """The text does not match the layout; `str()` is Go's text."""


class Time(NamedTuple):
    """A time: seconds since 1970 in UTC, nanoseconds of the second, and the offset of the zone in seconds."""

    seconds: int
    nanoseconds: int
    offset: int


def check_rfc3339(text: str) -> str | None:
    """Return Go's error for a text as an RFC 3339 time, or None if it is valid."""
    try:
        parse_time(text)
    except TimeError as error:
        return str(error)
    return None


def parse_time(text: str, layout: TimeLayout = RFC3339) -> Time:
    """Parse a time; raise TimeError if the text does not match the layout."""
    numbers, rest = _numbers(text, layout)
    nanoseconds = offset = 0
    # Go accepts a fraction of a second, although the layout has none.
    fraction = _FRACTION.match(rest) if layout.numbers == len(_NUMBERS) else None
    if fraction is not None:
        nanoseconds = int(fraction[1].ljust(9, "0")[:9])
        rest = rest[fraction.end() :]
    if layout.zone:
        offset, rest = _zone(text, layout, rest)
    if rest:
        raise TimeError(f"parsing time {_quote(text)}: extra text: {_quote(rest)}")
    year, month, day, *clock = numbers
    from calendar import monthrange  # few fields are times

    _, last_day = monthrange(year % _CYCLE + _CYCLE, month)
    if not 1 <= day <= last_day:
        raise TimeError(f"parsing time {_quote(text)}: day out of range")
    hour, minute, second = clock or (0, 0, 0)
    seconds = days(year, month, day) * 86400 + hour * 3600 + minute * 60 + second
    return Time(seconds - offset, nanoseconds, offset)


def _numbers(text: str, layout: TimeLayout) -> tuple[list[int], str]:
    """Return the year and the other numbers of a layout, and the text after them."""
    if len(text) < 4 or not _digits(text[:4]):
        raise _failure(text, layout, text, "2006")
    numbers, rest = [int(text[:4])], text[4:]
    for separator, element, fixed, (low, high), name in _NUMBERS[: layout.numbers]:
        if not rest.startswith(separator):
            raise _failure(text, layout, rest, separator)
        rest = rest[1:]
        width = _width(rest)
        if width == 0 or (fixed and width == 1):
            raise _failure(text, layout, rest, element)
        number = int(rest[:width])
        rest = rest[width:]
        if not low <= number <= high:
            raise TimeError(f"parsing time {_quote(text)}: {name} out of range")
        numbers.append(number)
    return numbers, rest


def _width(text: str) -> int:
    """Return how many of the first two characters of a text are digits."""
    if not _digits(text[:1]):
        return 0
    return len(text[:2]) if _digits(text[:2]) else 1


def _zone(text: str, layout: TimeLayout, rest: str) -> tuple[int, str]:
    """Return the offset of a zone in seconds, and the text after it."""
    if rest.startswith("Z"):
        return 0, rest[1:]
    zone = _ZONE.match(rest)
    if zone is None:
        raise _failure(text, layout, rest, "Z07:00")
    sign, hours, minutes = zone[1], int(zone[2]), int(zone[3])
    # Go accepts an offset of 24 hours or 60 minutes.
    for number, limit, name in ((hours, 24, "hour"), (minutes, 60, "minute")):
        if number > limit:
            raise TimeError(f"parsing time {_quote(text)}: time zone offset {name} out of range")
    if sign not in "+-":
        raise _failure(text, layout, rest, "Z07:00")
    offset = hours * 3600 + minutes * 60
    return -offset if sign == "-" else offset, rest[6:]


_ZONE: Final = regex("(.)([0-9]{2}):([0-9]{2})", re.DOTALL)


_FRACTION: Final = regex("[.,]([0-9]+)")


def days(year: int, month: int, day: int) -> int:
    """Return the number of days since 1970-01-01."""
    return (
        date(year % _CYCLE + _CYCLE, month, day).toordinal()
        + (year // _CYCLE - 1) * _CYCLE_DAYS
        - _EPOCH
    )


def civil_date(days: int) -> tuple[int, int, int]:
    """Return (year, month, day) of a number of days since 1970-01-01, also outside the range of datetime."""
    cycles, ordinal = divmod(days + _EPOCH - 1, _CYCLE_DAYS)
    shown = date.fromordinal(ordinal + 1)
    return shown.year + cycles * _CYCLE, shown.month, shown.day


def format_time(seconds: int, nanoseconds: int = 0, offset: int = 0) -> str:
    """Return a time as RFC 3339 at its offset, with as many fraction digits as needed. Upstream: time.RFC3339Nano."""
    whole_days, second = divmod(seconds + offset, 86400)
    year, month, day = civil_date(whole_days)
    shown_date = f"{'-' * (year < 0)}{abs(year):04d}-{month:02d}-{day:02d}"
    clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
    fraction = f".{nanoseconds:09d}".rstrip("0") if nanoseconds else ""
    return f"{shown_date}T{clock}{fraction}{_printed_zone(offset)}"


def _printed_zone(offset: int) -> str:
    if not offset:
        return "Z"
    hours, minutes = divmod(abs(offset) // 60, 60)
    sign = "-" if offset < 0 else "+"
    return f"{sign}{hours:02d}:{minutes:02d}"


def printed_time(text: str) -> str:
    """Return a time in RFC 3339 as the server prints it as a text, in UTC. Upstream: time.Time.String.

    >>> printed_time("2024-01-01T02:00:00+02:00")
    '2024-01-01 00:00:00 +0000 UTC'
    """
    time = parse_time(text)
    day, clock = format_time(time.seconds, time.nanoseconds).removesuffix("Z").split("T")
    return f"{day} {clock} +0000 UTC"


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _failure(
    text: str,
    layout: TimeLayout,
    rest: str,
    element: str,
) -> TimeError:
    return TimeError(
        f"parsing time {_quote(text)} as {_quote(layout.text)}: cannot parse {_quote(rest)} as {_quote(element)}"
    )


def _quote(text: str) -> str:
    r"""Quote as package time does, with bytes other than printable ASCII as `\x` and two digits."""
    return f'"{_UNUSUAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    char = match[0]
    if char in '"\\':
        return f"\\{char}"
    return "".join(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))


_UNUSUAL: Final = regex(r"[^ !#-\[\]-~]")


def as_utc(text: str) -> str:
    """Return an RFC 3339 time that Go accepts in UTC, without its fraction."""
    return format_time(parse_time(text).seconds)


_WHOLE: Final = regex(r"[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_PART: Final = regex(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_UNITS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "μs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "m": 60 * 10**9,
    "h": 3600 * 10**9,
}
_MAX: Final = 2**63 - 1
_MOST_DIGITS: Final = 30


def parse_duration(text: str) -> int | None:
    """Return a duration in nanoseconds, or None if the text is invalid or out of range."""
    if _WHOLE.fullmatch(text) is None:
        return None
    total = 0
    for integer, fraction, unit in _PART.findall(text):
        size = _UNITS[unit]
        # More digits make a number that is out of range anyway.
        significant = integer.lstrip("0")[:_MOST_DIGITS] or "0"
        total += int(significant) * size + _fraction_of(size, fraction)
        if total > _MAX + 1:
            return None
    if text.startswith("-"):
        return -total
    return total if total <= _MAX else None


def _fraction_of(size: int, fraction: str) -> int:
    """Return a fraction, by its digits, of a unit. Upstream: time.leadingFraction."""
    digits = fraction[:20]
    while digits and int(digits) > _MAX + 1:
        digits = digits[:-1]
    return int(int(digits) * (size / 10.0 ** len(digits))) if digits else 0
