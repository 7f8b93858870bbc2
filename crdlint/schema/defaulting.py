"""Defaults of a structural schema put into a value, and nulls taken out (apiextensions pkg/apiserver/schema/defaulting)."""

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
    """Put defaults where nothing is, or a null that may not be, in place (Default).

    ``pruned`` has what stands for defaults that are not as in the schema, by the identity of their schema
    (see ``prune_defaults``); None there is no default.
    """
    pending = [(value, schema)]
    while pending:
        here, schema = pending.pop()
        if schema is None:
            continue
        if here.__class__ is dict:
            pending.extend(_fill_object(here, schema, pruned))
        elif here.__class__ is list:
            items = schema.items.schema if schema.items is not None else None
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
    """Put an object's own defaults in, and yield what may want defaults below it."""
    additional = schema.additional_properties.schema if schema.additional_properties is not None else None
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
    """Take out nulls that may not be and have no default, in place (PruneNonNullableNullsWithoutDefaults)."""
    pending = [(value, schema)]
    while pending:
        here, schema = pending.pop()
        if schema is None:
            continue
        if here.__class__ is dict:
            additional = schema.additional_properties.schema if schema.additional_properties is not None else None
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
            items = schema.items.schema if schema.items is not None else None
            pending.extend((item, items) for item in here if item.__class__ in _CONTAINERS)


def prune_defaults(schema: JSONSchemaProps) -> dict[int, Any]:
    """Return what the server puts in place of defaults that are not pruned or coerced, by identity of their schema.

    Follows PruneDefaults; a default at the root that is no object has none.
    """
    changed: dict[int, Any] = {}
    pending: list[tuple[JSONSchemaProps, SurroundingObject]] = [(schema, ROOT)]
    while pending:
        at, surrounding = pending.pop()
        if at.default is not None:
            try:
                whole = surrounding.around(deep_copy(at.default.value))
            except NotAnObjectError:
                continue
            coerce(None, whole, schema, is_resource_root=True, drop_invalid=True)
            prune(whole, schema, is_resource_root=True)
            left = surrounding.find(whole)
            if not deep_equal(left, at.default.value):
                changed[id(at)] = left
        if at.additional_properties is not None and at.additional_properties.schema is not None:
            pending.append((at.additional_properties.schema, surrounding.child("*")))
        if at.items is not None and at.items.schema is not None:
            pending.append((at.items.schema, surrounding.index()))
        pending.extend((below, surrounding.child(name)) for name, below in at.properties.items())
    return changed
