"""Decoding of schema nodes into the model: the hot path, because a CRD consists mostly of schemas.

It is iterative, so that only memory limits the depth. One lookup by JSON name finds how a field is decoded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from weakref import ref

from crdlint.crd import model
from crdlint.crd.decode_values import MAX_DEPTH, READERS, UNSET, is_null, pairs
from crdlint.crd.gotypes import SCHEMA, SCHEMA_BITS, STRINGS
from crdlint.yaml.nodes import Mapping, Scalar, Sequence
from crdlint.yaml.resolve import is_plain_string, resolve

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.crd.decode_values import Reader
    from crdlint.crd.gotypes import GoType


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
            read, handler, attribute, bit, of = entry
            if read is not None:
                value: Any = read(reader, of, node, depth + 1)
            elif handler is not None:
                value = handler(reader, schema, name, of, node, depth + 1)
            elif node.__class__ is not Scalar:
                reader.failed = True
                continue
            else:
                value = node.value
                if node.ctag is not None or not (node.style or is_plain_string(value)):  # not `tag`, a property
                    value = resolve(node)
                    if value.__class__ is not str:
                        if value is not None:
                            reader.failed = True
                        continue
            if value is not UNSET:
                attributes[attribute] = value
                set_fields |= bit
        attributes["set_fields"] = set_fields


def _read_properties(reader: Reader, schema: Any, name: str, _of: GoType, node: Any, depth: int) -> Any:
    """Decode a map of schemas, such as `properties`."""
    if node.__class__ is not Mapping:
        return UNSET if is_null(node) else reader.reject()
    begin, parent = reader.schema, ref(schema)
    depth += 1
    return {key: begin(child, parent, (name, key), depth) for key, child in pairs(reader, node)}


def _read_list(reader: Reader, schema: Any, name: str, _of: GoType, node: Any, depth: int) -> Any:
    """Decode a list of schemas, such as `allOf`."""
    items = reader.items(node)
    if items.__class__ is not list:
        return items
    parent = ref(schema)
    return [reader.schema(item, parent, (name, i), depth + 1) for i, item in enumerate(items)]


def _read_one(reader: Reader, schema: Any, name: str, _of: GoType, node: Any, depth: int) -> Any:
    return UNSET if is_null(node) else reader.schema(node, ref(schema), (name,), depth)


def _read_schema_or_bool(reader: Reader, schema: Any, name: str, _of: GoType, node: Any, depth: int) -> Any:
    made = model.JSONSchemaPropsOrBool()
    if node.__class__ is Mapping:
        made.allows = True
        made.schema = reader.schema(node, ref(schema), (name,), depth)
        return made
    value = resolve(node) if node.__class__ is Scalar else 0
    if value.__class__ is bool:
        made.allows = value
        return made
    return UNSET if value is None else reader.reject()


def _read_schema_or_array(reader: Reader, schema: Any, name: str, of: GoType, node: Any, depth: int) -> Any:
    """Decode `items`: a value that is neither an object nor a list is present but empty, as in upstream's UnmarshalJSON."""
    if node.__class__ is Scalar and resolve(node) is None:
        return UNSET
    made = model.JSONSchemaPropsOrArray()
    if node.__class__ is Mapping:
        made.schema = reader.schema(node, ref(schema), (name,), depth)
    elif node.__class__ is Sequence:
        made.json_schemas = _read_list(reader, schema, name, of, node, depth)
    return made


def _read_dependencies(reader: Reader, schema: Any, name: str, _of: GoType, node: Any, depth: int) -> Any:
    if node.__class__ is not Mapping:
        return UNSET if is_null(node) else reader.reject()
    dependencies = {}
    for key, child in pairs(reader, node):
        dependencies[key] = made = model.JSONSchemaPropsOrStringArray()
        if child.__class__ is Mapping:
            made.schema = reader.schema(child, ref(schema), (name, key), depth + 1)
        elif child.__class__ is Sequence:
            made.property = reader.read(STRINGS, child, depth + 1)
    return dependencies


_HANDLERS: Final[dict[str, Callable[..., Any]]] = {
    "schema-or-bool": _read_schema_or_bool,
    "schema-or-array": _read_schema_or_array,
}
_OF_SCHEMAS: Final = {"map": _read_properties, "slice": _read_list}


def _handler(of: GoType) -> Callable[..., Any] | None:
    """Return the function that decodes a field with schemas, or None for other fields."""
    if of is SCHEMA:
        return _read_one
    if of.element is SCHEMA:
        return _OF_SCHEMAS[of.kind]
    if of.element is not None and of.element.kind == "schema-or-strings":
        return _read_dependencies
    return _HANDLERS.get(of.kind)


# At this depth a schema's own lists and rules might exceed MAX_DEPTH, so the depth is measured exactly.
_DEEP: Final = MAX_DEPTH - 8

# Functions that decode a field by its type alone, or with its schema; the loop itself decodes strings.
_FIELDS: Final = {
    name: (
        None if _handler(field.type) is not None or field.type.kind == "string" else READERS[field.type.kind],
        _handler(field.type),
        field.attribute,
        SCHEMA_BITS[name],
        field.type,
    )
    for name, field in SCHEMA.fields.items()
}
