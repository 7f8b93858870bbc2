"""Message literals of protobuf's own types, converted to plain values. Upstream: types.Registry.NewValue.

The value of a field is converted to the field's Go type, whose name some error messages contain. The content of an Any
is ignored: rules can see only its type.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable, Mapping
from typing import Final

from crdlint.cel.ast import Uint
from crdlint.cel.decls import MESSAGES
from crdlint.cel.errors import Error, no_overload
from crdlint.cel.eval import values
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.values import (
    MISSING,
    Duration,
    Map,
    Optional_,
    Timestamp,
    Value,
    find,
    kind_of,
)
from crdlint.cel.types import WELL_KNOWN, Kind, Type, object_type
from crdlint.light import NamedTuple, dataclass
from crdlint.safety import work

_PACKAGE: Final = "google.protobuf."
_JSON: Final = "*structpb.Value"
_SAFE: Final = 2**53 - 1  # larger integers are strings in protobuf's JSON


class _ConversionError(ValueError):
    """A field does not accept a value; `str()` is cel-go's reason."""


@dataclass(frozen=True, slots=True)
class _Message:
    """A message that is no plain value in CEL: the fields that are set, and what reading them returns if they are not."""

    cel_type: Type
    fields: Mapping[str, Value]
    unset: Mapping[str, Value]

    def cel_select(self, name: Value, *, test: bool) -> Value:
        """Return the value of a field, or an error; `MISSING` in a test of a field that is not set."""
        if type(name) is not str:
            return no_overload(name)
        if name not in self.unset:
            return Error(f"no such field '{name}'")
        return self.fields.get(name, MISSING if test else self.unset[name])

    def cel_equal(self, other: Value) -> bool:
        """Return whether the other is a message of the same type with the same fields."""
        if not isinstance(other, _Message) or other.cel_type.name != self.cel_type.name:
            return False
        return equal(Map([*self.fields.items()]), Map([*other.fields.items()])) is True


# By kind of value: the message for a value that cannot be converted to a Go type.
_CONVERSION_ERRORS: Final[Mapping[Kind, str]] = {
    Kind.BOOL: "type conversion error from bool to '{}'",
    Kind.BYTES: "type conversion error from Bytes to '{}'",
    Kind.DOUBLE: "type conversion error from Double to '{}'",
    Kind.INT: "unsupported type conversion from 'int' to {}",
    Kind.LIST: "type conversion error from list to '{}'",
    Kind.MAP: "type conversion error from map to '{}'",
    Kind.STRING: "unsupported native conversion from string to '{}'",
    Kind.TYPE: "type conversion not supported for 'type'",
    Kind.UINT: "unsupported type conversion from 'uint' to {}",
}


def _conversion_error(value: Value, go_type: str) -> _ConversionError:
    text = _CONVERSION_ERRORS.get(kind_of(value))
    if text is not None:
        return _ConversionError(text.format(go_type))
    name = str(getattr(value, "go_type", values.type_of(value))).rpartition(".")[2]
    return _ConversionError(f"type conversion error from '{name}' to '{go_type}'")


class _Field(NamedTuple):
    """A field: the kind of its values, None for any, their Go type, and their conversion."""

    kind: Kind | None
    go_type: str
    convert: Callable[[Value], Value] = lambda value: value

    def converted(self, value: Value) -> Value:
        """Return a value for the field; raise _ConversionError."""
        if self.kind is not None and kind_of(value) is not self.kind:
            raise _conversion_error(value, self.go_type)
        return self.convert(value)


def _int32(value: int) -> int:
    if not -(2**31) <= value < 2**31:
        raise _ConversionError("integer overflow")
    return value


def _uint32(value: Uint) -> Uint:
    if value >= 2**32:
        raise _ConversionError("unsigned integer overflow")
    return value


def _float32(value: float) -> float:
    """Round to 32 bits, the precision of a FloatValue."""
    try:
        rounded: float = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
    return rounded


def _json(value: Value) -> Value:
    """Return a value as JSON; `_json_deep` converts collections."""
    kind = kind_of(value)
    if kind in {Kind.BOOL, Kind.STRING, Kind.NULL, Kind.DOUBLE}:
        return value
    if kind in {Kind.INT, Kind.UINT}:
        number = int(value)
        is_exact = -_SAFE <= number <= _SAFE
        return float(value) if is_exact else str(number)
    if kind is Kind.BYTES:
        work.spend(len(value) >> 5)
        return base64.b64encode(value).decode("ascii")
    if kind in {Kind.DURATION, Kind.TIMESTAMP}:
        return str(value)
    raise _conversion_error(value, _JSON)


def _json_deep(value: Value) -> Value:
    """Return a value as JSON, without recursion."""
    nodes = [value]
    # For each collection its keys, None for a list, and the numbers of the nodes in it; None for another value.
    parts: list[tuple[list[str] | None, range] | None] = []
    for node in nodes:  # the loop appends to it
        content, start = _content(node), len(nodes)
        kind = kind_of(content)
        if kind not in _COLLECTIONS:
            work.spend(1)
            nodes[len(parts)] = _json(content)
            parts.append(None)
            continue
        work.spend(2 * len(content))
        keys = None
        if kind is Kind.LIST:
            nodes.extend(content)
        else:
            keys = list(map(_json_key, content))
            nodes.extend(find(content, key) for key in content)
        parts.append((keys, range(start, len(nodes))))
    for index in range(len(nodes) - 1, -1, -1):
        part = parts[index]
        if part is not None:
            keys, positions = part
            items = [nodes[position] for position in positions]
            nodes[index] = items if keys is None else Map(list(zip(keys, items, strict=True)))
    return nodes[0]


_COLLECTIONS: Final = (Kind.LIST, Kind.MAP)


def _content(value: Value) -> Value:
    """Return the content of optional values, and of a message its fields; raise _ConversionError."""
    while type(value) is Optional_:
        if not value.has_value:
            raise _ConversionError("optional.none() dereference")
        value = value.content
    return Map([*value.fields.items()]) if type(value) is _Message else value


def _json_key(key: Value) -> str:
    if type(key) is str:
        return key
    raise _conversion_error(key, "string")


_GO_TYPES: Final = {
    Kind.BOOL: "bool",
    Kind.BYTES: "[]uint8",
    Kind.DOUBLE: "float64",
    Kind.DYN: _JSON,
    Kind.INT: "int64",
    Kind.LIST: "*structpb.ListValue",
    Kind.MAP: "*structpb.Struct",
    Kind.STRING: "string",
    Kind.UINT: "uint64",
}
_INT32: Final = _Field(Kind.INT, "int32", _int32)
# The fields with fewer bits than their kind has, and the enumeration.
_OTHERS: Final = {
    "Duration.nanos": _INT32,
    "FloatValue.value": _Field(Kind.DOUBLE, "float32", _float32),
    "Int32Value.value": _INT32,
    "Timestamp.nanos": _INT32,
    "UInt32Value.value": _Field(Kind.UINT, "uint32", _uint32),
    "Value.null_value": _Field(Kind.INT, "protoreflect.EnumNumber", lambda _: None),
}
_REPEATED: Final = frozenset({"ListValue.values", "Struct.fields"})


def _field(name: str, kind: Kind) -> _Field:
    """Return a field of a message by its name, and the kind that its declaration has."""
    if name in _OTHERS:
        return _OTHERS[name]
    if kind in {Kind.LIST, Kind.MAP, Kind.DYN}:
        return _Field(None if kind is Kind.DYN else kind, _GO_TYPES[kind], _json_deep)
    return _Field(kind, _GO_TYPES[kind])


def _nanoseconds(fields: Mapping[str, Value]) -> int:
    return int(fields.get("seconds", 0)) * values.SECOND + int(fields.get("nanos", 0))


def _entry(fields: Mapping[str, Value]) -> _Message:
    """Return the entry of a Struct, in which an empty key is not set."""
    own = {name: value for name, value in fields.items() if name == "value" or value}
    return _Message(object_type(f"{_PACKAGE}Struct.FieldsEntry"), own, {"key": "", "value": None})


# The wrapper messages, with the values that they have without the field.
_ZEROS: Final = {
    Kind.BOOL: False,
    Kind.BYTES: b"",
    Kind.DOUBLE: 0.0,
    Kind.INT: 0,
    Kind.STRING: "",
    Kind.UINT: Uint(0),
}
_WRAPPERS: Final = {name: _ZEROS[type_.kind] for name, type_ in WELL_KNOWN.items() if type_.wrapper}
_VALUES: Final[Mapping[str, Callable[[Mapping[str, Value]], Value]]] = {
    "Any": lambda _: Error("unsupported conversion to ref.Val: (*dynamicpb.Message)"),
    # Clamped to 64 bits as by durationpb.Duration.AsDuration.
    "Duration": lambda fields: Duration(
        min(max(_nanoseconds(fields), values.MIN_INT), values.MAX_INT)
    ),
    "Empty": lambda _: _Message(object_type(f"{_PACKAGE}Empty"), {}, {}),
    "ListValue": lambda fields: fields.get("values", []),
    "Struct": lambda fields: fields.get("fields", Map()),
    "Struct.FieldsEntry": _entry,
    "Timestamp": lambda fields: Timestamp(_nanoseconds(fields)),
    # The fields exclude each other: the last one counts.
    "Value": lambda fields: next(reversed(list(fields.values())), None),
}


def new_message(name: str, fields: Mapping[str, Value]) -> Value:
    """Return the value of a message literal, given the full name of the message, or an error as a value."""
    short = name.removeprefix(_PACKAGE)
    field_values: dict[str, Value] = {}
    for field, value in fields.items():
        own = _field(f"{short}.{field}", MESSAGES[name][field].kind)
        if f"{short}.{field}" in _REPEATED and kind_of(value) is not own.kind:
            return Error(f"unsupported field type for {name}.{field}: {values.type_of(value)}")
        try:
            field_values[field] = own.converted(value)
        except _ConversionError as error:
            return Error(f"field type conversion error for {name}.{field} value type: {error}")
    return (
        field_values.get("value", _WRAPPERS[name])
        if name in _WRAPPERS
        else _VALUES[short](field_values)
    )
