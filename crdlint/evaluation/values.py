"""CEL values as text, in the notation of CEL, and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from math import isfinite
from typing import Any, Final, NamedTuple

from crdlint.cel.ast import Uint
from crdlint.cel.errors import format_type
from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.values import Duration, Optional_, Timestamp, Value, find, kind_of, native
from crdlint.cel.types import Kind, Type
from crdlint.golang.numbers import format_float
from crdlint.golang.text import quote

_LONGEST: Final = 10_000  # characters of the text of a value
_DEEPEST: Final = 100
_BRACKETS: Final = {Kind.LIST: ("[", "]"), Kind.MAP: ("{", "}")}


def to_text(value: Value, longest: int = _LONGEST) -> str:
    """Return a value in the notation of CEL, cut after `longest` characters."""
    parts: list[str] = []
    room = longest
    pending: list[Any] = [value]
    while pending and room > 0:
        item = pending.pop()
        if type(item) is _Text:
            text = item.text
        elif type(item) is Optional_:
            text = "optional.of(" if item.has_value else "optional.none()"
            if item.has_value:
                pending += (_Text(")"), item.content)
        elif kind_of(item) in _BRACKETS:
            text, closing = _BRACKETS[kind_of(item)]
            # Each element takes at least one character of the text.
            parts_below = [part for element in islice(_elements(item), room) for part in (_Text(", "), *element)]
            pending += (_Text(closing), *reversed(parts_below[1:]))
        else:
            text = _scalar(item)
        parts.append(text[:room])
        room -= len(text)
    return "".join(parts) + ("…" if room < 0 or pending else "")


class _Text(NamedTuple):
    """Text between values."""

    text: str


def _elements(value: Value) -> Iterator[tuple[Any, ...]]:
    if kind_of(value) is Kind.LIST:
        yield from ((element,) for element in value)
    else:
        yield from ((key, _Text(": "), find(value, key)) for key in _keys(value))


def _keys(value: Value) -> list[Value]:
    """Return the keys of a map or the fields of an object that are set."""
    return [key for key in value if key in value]


def _scalar(value: Value) -> str:
    if value is None:
        return "null"
    if type(value) is bool:
        return str(value).lower()
    if type(value) is str:
        return quote(value)
    if type(value) is Uint:
        return f"{int(value)}u"
    if type(value) is float:
        text = format_float(value)
        return text if not isfinite(value) or any(char in text for char in ".e") else f"{text}.0"
    if type(value) is bytes:
        return "b" + quote(value.decode("latin-1")) if value.isascii() else f"{len(value):,} bytes"
    if type(value) is Duration or type(value) is Timestamp:
        return f"{'duration' if type(value) is Duration else 'timestamp'}({quote(str(value))})"
    if type(value) is Error:
        return f"error: {value.message}"
    if isinstance(value, Type):
        return format_type(value)
    plain = native(value)
    if isinstance(plain, (dict, list, str, int, float)) and plain is not value:
        return to_text(plain)
    return str(value)


def to_json(value: Value, depth: int = 0) -> Any:
    """Return a value as JSON: times, durations, bytes and other types without a JSON type as their text."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is Uint:
        return int(value)
    if type(value) is float:
        return value if isfinite(value) else format_float(value)
    if type(value) is Optional_:
        return to_json(value.content, depth) if value.has_value else None
    if type(value) is Duration or type(value) is Timestamp:
        return str(value)
    if depth < _DEEPEST:
        kind = kind_of(value)
        if kind is Kind.LIST:
            return [to_json(item, depth + 1) for item in value]
        if kind is Kind.MAP:
            return {_key(key): to_json(find(value, key), depth + 1) for key in _keys(value)}
    return to_text(value)


def _key(key: Value) -> str:
    return key if type(key) is str else to_text(key)
