"""Go's durations (time.ParseDuration)."""

from __future__ import annotations

import re
from typing import Final

_WHOLE: Final = re.compile(r"[+-]?(?:0|(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+)")
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
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
    """Return the nanoseconds of a text, None where it is no duration or too long a one."""
    if _WHOLE.fullmatch(text) is None:
        return None
    total = 0
    for whole, fraction, unit in _PART.findall(text):
        size = _UNITS[unit]
        digits = _fraction_digits(fraction)
        total += _limited(whole) * size
        if digits:
            total += int(int(digits) * (size / 10.0 ** len(digits)))
        if total > _MAX + 1:
            return None
    if text.startswith("-"):
        return -total
    return total if total <= _MAX else None


def _limited(digits: str) -> int:
    """Return the number, any that is beyond 64 bits for one that is far beyond them."""
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) < _MOST_DIGITS else 10**_MOST_DIGITS


def _fraction_digits(fraction: str) -> str:
    """Return the leading digits of a fraction that 63 bits hold (time.leadingFraction)."""
    value = 0
    for count, digit in enumerate(fraction[:20]):
        if value > _MAX // 10 or (value := value * 10 + int(digit)) > _MAX + 1:
            return fraction[:count]
    return fraction[:20]
