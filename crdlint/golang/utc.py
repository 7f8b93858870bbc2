"""Times of metadata as Go prints them back: RFC 3339 in UTC, whole seconds (metav1.Time.MarshalJSON)."""

from __future__ import annotations

from datetime import datetime, timedelta

_CYCLE = 400  # years after which the calendar repeats; Python's has no year 0


def as_utc(text: str) -> str:
    """Return a time that Go parses as RFC 3339 (see ``crdlint.golang.times``) in UTC, without its fraction."""
    date, _, clock = text.partition("T")
    year, month, day = map(int, date.split("-"))
    offset = timedelta()
    if clock.endswith("Z"):
        clock = clock[:-1]
    else:
        hours, minutes = int(clock[-5:-3]), int(clock[-2:])
        offset = timedelta(hours=hours, minutes=minutes) * (-1 if clock[-6] == "-" else 1)
        clock = clock[:-6]
    hour, minute, second = clock.split(":")
    # The year of the calendar's cycle is one that leaves room on either side.
    local = datetime(year % _CYCLE + _CYCLE, month, day, int(hour), int(minute), int(second[:2]))
    moment = local - offset
    shown_year = moment.year - local.year + year
    sign = "-" if shown_year < 0 else ""
    return f"{sign}{abs(shown_year):04d}-{moment:%m-%dT%H:%M:%S}Z"
