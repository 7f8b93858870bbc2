"""Values beyond Python's own: maps, optionals, growing and joined lists, and what other objects supply.

`Timestamp`, `Duration` and the types of values are those of `crdlint.cel.runtime.values`. An object that is a list to
CEL has `__len__`, `__getitem__` and `__iter__`; one that is a map is a `collections.abc.Mapping` with a method `find`
(see `MapLike`); one with fields has `cel_fields` (see `FieldsLike`); any other has an attribute `cel_type`. All may have
methods of their own where cel-go's types differ from the built-in ones:

- `cel_equal(other) -> bool | Error`: `==`, asked of the left operand (ref.Val.Equal);
- `cel_contains(value) -> bool | Error`: `value in this` (traits.Container);
- `cel_add(other) -> Value`: `this + other` (traits.Adder);
- `cel_get(index) -> Value`: the element at an index within the size, an error a value (traits.Indexer);
- `cel_native() -> Value`: the plain value, which selection from an optional goes on with (ref.Val.Value);
- `cel_is_zero() -> bool`: whether `optional.ofNonZeroValue` takes it for none (traits.Zeroer);
- `cel_size`: what costs count as its size, where that is not 1 (traits.Sizer);
- `go_type`: Go's name of its type, which some errors tell.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING, Any, Final, Protocol

from crdlint.cel.ast import Uint
from crdlint.cel.interpreter.errors import CancelledError, Error
from crdlint.cel.runtime.values import Duration, Timestamp, type_of
from crdlint.cel.types import ERROR, Kind, Type, opaque_type
from crdlint.safety import work

if TYPE_CHECKING:
    from typing import TypeAlias

Value: TypeAlias = Any

MIN_TIMESTAMP: Final = -62135596800
MAX_TIMESTAMP: Final = 253402300799


class _Missing:
    """What stands for a value that is not there."""

    __slots__ = ()
    cel_type = ERROR


MISSING: Final = _Missing()


class MapLike(Protocol):
    """A map that finds values itself, with cel-go's traits.Mapper as the model."""

    def find(self, key: Value) -> Value:
        """Return the value of a key, `MISSING`, or an error as a value."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Value]: ...


class FieldsLike(Protocol):
    """An object with fields that is not a map (traits.FieldTester and traits.Indexer)."""

    cel_fields: bool

    def is_set(self, field: Value) -> bool | Error:
        """Whether a field is set."""

    def get(self, field: Value) -> Value:
        """Return a field's value, or an error as a value."""


@dataclass(frozen=True, slots=True)
class Optional_:  # noqa: N801
    """A value that may be absent (types.Optional)."""

    content: Value = MISSING

    # Made once; a class attribute of a dataclass with slots would be a field.
    @property
    def cel_type(self) -> Type:
        """The type at run time, without what it holds."""
        return OPTIONAL_TYPE

    @property
    def has_value(self) -> bool:
        """Whether there is one."""
        return self.content is not MISSING

    @property
    def value(self) -> Value:
        """The value, or the error of asking for none."""
        return Error("optional.none() dereference") if self.content is MISSING else self.content

    def __str__(self) -> str:
        if self.content is MISSING:
            return "optional.none()"
        from crdlint.cel.runtime.go_text import go_text

        return f"optional({go_text(self.content)})"


OPTIONAL_TYPE: Final = opaque_type("optional_type")
NONE: Final = Optional_()


class Map(Mapping[Value, Value]):
    """A map in the order of insertion; numbers of several types find each other (refValMapAccessor).

    As in cel-go, keys are the same only if type and value are, so that `{1: a, 1u: b}` has two entries.
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Sequence[tuple[Value, Value]] = ()) -> None:
        self._entries: dict[Value, tuple[Value, Value]] = {_hashed(key): (key, value) for key, value in entries}

    def find(self, key: Value) -> Value:
        """Return the value of a key, or `MISSING`."""
        found = self._entries.get(key if type(key) is str else _hashed(key))
        if found is not None:
            return found[1]
        for other in _LOSSLESS.get(type(key), _no_others)(key):
            found = self._entries.get((type(other), other))
            if found is not None:
                return found[1]
        return MISSING

    def __getitem__(self, key: Value) -> Value:
        found = self.find(key)
        if found is MISSING:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return self.find(key) is not MISSING

    def __iter__(self) -> Iterator[Value]:
        for key, _ in self._entries.values():
            yield key

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Map({list(self._entries.values())!r})"


class MutableMap(Map):
    """The map that a comprehension builds (types.mutableMap)."""

    __slots__ = ()

    def insert(self, key: Value, value: Value) -> None:
        """Add an entry, or replace that of the same key."""
        self._entries[_hashed(key)] = (key, value)

    def remove(self, key: Value) -> None:
        """Remove the entry of a key, if there is one."""
        self._entries.pop(_hashed(key), None)

    def frozen(self) -> Map:
        """Return the entries as they are now."""
        return Map(list(self._entries.values()))


class MutableList(list[Value]):
    """The list that a comprehension builds, to which `+` adds in place (types.mutableList)."""

    __slots__ = ()


class Joined(Sequence[Value]):
    """Two lists as one, neither of which is copied (types.concatList)."""

    __slots__ = ("_size", "depth", "first", "second")

    def __init__(self, first: Sequence[Value], second: Sequence[Value]) -> None:
        size = len(first) + len(second)
        if size > sys.maxsize:
            raise work.WorkLimitError("crdlint cannot hold a list of more than 2^63 elements")
        self._size: Final = size
        self.depth: Final[int] = 1 + max(getattr(first, "depth", 0), getattr(second, "depth", 0))
        self.first: Final = first
        self.second: Final = second

    def leaves(self) -> Iterator[Sequence[Value]]:
        """Yield the lists that it consists of."""
        stack: list[Sequence[Value]] = [self]
        while stack:
            part = stack.pop()
            if type(part) is Joined:
                stack += (part.second, part.first)
            else:
                yield part

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Value]:
        for leaf in self.leaves():
            yield from leaf

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self._size))]
        at: int = index if index >= 0 else index + self._size
        part: Sequence[Value] = self
        work.spend(self.depth >> 6)
        while type(part) is Joined:
            size = len(part.first)
            part, at = (part.first, at) if at < size else (part.second, at - size)
        return element(part, at)

    def __repr__(self) -> str:
        return f"Joined({list(self)!r})"


_KINDS: Final[dict[type, Kind]] = {
    bool: Kind.BOOL,
    int: Kind.INT,
    Uint: Kind.UINT,
    float: Kind.DOUBLE,
    str: Kind.STRING,
    bytes: Kind.BYTES,
    type(None): Kind.NULL,
    list: Kind.LIST,
    tuple: Kind.LIST,
    range: Kind.LIST,
    MutableList: Kind.LIST,
    Joined: Kind.LIST,
    dict: Kind.MAP,
    Map: Kind.MAP,
    MutableMap: Kind.MAP,
    Duration: Kind.DURATION,
    Timestamp: Kind.TIMESTAMP,
    Type: Kind.TYPE,
    Optional_: Kind.OPAQUE,
    Error: Kind.ERROR,
}
_BUILT_IN: Final = frozenset(_KINDS)
PLAIN_LISTS: Final = frozenset({list, tuple, range, MutableList, Joined})
PLAIN_MAPS: Final = frozenset({dict, Map, MutableMap})

# How Go's %T names the values that some errors tell the type of.
_GO_TYPES: Final = {
    Kind.BOOL: "types.Bool",
    Kind.INT: "types.Int",
    Kind.UINT: "types.Uint",
    Kind.DOUBLE: "types.Double",
    Kind.STRING: "types.String",
    Kind.BYTES: "types.Bytes",
    Kind.NULL: "types.Null",
    Kind.LIST: "*types.baseList",
    Kind.MAP: "*types.baseMap",
    Kind.DURATION: "types.Duration",
    Kind.TIMESTAMP: "types.Timestamp",
    Kind.TYPE: "*types.Type",
}


def kind_of(value: Value) -> Kind:
    """Return the kind of a value's type, `Kind.ERROR` for an error."""
    kind = _KINDS.get(type(value))
    if kind is None:
        kind = type_of(value).kind
        own = getattr(type(value), "cel_type", None)
        if own is None or isinstance(own, Type):
            # The class says it for all of its values.
            _KINDS[type(value)] = kind
    return kind


def go_type(value: Value) -> str:
    """Return Go's name of the type that holds a value in cel-go."""
    if type(value) is Optional_:
        return "*types.Optional"
    if type(value) is Joined:
        return "*types.concatList"
    if type(value) is Error:
        return "*types.Err"
    own: str | None = getattr(type(value), "go_type", None)
    return own or _GO_TYPES.get(kind_of(value)) or type_of(value).name


def find(mapping: Value, key: Value) -> Value:
    """Return the value of a map's key, `MISSING`, or an error as a value."""
    if type(mapping) is dict:
        return mapping.get(key, MISSING) if type(key) is str else MISSING
    return mapping.find(key)


def element(values: Value, index: int) -> Value:
    """Return an element of a list at an index within its size, or an error as a value."""
    if type(values) in PLAIN_LISTS:
        return values[index]
    own = getattr(values, "cel_get", None)
    return values[index] if own is None else own(index)


def native(value: Value) -> Value:
    """Return the plain value behind one (ref.Val.Value): a type's name, what an optional holds, what an object hides."""
    cls = type(value)
    while cls is Optional_:
        value = None if value.content is MISSING else value.content
        cls = type(value)
    if cls is Type:
        return value.name
    if cls is Joined:
        work.spend(len(value))
        return [native(item) for item in value]
    if cls in _BUILT_IN:
        return value
    own = getattr(value, "cel_native", None)
    return value if own is None else own()


def is_zero(value: Value) -> bool:
    """Whether a value is the zero or empty one of its type (traits.Zeroer)."""
    cls = type(value)
    if cls is Timestamp:
        zero: bool = value.nanoseconds == MIN_TIMESTAMP * 10**9
        return zero
    if cls is Duration:
        return bool(value.nanoseconds == 0)
    if value is None or cls in PLAIN_LISTS or cls in PLAIN_MAPS or cls in _SCALARS:
        return not value
    own = getattr(value, "cel_is_zero", None)
    return False if own is None else bool(own())


def lossless_int(value: float) -> int | None:
    """Return the int of the same value as a double, if there is one."""
    return int(value) if -(2.0**63) < value < 2.0**63 and value == int(value) else None


def lossless_uint(value: float) -> Uint | None:
    """Return the uint of the same value as a double, if there is one."""
    return Uint(value) if 0 <= value < 2.0**64 and value == int(value) else None


_SCALARS: Final = frozenset({bool, int, Uint, float, str, bytes})


def _hashed(key: Value) -> Value:
    """Return what tells a key from others: type and value, as in Go's maps of interface values."""
    cls = type(key)
    if cls is str:
        return key
    if cls is bytes:
        raise CancelledError("internal error: runtime error: hash of unhashable type types.Bytes")
    if (cls is float and isnan(key)) or (cls not in _SCALARS and key.__hash__ is None):
        return object()
    if cls in PLAIN_LISTS or cls in PLAIN_MAPS:
        return (cls, id(key))
    return (cls, key)


def _no_others(_: Value) -> Sequence[Value]:
    return ()


def _of_double(key: float) -> Sequence[Value]:
    return [other for other in (lossless_int(key), lossless_uint(key)) if other is not None]


def _of_int(key: int) -> Sequence[Value]:
    return (Uint(key),) if key >= 0 else ()


def _of_uint(key: int) -> Sequence[Value]:
    return (int(key),) if key < 2**63 else ()


_LOSSLESS: Final = {float: _of_double, int: _of_int, Uint: _of_uint}
