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
        whole = whole.lstrip("0")
        if len(whole) > _MOST_DIGITS:
            return None
        scale = _UNITS[unit]
        total += int(whole or 0) * scale
        digits = fraction[:_MOST_DIGITS]
        if digits:
            total += int(digits) * scale // 10 ** len(digits)
    if total > _MAX + text.startswith("-"):
        return None
    return -total if text.startswith("-") else total
