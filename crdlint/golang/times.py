"""RFC 3339 times as Go's time.Parse(time.RFC3339, ...) takes them, with its error texts (package time, format.go)."""

from __future__ import annotations

from calendar import monthrange
from typing import Final

_LAYOUT: Final = "2006-01-02T15:04:05Z07:00"

# Element of the layout, whether it takes two digits always, its range (the day's is judged last), its name in errors.
_NUMBERS: Final = (
    ("01", True, (1, 12), "month", "-"),
    ("02", True, (0, 99), "day", "T"),
    ("15", False, (0, 23), "hour", ":"),
    ("04", True, (0, 59), "minute", ":"),
    ("05", True, (0, 59), "second", ""),
)


def check_rfc3339(text: str) -> str | None:
    """Return None for a time that Go parses as RFC 3339, else the text of Go's error."""
    rest = text
    if len(rest) < 4 or not _digits(rest[:4]):
        return _failure(text, rest, "2006")
    numbers = [int(rest[:4])]
    rest = rest[4:]
    if not rest.startswith("-"):
        return _failure(text, rest, "-")
    rest = rest[1:]
    for element, fixed, (low, high), name, separator in _NUMBERS:
        width = 2 if _digits(rest[:2]) and len(rest) > 1 else 1
        if not _digits(rest[:1]) or (fixed and width == 1):
            return _failure(text, rest, element)
        number = int(rest[:width])
        rest = rest[width:]
        if not low <= number <= high:
            return f"parsing time {_quote(text)}: {name} out of range"
        numbers.append(number)
        if separator and not rest.startswith(separator):
            return _failure(text, rest, separator)
        rest = rest[len(separator) :]
    return _check_zone(text, _skip_fraction(rest)) or _check_day(text, *numbers[:3])


def _check_zone(text: str, rest: str) -> str | None:
    if rest.startswith("Z"):
        tail = rest[1:]
    else:
        if len(rest) < 6 or rest[3] != ":" or not _digits(rest[1:3] + rest[4:6]):
            return _failure(text, rest, "Z07:00")
        # Go lets an offset of 24 hours or 60 minutes pass.
        for number, limit, name in ((int(rest[1:3]), 24, "hour"), (int(rest[4:6]), 60, "minute")):
            if number > limit:
                return f"parsing time {_quote(text)}: time zone offset {name} out of range"
        if rest[0] not in "+-":
            return _failure(text, rest, "Z07:00")
        tail = rest[6:]
    return f"parsing time {_quote(text)}: extra text: {_quote(tail)}" if tail else None


def _check_day(text: str, year: int, month: int, day: int) -> str | None:
    # The calendar repeats every 400 years; Python's starts at year 1.
    days = monthrange(year % 400 + 400, month)[1]
    return None if 1 <= day <= days else f"parsing time {_quote(text)}: day out of range"


def _skip_fraction(rest: str) -> str:
    """Drop a fraction of a second, which Go takes whether or not the layout has one."""
    if rest[:1] not in {".", ","} or not _digits(rest[1:2]):
        return rest
    end = 2
    while _digits(rest[end : end + 1]):
        end += 1
    return rest[end:]


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _failure(text: str, rest: str, element: str) -> str:
    return f"parsing time {_quote(text)} as {_quote(_LAYOUT)}: cannot parse {_quote(rest)} as {_quote(element)}"


def _quote(text: str) -> str:
    r"""Quote as package time does: bytes outside printable ASCII as ``\x`` and two digits."""
    quoted = []
    for char in text:
        if char in '"\\':
            quoted.append(f"\\{char}")
        elif " " <= char < "\x7f":
            quoted.append(char)
        else:
            quoted.extend(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
    return f'"{"".join(quoted)}"'
