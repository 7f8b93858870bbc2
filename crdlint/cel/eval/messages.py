"""Message literals of protobuf's own types: converted to plain values (types.Registry.NewValue).

A field's value is converted to the field's type in Go, whose names some error messages contain. The content
of an Any is ignored: no rule can see more of one than its type.
"""

from __future__ import annotations

import base64
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Uint
from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.values import MAX_INT, MIN_INT, Duration, Map, Optional_, Timestamp, kind_of, type_of
from crdlint.cel.types import Kind, Type, object_type
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crdlint.cel.eval.values import Value

_PACKAGE: Final = "google.protobuf."
_JSON: Final = "*structpb.Value"
_SECOND: Final = 10**9
_SAFE: Final = 2**53 - 1  # integers beyond are strings in protobuf's JSON


class _ConversionError(ValueError):
    """A value that a field cannot hold; ``str()`` is cel-go's reason."""


@dataclass(frozen=True, slots=True)
class _Empty:
    """A message without fields."""

    cel_type = object_type(_PACKAGE + "Empty")


# By kind of value: the message about one that cannot be converted to a Go type.
_REFUSALS: Final[Mapping[Kind, str]] = {
    Kind.BOOL: "type conversion error from bool to '{}'",
    Kind.BYTES: "type conversion error from Bytes to '{}'",
    Kind.DOUBLE: "type conversion error from Double to '{}'",
    Kind.DURATION: "type conversion error from 'Duration' to '{}'",
    Kind.INT: "unsupported type conversion from 'int' to {}",
    Kind.LIST: "type conversion error from list to '{}'",
    Kind.MAP: "type conversion error from map to '{}'",
    Kind.NULL: "type conversion error from 'null_type' to '{}'",
    Kind.STRING: "unsupported native conversion from string to '{}'",
    Kind.TIMESTAMP: "type conversion error from 'Timestamp' to '{}'",
    Kind.TYPE: "type conversion not supported for 'type'",
    Kind.UINT: "unsupported type conversion from 'uint' to {}",
}


def _refusal(value: Value, wanted: str) -> _ConversionError:
    text = _REFUSALS.get(kind_of(value))
    if text is not None:
        return _ConversionError(text.format(wanted))
    name = str(getattr(value, "go_type", type_of(value))).rpartition(".")[2]
    return _ConversionError(f"type conversion error from '{name}' to '{wanted}'")


def _scalar(kind: Kind, go: str) -> Callable[[Value], Value]:
    def convert(value: Value) -> Value:
        if kind_of(value) is not kind:
            raise _refusal(value, go)
        return value

    return convert


def _within(kind: Kind, go: str, low: int, high: int, error: str) -> Callable[[Value], Value]:
    scalar = _scalar(kind, go)

    def convert(value: Value) -> Value:
        if not low <= scalar(value) <= high:
            raise _ConversionError(error)
        return value

    return convert


def _float32(value: Value) -> float:
    """Round to 32 bits, as a FloatValue holds it."""
    given: float = _scalar(Kind.DOUBLE, "float32")(value)
    try:
        rounded: float = struct.unpack("f", struct.pack("f", given))[0]
    except OverflowError:
        return float("inf") if given > 0 else float("-inf")
    return rounded


def _json(value: Value) -> Value:
    """Return a value as JSON has it; collections are gone through by `_json_deep`."""
    kind = kind_of(value)
    if kind in {Kind.BOOL, Kind.STRING, Kind.NULL, Kind.DOUBLE}:
        return value
    if kind in {Kind.INT, Kind.UINT}:
        return float(value) if -_SAFE <= int(value) <= _SAFE else str(int(value))
    if kind is Kind.BYTES:
        work.spend(len(value) >> 5)
        return base64.b64encode(value).decode("ascii")
    if kind in {Kind.DURATION, Kind.TIMESTAMP}:
        return str(value)
    raise _refusal(value, _JSON)


def _json_deep(value: Value) -> Value:
    """Return a value as JSON has it, whatever its depth."""
    nodes = [value]
    parts: list[tuple[list[str] | None, range] | None] = []
    for node in nodes:  # which grows
        given = node
        while type(given) is Optional_:
            if not given.has_value:
                raise _ConversionError("optional.none() dereference")
            given = given.content
        kind, start = kind_of(given), len(nodes)
        work.spend(2 * len(given) if kind in {Kind.LIST, Kind.MAP} else 1)
        keys = [_json_key(key) for key in given] if kind is Kind.MAP else None
        if kind in {Kind.LIST, Kind.MAP}:
            nodes.extend(given if keys is None else [_entry(given, key) for key in given])
            parts.append((keys, range(start, len(nodes))))
        else:
            nodes[len(parts)] = _json(given)
            parts.append(None)
    for at in range(len(nodes) - 1, -1, -1):
        part = parts[at]
        if part is not None:
            keys, places = part
            items = [nodes[place] for place in places]
            nodes[at] = items if keys is None else Map(list(zip(keys, items, strict=True)))
    return nodes[0]


def _entry(given: Value, key: Value) -> Value:
    return given.find(key) if hasattr(given, "find") else given[key]


def _json_key(key: Value) -> str:
    if type(key) is str:
        return key
    raise _refusal(key, "string")


def _json_list(value: Value) -> Value:
    if kind_of(value) is not Kind.LIST:
        raise _refusal(value, "*structpb.ListValue")
    return _json_deep(value)


def _json_map(value: Value) -> Value:
    if kind_of(value) is not Kind.MAP:
        raise _refusal(value, "*structpb.Struct")
    return _json_deep(value)


def _null(value: Value) -> None:
    _scalar(Kind.INT, "protoreflect.EnumNumber")(value)


def _of_kind(kind: Kind, convert: Callable[[Value], Value]) -> Callable[[Value], Value]:
    """Return what converts a repeated field or a map, which only that kind of value fits."""

    def converted(value: Value) -> Value:
        if kind_of(value) is not kind:
            raise _FieldTypeError
        return convert(value)

    return converted


class _FieldTypeError(ValueError):
    """A value that is not the list or map that a field requires."""


_INT32: Final = _within(Kind.INT, "int32", -(2**31), 2**31 - 1, "integer overflow")
_FIELDS: Final[Mapping[str, Mapping[str, Callable[[Value], Value]]]] = {
    "Any": {"type_url": _scalar(Kind.STRING, "string"), "value": _scalar(Kind.BYTES, "[]uint8")},
    "BoolValue": {"value": _scalar(Kind.BOOL, "bool")},
    "BytesValue": {"value": _scalar(Kind.BYTES, "[]uint8")},
    "DoubleValue": {"value": _scalar(Kind.DOUBLE, "float64")},
    "Duration": {"seconds": _scalar(Kind.INT, "int64"), "nanos": _INT32},
    "Empty": {},
    "FloatValue": {"value": _float32},
    "Int32Value": {"value": _INT32},
    "Int64Value": {"value": _scalar(Kind.INT, "int64")},
    "ListValue": {"values": _of_kind(Kind.LIST, _json_list)},
    "StringValue": {"value": _scalar(Kind.STRING, "string")},
    "Struct": {"fields": _of_kind(Kind.MAP, _json_map)},
    "Timestamp": {"seconds": _scalar(Kind.INT, "int64"), "nanos": _INT32},
    "UInt32Value": {"value": _within(Kind.UINT, "uint32", 0, 2**32 - 1, "unsigned integer overflow")},
    "UInt64Value": {"value": _scalar(Kind.UINT, "uint64")},
    "Value": {
        "null_value": _null,
        "number_value": _scalar(Kind.DOUBLE, "float64"),
        "string_value": _scalar(Kind.STRING, "string"),
        "bool_value": _scalar(Kind.BOOL, "bool"),
        "struct_value": _json_map,
        "list_value": _json_list,
    },
}


def _nanoseconds(fields: Mapping[str, Value]) -> int:
    return int(fields.get("seconds", 0)) * _SECOND + int(fields.get("nanos", 0))


def _duration(fields: Mapping[str, Value]) -> Duration:
    """Return a Duration, which stops at the ends of 64 bits (durationpb.AsDuration)."""
    return Duration(min(max(_nanoseconds(fields), MIN_INT), MAX_INT))


def _any(_: Mapping[str, Value]) -> Error:
    return Error("unsupported conversion to ref.Val: (*dynamicpb.Message)")


_VALUES: Final[Mapping[str, Callable[[Mapping[str, Value]], Value]]] = {
    "Any": _any,
    "BoolValue": lambda fields: fields.get("value", False),
    "BytesValue": lambda fields: fields.get("value", b""),
    "DoubleValue": lambda fields: fields.get("value", 0.0),
    "Duration": _duration,
    "Empty": lambda _: _Empty(),
    "FloatValue": lambda fields: fields.get("value", 0.0),
    "Int32Value": lambda fields: fields.get("value", 0),
    "Int64Value": lambda fields: fields.get("value", 0),
    "ListValue": lambda fields: fields.get("values", []),
    "StringValue": lambda fields: fields.get("value", ""),
    "Struct": lambda fields: fields.get("fields", Map()),
    "Timestamp": lambda fields: Timestamp(_nanoseconds(fields)),
    "UInt32Value": lambda fields: fields.get("value", Uint(0)),
    "UInt64Value": lambda fields: fields.get("value", Uint(0)),
    # The fields exclude each other: the last one counts.
    "Value": lambda fields: next(reversed(list(fields.values())), None),
}


def new_message(name: str, fields: Mapping[str, Value]) -> Value:
    """Return the value of a literal of a message, by the message's full name, or an error as a value."""
    short = name.removeprefix(_PACKAGE)
    made: dict[str, Value] = {}
    for field, value in fields.items():
        found = _converted(name, field, _FIELDS[short][field], value)
        if type(found) is Error:
            return found
        made[field] = found
    return _VALUES[short](made)


def _converted(name: str, field: str, convert: Callable[[Value], Value], value: Value) -> Value:
    try:
        return convert(value)
    except _FieldTypeError:
        return Error(f"unsupported field type for {name}.{field}: {_type_text(value)}")
    except _ConversionError as error:
        return Error(f"field type conversion error for {name}.{field} value type: {error}")


def _type_text(value: Value) -> str:
    type_: Type = type_of(value)
    return {Kind.LIST: "list(dyn)", Kind.MAP: "map(dyn, dyn)"}.get(kind_of(value), str(type_))
