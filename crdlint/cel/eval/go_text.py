"""Values as Go's `%v` prints cel-go's value types, as some error texts contain them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.values import Duration, Optional_, Timestamp, kind_of
from crdlint.cel.types import Kind
from crdlint.golang.numbers import format_float
from crdlint.safety import work

if TYPE_CHECKING:
    from crdlint.cel.eval.values import Value

_UNITS: Final = (("ns", 1), ("µs", 10**3), ("ms", 10**6))


class Written(str):
    """Text that is already formatted, among values that are not."""

    __slots__ = ()


def go_text(value: Value) -> str:
    """Return a value as `%v` prints it, lists and maps as `[a, b]` and `{k: v}`."""
    parts: list[str] = []
    stack = [value]
    while stack:
        work.spend(1)
        item = stack.pop()
        if type(item) is Written:
            parts.append(item)
            continue
        if type(item) is Optional_:
            if item.has_value:
                stack += (Written(")"), item.content, Written("optional("))
            else:
                parts.append("optional.none()")
            continue
        kind = kind_of(item)
        if kind is Kind.LIST:
            stack.append(Written("]"))
            for index in range(len(item) - 1, -1, -1):
                stack += (item[index], Written(", ")) if index else (item[index], Written("["))
            if not item:
                stack.append(Written("["))
        elif kind is Kind.MAP:
            stack.append(Written("}"))
            for index, key in reversed(list(enumerate(item))):
                stack += (item.get(key), Written(": "), key, Written(", " if index else "{"))
            if not item:
                stack.append(Written("{"))
        else:
            parts.append(_plain(item, kind))
            work.spend_text(len(parts[-1]), parts[-1])
    return "".join(parts)


def duration_text(duration: Duration) -> str:
    """Return a duration as Go prints it, e.g. `1h0m0.5s`. Upstream: time.Duration.String."""
    total = abs(duration.nanoseconds)
    sign = "-" if duration.nanoseconds < 0 else ""
    if total < 10**9:
        unit, size = next((unit for unit in reversed(_UNITS) if total >= unit[1]), ("s", 10**9))
        return f"{sign}{_decimal(total, size)}{unit}"
    seconds, minutes = total % (60 * 10**9), total // (60 * 10**9)
    text = f"{_decimal(seconds, 10**9)}s"
    if minutes:
        text = f"{minutes % 60}m{text}"
    if minutes >= 60:
        text = f"{minutes // 60}h{text}"
    return sign + text


def _decimal(number: int, unit: int) -> str:
    units, rest = divmod(number, unit)
    fraction = str(rest).zfill(len(str(unit)) - 1).rstrip("0") if rest else ""
    return f"{units}.{fraction}" if fraction else str(units)


def _timestamp_text(moment: Timestamp) -> str:
    date, _, clock = str(moment).partition("T")
    if clock.endswith("Z"):
        return f"{date} {clock[:-1]} +0000 UTC"
    zone = clock[-6:].replace(":", "")
    return f"{date} {clock[:-6]} {zone} {zone}"


def _plain(value: Value, kind: Kind) -> str:
    if kind is Kind.BOOL:
        return "true" if value else "false"
    if kind is Kind.NULL:
        return "0"
    if kind is Kind.DOUBLE:
        return format_float(value)
    if kind is Kind.BYTES:
        return f"[{' '.join(map(str, value))}]"
    if kind is Kind.DURATION:
        return duration_text(value)
    if kind is Kind.TIMESTAMP:
        return _timestamp_text(value)
    return str(int(value)) if kind in (Kind.INT, Kind.UINT) else str(value)
