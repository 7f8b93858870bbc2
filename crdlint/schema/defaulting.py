"""Pruning and defaulting of values. Upstream: apiextensions pkg/apiserver/schema/pruning and schema/defaulting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.light import NamedTuple
from crdlint.schema.deep_equal import deep_copy, deep_equal, has_nulls
from crdlint.schema.embedded_resources import coerce
from crdlint.schema.traversal import SchemaSearch, containers

META_FIELDS: Final = frozenset({"apiVersion", "kind", "metadata"})
_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})
_EMPTY: Final = JSONSchemaProps()
_NO_NAMES: Final[frozenset[str]] = frozenset()


class _Container(NamedTuple):
    """An object or a list that is not pruned yet.

    `value`: the dict or list.
    `schema`: its schema, None if it has none.
    `path`: its path as the server prints it.
    `is_resource`: whether it is the root of a resource.
    `keeps_unknown`: whether it is in a list that keeps unknown fields.
    """

    value: Any
    schema: JSONSchemaProps | None
    path: str
    is_resource: bool = False
    keeps_unknown: bool = False


def prune(value: Any, schema: JSONSchemaProps | None, *, is_resource_root: bool) -> list[str]:
    """Remove unknown fields from a value, in place, and return their paths as the server prints them, sorted.

    `is_resource_root` keeps apiVersion, kind and metadata at the top; x-kubernetes-embedded-resource does so below.
    """
    unknown: list[str] = []
    pending: list[_Container] = []
    if value.__class__ in _CONTAINERS:
        root = schema
        if is_resource_root and schema is None:
            root = _EMPTY
        pending.append(_Container(value, root, "", is_resource_root))
    while pending:
        container = pending.pop()
        if container.value.__class__ is list:
            pending += _items(container)
        elif container.schema is None:
            unknown.extend(_join(container.path, name) for name in container.value)
            container.value.clear()
        else:
            pending += _prune_object(container, container.schema, unknown)
    return sorted(unknown)


def _items(container: _Container) -> list[_Container]:
    """Return the objects and lists of a list, none if all in it is kept."""
    schema = container.schema
    items, keep = None, container.keeps_unknown
    if schema is not None:
        items, keep = schema.item_schema, keep or bool(schema.x_preserve_unknown_fields)
    if items is None and keep:
        return []
    return [
        _Container(
            item,
            items,
            f"{container.path}[{i}]",
            keeps_unknown=keep,
        )
        for i, item in enumerate(container.value)
        if item.__class__ in _CONTAINERS
    ]


def _prune_object(
    container: _Container, schema: JSONSchemaProps, unknown: list[str]
) -> list[_Container]:
    """Remove the unknown fields of an object, add their paths to `unknown`, and return the objects and lists in it."""
    keep = container.keeps_unknown or bool(schema.x_preserve_unknown_fields)
    kept_names = META_FIELDS if container.is_resource or schema.x_embedded_resource else _NO_NAMES
    properties, additional = schema.properties, schema.additional_properties
    below: list[_Container] = []
    dropped: list[str] = []
    for name, item in container.value.items():
        if name in kept_names:
            continue
        if name in properties:
            own: JSONSchemaProps | None = properties[name]
        elif additional is not None:
            own = additional.schema
        else:
            dropped.append(name)
            continue
        if item.__class__ in _CONTAINERS:
            below.append(_Container(item, own, _join(container.path, name)))
    if not keep:
        _drop(container, dropped, unknown)
    return below


def _drop(container: _Container, names: list[str], unknown: list[str]) -> None:
    """Remove fields of an object; the server does not report apiVersion, kind and metadata of the whole value."""
    path = container.path
    for name in names:
        del container.value[name]
        if path or name not in META_FIELDS:
            unknown.append(_join(path, name))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


_NONE: Final[dict[int, Any]] = {}


def default_search() -> SchemaSearch:
    """Return a search for defaults."""
    return SchemaSearch(lambda schema: schema.default is not None)


def apply_defaults(
    value: Any,
    schema: JSONSchemaProps | None,
    pruned: Mapping[int, Any] = _NONE,
    search: SchemaSearch | None = None,
) -> None:
    """Set defaults for absent fields and for nulls that are not allowed, in place. Upstream: defaulting.Default.

    `pruned` contains replacements for defaults by the identity of their schema (see `prune_defaults`); None means that
    there is no default. `search` is that of `default_search` for the schema.
    """
    for _, here, own in containers(value, schema, search):
        if here.__class__ is dict:
            _fill_object(here, own, pruned)
        elif own.item_schema is not None and not own.item_schema.nullable:
            default = _default(own.item_schema, pruned)
            here[:] = [deep_copy(default) if item is None else item for item in here]


def _fill_object(here: dict[str, Any], schema: JSONSchemaProps, pruned: Mapping[int, Any]) -> None:
    """Set the defaults of an object's own fields."""
    properties = schema.properties
    for name, property_ in properties.items():
        if property_.default is None:
            continue
        is_null = name in here and here[name] is None
        is_unset = name not in here or (is_null and not property_.nullable)
        if is_unset:
            default = _default(property_, pruned)
            if default is not None:
                here[name] = deep_copy(default)
    additional = schema.additional_schema
    if additional is not None and not additional.nullable:
        _fill_nulls(
            here,
            [name for name in here if name not in properties],
            additional,
            pruned,
        )


def _fill_nulls(
    here: dict[str, Any],
    names: list[str],
    schema: JSONSchemaProps,
    pruned: Mapping[int, Any],
) -> None:
    """Set the default for fields that are null, null if there is none."""
    default = _default(schema, pruned)
    for name in names:
        if here[name] is None:
            here[name] = deep_copy(default)


def _default(schema: JSONSchemaProps, pruned: Mapping[int, Any]) -> Any:
    if id(schema) in pruned:
        return pruned[id(schema)]
    return schema.default_value


def prune_nulls(value: Any, schema: JSONSchemaProps | None) -> None:
    """Remove nulls that are neither allowed nor defaulted, in place. Upstream: PruneNonNullableNullsWithoutDefaults."""
    for _, here, own in containers(value, schema) if has_nulls(value) else ():
        if here.__class__ is not dict:
            continue
        nulls = [name for name, item in here.items() if item is None]
        for name in nulls:
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
                left = _pruned_default(current.default.value, outer, schema)
            except NotAnObjectError:
                continue
            if not deep_equal(left, current.default.value):
                changed[id(current)] = left
        if current.additional_schema is not None:
            pending.append((current.additional_schema, outer.child("*")))
        if current.item_schema is not None:
            pending.append((current.item_schema, outer.item()))
        pending.extend((below, outer.child(name)) for name, below in current.properties.items())
    return changed


def _pruned_default(default: Any, outer: SurroundingObject, root: JSONSchemaProps) -> Any:
    """Return what is left of a default at a position; raise NotAnObjectError."""
    resource = outer.around(deep_copy(default))
    coerce(
        None,
        resource,
        root,
        is_resource_root=True,
        drop_invalid=True,
    )
    prune(resource, root, is_resource_root=True)
    return outer.find(resource)


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
            here = _value_below(here, step)
        return here


def _value_below(value: Any, step: str | None) -> Any:
    """Return a property, or for None the first item; None if there is none."""
    if step is not None:
        return value.get(step) if value.__class__ is dict else None
    has_items = value.__class__ is list and bool(value)
    return value[0] if has_items else None


ROOT: Final = SurroundingObject()
TYPED_ROOT: Final = SurroundingObject(typed=True)
