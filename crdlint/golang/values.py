"""Values in messages as Go prints them: bad values of field.Error, and encoding/json.

Python values represent Go values: `None` is nil; numbers, texts, `bytes`, sequences and mappings are themselves; an
object whose class has `GO_FIELDS` (Go field name, attribute and Go type of each field) is a struct. `JSON_TAGS`
contains the JSON names that differ from Go's, and `OMITTED_NIL` the attributes that JSON omits if they are nil. `Typed`
adds a Go type that does not follow from the Python type.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
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
    """A value with a Go type that does not follow from its Python type: a named type, a pointer, a slice (see `go_syntax`)."""

    value: object
    type: str


def bad_value(value: object) -> str:
    """Return a bad value as field errors print it since Kubernetes 1.34: as JSON. Upstream: field.Error.ErrorBody.

    Raise TypeError for a Python object that does not represent a Go value.
    """
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float):
        return format_float(value)
    return marshal(value)


def bad_value_in_go_syntax(value: object, unknown_fields: frozenset[str] = frozenset()) -> str:
    """Return a bad value as field errors print it before Kubernetes 1.34. Upstream: field.Error.ErrorBody.

    `unknown_fields` are attributes of structs that the server's types do not have.
    """
    of = _OWN_TYPES.get(type(value), "")
    if isinstance(value, Typed):
        of, value = value.type, value.value
        if value is not None:
            of = of.removeprefix("*")  # Go dereferences the pointer
    if value is None and not of.startswith("["):
        return '"null"'  # Go replaces nil by a text, which is quoted like any other text
    return go_syntax(value, of, unknown_fields)


def marshal(value: object) -> str:
    """Return a value as json.Marshal prints it: compact, with sorted keys, with HTML characters escaped.

    Only memory limits the depth. An empty sequence or mapping of a struct is printed as `null` unless it was set on the
    instance. Raise TypeError for a Python object that does not represent a Go value.
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
    """Return the opening text of a container, its entries with the text before each, and its closing text."""
    fields = getattr(type(item), "GO_FIELDS", None)
    if fields is not None:
        # A struct without fields but with a `value` represents an interface, which prints its value.
        if not fields and hasattr(item, "value"):
            return "", iter((("", item.value),)), ""
        return "{", _struct_entries(item, fields), "}"
    if isinstance(item, Typed):
        return "", iter((("", item.value),)), ""
    if isinstance(item, Mapping):
        return "{", _map_entries(item), "}"
    if item == ():
        return "null", iter(()), ""  # the default is a nil slice; an empty slice in the input is a list
    if isinstance(item, Sequence):
        return "[", _list_entries(item), "]"
    raise TypeError(f"no Go value: {type(item).__name__}")


def _struct_entries(item: object, fields: tuple[tuple[str, str, str], ...]) -> Entries:
    attributes = vars(item)
    omitted = getattr(item, "OMITTED_NIL", ())
    tags = getattr(item, "JSON_TAGS", {})
    before = '"'
    for name, attribute, _ in fields:
        value = getattr(item, attribute)
        if value is None and attribute in omitted:
            continue
        if attribute not in attributes and isinstance(value, (bytes, Sequence, Mapping)) and not isinstance(value, str):
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
    # In Go, a lone surrogate is three invalid bytes, each of which becomes a replacement character.
    return r"\ufffd" * 3 if char >= "\ud800" else f"\\u{ord(char):04x}"


def _float(value: float) -> str:
    try:
        return json_float(value)
    except ValueError:
        return format_float(value)  # upstream falls back to `%#v` if Marshal fails


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
    bytes: lambda value: f'"{b2a_base64(value, newline=False).decode()}"',
}


# The Go types of decoded JSON, as `%T` prints them.
GO_TYPES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
    type(None): "<nil>",
}
