"""Decoding of a document into a v1 CustomResourceDefinition by the tables of `gotypes`.

Upstream: apimachinery pkg/runtime/serializer/json (json.go Decode), with sigs.k8s.io/json. For an invalid value, the reader
continues with Go's zero value and sets `failed`; `decode_errors` then determines the errors of Go's decoder. Schemas are the hot
path, because a CRD consists mostly of them. They are decoded in a loop, so that only memory limits their depth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import isfinite
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeGuard
from weakref import ReferenceType, ref

from crdlint.crd import model
from crdlint.crd.gotypes import CRD, INT_RANGES, MAX_DEPTH, SCHEMA, SCHEMA_BITS, GoType
from crdlint.crd.record import ZEROS
from crdlint.golang.printing import json_float
from crdlint.kubernetes.servers import NEWEST, Server
from crdlint.light import NamedTuple
from crdlint.yaml.json_values import entries, to_json
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, is_json
from crdlint.yaml.resolve import is_plain_string, resolve

if TYPE_CHECKING:
    from crdlint.crd.decode_errors import DecodeProblem

    # The parent schema, None without one, and the steps that lead from it to a value (see `model.JSONSchemaProps`).
    Origin: TypeAlias = tuple[ReferenceType[model.JSONSchemaProps] | None, tuple[str | int, ...]]
    Read: TypeAlias = "Callable[[Reader, GoType, Any, int, Origin], Any]"
    Store: TypeAlias = "Callable[[Reader, GoType, Any], Any]"


def _is_number(value: object) -> TypeGuard[float]:
    return value.__class__ is int or value.__class__ is float


UNSET: Final = object()  # there is no value (`null`), or none that Go could store


def pairs(reader: Reader, mapping: Mapping) -> Iterable[tuple[str, Node]]:
    """Yield (key text, value node) of a mapping, including merged mappings."""
    if mapping.names is not None:
        return zip(mapping.names, mapping.items[1::2], strict=True)
    if reader.json:
        reader.failed = True  # the JSON decoder has its own errors for duplicate keys
    return [(name, value) for name, _, value in entries(mapping)]


def as_go_number(value: float, *, literal: bool) -> int | float:
    """Return a number as Go's decoder stores it in an `interface{}`: int64 if its JSON text is one, else float64.

    `literal` means that the text is the document's own instead of one that Go printed: then `1.0` remains a float64.
    """
    low, high = INT_RANGES["int64"]
    if value.__class__ is float:
        if literal or not value.is_integer() or abs(value) >= _EXPONENT:
            return value
        integer = int(json_float(value))  # with zeros after its significant digits
        return integer if low <= integer <= high else value
    return value if low <= value <= high else float(value)


_EXPONENT: Final = 1e21  # Go prints this and larger floats with an exponent


class Reader:
    """Decodes values; `failed` is set if Go's decoder would reject one of them or not know it; the others are read as well.

    `json` means that the document is JSON (see `is_json`); `unknown` contains the attributes of fields that the server
    does not know. `wraps` means that numbers are converted as in Go, which keeps the lowest bits of those out of range.
    """

    __slots__ = ("failed", "json", "pending", "unknown", "wraps")

    def __init__(
        self, *, json: bool, unknown: frozenset[str] = frozenset(), wraps: bool = False
    ) -> None:
        self.json = json
        self.unknown = unknown
        self.wraps = wraps
        self.failed = False
        # Schemas that are created but not yet decoded: the mapping, the schema, its attributes, its depth in the document.
        self.pending: list[tuple[Mapping, model.JSONSchemaProps, dict[str, Any], int]] = []

    def reject(self) -> object:
        """Set `failed` and return UNSET."""
        self.failed = True
        return UNSET

    def read(
        self,
        of: GoType,
        node: Node,
        depth: int,
        origin: Origin = (None, ()),
    ) -> Any:
        """Decode `node` as the type `of`, or return UNSET; `depth` is that of the node, 1 at the root."""
        return READERS[of.kind](self, of, node, depth, origin)

    def schema(self, node: Node, depth: int, origin: Origin) -> model.JSONSchemaProps:
        """Return the schema at `node`, whose fields are decoded later; an empty one if it is not a mapping."""
        schema = model.JSONSchemaProps()
        attributes: dict[str, Any] = {"parent_ref": origin[0], "steps": origin[1]}
        schema.__dict__ = attributes
        if node.__class__ is Mapping:
            attributes["node"] = node
            self.pending.append((node, schema, attributes, depth))
        elif not is_null(node):
            self.failed = True
        return schema


def is_null(node: Node) -> bool:
    """Return whether the node is a scalar that resolves to null."""
    return node.__class__ is Scalar and resolve(node) is None


def _scalar(store: Store) -> Read:
    """Return a reader of scalars; see STORES."""

    def read(
        reader: Reader,
        of: GoType,
        node: Node,
        _depth: int,
        _origin: Origin,
    ) -> Any:
        if node.__class__ is not Scalar:
            return reader.reject()
        value = resolve(node)
        if value is None:
            return UNSET
        value = store(reader, of, value)
        return reader.reject() if value is UNSET else value

    return read


def _of_class(kind: type) -> Store:
    return lambda _reader, _of, value: value if value.__class__ is kind else UNSET


def _integer(reader: Reader, of: GoType, value: Any) -> Any:
    number = as_go_number(value, literal=reader.json) if _is_number(value) else None
    if reader.wraps and number is not None:
        return _wrapped(number, of.kind)
    low, high = INT_RANGES[of.kind]
    is_in_range = number.__class__ is int and low <= number <= high
    return number if is_in_range else UNSET


def _wrapped(number: float, kind: str) -> Any:
    """Return a number as Go converts it to an integer type, or UNSET for a fraction. Upstream: reflect.Value.Convert."""
    if not isfinite(number) or number != int(number):
        return UNSET
    low, high = INT_RANGES["int64"]
    integer = int(number) if low <= number <= high else low
    low, high = INT_RANGES[kind]
    return (integer - low) % (high - low + 1) + low


def _float(_reader: Reader, _of: GoType, value: Any) -> Any:
    return float(value) if _is_number(value) and isfinite(value) else UNSET


def _base64(_reader: Reader, _of: GoType, value: Any) -> Any:
    # Few CRDs have a CA bundle.
    from crdlint.golang.encodings import CorruptInputError, decode_base64

    try:
        return decode_base64(value) if value.__class__ is str else UNSET
    except CorruptInputError:
        return UNSET


def _time(_reader: Reader, _of: GoType, value: Any) -> Any:
    from crdlint.golang.times import as_utc, check_rfc3339  # few CRDs were read from a server

    return as_utc(value) if value.__class__ is str and check_rfc3339(value) is None else UNSET


# Functions that return what Go stores for a scalar other than null, or UNSET.
STORES: Final[dict[str, Store]] = {
    "string": _of_class(str),
    "bool": _of_class(bool),
    "int32": _integer,
    "int64": _integer,
    "uint8": _integer,
    "float64": _float,
    "time": _time,
}
_read_base64: Final = _scalar(_base64)


def _read_bytes(
    reader: Reader,
    of: GoType,
    node: Node,
    depth: int,
    origin: Origin,
) -> Any:
    if node.__class__ is Sequence:
        return bytes(_read_slice(reader, of, node, depth, origin))
    return _read_base64(reader, of, node, depth, origin)


def _read_json(
    reader: Reader,
    of: GoType,
    node: Node,
    depth: int,
    _origin: Origin,
) -> Any:
    value = reader_json(reader, node, depth)
    if value is None:
        return UNSET
    return value if of.kind == "fields" else model.JSON.of(value=value)


def reader_json(reader: Reader, node: Node, depth: int) -> Any:
    """Return any JSON value, with numbers as Go stores them in an `interface{}`; `depth` is that of the node."""
    if node.__class__ is Scalar:
        value: Any = resolve(node)
        return as_go_number(value, literal=reader.json) if _is_number(value) else value
    root = to_json(node)
    level = [root]
    while level:
        if depth > MAX_DEPTH:
            reader.failed = True
            return None
        depth += 1
        inner: dict[int, Any] = {}  # by identity, so that aliased values are visited once
        for container in level:
            parts = container.items() if container.__class__ is dict else enumerate(container)
            for key, value in parts:
                if value.__class__ in _CONTAINERS:
                    inner[id(value)] = value
                elif _is_number(value):
                    container[key] = as_go_number(value, literal=reader.json)
        level = list(inner.values())
    return root


_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})


def _read_slice(
    reader: Reader,
    of: GoType,
    node: Node,
    depth: int,
    origin: Origin,
) -> Any:
    if node.__class__ is not Sequence:
        return UNSET if is_null(node) else reader.reject()
    element, items, below = of.element, node.items, depth + 1
    assert element is not None  # noqa: S101  slices have one
    if element is SCHEMA:
        parent, steps = origin
        return [reader.schema(item, below, (parent, (*steps, i))) for i, item in enumerate(items)]
    if element.kind == "json":
        return [reader_json(reader, item, below) for item in items]
    return [_item(reader, element, item, below, origin) for item in items]


def _read_map(
    reader: Reader,
    of: GoType,
    node: Node,
    depth: int,
    origin: Origin,
) -> Any:
    if node.__class__ is not Mapping:
        return UNSET if is_null(node) else reader.reject()
    element, (parent, steps) = of.element, origin
    assert element is not None  # noqa: S101  maps have one
    below = depth + 1
    members = pairs(reader, node)
    if element is SCHEMA:
        begin = reader.schema
        return {name: begin(value, below, (parent, (*steps, name))) for name, value in members}
    return {
        name: _item(
            reader,
            element,
            value,
            below,
            (parent, (*steps, name)),
        )
        for name, value in members
    }


def _item(
    reader: Reader,
    of: GoType,
    node: Node,
    depth: int,
    origin: Origin,
) -> Any:
    value = reader.read(of, node, depth, origin)
    if value is not UNSET:
        return value
    return of.record() if of.record is not None else ZEROS.get(of.kind)


def _read_struct(
    reader: Reader,
    of: GoType,
    node: Node,
    depth: int,
    origin: Origin,
) -> Any:
    if of is SCHEMA:
        return UNSET if is_null(node) else reader.schema(node, depth, origin)
    if node.__class__ is not Mapping:
        return UNSET if is_null(node) else reader.reject()
    assert of.record is not None  # noqa: S101  structs have one
    record = of.record()
    attributes = record.__dict__
    attributes["node"] = node
    if depth > MAX_DEPTH:
        reader.failed = True
    for name, value in pairs(reader, node):
        field = of.fields.get(name)
        if field is None or field.attribute in reader.unknown:
            reader.failed = True
            continue
        decoded = reader.read(field.type, value, depth + 1)
        if decoded is not UNSET and field.attribute:
            attributes[field.attribute] = decoded
    return record


def _read_schema_or_bool(
    reader: Reader,
    _of: GoType,
    node: Any,
    depth: int,
    origin: Origin,
) -> Any:
    if node.__class__ is Mapping:
        return model.JSONSchemaPropsOrBool.of(
            allows=True, schema=reader.schema(node, depth, origin)
        )
    value = resolve(node) if node.__class__ is Scalar else 0
    if value.__class__ is bool:
        return model.JSONSchemaPropsOrBool.of(allows=value)
    return UNSET if value is None else reader.reject()


def _read_schema_or_list(
    reader: Reader,
    of: GoType,
    node: Any,
    depth: int,
    origin: Origin,
) -> Any:
    """Decode a field with a schema or a list; one with neither is present but empty, as in upstream's UnmarshalJSON."""
    assert of.record is not None  # noqa: S101  these have one
    assert of.element is not None  # noqa: S101
    if is_null(node):
        return UNSET
    record: Any = of.record()
    if node.__class__ is Mapping:
        record.schema = reader.schema(node, depth, origin)
    elif node.__class__ is Sequence:
        setattr(record, record.FIELDS[-1].attribute, reader.read(of.element, node, depth, origin))
    return record


READERS: Final[dict[str, Read]] = {
    **{kind: _scalar(store) for kind, store in STORES.items()},
    "bytes": _read_bytes,
    "slice": _read_slice,
    "map": _read_map,
    "struct": _read_struct,
    "json": _read_json,
    "fields": _read_json,
    "schema-or-bool": _read_schema_or_bool,
    "schema-or-array": _read_schema_or_list,
    "schema-or-strings": _read_schema_or_list,
}


def read_schemas(reader: Reader) -> None:
    """Decode the fields of all pending schemas of the reader, and of their subschemas."""
    pending = reader.pending
    fields = _FIELDS
    while pending:
        mapping, schema, attributes, depth = pending.pop()
        if depth > _DEEP:
            reader.failed = True
        set_fields = 0
        for name, node in pairs(reader, mapping):
            entry = fields.get(name)
            if entry is None:
                reader.failed = True
                continue
            read, attribute, bit, of = entry
            if read is not None:
                value: Any = read(reader, of, node, depth + 1, (ref(schema), (name,)))
            else:
                value = _string(reader, node)
            if value is not UNSET:
                attributes[attribute] = value
                set_fields |= bit
        attributes["set_fields"] = set_fields


def _string(reader: Reader, node: Node) -> Any:
    """Return the text of a scalar, UNSET for null and what is no text."""
    if node.__class__ is not Scalar:
        return reader.reject()
    value = node.value
    is_untagged = node.ctag is None  # not `tag`, a property
    if is_untagged and (node.style or is_plain_string(value)):
        return value
    value = resolve(node)
    if value is None or value.__class__ is str:
        return UNSET if value is None else value
    return reader.reject()


# At this depth a schema's own lists and rules might exceed MAX_DEPTH, so the depth is measured exactly.
_DEEP: Final = MAX_DEPTH - 8

# For each field its reader, None for strings, which the loop itself decodes.
_FIELDS: Final = {
    name: (
        None if field.type.kind == "string" else READERS[field.type.kind],
        field.attribute,
        SCHEMA_BITS[name],
        field.type,
    )
    for name, field in SCHEMA.fields.items()
}


class Decoded(NamedTuple):
    """A CRD and the problems of decoding it; after a decode error, rejected values are Go's zero values.

    `later` are problems that the decoder would report after others are fixed, `ignored` unknown fields that it drops
    without an error.
    """

    crd: model.CustomResourceDefinition
    problems: tuple[DecodeProblem, ...]
    later: tuple[DecodeProblem, ...] = ()
    ignored: tuple[DecodeProblem, ...] = ()


def decode_crd(root: Node, server: Server = NEWEST, *, json: bool | None = None) -> Decoded:
    """Decode a document as a v1 CustomResourceDefinition; raise YAMLDecodeError if it cannot be converted to JSON.

    `json` means that the server reads the text of the document as JSON; it is found out if None.
    """
    reader = Reader(json=is_json(root) if json is None else json, unknown=server.unknown_fields)
    crd = _decoded(reader, root)
    if not reader.failed:
        return Decoded(crd, ())
    from crdlint.crd.decode_errors import problems_of  # most documents do not need it

    if not reader.json:
        # Raises an exception if it cannot be converted to JSON, even in unknown fields.
        to_json(root)
    return Decoded(crd, *problems_of(CRD, root, server, json=reader.json))


def decode_applied(root: Node, server: Server = NEWEST) -> model.CustomResourceDefinition:
    """Decode a document as server-side apply does, which converts it from JSON values; invalid values are zero values.

    Upstream: apimachinery pkg/runtime/converter.go, FromUnstructured.
    """
    return _decoded(
        Reader(
            json=False,
            unknown=server.unknown_fields,
            wraps=True,
        ),
        root,
    )


def _decoded(reader: Reader, root: Node) -> model.CustomResourceDefinition:
    crd = reader.read(CRD, root, 1)
    if not isinstance(crd, model.CustomResourceDefinition):
        crd = model.CustomResourceDefinition()
    read_schemas(reader)
    return crd
