"""Values in messages as Go prints them: field.Error's bad values and encoding/json's text.

Python's values stand for Go's: ``None`` for nil, numbers, text, ``bytes``, sequences and mappings for themselves, an
object whose class lists ``GO_FIELDS`` (Go field name, attribute and Go type of each field) for a struct, in
``JSON_TAGS`` the names that JSON has instead of Go's, and in ``OMITTED_NIL`` the attributes that are left out of JSON
where they are nil. `Typed` adds a Go type that Python's does not tell.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.golang.numbers import format_float, json_float
from crdlint.golang.syntax import ANY, go_syntax
from crdlint.golang.text import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Entries = Iterator[tuple[str, object]]


@dataclass(frozen=True, slots=True)
class Typed:
    """A value of a Go type that Python's type does not tell: a named type, a pointer, a slice (see `go_syntax`)."""

    value: object
    type: str


def bad_value(value: object) -> str:
    """Return a bad value as field errors print it since Kubernetes 1.34: as JSON (field.Error.ErrorBody).

    Raises TypeError for a Python object that stands for nothing in Go.
    """
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float):
        return format_float(value)
    return marshal(value)


def bad_value_in_go_syntax(value: object, unknown_fields: frozenset[str] = frozenset()) -> str:
    """Return a bad value as field errors print it before Kubernetes 1.34 (field.Error.ErrorBody).

    ``unknown_fields`` are attributes of structs that the server's types do not have.
    """
    of = _OWN_TYPES.get(type(value), "")
    if isinstance(value, Typed):
        of, value = value.type, value.value
        if value is not None:
            of = of.removeprefix("*")  # Go prints what a pointer points at
    if value is None and not of.startswith("["):
        return '"null"'  # nil replaced by a text, which is then quoted like any other
    return go_syntax(value, of, unknown_fields)


def marshal(value: object) -> str:
    """Return the value as encoding/json's Marshal prints it: compact, keys sorted, HTML's characters escaped.

    Depth is bounded by memory only. A struct's sequence or mapping that is empty prints ``null`` unless it was set on
    the instance. Raises TypeError for a Python object that stands for nothing in Go.
    """
    out: list[str] = []
    frames: list[tuple[Entries, str]] = [(iter((("", value),)), "")]
    while frames:
        entries, closing = frames[-1]
        for prefix, item in entries:
            scalar = _SCALARS.get(type(item))
            if scalar is not None:
                out.append(prefix + scalar(item))
                continue
            opening, inner, end = _open(item)
            out.append(prefix + opening)
            frames.append((inner, end))
            break
        else:
            out.append(closing)
            frames.pop()
    return "".join(out)


_OWN_TYPES: Final[dict[type, str]] = {dict: f"map[string]{ANY}", list: f"[]{ANY}", bytes: "[]byte"}


def _open(item: object) -> tuple[str, Entries, str]:
    """Return the opening of a container, its entries with what precedes each, and its closing."""
    fields = getattr(type(item), "GO_FIELDS", None)
    if fields is not None:
        # A struct without fields that holds a `value` is an interface: it prints what is in it.
        if not fields and hasattr(item, "value"):
            return "", iter((("", item.value),)), ""
        return "{", _struct_entries(item, fields), "}"
    if isinstance(item, Typed):
        return "", iter((("", item.value),)), ""
    if isinstance(item, Mapping):
        return "{", _map_entries(item), "}"
    if item == ():
        return "null", iter(()), ""  # the model's nil slice; one that is given, and empty, is a list
    if isinstance(item, Sequence):
        return "[", _list_entries(item), "]"
    raise TypeError(f"no Go value: {type(item).__name__}")


def _struct_entries(item: object, fields: tuple[tuple[str, str, str], ...]) -> Entries:
    given = vars(item)
    omitted = getattr(item, "OMITTED_NIL", ())
    tags = getattr(item, "JSON_TAGS", {})
    before = '"'
    for name, attribute, _ in fields:
        value = getattr(item, attribute)
        if value is None and attribute in omitted:
            continue
        if attribute not in given and isinstance(value, (bytes, Sequence, Mapping)) and not isinstance(value, str):
            value = None
        yield f'{before}{tags.get(name, name)}":', value
        before = ',"'


def _map_entries(item: Mapping[str, object]) -> Entries:
    before = ""
    for key in sorted(item):
        yield f"{before}{_string(key)}:", item[key]
        before = ","


def _list_entries(item: Sequence[object]) -> Entries:
    before = ""
    for value in item:
        yield before, value
        before = ","


def _string(text: str) -> str:
    return f'"{_UNSAFE.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    known = _ESCAPES.get(char)
    if known is not None:
        return known
    # A lone surrogate is three invalid bytes to Go, each of which becomes a replacement character.
    return r"\ufffd" * 3 if char >= "\ud800" else f"\\u{ord(char):04x}"


def _float(value: float) -> str:
    try:
        return json_float(value)
    except ValueError:
        return format_float(value)  # what `%#v` prints, upstream's way out where Marshal fails


_UNSAFE: Final = re.compile('[\\x00-\\x1f"\\\\<>&\u2028\u2029\ud800-\udfff]')
_ESCAPES: Final = {
    '"': r"\"",
    "\\": r"\\",
    "\b": r"\b",
    "\f": r"\f",
    "\n": r"\n",
    "\r": r"\r",
    "\t": r"\t",
}
_SCALARS: Final[dict[type, Callable[..., str]]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    int: str,
    float: _float,
    str: _string,
    bytes: lambda value: f'"{b64encode(value).decode()}"',
}
