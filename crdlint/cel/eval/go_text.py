"""Values as Go's `%v` prints cel-go's value types, as some error texts contain them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.values import Duration, Optional_, Timestamp, kind_of
from crdlint.cel.types import Kind
from crdlint.golang.numbers import format_float
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from crdlint.cel.eval.values import Value

_UNITS: Final = (("ns", 1), ("µs", 10**3), ("ms", 10**6))


class Written(str):
    """Text that is already formatted, among values that are not."""

    __slots__ = ()


def write(value: Value, pieces: Callable[[Value], str | list[Value]]) -> str:
    """Return a value as text, without recursion; `pieces` returns its text, or the values and texts that it consists of."""
    parts: list[str] = []
    stack = [value]
    while stack:
        item = stack.pop()
        written = item if type(item) is Written else pieces(item)
        if isinstance(written, str):
            parts.append(written)
        else:
            stack.extend(reversed(written))
    return "".join(parts)


def enclosed(opening: str, items: Iterable[Sequence[Value]], closing: str) -> list[Value]:
    """Return the pieces of a list or map: those of its items, with commas between them."""
    pieces: list[Value] = [Written(opening)]
    for item in items:
        pieces += item if len(pieces) == 1 else (Written(", "), *item)
    pieces.append(Written(closing))
    return pieces


def go_text(value: Value) -> str:
    """Return a value as `%v` prints it, lists and maps as `[a, b]` and `{k: v}`."""
    return write(value, _pieces)


def _pieces(value: Value) -> str | list[Value]:
    if type(value) is Optional_:
        return [Written("optional("), value.content, Written(")")] if value.has_value else "optional.none()"
    kind = kind_of(value)
    if kind is Kind.LIST:
        work.spend(2 * len(value) + 2)
        return enclosed("[", ((item,) for item in value), "]")
    if kind is Kind.MAP:
        work.spend(4 * len(value) + 2)
        return enclosed("{", ((key, Written(": "), value.get(key)) for key in value), "}")
    text = _plain(value, kind)
    work.spend_text(len(text), text)
    return text


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
