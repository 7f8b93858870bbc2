"""CEL types: kinds, names, parameters. Upstream: cel-go's common/types/types.go, without run-time traits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import auto
from math import inf
from typing import Any, Final

from crdlint.cel.ast import Uint
from crdlint.light import Enum

_MAX_TEXT: Final = 1 << 16
_NONE: Final[frozenset[str]] = frozenset()
_AS_NAMED: Final[Mapping[str, str]] = {}


class Kind(Enum):
    """The kind of a `Type`. Upstream: types.Kind."""

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
    UNKNOWN = auto()


_PLAIN: Final = (
    *(Kind.BOOL, Kind.BYTES, Kind.DOUBLE, Kind.DURATION, Kind.INT),
    *(Kind.STRING, Kind.STRUCT, Kind.TIMESTAMP, Kind.UINT),
)


class Type:
    """An immutable type: `free` are its type parameters, a `wrapper` allows null; no `plain` type is assignable to another one."""

    __slots__ = ("free", "is_dyn", "kind", "name", "params", "plain", "wrapper")

    def __init__(
        self,
        kind: Kind,
        name: str,
        params: tuple[Type, ...] = (),
        *,
        wrapper: bool = False,
    ) -> None:
        self.kind: Final = kind
        self.name: Final = name
        self.params: Final = params
        self.wrapper: Final = wrapper
        self.is_dyn: Final = kind is Kind.DYN or kind is Kind.ANY
        self.plain: Final = kind in _PLAIN
        self.free: Final = frozenset((name,)) if kind is Kind.TYPE_PARAM else _free(params)

    @property
    def declared_name(self) -> str:
        """The name, or `wrapper(name)` for a nullable type. Upstream: Type.DeclaredTypeName."""
        return f"wrapper({self.name})" if self.wrapper else self.name

    @property
    def is_optional(self) -> bool:
        """Whether this is `optional_type(...)`."""
        return self.kind is Kind.OPAQUE and self.name == "optional_type"

    @property
    def unwrapped(self) -> Type:
        """The type of the value of an optional, at any depth, or else the type itself."""
        type_ = self
        while type_.is_optional:
            type_ = type_.params[0]
        return type_

    def __str__(self) -> str:
        return written_type(
            self, lambda type_: f"<{type_.name}>" if type_.kind is Kind.TYPE_PARAM else None
        )

    def __repr__(self) -> str:
        return f"Type({self})"

    def is_exact(self, other: Type) -> bool:
        """Return whether both types have the same kind, name and parameters. Upstream: Type.IsExactType."""
        return self is other or agree(self, other, _exact)

    def is_equivalent(self, other: Type) -> bool:
        """Return whether both types are equal except for the names of type parameters. Upstream: Type.IsEquivalentType."""
        return self is other or agree(self, other, _equivalent)

    def accepts(self, other: Type) -> bool:
        """Return whether a value of type `other` is assignable, with type parameters as dyn. Upstream: Type.IsAssignableType."""
        return self is other or agree(self, other, _accepts)


def _free(params: tuple[Type, ...]) -> frozenset[str]:
    names = _NONE
    for param in params:
        if not names <= param.free:
            names |= param.free
        else:
            names = param.free
    return names


def agree(first: Type, second: Type, test: Callable[[Type, Type], bool | None]) -> bool:
    """Return whether `test` accepts two types that are not the same; if it returns None, their parameters decide.

    Each pair is compared only once: types share their parts, so the expanded form may be exponentially long.
    """
    verdict = first is second or test(first, second)
    if verdict is not None:
        return verdict
    pending = [(first, second)]
    seen: set[tuple[Type, Type]] = set()
    while pending:
        left, right = pending.pop()
        if len(left.params) != len(right.params):
            return False
        for pair in zip(left.params, right.params, strict=True):
            verdict = pair[0] is pair[1] or test(*pair)
            if verdict is False:
                return False
            if verdict is None and pair not in seen:
                seen.add(pair)
                pending.append(pair)
    return True


def _exact(first: Type, second: Type) -> bool | None:
    return None if first.kind is second.kind and first.name == second.name else False


def _equivalent(first: Type, second: Type) -> bool | None:
    return True if first.kind is second.kind is Kind.TYPE_PARAM else _exact(first, second)


def _accepts(first: Type, second: Type) -> bool | None:
    return True if first.is_dyn or first.kind is Kind.TYPE_PARAM else _exact(first, second)


class Written(str):
    """Text that is already formatted, among values that are not."""

    __slots__ = ()


def write(value: Any, pieces: Callable[[Any], str | list[Any]], longest: float = inf) -> str:
    """Return a value as text, without recursion; `pieces` returns its text, or the values and texts that it consists of.

    It ends after the first piece that makes it longer than `longest`.
    """
    parts: list[str] = []
    stack, size = [value], 0
    while stack and size <= longest:
        item = stack.pop()
        written = item if type(item) is Written else pieces(item)
        if isinstance(written, str):
            parts.append(written)
            size += len(written)
        else:
            stack.extend(reversed(written))
    return "".join(parts)


def enclosed(opening: str, items: Iterable[Sequence[Any]], closing: str) -> list[Any]:
    """Return the pieces of a list or map: those of its items, with commas between them."""
    pieces: list[Any] = [Written(opening)]
    for item in items:
        pieces += item if len(pieces) == 1 else (Written(", "), *item)
    pieces.append(Written(closing))
    return pieces


def written_type(
    type_: Type, special: Callable[[Type], str | None], generics: Mapping[str, str] = _AS_NAMED
) -> str:
    """Return a type as text, of at most 64 KiB and then dots; `special` writes types other than by name and parameters."""

    def pieces(part: Type) -> str | list[Any]:
        own = special(part)
        if own is None and part.params:
            return enclosed(
                f"{generics.get(part.name, part.name)}(", ((param,) for param in part.params), ")"
            )
        return part.declared_name if own is None else own

    text = write(type_, pieces, _MAX_TEXT)
    return text if len(text) <= _MAX_TEXT else f"{text}..."


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
# The types whose values have an order.
ORDERED: Final = (INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES)
# The types of literals, by the class of their values.
LITERAL_TYPES: Final[Mapping[type, Type]] = {
    bool: BOOL,
    int: INT,
    Uint: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
}


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
    """Return the type of a type: `type(param)`."""
    return Type(Kind.TYPE, "type", (param,))


def wrapper_type(wrapped: Type) -> Type:
    """Return the nullable form of a primitive type. Upstream: types.NewNullableType."""
    return Type(
        wrapped.kind,
        wrapped.name,
        wrapped.params,
        wrapper=True,
    )


# The types that every environment declares as names (stdlib.Types).
STANDARD_TYPES: Final = (
    *(
        BOOL,
        BYTES,
        DOUBLE,
        DURATION,
        INT,
        list_type(type_param("A")),
        map_type(type_param("A"), type_param("B")),
    ),
    *(NULL, STRING, TIMESTAMP, TYPE, UINT),
)
_WRAPPED: Final = {
    "Bool": BOOL,
    "Bytes": BYTES,
    "Double": DOUBLE,
    "Float": DOUBLE,
    "Int64": INT,
    "Int32": INT,
    "UInt64": UINT,
    "UInt32": UINT,
    "String": STRING,
}
WELL_KNOWN: Final = {
    **{f"google.protobuf.{name}Value": wrapper_type(type_) for name, type_ in _WRAPPED.items()},
    "google.protobuf.Any": ANY,
    "google.protobuf.Duration": DURATION,
    "google.protobuf.Timestamp": TIMESTAMP,
    "google.protobuf.ListValue": list_type(DYN),
    "google.protobuf.NullValue": NULL,
    "google.protobuf.Struct": map_type(STRING, DYN),
    "google.protobuf.Value": DYN,
}


def object_type(name: str) -> Type:
    """Return the type of an object with fields, or the CEL type of a well-known protobuf message. Upstream: types.NewObjectType."""
    return WELL_KNOWN.get(name) or Type(Kind.STRUCT, name)
