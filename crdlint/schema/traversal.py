"""Traversal of all schemas below a schema, without recursion. Upstream: apiextensions validation.SchemaHas."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Any, Final, TypeAlias

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import CustomResourceDefinitionSpec, JSONSchemaProps
from crdlint.crd.paths import ADDITIONAL, INDEX, PROPERTY, Step, ValuePath
from crdlint.gathering import without_none

_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_PROPERTIES: Final = SCHEMA_BITS["properties"]
_HOLDING_FIELDS: Final = (
    "items",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "properties",
    "additionalProperties",
    "additionalItems",
    "patternProperties",
    "definitions",
    "dependencies",
)
_HOLDERS: Final = sum(SCHEMA_BITS[name] for name in _HOLDING_FIELDS)


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
        yield from without_none([schema.items.schema])
        yield from schema.items.json_schemas
    yield from schema.all_of
    yield from schema.any_of
    yield from schema.one_of
    yield from without_none([schema.not_])
    yield from schema.properties.values()
    for either in (schema.additional_properties, schema.additional_items):
        if either is not None:
            yield from without_none([either.schema])
    yield from schema.pattern_properties.values()
    yield from schema.definitions.values()
    dependencies = schema.dependencies.values()
    yield from without_none([dependency.schema for dependency in dependencies])


class SchemaSearch:
    """Finds out which schemas have something, themselves or in what applies to the parts of their values; each schema once.

    `has` returns whether a schema has it itself. The schemas must exist as long as the search.
    """

    def __init__(self, has: Callable[[JSONSchemaProps], object]) -> None:
        self._has: Final = has
        self._is_within: Final[dict[int, bool]] = {}  # by identity

    def finds(self, schema: JSONSchemaProps) -> bool:
        """Return whether a schema or one of those below it has it."""
        if id(schema) not in self._is_within:
            self._search(schema)
        return self._is_within[id(schema)]

    def _search(self, schema: JSONSchemaProps) -> None:
        is_within, order = self._is_within, [schema]
        for current in order:  # which grows: parents before their children
            if id(current) not in is_within:
                order += _parts(current)
        for current in reversed(order):
            if id(current) not in is_within:
                is_below = any(is_within[id(part)] for part in _parts(current))
                is_within[id(current)] = is_below or bool(self._has(current))


def rule_search() -> SchemaSearch:
    """Return a search for rules."""
    return SchemaSearch(lambda schema: schema.x_validations)


def _parts(schema: JSONSchemaProps) -> list[JSONSchemaProps]:
    below = (*schema.properties.values(), schema.item_schema, schema.additional_schema)
    return without_none(below)


def value_schema(schema: JSONSchemaProps | None, steps: Iterable[Step]) -> JSONSchemaProps | None:
    """Return the schema of the value at a path, or None if the schema does not specify it."""
    for step in steps:
        if schema is None:
            return None
        name = str(step)
        if name in schema.properties:
            schema = schema.properties[name]
        elif schema.items is not None and name.isdecimal():
            schema = schema.item_schema
        else:
            schema = schema.additional_schema
    return schema


def containers(
    value: Any, schema: JSONSchemaProps | None, search: SchemaSearch | None = None
) -> Iterator[tuple[ValuePath, Any, JSONSchemaProps]]:
    """Yield the objects and lists of a value with their schemas and paths, outer ones first; the caller may change them.

    With a `search`, those are left out whose schemas it does not find.
    """
    pending: list[_Container] = []
    if value.__class__ in _CONTAINERS:
        pending.append((None, value, schema))
    while pending:
        path, here, own = pending.pop()
        if own is not None and (search is None or search.finds(own)):
            yield path, here, own
            below = _items if here.__class__ is list else _fields
            pending += reversed(below(path, here, own))


_Container: TypeAlias = "tuple[ValuePath, Any, JSONSchemaProps | None]"


def _items(path: ValuePath, here: list[Any], schema: JSONSchemaProps) -> list[_Container]:
    """Return the objects and lists in a list."""
    items = schema.item_schema
    return [
        ((path, i, INDEX), item, items)
        for i, item in enumerate(here)
        if item.__class__ in _CONTAINERS
    ]


def _fields(path: ValuePath, here: dict[str, Any], schema: JSONSchemaProps) -> list[_Container]:
    """Return the objects and lists in an object."""
    properties, additional = schema.properties, schema.additional_schema
    below: list[_Container] = []
    for name, item in here.items():
        if item.__class__ not in _CONTAINERS:
            continue
        property_ = properties.get(name)
        if property_ is not None:
            below.append(((path, name, PROPERTY), item, property_))
        else:
            below.append(((path, name, ADDITIONAL), item, additional))
    return below


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
