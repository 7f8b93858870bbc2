"""Structural schemas, except for separate checks of single nodes. Upstream: apiextensions pkg/apiserver/schema.

There are no separate types for structural and nested schemas: a node of the model represents both, and its position
determines which of its fields are relevant.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from typing import Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.crd.record import PROVENANCE
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")

# Containers that conversion to structural form copies only if they are not empty.
_COPIED_IF_FULL: Final = frozenset({"enum", "all_of", "any_of", "one_of"})
_COPIED_IF_FULL_AT_TOP: Final = _COPIED_IF_FULL | {"properties"}
# Fields that structural schemas do not have: they are rejected if they have content, else dropped.
_DROPPED: Final = frozenset(
    {"id", "schema", "ref", "pattern_properties", "dependencies", "additional_items", "definitions"}
)
# Fields that only the structural schemas of newer servers have.
_KEPT_LATER: Final = frozenset({"example", "external_docs"})
# Pointers to strings, which are not nil even if the string is empty.
_POINTERS: Final = frozenset(
    field.attribute for field in JSONSchemaProps.FIELDS if field.go_type == "*string"
)


class Rejection(NamedTuple):
    """NewStructural's error for a node, and the JSON name of the field that causes it."""

    text: str
    field: str


def unsupported_field(schema: JSONSchemaProps) -> Rejection | None:
    """Return NewStructural's error for a field that structural schemas do not have, or None."""
    fields = (
        (schema.id, "id"),
        (schema.schema, "$schema"),
        (schema.ref, "$ref"),
        (schema.pattern_properties, "patternProperties"),
        (schema.dependencies, "dependencies"),
        (schema.additional_items is not None, "additionalItems"),
        (schema.definitions, "definitions"),
    )
    for is_set, name in fields:
        if is_set:
            shown = "schema" if name == "$schema" else name
            return Rejection(f"OpenAPIV3Schema '{shown}' is not supported", name)
    return None


def unsupported(schema: JSONSchemaProps) -> Rejection | None:
    """Return NewStructural's error for this node, or None if it is accepted."""
    rejection = unsupported_field(schema)
    if rejection is not None:
        return rejection
    if schema.x_preserve_unknown_fields is False:
        name = "x-kubernetes-preserve-unknown-fields"
        return Rejection(f"internal error: '{name}' must be true or undefined", name)
    if schema.items is not None and schema.items.json_schemas:
        return Rejection("OpenAPIV3Schema 'items' must be a schema, but is an array", "items")
    return None


def set_attributes(schema: JSONSchemaProps, *, nested: bool) -> set[str]:
    """Return the attributes of a node that differ from Go's zero value, including those that conversion drops.

    Lists that conversion copies item by item are included if they are not empty; so is `properties` unless `nested`.
    """
    copied_if_full = _COPIED_IF_FULL if nested else _COPIED_IF_FULL_AT_TOP
    attributes = set()
    for name, value in vars(schema).items():
        if name in PROVENANCE:
            continue
        if name in _POINTERS:
            is_set = value is not None
        elif name in copied_if_full:
            is_set = bool(value)
        else:  # pointers to zero values are none
            is_set = value is not None and value is not False and value != ""
        if is_set:
            attributes.add(name)
    return attributes


def structural_attributes(schema: JSONSchemaProps, server: Server, *, nested: bool) -> set[str]:
    """Return the attributes that differ from Go's zero value in the structural form of a node.

    `nested` means that it is below allOf, anyOf, oneOf or not. There an empty `properties` is included and `additionalProperties:
    false` is not (newNestedValueValidation); elsewhere it is the other way round (NewStructural).
    """
    attributes = set_attributes(schema, nested=nested) - _DROPPED
    if not server.keeps_examples:
        attributes -= _KEPT_LATER
    if schema.items is not None and schema.items.schema is None:
        attributes.discard("items")
    additional = schema.additional_properties
    if nested and additional is not None and additional.schema is None and not additional.allows:
        attributes.discard("additional_properties")
    return attributes


def is_int_or_string(alternatives: SequenceOf[JSONSchemaProps], server: Server) -> bool:
    """Return whether these are the two alternatives of an int-or-string: only an integer type, then only a string type."""
    if [each.type for each in alternatives] != ["integer", "string"]:
        return False
    return all(
        structural_attributes(each, server, nested=True) == {"type"} for each in alternatives
    )


def incomplete(
    root: JSONSchemaProps,
) -> Iterator[tuple[JSONSchemaProps, JSONSchemaProps, Path, Path]]:
    """Yield the nodes in allOf, anyOf, oneOf and not that the structure lacks. Upstream: validateStructuralCompleteness.

    Each is (the schema that lacks it, the nested schema, the path that should be defined, the path that mentions it).
    """
    top = root.path
    stack = [(root, child, top) for child in reversed(list(junctors(root)))]
    while stack:
        structure, nested, path = stack.pop()
        stack.extend((structure, child, path) for child in reversed(list(junctors(nested))))
        below = [
            (structure.properties.get(name), child, path.child("properties").key(name))
            for name, child in nested.properties.items()
        ]
        if nested.item_schema is not None:
            below.insert(0, (structure.item_schema, nested.item_schema, path.child("items")))
        for defined, child, field_path in below:
            if defined is None:
                yield structure, child, field_path, child.path
            else:
                stack.append((defined, child, field_path))


def junctors(schema: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    """Yield the parts of `not`, `allOf`, `anyOf` and `oneOf`, in upstream's order."""
    if schema.not_ is not None:
        yield schema.not_
    yield from schema.all_of
    yield from schema.any_of
    yield from schema.one_of
