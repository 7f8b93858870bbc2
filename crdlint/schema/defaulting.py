"""Pruning and defaulting of values. Upstream: apiextensions pkg/apiserver/schema/pruning and schema/defaulting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.light import NamedTuple
from crdlint.schema.deep_equal import deep_copy, deep_equal
from crdlint.schema.embedded_resources import coerce
from crdlint.schema.traversal import containers

# A container, its schema, whether it is a resource, its printed path, whether it is in a list that keeps unknown fields.
Pending = tuple[Any, JSONSchemaProps | None, bool, str, bool]


META_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata"})
_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_EMPTY: Final = JSONSchemaProps()


def prune(value: Any, schema: JSONSchemaProps | None, *, is_resource_root: bool) -> list[str]:
    """Remove unknown fields from a value, in place, and return their paths as the server prints them, sorted.

    `is_resource_root` keeps apiVersion, kind and metadata at the top; x-kubernetes-embedded-resource does so below.
    """
    unknown: list[str] = []
    if is_resource_root and schema is None:
        schema = _EMPTY
    pending: list[Pending] = (
        [(value, schema, is_resource_root, "", False)] if value.__class__ in _CONTAINERS else []
    )
    while pending:
        here, schema, embedded, path, keep = pending.pop()
        if schema is not None:
            keep = keep or bool(schema.x_preserve_unknown_fields)
            embedded = embedded or schema.x_embedded_resource
        if here.__class__ is list:
            items = None if schema is None else schema.item_schema
            if items is not None or not keep:
                inner = ((i, item) for i, item in enumerate(here) if item.__class__ in _CONTAINERS)
                pending += ((item, items, False, f"{path}[{i}]", keep) for i, item in inner)
        elif schema is None:
            unknown.extend(_join(path, name) for name in here)
            here.clear()
        else:
            _object(pending, unknown, (here, schema, embedded, path, keep))
    return sorted(unknown)


def _object(pending: list[Pending], unknown: list[str], container: Pending) -> None:
    here, schema, embedded, path, keep = container
    assert schema is not None  # noqa: S101  the caller checks it
    properties, additional = schema.properties, schema.additional_properties
    dropped: list[str] = []
    for name, item in here.items():
        if embedded and name in META_FIELDS:
            continue
        property_ = properties.get(name)
        if property_ is not None or additional is not None:
            if item.__class__ in _CONTAINERS:
                below = property_ if property_ is not None else additional.schema  # type: ignore[union-attr]
                pending.append((item, below, False, _join(path, name), False))
        elif not keep:
            dropped.append(name)
    for name in dropped:
        del here[name]
        if path or name not in META_FIELDS:
            unknown.append(_join(path, name))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


_NONE: Final[dict[int, Any]] = {}


def apply_defaults(
    value: Any, schema: JSONSchemaProps | None, pruned: Mapping[int, Any] = _NONE
) -> None:
    """Set defaults for absent fields and for nulls that are not allowed, in place. Upstream: defaulting.Default.

    `pruned` contains replacements for defaults by the identity of their schema (see `prune_defaults`); None means that
    there is no default.
    """
    for _, here, own in containers(value, schema):
        if here.__class__ is dict:
            _fill_object(here, own, pruned)
        elif own.item_schema is not None and not own.item_schema.nullable:
            default = _default(own.item_schema, pruned)
            here[:] = [deep_copy(default) if item is None else item for item in here]


def _fill_object(here: dict[str, Any], schema: JSONSchemaProps, pruned: Mapping[int, Any]) -> None:
    """Set the defaults of an object's own fields."""
    additional = schema.additional_schema
    properties = schema.properties
    for name, property_ in properties.items():
        if property_.default is not None and (
            name not in here or (here[name] is None and not property_.nullable)
        ):
            default = _default(property_, pruned)
            if default is not None:
                here[name] = deep_copy(default)
    if additional is not None and not additional.nullable:
        for name, item in here.items():
            if item is None and name not in properties:
                here[name] = deep_copy(_default(additional, pruned))


def _default(schema: JSONSchemaProps, pruned: Mapping[int, Any]) -> Any:
    if id(schema) in pruned:
        return pruned[id(schema)]
    return None if schema.default is None else schema.default.value


def prune_nulls(value: Any, schema: JSONSchemaProps | None) -> None:
    """Remove nulls that are neither allowed nor defaulted, in place. Upstream: PruneNonNullableNullsWithoutDefaults."""
    for _, here, own in containers(value, schema):
        if here.__class__ is not dict:
            continue
        for name in [name for name, item in here.items() if item is None]:
            below = own.properties.get(name, own.additional_schema)
            if below is not None and not below.nullable and below.default is None:
                del here[name]


def prune_defaults(schema: JSONSchemaProps) -> dict[int, Any]:
    """Return the server's replacements for defaults that are not pruned or coerced, by the identity of their schema.

    A default at the root that is not an object ends it. Upstream: defaulting.PruneDefaults.
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
            pending.append((items, outer.item()))
        pending.extend((below, outer.child(name)) for name, below in current.properties.items())
    return changed


class NotAnObjectError(ValueError):
    """The rebuilt value is not an object; the text is upstream's."""


class SurroundingObject(NamedTuple):
    """A position below an outer one: a property, or None for an only item. If `typed`, the object gets apiVersion and kind."""

    step: str | None = None
    outer: SurroundingObject | None = None
    typed: bool = False

    def child(self, name: str) -> SurroundingObject:
        """Return the position of a property of the object at this position."""
        return SurroundingObject(name, self, self.typed)

    def item(self) -> SurroundingObject:
        """Return the position of the only item of the list at this position."""
        return SurroundingObject(None, self, self.typed)

    def around(self, focus: Any) -> dict[str, Any]:
        """Return the whole object with `focus` at this position; raise NotAnObjectError if it is not an object."""
        position = self
        while position.outer is not None:
            focus = [focus] if position.step is None else {position.step: focus}
            position = position.outer
        if focus.__class__ is not dict:
            raise NotAnObjectError("object root default value must be of object type")
        result: dict[str, Any] = focus
        if self.typed:
            result.setdefault("kind", "Validation")
            result.setdefault("apiVersion", "validation/v1")
        return result

    def find(self, resource: dict[str, Any]) -> Any:
        """Return the value at this position in `resource`, or None."""
        steps = []
        position = self
        while position.outer is not None:
            steps.append(position.step)
            position = position.outer
        here: Any = resource
        for step in reversed(steps):
            if step is None:
                here = here[0] if here.__class__ is list and here else None
            else:
                here = here.get(step) if here.__class__ is dict else None
        return here


ROOT: Final = SurroundingObject()
TYPED_ROOT: Final = SurroundingObject(typed=True)
