"""JSON values as CEL sees them through a schema (apiserver pkg/cel/common/valuesunstructured.go).

Conversion is lazy: a part of an object is converted when an expression reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.interpreter.equality import equal
from crdlint.cel.interpreter.errors import NO_OVERLOAD, CancelledError, Error
from crdlint.cel.interpreter.values import MISSING, element, find, kind_of, native
from crdlint.cel.runtime.values import Duration, Timestamp
from crdlint.cel.types import DYN, Kind, list_type, map_type, opaque_type
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.base64 import CorruptInputError, decode_base64
from crdlint.golang.durations import parse_duration
from crdlint.golang.times import DATE, LOCAL, RFC3339, TimeError, check_rfc3339, parse_time
from crdlint.golang.values import marshal
from crdlint.kubecel.declarations import has_resource_fields
from crdlint.kubecel.escaping import escape, unescape

if TYPE_CHECKING:
    from collections.abc import Generator

    from crdlint.cel.interpreter.values import Value

    _Comparing = Generator[tuple[Value, Value], Any, bool | Error]

_LIST: Final = list_type(DYN)
_MAP: Final = map_type(DYN, DYN)
_UNKNOWN: Final = opaque_type("unknown")
_SECOND: Final = 10**9  # nanoseconds

_GO_TYPES: Final = {
    bool: "bool",
    int: "int64",
    float: "float64",
    str: "string",
    list: "[]interface {}",
    dict: "map[string]interface {}",
    type(None): "<nil>",
}


def to_value(value: Any, schema: JSONSchemaProps, *, is_resource: bool = False) -> Value:
    """Return a JSON value as CEL sees it, an `Error` where it does not fit the schema (UnstructuredToVal).

    ``is_resource`` gives an object its type and object metadata, whatever the schema says of them.
    """
    if value is None:
        return None if schema.nullable else Error("invalid data, got null for schema with nullable=false")
    if schema.x_int_or_string:
        if value.__class__ is str or value.__class__ is int:
            return value
        return Error("invalid data, expected XIntOrString value to be either a string or integer")
    convert = _CONVERSIONS.get(schema.type)
    if convert is not None:
        return convert(value, schema) if not is_resource else _object(value, schema, is_resource=True)
    if schema.x_preserve_unknown_fields:
        return UnknownValue(value)
    return Error(
        "invalid type, expected object, array, number, integer, boolean or string, or no type with"
        f" x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is true, got {schema.type}"
    )


def _go_type(value: Any) -> str:
    return _GO_TYPES[value.__class__]


def _object(value: Any, schema: JSONSchemaProps, *, is_resource: bool = False) -> Value:
    if value.__class__ is not dict:
        return Error("invalid data, expected a map for the provided schema with type=object")
    properties: Mapping[str, JSONSchemaProps] = schema.properties
    if (is_resource or schema.x_embedded_resource) and not has_resource_fields(schema):
        properties = {**properties, **_resource_properties()}
    additional = None if schema.additional_properties is None else schema.additional_properties.schema
    return ObjectValue(value, properties, None if properties else additional)


@cache
def _resource_properties() -> dict[str, JSONSchemaProps]:
    def made(type_: str, **properties: JSONSchemaProps) -> JSONSchemaProps:
        schema = JSONSchemaProps()
        schema.type, schema.properties = type_, properties
        return schema

    text = made("string")
    return {"kind": text, "apiVersion": text, "metadata": made("object", name=text, generateName=text)}


def _array(value: Any, schema: JSONSchemaProps) -> Value:
    if value.__class__ is not list:
        return Error("invalid data, expected an array for the provided schema with type=array")
    items = None if schema.items is None else schema.items.schema
    if items is None:
        return Error("invalid array type, expected Items with a non-empty Schema")
    if schema.x_list_type == "set":
        return SetValue(value, items)
    if schema.x_list_type == "map":
        return MapListValue(value, items, tuple(escape(key) or key for key in schema.x_list_map_keys))
    return ListValue(value, items)


def _string(value: Any, schema: JSONSchemaProps) -> Value:
    if value.__class__ is not str:
        return Error(f"invalid data, expected string, got {_go_type(value)}")
    read = _FORMATS.get(schema.format)
    return value if read is None else read(value)


def _duration(text: str) -> Value:
    nanoseconds = parse_duration(text)
    if nanoseconds is None:
        from crdlint.schema.formats import lenient_duration

        nanoseconds = lenient_duration(text)
    if nanoseconds is None:
        return Error(f"Invalid duration {text}: unable to parse {text} as duration")
    return Duration(nanoseconds)


def _date(text: str) -> Value:
    try:
        return Timestamp(parse_time(text, DATE).seconds * _SECOND)
    except TimeError as error:
        return Error(f"Invalid date formatted string {text}: {error}")


def _date_time(text: str) -> Value:
    if not text:
        return Timestamp(0)
    try:
        seconds, nanoseconds, offset = parse_time(text, LOCAL if check_rfc3339(text) else RFC3339)
    except TimeError as error:
        return Error(f"Invalid date-time formatted string {text}: {error}")
    return Timestamp(seconds * _SECOND + nanoseconds, offset)


def _bytes(text: str) -> Value:
    try:
        return decode_base64(text, url=True)
    except CorruptInputError as error:
        return Error(f"Invalid byte formatted string {text}: {error}")


_FORMATS: Final = {"duration": _duration, "date": _date, "date-time": _date_time, "byte": _bytes}


def _number(value: Any, _schema: JSONSchemaProps) -> Value:
    if value.__class__ is float or value.__class__ is int:
        return float(value)
    return Error(f"invalid data, expected float, got {_go_type(value)}")


def _integer(value: Any, _schema: JSONSchemaProps) -> Value:
    return value if value.__class__ is int else Error(f"invalid data, expected int, got {_go_type(value)}")


def _boolean(value: Any, _schema: JSONSchemaProps) -> Value:
    return value if value.__class__ is bool else Error(f"invalid data, expected bool, got {_go_type(value)}")


_CONVERSIONS: Final = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
}


class UnknownValue:
    """A value that the schema says nothing of: it can only be compared."""

    __slots__ = ("_value",)
    cel_type = _UNKNOWN

    def __init__(self, value: Any) -> None:
        self._value = value

    def cel_equal(self, other: Value) -> bool:
        """Whether the other is the same JSON value."""
        from crdlint.schema.values import deep_equal as same

        return same(self._value, native(other))

    def cel_native(self) -> Any:
        """Return the JSON value."""
        return self._value


class ObjectValue(Mapping[Any, Any]):
    """An object or map (unstructuredMap): fields by their escaped names, those with null not set; or keys as they are."""

    __slots__ = ("_additional", "_properties", "_value")
    cel_type = _MAP

    def __init__(
        self, value: dict[str, Any], properties: Mapping[str, JSONSchemaProps], additional: JSONSchemaProps | None
    ) -> None:
        self._value = value
        self._properties = properties
        self._additional = additional

    def find(self, key: Value) -> Value:
        """Return the value of a field or key, `MISSING`, or an error as a value."""
        if type(key) is not str:
            return key if type(key) is Error else NO_OVERLOAD
        if not self._properties:
            if key not in self._value or self._additional is None:
                return MISSING
            return to_value(self._value[key], self._additional)
        schema = self._properties.get(key)
        if schema is None or "__" in key:
            name = unescape(key)
            schema = None if name is None else self._properties.get(name)
            if name is None or schema is None:
                return MISSING
            key = name
        found = self._value.get(key)
        return MISSING if found is None else to_value(found, schema)

    def _schema_of(self, name: str) -> JSONSchemaProps | None:
        return self._properties.get(name) if self._properties else self._additional

    def __getitem__(self, key: Value) -> Value:
        found = self.find(key)
        if found is MISSING:
            raise KeyError(key)
        return found

    def __contains__(self, key: object) -> bool:
        return self.find(key) is not MISSING

    def __len__(self) -> int:
        return len(self._value)

    def __iter__(self) -> Iterator[Value]:
        for name in self._value:
            if self._schema_of(name) is not None:
                yield (escape(name) or name) if self._properties else name

    def cel_contains(self, key: Value) -> bool | Error:
        """Whether a field is set or a key is there."""
        found = self.find(key)
        return found if type(found) is Error else found is not MISSING

    def cel_equal(self, other: Value) -> bool | Error:
        """Whether another map has the same values; what the schema does not know is compared as JSON."""
        return _compared(self, other)

    def equal_steps(self, other: Value) -> _Comparing:
        """Yield the pairs that have to be equal, take whether they are, return whether all is."""
        if kind_of(other) is not Kind.MAP:
            return NO_OVERLOAD
        if len(self) != len(other):
            return False
        for name, held in self._value.items():
            if self._schema_of(name) is None:
                if type(other) is not ObjectValue:
                    return NO_OVERLOAD
                if name in other._value and marshal(held) != marshal(other._value[name]):  # noqa: SLF001
                    return False
                continue
            mine, theirs = self.find(name), find(other, name)
            if (mine is MISSING) is not (theirs is MISSING):
                return False
            if mine is not MISSING:
                same: bool | Error = yield mine, theirs
                if same is not True:
                    return same
        return True

    def cel_native(self) -> Any:
        """Return the JSON object."""
        return self._value


class ListValue(Sequence[Any]):
    """A list whose order counts (unstructuredList)."""

    __slots__ = ("_items", "_values")
    cel_type = _LIST

    def __init__(self, values: list[Any], items: JSONSchemaProps) -> None:
        self._values = values
        self._items = items

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [to_value(value, self._items) for value in self._values[index]]
        return to_value(self._values[index], self._items)

    def __iter__(self) -> Iterator[Value]:
        return (to_value(value, self._items) for value in self._values)

    def cel_get(self, index: int) -> Value:
        """Return the element at an index within the size."""
        return to_value(self._values[index], self._items)

    def cel_equal(self, other: Value) -> bool | Error:
        """Whether another list has equal elements in the same order."""
        return _compared(self, other)

    def equal_steps(self, other: Value) -> _Comparing:
        """Yield the pairs that have to be equal, take whether they are, return whether all is."""
        if kind_of(other) is not Kind.LIST:
            return NO_OVERLOAD
        if len(self) != len(other):
            return False
        for index in range(len(self)):
            same: bool | Error = yield self.cel_get(index), element(other, index)
            if same is not True:
                return same
        return True

    def cel_contains(self, value: Value) -> bool | Error:
        """Whether an element is equal to a value; an error where one cannot be compared and none is."""
        if type(value) is Error:
            return value
        problem: Error | None = None
        for item in self:
            same = item if type(item) is Error else equal(item, value)
            if same is True:
                return True
            if type(same) is Error and problem is None:
                problem = same
        return False if problem is None else problem

    def cel_add(self, other: Value) -> Value:
        """Return both lists as one."""
        if kind_of(other) is not Kind.LIST:
            return NO_OVERLOAD
        return ListValue([*self._values, *map(native, other)], self._items)

    def cel_native(self) -> Any:
        """Return the JSON list."""
        return self._values


def _key(value: Any) -> Any:
    """Return what tells a JSON value from others in a set of Go's."""
    if value.__class__ is dict or value.__class__ is list:
        raise CancelledError(f"internal error: runtime error: hash of unhashable type {_go_type(value)}")
    return value.__class__, value


class SetValue(ListValue):
    """A list without order (unstructuredSetList)."""

    __slots__ = ()

    def cel_equal(self, other: Value) -> bool | Error:
        """Whether another list has the same elements."""
        if kind_of(other) is not Kind.LIST:
            return NO_OVERLOAD
        if len(self) != len(other):
            return False
        mine = set(map(_key, self._values))
        return all(_key(native(item)) in mine for item in other)

    def cel_add(self, other: Value) -> Value:
        """Return this set with the elements of another that it lacks."""
        if kind_of(other) is not Kind.LIST:
            return NO_OVERLOAD
        known = dict.fromkeys(map(_key, self._values))
        values = list(self._values)
        for item in map(native, other):
            if _key(item) not in known:
                known[_key(item)] = None
                values.append(item)
        return SetValue(values, self._items)


class MapListValue(ListValue):
    """A list of objects told apart by keys (unstructuredMapList)."""

    __slots__ = ("_keys",)

    def __init__(self, values: list[Any], items: JSONSchemaProps, keys: tuple[str, ...]) -> None:
        super().__init__(values, items)
        self._keys = keys

    def _key_of(self, value: Any) -> Any:
        if value.__class__ is not dict:
            return id(value)  # an error to Go, which is equal to itself alone
        return tuple(_key(value.get(name)) for name in self._keys)

    def cel_equal(self, other: Value) -> bool | Error:
        """Whether another list has equal elements for the same keys, in whatever order."""
        return _compared(self, other)

    def equal_steps(self, other: Value) -> _Comparing:
        """Yield the pairs that have to be equal, take whether they are, return whether all is."""
        if kind_of(other) is not Kind.LIST:
            return NO_OVERLOAD
        if len(self) != len(other):
            return False
        mine = {self._key_of(value): value for value in self._values}
        for item in other:
            key = self._key_of(native(item))
            if key not in mine:
                return False
            same: bool | Error = yield to_value(mine[key], self._items), item
            if same is not True:
                return same
        return True

    def cel_add(self, other: Value) -> Value:
        """Return this list with the elements of another, in place of those with the same keys."""
        if kind_of(other) is not Kind.LIST:
            return NO_OVERLOAD
        values = list(self._values)
        places = {self._key_of(value): index for index, value in enumerate(values)}
        for item in map(native, other):
            place = places.get(self._key_of(item))
            if place is None:
                values.append(item)
            else:
                values[place] = item
        return MapListValue(values, self._items, self._keys)


_STEPPED: Final[frozenset[type]] = frozenset({ObjectValue, ListValue, MapListValue})


def _compared(first: ObjectValue | ListValue, second: Value) -> bool | Error:
    """Compare two values by their steps, those of what they hold on a stack: objects nest deep."""
    frames = [first.equal_steps(second)]
    result: bool | Error | None = None
    while frames:
        try:
            one, other = frames[-1].send(result)
        except StopIteration as done:  # noqa: PERF203  the trampoline's own end of a call
            frames.pop()
            result = done.value
        else:
            stepped = type(one) in _STEPPED
            result = None if stepped else equal(one, other)
            if stepped:
                frames.append(one.equal_steps(other))
    assert result is not None  # noqa: S101  steps end in a verdict
    return result
