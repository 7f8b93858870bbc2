"""The protobuf messages that every CEL environment declares. Upstream: common/types/provider.go, common/types/pb."""

from __future__ import annotations

from typing import Final

from crdlint.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DYN,
    INT,
    STRING,
    UINT,
    Type,
    list_type,
    map_type,
    object_type,
    type_type,
)

_PACKAGE: Final = "google.protobuf."

_FIELDS: Final[dict[str, dict[str, Type]]] = {
    "Any": {"type_url": STRING, "value": BYTES},
    "BoolValue": {"value": BOOL},
    "BytesValue": {"value": BYTES},
    "DoubleValue": {"value": DOUBLE},
    "Duration": {"seconds": INT, "nanos": INT},
    "Empty": {},
    "FloatValue": {"value": DOUBLE},
    "Int32Value": {"value": INT},
    "Int64Value": {"value": INT},
    "ListValue": {"values": list_type(DYN)},
    "StringValue": {"value": STRING},
    "Struct": {"fields": map_type(STRING, DYN)},
    "Struct.FieldsEntry": {"key": STRING, "value": DYN},
    "Timestamp": {"seconds": INT, "nanos": INT},
    "UInt32Value": {"value": UINT},
    "UInt64Value": {"value": UINT},
    "Value": {
        "null_value": INT,
        "number_value": DOUBLE,
        "string_value": STRING,
        "bool_value": BOOL,
        "struct_value": map_type(STRING, DYN),
        "list_value": list_type(DYN),
    },
}
_MESSAGES: Final = {_PACKAGE + name: fields for name, fields in _FIELDS.items()}
_ENUMS: Final = {_PACKAGE + "NullValue.NULL_VALUE": 0}


class WellKnownTypes:
    """The provider of protobuf's own messages."""

    def find_struct_type(self, name: str) -> Type | None:
        """Return `type(T)` for the full name of a message."""
        return type_type(object_type(name)) if name in _MESSAGES else None

    def find_struct_field_type(self, struct: str, field: str) -> Type | None:
        """Return the type of a field of a message."""
        return _MESSAGES.get(struct, {}).get(field)

    def find_enum(self, name: str) -> int | None:
        """Return the number of an enum value."""
        return _ENUMS.get(name)
