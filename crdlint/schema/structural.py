"""What makes a schema structural, as far as it is no single check (apiextensions pkg/apiserver/schema).

Structural and nested schemas are not built as types of their own: a node of the model serves as both, and the place
where it stands tells which of its fields count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.model import PROVENANCE, JSONSchemaProps

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Sequence as SequenceOf

    from crdlint.crd.paths import Path

TYPES: Final = ("array", "boolean", "integer", "number", "object", "string")

# Containers that conversion to structural form copies only where they hold something.
_COPIED_IF_FULL: Final = frozenset({"enum", "all_of", "any_of", "one_of"})
# Fields that no structural schema has: what holds something is refused, what is empty is dropped.
_DROPPED: Final = frozenset(
    {"id", "schema", "ref", "pattern_properties", "dependencies", "additional_items", "definitions"}
)
# Pointers to strings, which point somewhere even where the string is empty.
_POINTERS: Final = frozenset(field.attribute for field in JSONSchemaProps.FIELDS if field.go_type == "*string")


def unsupported_field(schema: JSONSchemaProps) -> str | None:
    """Return NewStructural's refusal of a field that no structural schema has, None if this node has none."""
    for held, name in (
        (schema.id, "id"),
        (schema.schema, "schema"),
        (schema.ref, "$ref"),
        (schema.pattern_properties, "patternProperties"),
        (schema.dependencies, "dependencies"),
        (schema.additional_items is not None, "additionalItems"),
        (schema.definitions, "definitions"),
    ):
        if held:
            return f"OpenAPIV3Schema '{name}' is not supported"
    return None


def unsupported(schema: JSONSchemaProps) -> str | None:
    """Return NewStructural's refusal of this very node, None where it takes it."""
    refused = unsupported_field(schema)
    if refused is not None:
        return refused
    if schema.x_preserve_unknown_fields is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    if schema.items is not None and schema.items.json_schemas:
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    return None


def set_attributes(schema: JSONSchemaProps, *, nested: bool) -> set[str]:
    """Return the attributes of a node, dropped ones included, that differ from Go's zero value.

    Lists that conversion copies item by item count where they hold something, as ``properties`` does unless ``nested``.
    """
    found = set()
    for name, value in vars(schema).items():
        if name in PROVENANCE:
            continue
        if name in _POINTERS:
            held = value is not None
        elif name in _COPIED_IF_FULL or (name == "properties" and not nested):
            held = bool(value)
        else:
            held = not _is_zero(value)
        if held:
            found.add(name)
    return found


def structural_attributes(schema: JSONSchemaProps, *, nested: bool) -> set[str]:
    """Return the attributes that differ from Go's zero value once the node is in structural form.

    ``nested`` says that it stands below allOf, anyOf, oneOf or not, where an empty ``properties`` counts and
    ``additionalProperties: false`` does not (newNestedValueValidation); elsewhere it is the other way round
    (NewStructural).
    """
    found = set_attributes(schema, nested=nested) - _DROPPED
    if schema.items is not None and schema.items.schema is None:
        found.discard("items")
    given = schema.additional_properties
    if nested and given is not None and given.schema is None and not given.allows:
        found.discard("additional_properties")
    return found


def _is_zero(value: Any) -> bool:
    """Tell whether Go's reflect.DeepEqual takes a given value for the zero one; pointers to zero values are none."""
    return value is None or value is False or value == ""


def is_int_or_string(alternatives: SequenceOf[JSONSchemaProps]) -> bool:
    """Tell whether these are the two alternatives of an int-or-string: a bare integer, then a bare string."""
    return (
        len(alternatives) == 2
        and [a.type for a in alternatives] == ["integer", "string"]
        and all(structural_attributes(a, nested=True) == {"type"} for a in alternatives)
    )


def incomplete(root: JSONSchemaProps) -> Iterator[tuple[JSONSchemaProps, JSONSchemaProps, Path, Path]]:
    """Yield what the root's allOf, anyOf, oneOf and not speak of and the structure lacks (validateStructuralCompleteness).

    Each is (the schema that lacks it, the nested schema, the path that should be defined, the path that mentions it).
    """
    top = root.path
    stack = [(root, child, top) for child in reversed(list(_junctors(root)))]
    while stack:
        structure, nested, path = stack.pop()
        stack.extend((structure, child, path) for child in reversed(list(_junctors(nested))))
        if nested.items is not None and nested.items.schema is not None:
            defined = structure.items.schema if structure.items is not None else None
            if defined is None:
                yield structure, nested.items.schema, path.child("items"), nested.items.schema.path
            else:
                stack.append((defined, nested.items.schema, path.child("items")))
        for name, child in nested.properties.items():
            at = path.child("properties").key(name)
            if name in structure.properties:
                stack.append((structure.properties[name], child, at))
            else:
                yield structure, child, at, child.path


def _junctors(schema: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    if schema.not_ is not None:
        yield schema.not_
    yield from schema.all_of
    yield from schema.any_of
    yield from schema.one_of
