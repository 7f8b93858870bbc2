"""CEL types: kinds, names, parameters (cel-go's common/types/types.go, without run-time traits)."""

from __future__ import annotations

from enum import Enum, auto
from typing import Final


class Kind(Enum):
    """What sort of type a `Type` is (types.Kind)."""

    DYN = auto()
    ANY = auto()
    BOOL = auto()
    BYTES = auto()
    DOUBLE = auto()
    DURATION = auto()
    ERROR = auto()
    INT = auto()
    LIST = auto()
    MAP = auto()
    NULL = auto()
    OPAQUE = auto()
    STRING = auto()
    STRUCT = auto()
    TIMESTAMP = auto()
    TYPE = auto()
    TYPE_PARAM = auto()
    UINT = auto()


class Type:
    """An immutable type; `free` says whether a type parameter stands anywhere in it, `wrapper` that null is allowed."""

    __slots__ = ("free", "is_dyn", "kind", "name", "params", "wrapper")

    def __init__(self, kind: Kind, name: str, params: tuple[Type, ...] = (), *, wrapper: bool = False) -> None:
        self.kind: Final = kind
        self.name: Final = name
        self.params: Final = params
        self.wrapper: Final = wrapper
        self.is_dyn: Final = kind is Kind.DYN or kind is Kind.ANY
        self.free: Final[bool] = kind is Kind.TYPE_PARAM or any(param.free for param in params)

    @property
    def declared_name(self) -> str:
        """The name, `wrapper(name)` for a nullable one (DeclaredTypeName)."""
        return f"wrapper({self.name})" if self.wrapper else self.name

    @property
    def is_optional(self) -> bool:
        """Whether this is `optional_type(...)`."""
        return self.kind is Kind.OPAQUE and self.name == "optional_type"

    def __str__(self) -> str:
        if self.kind is Kind.TYPE_PARAM:
            return f"<{self.name}>"
        if not self.params:
            return self.declared_name
        return f"{self.declared_name}({', '.join(map(str, self.params))})"

    def __repr__(self) -> str:
        return f"Type({self})"

    def is_exact(self, other: Type) -> bool:
        """Whether both have the same kind, name and parameters (IsExactType)."""
        return self is other or (
            self.kind is other.kind
            and self.name == other.name
            and len(self.params) == len(other.params)
            and all(map(Type.is_exact, self.params, other.params))
        )

    def is_equivalent(self, other: Type) -> bool:
        """Whether both are the same but for the names of type parameters (IsEquivalentType)."""
        return self is other or (
            self.kind is other.kind
            and (self.kind is Kind.TYPE_PARAM or self.name == other.name)
            and len(self.params) == len(other.params)
            and all(map(Type.is_equivalent, self.params, other.params))
        )

    def accepts(self, other: Type) -> bool:
        """Whether a value of the other type may be assigned to this one, type parameters as dyn (IsAssignableType)."""
        if self is other or self.is_dyn or self.kind is Kind.TYPE_PARAM or (self.wrapper and other.kind is Kind.NULL):
            return True
        return (
            self.kind is other.kind
            and self.name == other.name
            and len(self.params) == len(other.params)
            and all(map(Type.accepts, self.params, other.params))
        )


DYN: Final = Type(Kind.DYN, "dyn")
ANY: Final = Type(Kind.ANY, "google.protobuf.Any")
BOOL: Final = Type(Kind.BOOL, "bool")
BYTES: Final = Type(Kind.BYTES, "bytes")
DOUBLE: Final = Type(Kind.DOUBLE, "double")
DURATION: Final = Type(Kind.DURATION, "google.protobuf.Duration")
ERROR: Final = Type(Kind.ERROR, "error")
INT: Final = Type(Kind.INT, "int")
NULL: Final = Type(Kind.NULL, "null_type")
STRING: Final = Type(Kind.STRING, "string")
TIMESTAMP: Final = Type(Kind.TIMESTAMP, "google.protobuf.Timestamp")
TYPE: Final = Type(Kind.TYPE, "type")
UINT: Final = Type(Kind.UINT, "uint")


def list_type(element: Type) -> Type:
    """Return `list(element)`."""
    return Type(Kind.LIST, "list", (element,))


def map_type(key: Type, value: Type) -> Type:
    """Return `map(key, value)`."""
    return Type(Kind.MAP, "map", (key, value))


def opaque_type(name: str, *params: Type) -> Type:
    """Return an abstract type without accessible fields."""
    return Type(Kind.OPAQUE, name, params)


def optional_type(param: Type) -> Type:
    """Return `optional_type(param)`."""
    return opaque_type("optional_type", param)


def type_param(name: str) -> Type:
    """Return a type parameter."""
    return Type(Kind.TYPE_PARAM, name)


def type_type(param: Type) -> Type:
    """Return the type of the type given, `type(param)`."""
    return Type(Kind.TYPE, "type", (param,))


def wrapper_type(wrapped: Type) -> Type:
    """Return the nullable form of a primitive type (NewNullableType)."""
    return Type(wrapped.kind, wrapped.name, wrapped.params, wrapper=True)


WELL_KNOWN: Final = {
    "google.protobuf.BoolValue": wrapper_type(BOOL),
    "google.protobuf.BytesValue": wrapper_type(BYTES),
    "google.protobuf.DoubleValue": wrapper_type(DOUBLE),
    "google.protobuf.FloatValue": wrapper_type(DOUBLE),
    "google.protobuf.Int64Value": wrapper_type(INT),
    "google.protobuf.Int32Value": wrapper_type(INT),
    "google.protobuf.UInt64Value": wrapper_type(UINT),
    "google.protobuf.UInt32Value": wrapper_type(UINT),
    "google.protobuf.StringValue": wrapper_type(STRING),
    "google.protobuf.Any": ANY,
    "google.protobuf.Duration": DURATION,
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.ListValue": list_type(DYN),
    "google.protobuf.NullValue": NULL,
    "google.protobuf.Struct": map_type(STRING, DYN),
    "google.protobuf.Value": DYN,
}


def object_type(name: str) -> Type:
    """Return the type of an object with fields, the CEL type for a well-known protobuf message (NewObjectType)."""
    return WELL_KNOWN.get(name) or Type(Kind.STRUCT, name)
