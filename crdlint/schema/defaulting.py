"""Application of defaults, and pruning of nulls. Upstream: apiextensions pkg/apiserver/schema/defaulting."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.schema.embedded_resources import coerce
from crdlint.schema.pruning import prune
from crdlint.schema.surrounding_object import ROOT, NotAnObjectError, SurroundingObject
from crdlint.schema.values import deep_copy, deep_equal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crdlint.crd.model import JSONSchemaProps

_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_NONE: Final[dict[int, Any]] = {}


def apply_defaults(value: Any, schema: JSONSchemaProps | None, pruned: Mapping[int, Any] = _NONE) -> None:
    """Set defaults for absent fields and for nulls that are not allowed, in place. Upstream: defaulting.Default.

    `pruned` contains replacements for defaults by the identity of their schema (see `prune_defaults`); None means that
    there is no default.
    """
    pending = [(value, schema)]
    while pending:
        here, schema = pending.pop()
        if schema is None:
            continue
        if here.__class__ is dict:
            pending.extend(_fill_object(here, schema, pruned))
        elif here.__class__ is list:
            items = schema.item_schema
            if items is None:
                continue
            for i, item in enumerate(here):
                if item is None and not items.nullable:
                    here[i] = item = deep_copy(_default(items, pruned))
                if item.__class__ in _CONTAINERS:
                    pending.append((item, items))


def _fill_object(
    here: dict[str, Any], schema: JSONSchemaProps, pruned: Mapping[int, Any]
) -> Iterator[tuple[Any, JSONSchemaProps | None]]:
    """Set the defaults of an object's own fields, and yield the children that may need defaults."""
    additional = schema.additional_schema
    properties = schema.properties
    for name, known in properties.items():
        if known.default is not None and (name not in here or (here[name] is None and not known.nullable)):
            default = _default(known, pruned)
            if default is not None:
                here[name] = deep_copy(default)
    for name, item in here.items():
        below = properties.get(name, additional)
        if item is None and below is not None and name not in properties and not below.nullable:
            here[name] = item = deep_copy(_default(below, pruned))
        if item.__class__ in _CONTAINERS:
            yield item, below


def _default(schema: JSONSchemaProps, pruned: Mapping[int, Any]) -> Any:
    if id(schema) in pruned:
        return pruned[id(schema)]
    return None if schema.default is None else schema.default.value


def prune_nulls(value: Any, schema: JSONSchemaProps | None) -> None:
    """Remove nulls that are neither allowed nor defaulted, in place. Upstream: PruneNonNullableNullsWithoutDefaults."""
    pending = [(value, schema)]
    while pending:
        here, schema = pending.pop()
        if schema is None:
            continue
        if here.__class__ is dict:
            additional = schema.additional_schema
            dropped = []
            for name, item in here.items():
                below = schema.properties.get(name, additional)
                if item is None:
                    if below is not None and not below.nullable and below.default is None:
                        dropped.append(name)
                elif item.__class__ in _CONTAINERS:
                    pending.append((item, below))
            for name in dropped:
                del here[name]
        elif here.__class__ is list:
            items = schema.item_schema
            pending.extend((item, items) for item in here if item.__class__ in _CONTAINERS)


def prune_defaults(schema: JSONSchemaProps) -> dict[int, Any]:
    """Return the server's replacements for defaults that are not pruned or coerced, by the identity of their schema.

    A default at the root that is not an object has none. Upstream: defaulting.PruneDefaults.
    """
    changed: dict[int, Any] = {}
    pending: list[tuple[JSONSchemaProps, SurroundingObject]] = [(schema, ROOT)]
    while pending:
        current, outer = pending.pop()
        if current.default is not None:
            try:
                resource = outer.around(deep_copy(current.default.value))
            except NotAnObjectError:
                continue
            coerce(None, resource, schema, is_resource_root=True, drop_invalid=True)
            prune(resource, schema, is_resource_root=True)
            left = outer.find(resource)
            if not deep_equal(left, current.default.value):
                changed[id(current)] = left
        additional, items = current.additional_schema, current.item_schema
        if additional is not None:
            pending.append((additional, outer.child("*")))
        if items is not None:
            pending.append((items, outer.index()))
        pending.extend((below, outer.child(name)) for name, below in current.properties.items())
    return changed
