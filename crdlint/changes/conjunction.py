"""Schemas that apply to the same value: a node with the members of its `allOf`, and of those above it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from crdlint.kubecel.reasoning.reasoner import ITEM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.crd.model import JSONSchemaProps
    from crdlint.kubecel.reasoning.reasoner import FieldPath

# All schemas that a value must match; the first is the structural one.
Conjunction: TypeAlias = "tuple[JSONSchemaProps, ...]"


def conjunction(schemas: Iterable[JSONSchemaProps]) -> Conjunction:
    """Return schemas with the members of their `allOf`, and of `anyOf` and `oneOf` with one branch."""
    members: list[JSONSchemaProps] = []
    pending = list(reversed(tuple(schemas)))
    while pending:
        schema = pending.pop()
        members.append(schema)
        if schema.all_of:
            pending.extend(reversed(schema.all_of))
        pending.extend(branches[0] for branches in (schema.any_of, schema.one_of) if len(branches) == 1)
    return tuple(members)


def properties(node: Conjunction) -> dict[str, Conjunction]:
    """Return the schemas of each property."""
    if len(node) == 1:
        return {name: conjunction((schema,)) for name, schema in node[0].properties.items()}
    by_name: dict[str, list[JSONSchemaProps]] = {}
    for schema in node:
        for name, below in schema.properties.items():
            by_name.setdefault(name, []).append(below)
    return {name: conjunction(below) for name, below in by_name.items()}


def items(node: Conjunction) -> Conjunction:
    """Return the schemas of list items, empty without any."""
    return conjunction(items for schema in node if (items := schema.item_schema) is not None)


def map_values(node: Conjunction) -> Conjunction:
    """Return the schemas of `additionalProperties`, empty without any."""
    return conjunction(values for schema in node if (values := schema.additional_schema) is not None)


def type_of(node: Conjunction) -> str:
    """Return the type of values: one of JSON schema's, `int-or-string`, or empty for any value."""
    for schema in node:
        if schema.x_int_or_string:
            return "int-or-string"
        if schema.type:
            return schema.type
    return ""


def keeps_unknown_fields(node: Conjunction) -> bool:
    """Return whether fields that no schema specifies are stored."""
    return any(schema.x_preserve_unknown_fields for schema in node) or any(
        schema.additional_properties is not None and schema.additional_properties.allows for schema in node
    )


def steps(path: FieldPath, node: Conjunction) -> Iterator[Conjunction]:
    """Yield the schemas of each value on a path, as far as there are any."""
    for step in path:
        node = items(node) if step == ITEM else properties(node).get(step, ())
        if not node:
            return
        yield node


def is_new(path: FieldPath, old: Conjunction, new: Conjunction) -> bool:
    """Return whether no existing object has a field: it has no default, and the old schema prunes it."""
    after = list(steps(path, new))
    before = list(steps(path, old))
    if len(after) != len(path) or len(before) != len(path) - 1:
        return False
    parent = before[-1] if before else old
    return not keeps_unknown_fields(parent) and all(schema.default is None for schema in after[-1])
