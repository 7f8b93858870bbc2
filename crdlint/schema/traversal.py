"""Traversal of all schemas below a schema, without recursion. Upstream: apiextensions validation.SchemaHas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import CustomResourceDefinitionSpec, JSONSchemaProps
from crdlint.crd.paths import ADDITIONAL, INDEX, PROPERTY, Step, ValuePath

_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_PROPERTIES: Final = SCHEMA_BITS["properties"]
_HOLDERS: Final = sum(
    SCHEMA_BITS[name]
    for name in (
        "items", "allOf", "anyOf", "oneOf", "not", "properties", "additionalProperties", "additionalItems",
        "patternProperties", "definitions", "dependencies",
    )
)  # fmt: skip


def schemas(root: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    """Yield `root` and all its descendants, parents first, siblings in document order."""
    stack = [root]
    while stack:
        schema = stack.pop()
        yield schema
        holders = schema.set_fields & _HOLDERS
        if holders == _PROPERTIES:  # the most frequent case
            stack.extend(reversed(schema.properties.values()))  # type: ignore[call-overload]
        elif holders:
            stack.extend(reversed(list(children(schema))))


def lineage(schema: JSONSchemaProps | None) -> Iterator[JSONSchemaProps]:
    """Yield a schema and all that contain it, up to the root."""
    while schema is not None:
        yield schema
        schema = schema.parent


def with_all_of(schema: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    """Yield a schema, and all that its allOf adds to it."""
    pending = [schema]
    while pending:
        part = pending.pop()
        yield part
        pending.extend(reversed(part.all_of))


def children(schema: JSONSchemaProps) -> Iterator[JSONSchemaProps]:
    """Yield the direct subschemas of a schema, including those in forbidden fields."""
    if schema.items is not None:
        if schema.items.schema is not None:
            yield schema.items.schema
        yield from schema.items.json_schemas
    yield from schema.all_of
    yield from schema.any_of
    yield from schema.one_of
    if schema.not_ is not None:
        yield schema.not_
    yield from schema.properties.values()
    for either in (schema.additional_properties, schema.additional_items):
        if either is not None and either.schema is not None:
            yield either.schema
    yield from schema.pattern_properties.values()
    yield from schema.definitions.values()
    yield from (
        dependency.schema
        for dependency in schema.dependencies.values()
        if dependency.schema is not None
    )


class RuleSearch:
    """Finds out which schemas have rules, themselves or in what applies to the parts of their values; each schema once."""

    def __init__(self) -> None:
        self._with_rules: Final[dict[int, bool]] = {}  # by identity

    def has_rules(self, schema: JSONSchemaProps) -> bool:
        """Return whether a schema or one of those below it has rules."""
        with_rules, order = self._with_rules, [schema]
        for current in order:  # which grows: parents before their children
            if id(current) not in with_rules:
                order += _parts(current)
        for current in reversed(order):
            if id(current) not in with_rules:
                is_below = any(with_rules[id(part)] for part in _parts(current))
                with_rules[id(current)] = is_below or bool(current.x_validations)
        return with_rules[id(schema)]


def _parts(schema: JSONSchemaProps) -> list[JSONSchemaProps]:
    parts = (*schema.properties.values(), schema.item_schema, schema.additional_schema)
    return [part for part in parts if part is not None]


def value_schema(schema: JSONSchemaProps | None, steps: Iterable[Step]) -> JSONSchemaProps | None:
    """Return the schema of the value at a path, or None if the schema does not specify it."""
    for step in steps:
        if schema is None:
            return None
        name = str(step)
        if name in schema.properties:
            schema = schema.properties[name]
        else:
            schema = (
                schema.item_schema
                if schema.items is not None and name.isdecimal()
                else schema.additional_schema
            )
    return schema


def containers(
    value: Any, schema: JSONSchemaProps | None
) -> Iterator[tuple[ValuePath, Any, JSONSchemaProps]]:
    """Yield the objects and lists of a value with their schemas and paths, outer ones first; the caller may change them."""
    pending: list[tuple[ValuePath, Any, JSONSchemaProps | None]]
    pending = [(None, value, schema)] if value.__class__ in _CONTAINERS else []
    while pending:
        path, here, own = pending.pop()
        if own is None:
            continue
        yield path, here, own
        below: list[tuple[ValuePath, Any, JSONSchemaProps | None]] = []
        if here.__class__ is list:
            items = own.item_schema
            for i, item in enumerate(here):
                if item.__class__ in _CONTAINERS:
                    below.append(((path, i, INDEX), item, items))
        else:
            properties, additional = own.properties, own.additional_schema
            for name, item in here.items():
                if item.__class__ in _CONTAINERS:
                    property_ = properties.get(name)
                    kind = ADDITIONAL if property_ is None else PROPERTY
                    below.append(
                        ((path, name, kind), item, additional if property_ is None else property_)
                    )
        below.reverse()
        pending += below


def all_schemas(spec: CustomResourceDefinitionSpec) -> list[JSONSchemaProps]:
    """Return every schema of a spec; within a version, parents come first."""
    return [schema for root in spec.root_schemas() for schema in schemas(root)]


def at_or_above(schemas: Iterable[JSONSchemaProps]) -> set[int]:
    """Return the identities of the schemas and of all their ancestors."""
    identities: set[int] = set()
    for schema in schemas:
        for current in lineage(schema):
            if id(current) in identities:
                break
            identities.add(id(current))
    return identities


class Within:
    """Schemas with certain identities and their descendants; results are cached."""

    def __init__(self, ids: AbstractSet[int]) -> None:
        self._known: dict[int, bool] = dict.fromkeys(ids, True)

    def __contains__(self, schema: JSONSchemaProps) -> bool:
        """Return whether a schema is one of them or a descendant of one."""
        way: list[int] = []
        known_ancestor: JSONSchemaProps | None = schema
        while known_ancestor is not None and id(known_ancestor) not in self._known:
            way.append(id(known_ancestor))
            known_ancestor = known_ancestor.parent
        is_within = known_ancestor is not None and self._known[id(known_ancestor)]
        self._known.update(dict.fromkeys(way, is_within))
        return is_within
