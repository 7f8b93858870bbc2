"""JSON values as CEL values with a schema. Upstream: apiserver pkg/cel/common/values.go (UnstructuredToVal).

Conversion is lazy: a part of an object is converted when an expression reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, Final

from crdlint.cel.ast import Uint
from crdlint.cel.errors import CancelledError, Error, no_overload
from crdlint.cel.eval import values
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.values import (
    MISSING,
    ConcatList,
    Duration,
    Timestamp,
    Value,
    element,
    find,
    go_type,
    kind_of,
)
from crdlint.cel.types import DYN, Kind, list_type, map_type, opaque_type
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.printing import GO_TYPES
from crdlint.kubecel.declarations import escape, has_resource_fields, unescape
from crdlint.light import dataclass, regex
from crdlint.safety import work
from crdlint.safety.work import run_calls
from crdlint.schema.deep_equal import deep_equal

_Comparing = Generator["_Comparing", bool | Error, bool | Error]
_Pairs = Iterable[tuple[Value, Value] | bool | Error]

_LIST: Final = list_type(DYN)
_MAP: Final = map_type(DYN, DYN)
_UNKNOWN: Final = opaque_type("unknown")
_SECOND: Final = 10**9  # nanoseconds
_MAX_INT: Final = 2**63 - 1
_DURATION_PART: Final = regex(r"(?<![0-9])([0-9]+)[\t\n\f\r ]*[A-Za-zµ]+")

_GO_TYPES: Final = {
    **GO_TYPES,
    Duration: "time.Duration",
    Timestamp: "time.Time",
    bytes: "[]uint8",
    Uint: "uint64",
}
# The Go types inside of the values of Kubernetes' libraries (ref.Val.Value).
_HELD_TYPES: Final = {
    "cel.Quantity": "*resource.Quantity",
    "cel.URL": "*url.URL",
    "cel.IP": "netip.Addr",
    "cel.CIDR": "netip.Prefix",
    "cel.Semver": "semver.Version",
    "cel.Format": "*cel.Format",
}
_SCALARS: Final = frozenset({bool, int, float, str})
_UNHASHABLE: Final = ("[]", "map[", "semver.Version")  # prefixes of Go types
_DEEPEST: Final = 64  # nested concatenations before the elements are copied
_FEW: Final = 8  # elements of a part whose comparison is not cached
_SHORT: Final = 64  # characters of a text whose parsed value is not cached


def to_value(value: Any, schema: JSONSchemaProps, *, is_resource: bool = False) -> Value:
    """Return a JSON value as a CEL value, an `Error` if it does not match the schema. Upstream: common.UnstructuredToVal.

    With `is_resource`, an object has type and object metadata, regardless of its schema.
    """
    if value.__class__ is str and schema.type == "string" and not (schema.format or is_resource):
        return value  # the most frequent case
    if value is None:
        return None if schema.nullable else _NULL_ERROR
    if schema.x_int_or_string:
        return value if value.__class__ in _INT_OR_STRING else _TYPE_ERROR
    convert = _CONVERSIONS.get(schema.type)
    if convert is not None:
        return _object(value, schema, is_resource=True) if is_resource else convert(value, schema)
    return _of_no_type(value, schema)


def _of_no_type(value: Any, schema: JSONSchemaProps) -> Value:
    if schema.x_preserve_unknown_fields:
        return UnknownValue(value)
    return Error(
        "invalid type, expected object, array, number, integer, boolean or string, or no type with"
        f" x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {schema.type}"
    )


_INT_OR_STRING: Final[frozenset[type]] = frozenset({int, str})
_NULL_ERROR: Final = Error("invalid data, got null for schema with nullable=false")
_TYPE_ERROR: Final = Error(
    "invalid data, expected XIntOrString value to be either a string or integer"
)


def _go_type(value: Any) -> str:
    """Return the Go type of a JSON value, or of another value that was appended to a list of JSON values."""
    if value.__class__ is _Foreign:
        return str(value.go_type)
    name = _GO_TYPES.get(value.__class__) or go_type(value)
    return _HELD_TYPES.get(name, name)


def _object(value: Any, schema: JSONSchemaProps, *, is_resource: bool = False) -> Value:
    if value.__class__ is not dict:
        return Error("invalid data, expected a map for the provided schema with type=object")
    properties: Mapping[str, JSONSchemaProps] = schema.properties
    if (is_resource or schema.x_embedded_resource) and not has_resource_fields(schema):
        properties = {**properties, **_resource_properties()}
    return ObjectValue(value, properties, None if properties else schema.additional_schema)


@cache
def _resource_properties() -> dict[str, JSONSchemaProps]:
    text = JSONSchemaProps.of(type="string")
    metadata = JSONSchemaProps.of(type="object", properties={"name": text, "generateName": text})
    return {"kind": text, "apiVersion": text, "metadata": metadata}


def _array(value: Any, schema: JSONSchemaProps) -> Value:
    if value.__class__ is not list:
        return Error("invalid data, expected an array for the provided schema with type=array")
    items = schema.item_schema
    if items is None:
        return Error("invalid array type, expected Items with a non-empty Schema")
    if schema.x_list_type == "set":
        return SetValue(value, items)
    if schema.x_list_type == "map":
        return MapListValue(value, items, _escaped(tuple(schema.x_list_map_keys)))
    return ListValue(value, items)


@lru_cache(maxsize=256)
def _escaped(keys: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(escape(key) or key for key in keys)


def _string(value: Any, schema: JSONSchemaProps) -> Value:
    if value.__class__ is not str:
        return _unexpected("string", value)
    format_ = schema.format
    if format_ not in _FORMATS:
        return value
    return _read(value, format_) if len(value) <= _SHORT else _read_once(value, format_)


def _read_once(text: str, format_: str) -> Value:
    """Parse a text; the value of a long text is cached for the document."""
    budget = work.current()
    if budget is None:
        return _read(text, format_)
    key = (format_, text)
    if key not in budget.known:
        budget.spend(len(text) >> 4)
        budget.known[key] = _read(text, format_)
    return budget.known[key]


def _read(text: str, format_: str) -> Value:
    """Parse a text; what is wrong with it is an error as a value."""
    from crdlint.golang.encodings import CorruptInputError  # few fields have a format
    from crdlint.golang.times import TimeError

    try:
        return _FORMATS[format_](text)
    except (TimeError, CorruptInputError) as error:
        return Error(f"Invalid {format_} formatted string {text}: {error}")


def _duration(text: str) -> Value:
    from crdlint.golang.times import parse_duration

    nanoseconds = parse_duration(text)
    if nanoseconds is None:
        from crdlint.schema.formats import lenient_duration

        nanoseconds = lenient_duration(text)
    return (
        Error(f"Invalid duration {text}: {_no_duration(text)}")
        if nanoseconds is None
        else Duration(nanoseconds)
    )


def _no_duration(text: str) -> str:
    for number in _DURATION_PART.findall(text):
        digits = number.lstrip("0")
        if len(digits) > len(str(_MAX_INT)) or int(digits or 0) > _MAX_INT:
            return f'strconv.Atoi: parsing "{number}": value out of range'
    return f"unable to parse {text} as duration"


def _date(text: str) -> Value:
    from crdlint.golang.times import DATE, parse_time

    return Timestamp(parse_time(text, DATE).seconds * _SECOND)


def _date_time(text: str) -> Value:
    from crdlint.golang.times import LOCAL, RFC3339, check_rfc3339, parse_time

    if not text:
        return Timestamp(0)
    seconds, nanoseconds, offset = parse_time(text, LOCAL if check_rfc3339(text) else RFC3339)
    return Timestamp(seconds * _SECOND + nanoseconds, offset)


def _bytes(text: str) -> Value:
    from crdlint.golang.encodings import decode_base64

    return decode_base64(text, url=True)


_FORMATS: Final[Mapping[str, Callable[[str], Value]]] = {
    "duration": _duration,
    "date": _date,
    "date-time": _date_time,
    "byte": _bytes,
}


def _of_class(class_: type, *others: type) -> Callable[[Any, JSONSchemaProps], Value]:
    """Return a conversion of values of a class, or of other classes to that class."""
    classes = (class_, *others)
    return lambda value, _schema: (
        class_(value) if value.__class__ in classes else _unexpected(class_.__name__, value)
    )


def _unexpected(expected: str, value: Any) -> Error:
    return Error(f"invalid data, expected {expected}, got {_go_type(value)}")


_CONVERSIONS: Final = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _of_class(float, int),
    "integer": _of_class(int),
    "boolean": _of_class(bool),
}


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class _Foreign:
    """The Go representation of a value other than JSON that was appended to a list of JSON values."""

    go_type: str


_NULL: Final = _Foreign("structpb.NullValue")


def _raw(value: Value) -> Any:
    """Return the representation of a value in a list of JSON values. Upstream: ref.Val.Value."""
    if value is None:
        return _NULL
    if type(value) is Error:
        return _Foreign("*errors.errorString")
    if type(value) in values.PLAIN_LISTS:
        return _Foreign("[]ref.Val")
    return (
        _Foreign("map[ref.Val]ref.Val") if isinstance(value, values.Map) else values.native(value)
    )


class _Raw(Sequence[Any]):
    """The elements of a list as elements of a list of JSON values, converted on access."""

    __slots__ = ("_values", "depth")

    def __init__(self, values: Value) -> None:
        self._values: Final = values
        self.depth: Final[int] = 1 + getattr(values, "depth", 0)

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[Any]:
        return map(_raw, self._values)

    def __getitem__(self, index: Any) -> Any:
        return _raw(element(self._values, index))


def _same(left: Value, right: Value) -> bool | Error:
    """Return whether two elements are equal by the `cel_equal` of the first, which also applies to null."""
    own = getattr(left, "cel_equal", None)
    if own is None:
        return equal(left, right)
    result: bool | Error = own(right)
    return result


def _equal(self: ObjectValue | ListValue, other: Value) -> bool | Error:
    """Return whether another value of the same kind has equal parts; values without a schema are compared as JSON."""
    return run_calls(_comparison(self, other))


class UnknownValue:
    """A value without a schema, which can only be compared."""

    __slots__ = ("_value",)
    cel_type = _UNKNOWN
    go_type = "*common.unknownPreserved"

    def __init__(self, value: Any) -> None:
        self._value = value

    def cel_equal(self, other: Value) -> bool:
        """Return whether the other is the same JSON value."""
        return deep_equal(self._value, values.native(other))

    def cel_native(self) -> Any:
        """Return the JSON value."""
        return self._value


class ObjectValue(Mapping[Any, Any]):
    """An object or map: fields by their escaped names, without null fields, or keys. Upstream: common.unstructuredMap."""

    __slots__ = ("_additional", "_properties", "_value")
    cel_type = _MAP
    go_type = "*common.unstructuredMap"
    cel_equal = _equal

    def __init__(
        self,
        value: dict[str, Any],
        properties: Mapping[str, JSONSchemaProps],
        additional: JSONSchemaProps | None,
    ) -> None:
        self._value = value
        self._properties = properties
        self._additional = additional

    @property
    def has_fields(self) -> bool:
        """Whether it has fields, whose names are escaped, instead of keys."""
        return bool(self._properties)

    def find(self, key: Value) -> Value:
        """Return the value of a field or key, `MISSING`, or an error as a value."""
        if type(key) is not str:
            return no_overload(key)
        if not self._properties:
            if key not in self._value or self._additional is None:
                return MISSING
            return to_value(self._value[key], self._additional)
        name = unescape(key) if "__" in key else key
        if name is None:
            return MISSING
        schema, value = self._properties.get(name), self._value.get(name)
        return MISSING if schema is None or value is None else to_value(value, schema)

    def _schema_of(self, name: str) -> JSONSchemaProps | None:
        return self._properties.get(name) if self._properties else self._additional

    def __getitem__(self, key: Value) -> Value:
        value = self.find(key)
        if value is MISSING:
            raise KeyError(key)
        return value

    def __contains__(self, key: object) -> bool:
        return self.find(key) is not MISSING

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Value]:
        for name in self._value:
            if self._schema_of(name) is not None:
                yield (escape(name) or name) if self._properties else name

    def cel_contains(self, key: Value) -> bool | Error:
        """Return whether a field is set or a key exists."""
        value = self.find(key)
        return value if type(value) is Error else value is not MISSING

    @property
    def parts(self) -> tuple[Any, ...]:
        """The objects that identify it."""
        return self._value, self._properties, self._additional

    def pairs(self, other: Value) -> _Pairs:
        """Yield what has to be equal in a value of the same kind and size; last, what differs or cannot be compared."""
        for name, item in self._value.items():
            if self._schema_of(name) is not None:
                mine, theirs = self.find(name), find(other, name)
                if (mine is MISSING) is not (theirs is MISSING):
                    yield False
                elif mine is not MISSING:
                    yield mine, theirs
            elif type(other) is not ObjectValue:
                yield no_overload(other)
            elif name in other._value and not deep_equal(item, other._value[name]):  # noqa: SLF001
                yield False

    def cel_native(self) -> Any:
        """Return the JSON object."""
        return self._value


class ListValue(Sequence[Any]):
    """A list whose order is significant. Upstream: common.unstructuredList."""

    __slots__ = ("_items", "_values")
    cel_type = _LIST
    go_type = "*common.unstructuredList"
    cel_equal = _equal

    def __init__(self, values: Sequence[Any], items: JSONSchemaProps) -> None:
        self._values = values
        self._items = items

    @property
    def parts(self) -> tuple[Any, ...]:
        """The objects that identify it."""
        return self._values, self._items

    @property
    def depth(self) -> int:
        """The depth of nested concatenations."""
        return self._values.depth if type(self._values) is ConcatList else 0

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [to_value(value, self._items) for value in self._values[index]]
        return to_value(self._values[index], self._items)

    def __iter__(self) -> Iterator[Value]:
        return (to_value(value, self._items) for value in self._values)

    def cel_get(self, index: int | float) -> Value:
        """Return the element at an index within the size, or an error if the index is not an int."""
        if type(index) is not int:
            return Error(f"unsupported index: {values.go_text(index)}")
        return to_value(self._values[index], self._items)

    def pairs(self, other: Value) -> _Pairs:
        """Yield what has to be equal in a value of the same kind and size; last, what differs or cannot be compared."""
        return ((self.cel_get(index), element(other, index)) for index in range(len(self)))

    def cel_contains(self, value: Value) -> bool | Error:
        """Return whether an element equals a value; an error if none does and one cannot be compared."""
        if type(value) is Error:
            return value
        problem: Error | bool = False
        for item in self:
            same = _same(item, value)
            if same is True:
                return True
            problem = problem or same  # the first error
        return problem

    def cel_add(self, other: Value) -> Value:
        """Return the concatenation of both lists."""
        return self._plus(other) if kind_of(other) is Kind.LIST else no_overload(other)

    def _plus(self, other: Value) -> Value:
        new = _Raw(other)
        if new.depth <= _DEEPEST:
            return ListValue(ConcatList(self._values, new), self._items)
        work.spend(len(new))
        return ListValue(ConcatList(self._values, list(new)), self._items)

    def cel_native(self) -> Any:
        """Return the JSON list."""
        if type(self._values) is not list:
            work.spend(len(self._values))
            self._values = list(self._values)
        return self._values


def _key(value: Any) -> Any:
    """Return the identity of a JSON value as a key of a Go map."""
    if value.__class__ in _SCALARS:
        return value.__class__, value
    name = _go_type(value)
    if name.startswith(_UNHASHABLE):
        raise CancelledError(f"internal error: runtime error: hash of unhashable type {name}")
    return (name, id(value)) if name.startswith("*") else (name, value)


class SetValue(ListValue):
    """A list whose order is not significant. Upstream: common.unstructuredSetList."""

    __slots__ = ("_members",)
    go_type = "*common.unstructuredSetList"

    def __init__(self, values: Sequence[Any], items: JSONSchemaProps) -> None:
        super().__init__(values, items)
        self._members: set[Any] | None = None

    def _member_keys(self) -> set[Any]:
        if self._members is None:
            work.spend(len(self._values))
            self._members = set(map(_key, self._values))
        return self._members

    def cel_equal(self, other: Value) -> bool | Error:
        """Return whether another list has the same elements."""
        if kind_of(other) is not Kind.LIST or len(self) != len(other):
            return _differing(other, Kind.LIST)
        mine = self._member_keys()
        work.spend(len(mine))
        return all(_key(_raw(item)) in mine for item in other)

    def _plus(self, other: Value) -> Value:
        """Return this set with the missing elements of another; as upstream, this set itself is modified as well."""
        keys = self._member_keys()
        work.spend(len(other))
        new: list[Any] = []
        for item in map(_raw, other):
            key = _key(item)
            if key not in keys:
                keys.add(key)
                new.append(item)
        return SetValue(ConcatList(self._values, new) if new else self._values, self._items)


class MapListValue(ListValue):
    """A list of objects identified by keys. Upstream: common.unstructuredMapList."""

    __slots__ = ("_keys",)
    go_type = "*common.unstructuredMapList"

    def __init__(
        self, values: Sequence[Any], items: JSONSchemaProps, keys: tuple[str, ...]
    ) -> None:
        super().__init__(values, items)
        self._keys = keys

    @property
    def parts(self) -> tuple[Any, ...]:
        """The objects that identify it."""
        return *super().parts, self._keys

    def _key_of(self, value: Any) -> Any:
        if value.__class__ is not dict:
            return id(value)  # an error in Go, which equals only itself
        return tuple(_key(value.get(name)) for name in self._keys)

    def pairs(self, other: Value) -> _Pairs:
        """Yield the elements with the same keys, which have to be equal, or False for one that the other lacks."""
        work.spend(3 * len(self._values))
        mine = {self._key_of(value): value for value in self._values}
        for item in other:
            key = self._key_of(values.native(item))
            yield key in mine and (to_value(mine[key], self._items), item)

    def _plus(self, other: Value) -> Value:
        """Return this list with the elements of another, which replace elements with the same keys."""
        work.spend(3 * (len(self._values) + len(other)))
        values = list(self._values)
        indices = {self._key_of(value): i for i, value in enumerate(values)}
        for item in map(_raw, other):
            position = indices.get(self._key_of(item), len(values))
            values[position : position + 1] = [item]
        return MapListValue(values, self._items, self._keys)


_STEPPED: Final[frozenset[type]] = frozenset({ObjectValue, ListValue, MapListValue})


def _comparison(left: ObjectValue | ListValue, right: Value) -> _Comparing:
    """Return whether two values are equal; two parts of a document are compared once, even if several rules do."""
    is_large = len(left) > _FEW and type(right) in _STEPPED
    return _known_comparison(left, right) if is_large else _compared(left, right)


def _known_comparison(left: ObjectValue | ListValue, right: Value) -> _Comparing:
    budget = work.current()
    results = {} if budget is None else budget.known
    # The parts are stored with the result, so that Python does not reuse their ids.
    parts = (*left.parts, *right.parts)
    key = (type(left), type(right), *map(id, parts))
    if key not in results:
        result = yield _compared(left, right)
        results[key] = result, parts
    verdict: bool | Error = results[key][0]
    return verdict


def _compared(left: ObjectValue | ListValue, right: Value) -> _Comparing:
    work.spend(3 * len(left))
    if kind_of(right) is not kind_of(left) or len(left) != len(right):
        return _differing(right, kind_of(left))
    for pair in left.pairs(right):
        if not isinstance(pair, tuple):
            result: bool | Error = pair
        elif type(pair[0]) in _STEPPED:
            result = yield _comparison(*pair)
        else:
            result = _same(*pair)
        if result is not True:
            return result
    return True


def _differing(other: Value, kind: Kind) -> bool | Error:
    """Return the result for another value that has another kind or size."""
    return False if kind_of(other) is kind else no_overload(other)
