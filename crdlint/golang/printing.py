"""Values and numbers in messages as Go prints them: bad values of field.Error, encoding/json, fmt's `%v` and `%#v`.

Python values represent Go values: `None` is nil; numbers, texts, `bytes`, sequences and mappings are themselves; an object whose
class has `GO_FIELDS` (Go field name, attribute and Go type of each field) is a struct, which Go prints with `GO_PACKAGE` before
the name of its class. `JSON_TAGS` contains the JSON names that differ from Go's, and `OMITTED_NIL` the attributes that JSON omits
if they are nil. `Typed` adds a Go type that does not follow from the Python type. A type is written as in Go; a named type that
is not a struct is followed by `=` and its underlying type: `v1.Names=[]string`.
"""

from __future__ import annotations

import re
import sys
from binascii import b2a_base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from math import inf, isfinite
from typing import Any, Final, TypeAlias

from crdlint.golang.text import quote
from crdlint.light import dataclass, regex

_SAFE: Final = 2**53 - 1  # float64 has all integers up to it
_EPSILON: Final = 1e-9


def format_float(value: float) -> str:
    """Return a float64 as `%v` prints it, with an exponent below 1e-4 and from 1e+06 on. Upstream: strconv's 'g'."""
    if value in _INFINITE:
        return _INFINITE[value]
    if not isfinite(value):
        return "NaN"
    sign, digits, exponent = _shortest(value)
    if -4 <= exponent < 6:
        return _positional(sign, digits, exponent)
    return _scientific(sign, digits, exponent)


_INFINITE: Final = {inf: "+Inf", -inf: "-Inf"}


def format_fixed(value: float) -> str:
    """Return a finite float64 without an exponent, with as few digits as identify it. Upstream: strconv's 'f'."""
    return _positional(*_shortest(value))


def json_float(value: float) -> str:
    """Return a float64 as encoding/json prints it, with an exponent without leading zero below 1e-6 and from 1e+21 on.

    Raise ValueError for a value that is not finite, as json.Marshal does.
    """
    if not isfinite(value):
        raise ValueError(f"json: unsupported value: {format_float(value)}")
    sign, digits, exponent = _shortest(value)
    if -6 <= exponent < 21:
        return _positional(sign, digits, exponent)
    return _scientific(sign, digits, exponent).replace("e-0", "e-")


def is_json_integer(value: float) -> bool:
    """Return whether a float64 is an integer, or slightly larger than one. Upstream: swag.IsFloat64AJSONInteger."""
    if not -_SAFE <= value <= _SAFE:
        return False
    truncated = int(value)
    if value == truncated:
        return True
    if not truncated:
        return False
    # A negative number wraps around when it is converted to uint64.
    integer = float(truncated if value > 0 else truncated + 2**64)
    return abs(value - integer) / min(abs(value) + integer, sys.float_info.max) < _EPSILON


def _shortest(value: float) -> tuple[str, str, int]:
    """Return the sign, the shortest digits that identify the number, and the exponent of the first digit."""
    text = repr(value)
    sign = ""
    if text[0] == "-":
        sign, text = "-", text[1:]
    mantissa, _, power = text.partition("e")
    integer, _, fraction = mantissa.partition(".")
    digits = (integer + fraction).lstrip("0")
    if not digits:
        return sign, "0", 0
    return sign, digits.rstrip("0"), int(power or 0) + len(digits) - len(fraction) - 1


def _scientific(sign: str, digits: str, exponent: int) -> str:
    point = "." if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{point}{digits[1:]}e{exponent:+03d}"


def _positional(sign: str, digits: str, exponent: int) -> str:
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    integer = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{sign}{integer}.{fraction}" if fraction else sign + integer


# Prefix, value and Go type of each entry of a container; JSON ignores the type.
Entries: TypeAlias = "Iterator[tuple[str, Any, str]]"

ANY: Final = "interface {}"
_MAX_INT64: Final = (1 << 63) - 1
# The text of a pointer inside of a value: an address, which is different in each run of a server.
_ADDRESS: Final = "0xc000000000"


class GoMap(list[tuple[Any, Any]]):
    """A map[interface {}]interface {}: keys have Go types, so 1 and true are two keys."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A value with a Go type that does not follow from its Python type: a named type, a pointer, a slice."""

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
    if isinstance(value, str) and of == "v1.Time":
        from crdlint.golang.times import printed_time  # few errors are about times

        return printed_time(value)
    if value is None and not of.startswith("["):
        return '"null"'  # Go replaces nil by a text, which is quoted like any other text
    return go_syntax(value, of, unknown_fields)


def go_syntax(value: Any, of: str = ANY, unknown_fields: frozenset[str] = frozenset()) -> str:
    """Return a value of the Go type `of`, with maps sorted by key; only memory limits the depth.

    `unknown_fields` are attributes of structs that the server's types do not have.
    """
    return _written(
        value,
        of,
        _scalar,
        partial(_open, unknown_fields=unknown_fields),
    )


def marshal(value: object) -> str:
    """Return a value as json.Marshal prints it: compact, with sorted keys, with HTML characters escaped.

    Only memory limits the depth. An empty sequence or mapping of a struct is printed as `null` unless it was set on the
    instance. Raise TypeError for a Python object that does not represent a Go value.
    """
    return _written(value, "", partial(_by_type, _SCALARS), _open_json)


def print_value(value: object) -> str:
    """Return a JSON value as Go's `%v` prints it."""
    return _written(
        value,
        "",
        partial(_by_type, _PRINTED_SCALARS),
        _open_printed,
    )


def print_key(value: object) -> str:
    """Return a JSON value as structured-merge-diff prints a part of a key. Upstream: value.ToString.

    Go's order of the keys of a map is random; they are sorted here.
    """
    return _written(
        value,
        "",
        partial(_by_type, _KEY_SCALARS),
        _open_key,
    )


def _written(
    value: Any,
    of: str,
    scalar: Callable[[Any, str], str | None],
    opened: Callable[[Any, str], tuple[str, Entries, str]],
) -> str:
    """Return a value as text: of scalars by `scalar`, of containers by their opening text, entries and closing text."""
    out: list[str] = []
    frames: list[tuple[Entries, str]] = [(iter((("", value, of),)), "")]
    while frames:
        entries, closing = frames[-1]
        for prefix, item, type_ in entries:
            out.append(prefix)
            text = scalar(item, type_)
            if text is not None:
                out.append(text)
                continue
            opening, inner, end = opened(item, type_)
            out.append(opening)
            frames.append((inner, end))
            break
        else:
            out.append(closing)
            frames.pop()
    return "".join(out)


_OWN_TYPES: Final[dict[type, str]] = {dict: f"map[string]{ANY}", list: f"[]{ANY}", bytes: "[]byte"}


def _scalar(value: Any, of: str) -> str | None:
    """Return the text of a scalar, or None for a container."""
    if of.startswith("*"):
        target = "nil" if value is None else _ADDRESS
        return f"({of})({target})"
    if value is None or value == ():
        return f"{_name(of)}(nil)"
    if isinstance(value, bytes):
        return f"{of}{{{', '.join(map(hex, value))}}}"
    for kind, text_of in _GO_SYNTAX:
        if isinstance(value, kind):
            return text_of(value)
    return None


def _integer(value: int) -> str:
    is_uint64 = value > _MAX_INT64
    return f"{value:#x}" if is_uint64 else str(value)


def _bool(value: bool) -> str:
    return "true" if value else "false"


# By Python type, of which a bool has two: the text in Go's syntax.
_GO_SYNTAX: Final[tuple[tuple[type, Callable[[Any], str]], ...]] = (
    (str, quote),
    (bool, _bool),
    (float, format_float),
    (int, _integer),
)


def _open(value: Any, of: str, unknown_fields: frozenset[str]) -> tuple[str, Entries, str]:
    """Return the opening text of a container, its entries, and its closing text."""
    fields = getattr(type(value), "GO_FIELDS", None)
    if fields is not None:
        entries = _struct_entries(value, fields, unknown_fields)
        return f"{value.GO_PACKAGE}.{type(value).__name__}{{", entries, "}"
    if isinstance(value, GoMap):
        return f"map[{ANY}]{ANY}{{", _map_entries(value, ANY), "}"
    if _underlying(of) == ANY:  # the value has its own type
        of = f"map[string]{ANY}" if isinstance(value, dict) else f"[]{ANY}"
    element = _underlying(of).partition("]")[2]
    if isinstance(value, dict):
        return f"{_name(of)}{{", _map_entries(value.items(), element), "}"
    return f"{_name(of)}{{", _items(value, ", ", element), "}"


def _items(items: Iterable[Any], separator: str, of: str = "") -> Entries:
    before = ""
    for item in items:
        yield before, item, of
        before = separator


def _name(of: str) -> str:
    """Return a type as Go prints it."""
    return of.partition("=")[0]


def _underlying(of: str) -> str:
    """Return the underlying type of a named type, else the type itself."""
    if of.startswith(("[", "map[")):
        return of
    return of.partition("=")[2] or of


def _struct_entries(
    value: Any, fields: tuple[tuple[str, str, str], ...], unknown_fields: frozenset[str]
) -> Entries:
    before = ""
    for name, attribute, of in fields:
        if attribute not in unknown_fields:
            yield f"{before}{name}:", _field(value, attribute), of
            before = ", "


def _field(value: Any, attribute: str) -> Any:
    """Return the value of a field of a struct; the class has Go's zero values, which are nil for collections."""
    item = getattr(value, attribute)
    is_set = attribute in vars(value) or isinstance(item, str)
    is_nil = not is_set and isinstance(item, (bytes, Sequence, Mapping))
    return None if is_nil else item


def _map_entries(pairs: Iterable[tuple[Any, Any]], element: str) -> Entries:
    before = ""
    for key, value in sorted(pairs, key=_key_order):
        yield f"{before}{go_syntax(key)}:", value, element
        before = ", "


def _key_order(pair: tuple[Any, Any]) -> tuple[str, Any]:
    key, _ = pair
    return type(key).__name__, 0 if key is None else key


def _open_json(item: Any, _of: str) -> tuple[str, Entries, str]:
    """Return the opening text of a container, its entries, and its closing text."""
    fields = getattr(type(item), "GO_FIELDS", None)
    # A struct without fields but with a `value` represents an interface, which prints its value.
    is_interface = fields == () and hasattr(item, "value")
    if is_interface or isinstance(item, Typed):
        return "", _items([item.value], ""), ""
    if fields is not None:
        return "{", _json_fields(item, fields), "}"
    if isinstance(item, Mapping):
        return "{", _json_entries(item), "}"
    if item == ():
        # The default is a nil slice; an empty slice in the input is a list.
        return "null", iter(()), ""
    if isinstance(item, Sequence):
        return "[", _items(item, ","), "]"
    raise TypeError(f"no Go value: {type(item).__name__}")


def _json_entries(mapping: Mapping[str, Any]) -> Entries:
    before = ""
    for key in sorted(mapping):
        yield f"{before}{_string(key)}:", mapping[key], ""
        before = ","


def _json_fields(item: Any, fields: tuple[tuple[str, str, str], ...]) -> Entries:
    omitted, tags = getattr(item, "OMITTED_NIL", ()), getattr(item, "JSON_TAGS", {})
    before = '"'
    for name, attribute, _ in fields:
        value = _field(item, attribute)
        if value is not None or attribute not in omitted:
            yield f'{before}{tags.get(name, name)}":', value, ""
            before = ',"'


def _by_type(texts: Mapping[type, Callable[..., str]], item: Any, _of: str) -> str | None:
    printed = texts.get(type(item))
    return None if printed is None else printed(item)


def _open_printed(item: Any, _of: str) -> tuple[str, Entries, str]:
    if isinstance(item, list):
        return "[", _items(item, " "), "]"
    return "map[", _printed_entries(item), "]"


def _printed_entries(mapping: Mapping[str, Any]) -> Entries:
    before = ""
    for name in sorted(mapping):
        yield f"{before}{name}:", mapping[name], ""
        before = " "


def _open_key(item: Any, _of: str) -> tuple[str, Entries, str]:
    if isinstance(item, list):
        return "[", _items(item, ","), "]"
    return "", ((f"{name}=", item[name], "") for name in sorted(item)), ""


def _string(text: str) -> str:
    for char, escape in _FREQUENT.items():
        text = text.replace(char, escape)
    return f'"{_RARE.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    escape = _ESCAPES.get(char)
    if escape is not None:
        return escape
    # In Go, a lone surrogate is three invalid bytes, each of which becomes a replacement character.
    return r"\ufffd" * 3 if char >= "\ud800" else f"\\u{ord(char):04x}"


def _float(value: float) -> str:
    try:
        return json_float(value)
    except ValueError:
        return format_float(value)  # upstream falls back to `%#v` if Marshal fails


# The characters that json.Marshal escapes and expressions consist of; the backslash first.
_FREQUENT: Final = {"\\": r"\\", '"': r"\"", "\n": r"\n"} | {
    char: f"\\u{ord(char):04x}" for char in "<>&"
}
_RARE: Final = regex("[\\x00-\\x1f\u2028\u2029\ud800-\udfff]")
_ESCAPES: Final = dict(zip("\b\f\r\t", (r"\b", r"\f", r"\r", r"\t"), strict=True))
_SCALARS: Final[dict[type, Callable[..., str]]] = {
    type(None): lambda _: "null",
    bool: _bool,
    int: str,
    float: _float,
    str: _string,
    bytes: lambda value: f'"{b2a_base64(value, newline=False).decode()}"',
}
_PRINTED_SCALARS: Final[dict[type, Callable[..., str]]] = {
    **_SCALARS,
    type(None): lambda _: "<nil>",
    float: format_float,
    str: str,
}
_KEY_SCALARS: Final[dict[type, Callable[..., str]]] = {**_SCALARS, float: format_float, str: quote}


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
