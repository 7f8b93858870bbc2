"""Where a schema stands: the name of its property, and what contains it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps


def property_name(schema: JSONSchemaProps) -> str | None:
    """Return the name of a schema's property, or None for items, maps and parts of allOf, anyOf, oneOf and not."""
    return str(schema.steps[1]) if schema.steps[:1] == ("properties",) and not in_junctor(schema) else None


def in_junctor(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is in allOf, anyOf, oneOf or not, where it extends another schema."""
    ancestor: JSONSchemaProps | None = schema
    while ancestor is not None and ancestor.steps:
        if ancestor.steps[0] in _JUNCTORS:
            return True
        ancestor = ancestor.parent
    return False


_JUNCTORS: Final = frozenset({"allOf", "anyOf", "oneOf", "not"})


def top_property(schema: JSONSchemaProps) -> str:
    """Return the name of the root's property that contains a schema, empty for the root."""
    top, parent = schema, schema.parent
    while parent is not None and parent.parent is not None:
        top, parent = parent, parent.parent
    return str(top.steps[1]) if top.steps[:1] == ("properties",) else ""


def is_of_metadata(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is apiVersion, kind or metadata of the root, or a part of them."""
    return top_property(schema) in {"apiVersion", "kind", "metadata"}
