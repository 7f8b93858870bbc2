"""Properties of the old CRD that decide what an update may keep. Upstream: the require... functions of validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.rules.list_types import map_list_keys_map_set, mergeable_set_item
from crdlint.schema.structural import TYPES
from crdlint.schema.traversal import schemas

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.crd.model import CustomResourceDefinitionSpec, JSONSchemaProps


def has_schema_with(spec: CustomResourceDefinitionSpec, predicate: Callable[[JSONSchemaProps], bool]) -> bool:
    """Return whether any schema of the spec, at any depth, satisfies a condition. Upstream: validation.HasSchemaWith."""
    return any(predicate(schema) for root_schema in spec.root_schemas() for schema in schemas(root_schema))


def gives_default(schema: JSONSchemaProps) -> bool:
    """Return whether a schema has a default."""
    return schema.default is not None


def has_extension(schema: JSONSchemaProps) -> bool:
    """Return whether a schema has an x-kubernetes extension that is only allowed in structural schemas."""
    return bool(
        schema.x_embedded_resource
        or schema.x_preserve_unknown_fields is not None
        or schema.x_int_or_string
        or schema.x_list_map_keys
        or schema.x_list_type is not None
        or schema.x_validations
    )


def has_invalid_type(schema: JSONSchemaProps) -> bool:
    """Return whether a schema has a type that OpenAPI v3 does not define."""
    return bool(schema.type) and schema.type not in TYPES


def is_mergeable_set(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is a set with items that are not atomic."""
    return mergeable_set_item(schema) is not None


def has_invalid_map_list_keys(schema: JSONSchemaProps) -> bool:
    """Return whether a schema is a map list whose items cannot be distinguished by their keys."""
    return any(True for _ in map_list_keys_map_set(schema))


def find_expressions(spec: CustomResourceDefinitionSpec) -> tuple[frozenset[str], frozenset[str]]:
    """Return the texts of all rules and of all message expressions of a spec."""
    rules: set[str] = set()
    messages: set[str] = set()
    for root_schema in spec.root_schemas():
        for schema in schemas(root_schema):
            for rule in schema.x_validations:
                rules.add(rule.rule)
                if rule.message_expression:
                    messages.add(rule.message_expression)
    return frozenset(rules), frozenset(messages)
