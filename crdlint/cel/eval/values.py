"""Values at run time, their types and kinds, and their text in errors. Upstream: cel-go's common/types.

A value is a bool, int, `Uint`, float, str, bytes, None, list, mapping, `Duration`, `Timestamp` or `Type`. Any other
class has an attribute `cel_type`. A class that is a list in CEL has `__len__`, `__getitem__` and `__iter__`. A map is a
`collections.abc.Mapping` with a method `find(key)`, which returns the value, `MISSING`, or an error as a value. Both
may have further methods if cel-go's type differs from the built-in one:

- `cel_equal(other) -> bool | Error`: `==` with this value on the left (ref.Val.Equal);
- `cel_contains(value) -> bool | Error`: `value in this` (traits.Container);
- `cel_add(other) -> Value`: `this + other` (traits.Adder);
- `cel_get(index) -> Value`: the element at an index within the size, or an error as a value (traits.Indexer);
- `cel_select(name, test) -> Value`: the value of a field, or an error; `MISSING` in a test (traits.FieldTester);
- `cel_native() -> Value`: the plain value, from which selection from an optional continues (ref.Val.Value);
- `cel_size`: its size in cost computations, if that is not 1 (traits.Sizer);
- `go_type`: the name of its Go type, which some error messages contain.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from math import isnan
from typing import Any, ClassVar, Final, TypeAlias

from crdlint.cel import types
from crdlint.cel.ast import Uint
from crdlint.cel.errors import CancelledError, Error
from crdlint.cel.types import DURATION, DYN, TIMESTAMP, TYPE, Kind, Type, Written, enclosed, write
from crdlint.golang.printing import format_fixed, format_float
from crdlint.light import dataclass
from crdlint.safety import work

Value: TypeAlias = Any

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1
MIN_TIMESTAMP: Final = -62135596800  # seconds since 1970
MAX_TIMESTAMP: Final = 253402300799
SECOND: Final = 10**9  # nanoseconds
DAY: Final = 86400  # seconds


@dataclass(
    frozen=True,
    slots=True,
    order=True,
)
class Duration:
    """A signed duration in nanoseconds (64 bits)."""

    nanoseconds: int

    def __str__(self) -> str:
        """The seconds as `string()` returns them, e.g. `1.5s`."""
        whole_seconds, rest = divmod(abs(self.nanoseconds), SECOND)
        seconds = whole_seconds + rest / SECOND
        return f"{format_fixed(-seconds if self.nanoseconds < 0 else seconds)}s"


@dataclass(
    frozen=True,
    slots=True,
    order=True,
)
class Timestamp:
    """A time in nanoseconds since 1970-01-01T00:00:00Z; `offset` is the time zone in seconds east of UTC."""

    nanoseconds: int
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        """The time as RFC 3339 at its offset."""
        from crdlint.golang.times import format_time  # few rules print times

        return format_time(*divmod(self.nanoseconds, SECOND), self.offset)


class _Missing:
    """The type of `MISSING`, which is returned in place of an absent value."""

    __slots__ = ()
    cel_type = Error.cel_type


MISSING: Final = _Missing()
OPTIONAL_TYPE: Final = types.opaque_type("optional_type")


@dataclass(frozen=True, slots=True)
class Optional_:  # noqa: N801
    """A value that may be absent (types.Optional)."""

    cel_type: ClassVar[Type] = OPTIONAL_TYPE

    content: Value = MISSING

    @property
    def has_value(self) -> bool:
        """Whether a value is present."""
        return self.content is not MISSING

    @property
    def value(self) -> Value:
        """The value, or an error if it is absent."""
        return Error("optional.none() dereference") if self.content is MISSING else self.content


NONE: Final = Optional_()


class Map(Mapping[Value, Value]):
    """A map in insertion order; numeric keys of different types match by value. Upstream: types.refValMapAccessor.

    As in cel-go, keys are identical only if both type and value are, so `{1: a, 1u: b}` has two entries.
    """

    __slots__ = ("_entries",)

    def __init__(self, entries: Sequence[tuple[Value, Value]] = ()) -> None:
        self._entries: dict[Value, tuple[Value, Value]] = {
            _hashed(key): (key, value) for key, value in entries
        }

    def find(self, key: Value) -> Value:
        """Return the value of a key, or `MISSING`."""
        entry = self._entries.get(key if type(key) is str else _hashed(key))
        if entry is None:
            others = (self._entries.get((type(other), other)) for other in other_integers(key))
            entry = next(filter(None, others), (key, MISSING))
        return entry[1]

    def __getitem__(self, key: Value) -> Value:
        value = self.find(key)
        if value is MISSING:
            raise KeyError(key)
        return value

    def __iter__(self) -> Iterator[Value]:
        for key, _ in self._entries.values():
            yield key

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Map({list(self._entries.values())!r})"


class MutableMap(Map):
    """The map that a comprehension builds. Upstream: types.mutableMap."""

    __slots__ = ()

    def insert(self, key: Value, value: Value) -> None:
        """Add an entry, or replace the entry with the same key."""
        self._entries[_hashed(key)] = (key, value)

    def remove(self, key: Value) -> None:
        """Remove the entry with a key, if there is one."""
        self._entries.pop(_hashed(key), None)

    def frozen(self) -> Map:
        """Return an immutable copy of the entries."""
        return Map(list(self._entries.values()))


class MutableList(list[Value]):
    """The list that a comprehension builds; `+` appends in place. Upstream: types.mutableList."""

    __slots__ = ()


class ConcatList(Sequence[Value]):
    """The concatenation of two lists without copying them. Upstream: types.concatList."""

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
            if type(part) is ConcatList:
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
            return [self[position] for position in range(*index.indices(self._size))]
        position: int = index if index >= 0 else index + self._size
        part: Sequence[Value] = self
        work.spend(self.depth >> 6)
        while type(part) is ConcatList:
            size = len(part.first)
            part, position = (
                (part.first, position) if position < size else (part.second, position - size)
            )
        return element(part, position)


PLAIN_LISTS: Final = frozenset({list, tuple, range, MutableList, ConcatList})
PLAIN_MAPS: Final = frozenset({dict, Map, MutableMap})
_TYPES: Final[Mapping[type, Type]] = {
    **types.LITERAL_TYPES,
    **dict.fromkeys(PLAIN_LISTS, types.list_type(DYN)),
    **dict.fromkeys(PLAIN_MAPS, types.map_type(DYN, DYN)),
    Duration: DURATION,
    Timestamp: TIMESTAMP,
    Type: TYPE,
    Optional_: OPTIONAL_TYPE,
    Error: Error.cel_type,
}
_KINDS: Final[Mapping[type, Kind]] = {cls: type_.kind for cls, type_ in _TYPES.items()}
# Kinds of values that have an order, and the class of each.
COMPARABLE: Final = {
    kind: cls
    for cls, kind in _KINDS.items()
    if cls in (bool, int, Uint, float, str, bytes, Duration, Timestamp)
}

# The Go types of values, as %T prints them in some error messages.
_NAMED_ALIKE: Final = (
    *(Kind.BOOL, Kind.INT, Kind.UINT, Kind.DOUBLE, Kind.STRING, Kind.BYTES),
    *(Kind.NULL, Kind.DURATION, Kind.TIMESTAMP),
)
_GO_TYPES: Final = {kind: f"types.{kind.name.capitalize()}" for kind in _NAMED_ALIKE} | {
    Kind.LIST: "*types.baseList",
    Kind.MAP: "*types.baseMap",
    Kind.TYPE: "*types.Type",
}
_OWN_GO_TYPES: Final = {
    Optional_: "*types.Optional",
    ConcatList: "*types.concatList",
    Error: "*types.Err",
}


def type_of(value: Value) -> Type:
    """Return the type of a value, without the types of its elements."""
    cel_type: Type = _TYPES.get(type(value)) or value.cel_type
    return cel_type


def kind_of(value: Value) -> Kind:
    """Return the kind of a value's type, `Kind.ERROR` for an error."""
    kind: Kind = _KINDS.get(type(value)) or value.cel_type.kind
    return kind


def go_type(value: Value) -> str:
    """Return the name of the Go type that represents a value in cel-go."""
    own: str | None = _OWN_GO_TYPES.get(type(value)) or getattr(type(value), "go_type", None)
    return own or _GO_TYPES.get(kind_of(value)) or type_of(value).name


def find(mapping: Value, key: Value) -> Value:
    """Return the value of a map's key, `MISSING`, or an error as a value."""
    if type(mapping) is dict:
        return mapping.get(key, MISSING) if type(key) is str else MISSING
    return mapping.find(key)


def element(values: Value, index: int) -> Value:
    """Return the element at an index within the size of a list, or an error as a value."""
    if type(values) in PLAIN_LISTS:
        return values[index]
    own = getattr(values, "cel_get", None)
    return values[index] if own is None else own(index)


def native(value: Value) -> Value:
    """Return the plain value: the name of a type, the content of an optional, the data of an object. Upstream: ref.Val.Value."""
    cls = type(value)
    while cls is Optional_:
        value = None if value.content is MISSING else value.content
        cls = type(value)
    if cls is Type:
        return value.name
    if cls is ConcatList:
        work.spend(len(value))
        return list(map(native, value))
    if cls in _TYPES:
        return value
    own = getattr(value, "cel_native", None)
    return value if own is None else own()


def is_zero(value: Value) -> bool:
    """Return whether a value is the zero value of its type or empty. Upstream: traits.Zeroer."""
    cls = type(value)
    if cls is Timestamp:
        return bool(value.nanoseconds == MIN_TIMESTAMP * SECOND)
    if cls is Duration:
        return bool(value.nanoseconds == 0)
    if value is None or cls in PLAIN_LISTS or cls in PLAIN_MAPS or cls in _SCALARS:
        return not value
    return False


def lossless_int(value: float) -> int | None:
    """Return the int with the same value as a double, or None if there is none."""
    return int(value) if -(2.0**63) < value < 2.0**63 and value == int(value) else None


def other_integers(number: Value) -> list[Value]:
    """Return a number as values of the other integer types, as far as they have it; nothing for other values."""
    cls = type(number)
    if cls is float:
        is_integer = -(2.0**63) < number < 2.0**64 and number == int(number)
        return [
            of(number)
            for of, fits in ((int, number < 2.0**63), (Uint, number >= 0))
            if is_integer and fits
        ]
    if cls is int and number >= 0:
        return [Uint(number)]
    return [int(number)] if cls is Uint and number < 2**63 else []


# The classes of values that select a field, key or index.
KEYS: Final = frozenset({bool, int, Uint, float, str})
_SCALARS: Final = KEYS | {bytes}


def _hashed(key: Value) -> Value:
    """Return the identity of a key: type and value, as in Go maps with interface keys."""
    cls = type(key)
    if cls is str:
        return key
    if cls is bytes:
        raise CancelledError("internal error: runtime error: hash of unhashable type types.Bytes")
    if (cls is float and isnan(key)) or (cls not in _SCALARS and key.__hash__ is None):
        return object()
    return (cls, id(key)) if cls in PLAIN_LISTS or cls in PLAIN_MAPS else (cls, key)


_UNITS: Final = (("ns", 1), ("µs", 10**3), ("ms", 10**6))


def go_text(value: Value) -> str:
    """Return a value as `%v` prints it, lists and maps as `[a, b]` and `{k: v}`."""
    return write(value, _pieces)


def _pieces(value: Value) -> str | list[Value]:
    if type(value) is Optional_:
        return (
            [Written("optional("), value.content, Written(")")]
            if value.has_value
            else "optional.none()"
        )
    kind = kind_of(value)
    if kind is Kind.LIST:
        work.spend(2 * len(value) + 2)
        return enclosed("[", ((item,) for item in value), "]")
    if kind is Kind.MAP:
        work.spend(4 * len(value) + 2)
        return enclosed("{", ((key, Written(": "), value.get(key)) for key in value), "}")
    text = _plain(value, kind)
    work.spend_text(len(text), text)
    return text


def duration_text(duration: Duration) -> str:
    """Return a duration as Go prints it, e.g. `1h0m0.5s`. Upstream: time.Duration.String."""
    total = abs(duration.nanoseconds)
    sign = "-" if duration.nanoseconds < 0 else ""
    if total < 10**9:
        unit, size = next((unit for unit in reversed(_UNITS) if total >= unit[1]), ("s", 10**9))
        return f"{sign}{_decimal(total, size)}{unit}"
    seconds, minutes = total % (60 * 10**9), total // (60 * 10**9)
    text = f"{_decimal(seconds, 10**9)}s"
    if minutes:
        text = f"{minutes % 60}m{text}"
    if minutes >= 60:
        text = f"{minutes // 60}h{text}"
    return sign + text


def _decimal(number: int, unit: int) -> str:
    units, rest = divmod(number, unit)
    fraction = str(rest).zfill(len(str(unit)) - 1).rstrip("0") if rest else ""
    return f"{units}.{fraction}" if fraction else str(units)


def _plain(value: Value, kind: Kind) -> str:
    if kind is Kind.BOOL:
        return "true" if value else "false"
    if kind is Kind.NULL:
        return "0"
    if kind is Kind.DOUBLE:
        return format_float(value)
    if kind is Kind.BYTES:
        return f"[{' '.join(map(str, value))}]"
    if kind is Kind.DURATION:
        return duration_text(value)
    if kind is Kind.TIMESTAMP:
        date, _, clock = str(value).partition("T")
        zone = clock[-6:].replace(":", "")
        return (
            f"{date} {clock[:-1]} +0000 UTC"
            if clock.endswith("Z")
            else f"{date} {clock[:-6]} {zone} {zone}"
        )
    return str(int(value)) if kind in (Kind.INT, Kind.UINT) else str(value)
