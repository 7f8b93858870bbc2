"""Correlation of old and new values of a resource, and uniqueness of items in set and map lists.

Upstream: apiserver pkg/cel/common (equality.go, maplist.go), apiextensions schema/listtype/validation.go.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final

from crdlint.crd.errors import DUPLICATE, Code, FieldError, Reason, invalid
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path, path_of
from crdlint.golang.printing import marshal
from crdlint.golang.text import quote
from crdlint.schema.deep_equal import deep_equal
from crdlint.schema.traversal import SchemaSearch, containers

_NO_KEY: Final = ()
_CHECKED: Final = frozenset({"set", "map"})
_KEY_FORMATS: Final[dict[type, Callable[[Any], str]]] = {
    bool: lambda value: "true" if value else "false",
    float: lambda value: f"{value:.6f}",
    int: str,
    str: quote,
}


class Correlation:
    """A value, the old one and their schema, with children and equality cached. Upstream: common.CorrelatedObject."""

    __slots__ = ("children", "items_by_key", "known_equal", "new", "old", "parent", "schema")

    def __init__(
        self,
        new: Any,
        old: Any,
        schema: JSONSchemaProps,
        parent: Correlation | None = None,
    ) -> None:
        self.new = new
        self.old = old
        self.schema = schema
        self.parent = parent
        self.children: dict[str | int, Correlation] = {}
        self.items_by_key: dict[Hashable, Any] | None = None
        self.known_equal: bool | None = None

    def key(self, name: str) -> Correlation | None:
        """Return the correlation of a field, or None if old, new or schema lack it."""
        child = self.children.get(name)
        if child is not None:
            return child
        old, new = self.old, self.new
        if old.__class__ is not dict or new.__class__ is not dict:
            return None
        if name not in old or name not in new:
            return None
        schema = self.schema.properties.get(name) or self.schema.additional_schema
        return None if schema is None else self._child(name, new[name], old[name], schema)

    def index(self, i: int) -> Correlation | None:
        """Return the correlation of an item (0-based) of a map list by its keys, or None if there is none."""
        child = self.children.get(i)
        if child is not None:
            return child
        are_lists = self.new.__class__ is list and self.old.__class__ is list
        if not are_lists or self.schema.x_list_type != "map":
            return None
        if self.items_by_key is None:
            self.items_by_key = items_by_key(self.schema, self.old)
        old = self.items_by_key.get(item_key(self.schema, self.new[i]))
        items = self.schema.item_schema
        if old is None or items is None:
            return None
        return self._child(i, self.new[i], old, items)

    def _child(
        self,
        step: str | int,
        new: Any,
        old: Any,
        schema: JSONSchemaProps,
    ) -> Correlation:
        child = self.children[step] = Correlation(new, old, schema, self)
        return child

    def equal(self) -> bool:
        """Return whether old and new are equal, as far as they can be correlated. Upstream: CorrelatedObject.CachedDeepEqual."""
        seen: list[Correlation] = []
        pending = [self]
        while pending:
            current = pending.pop()
            if current.known_equal:
                continue
            seen.append(current)
            below = current.to_compare() if current.known_equal is None else None
            if below is None:
                current.differ(self)
                return False
            pending.extend(below)
        for current in seen:
            current.known_equal = True
        return True

    def to_compare(self) -> list[Correlation] | None:
        """Return the children that must be equal for this one to be equal, or None if it is unequal."""
        old, new = self.old, self.new
        kind = new.__class__
        if kind is not list and kind is not dict:
            return [] if deep_equal(old, new) else None
        if old.__class__ is not kind or len(old) != len(new):
            return None
        if kind is list:
            return self._items_to_compare()
        below: list[Correlation] = []
        for name in new:
            part = self.key(name)
            if part is None:
                return None
            below.append(part)
        return below

    def _items_to_compare(self) -> list[Correlation] | None:
        below: list[Correlation] = []
        for i in range(len(self.new)):
            part = self.index(i)
            if part is not None:
                below.append(part)
            elif self.items_by_key is not None:
                return None
            else:
                # A list whose items cannot be correlated is compared as a whole.
                return [] if deep_equal(self.old, self.new) else None
        return below

    def differ(self, top: Correlation) -> None:
        """Record that this correlation and its ancestors up to `top` are unequal."""
        current: Correlation | None = self
        while current is not None:
            current.known_equal = False
            current = None if current is top else current.parent


def items_by_key(schema: JSONSchemaProps, items: Any) -> dict[Hashable, Any]:
    """Return the items of a map list by their keys; the first of several with the same keys. Upstream: common.MakeMapList."""
    by_key: dict[Hashable, Any] = {}
    is_map_list = schema.type == "array" and schema.x_list_type == "map"
    has_keys = is_map_list and bool(schema.x_list_map_keys)
    if not has_keys or items.__class__ is not list:
        return by_key
    for item in items:
        key = item_key(schema, item)
        if key is not _NO_KEY:
            by_key.setdefault(key, item)
    return by_key


def item_key(schema: JSONSchemaProps, item: Any) -> Hashable:
    """Return the key values of an item, or _NO_KEY if one is missing or is not a scalar."""
    if item.__class__ is not dict:
        return _NO_KEY
    keys = schema.x_list_map_keys
    parts: list[Hashable] = []
    for key in keys:
        value = item.get(key)
        printed = _KEY_FORMATS.get(value.__class__)
        if printed is None:
            return _NO_KEY
        parts.append((value.__class__, value) if len(keys) == 1 else printed(value))
    return tuple(parts)


RULE: Final = "resource-list-type"


_UNSPECIFIED: Final = object()  # a key that a map item does not have; it equals only itself


def list_type_search() -> SchemaSearch:
    """Return a search for lists that are sets or maps."""
    return SchemaSearch(lambda schema: schema.x_list_type in _CHECKED)


def validate_list_sets_and_maps(
    schema: JSONSchemaProps | None, value: Any, search: SchemaSearch | None = None
) -> list[FieldError]:
    """Return an error for each duplicate item of sets and map lists of a resource; `value` is an object or None.

    `search` is that of `list_type_search` for the schema.
    """
    errors: list[FieldError] = []
    for value_path, here, own in containers(value, schema, search):
        if here.__class__ is not list or own.x_list_type not in _CHECKED:
            continue
        path = path_of(value_path, None)
        if own.x_list_type == "set":
            errors += (_duplicate(path, i, here[i]) for i in _repeated(here))
        else:
            errors += _map_errors(path, own.x_list_map_keys, here)
    return errors


def _duplicate(path: Path | None, i: int, value: Any) -> FieldError:
    return FieldError(RULE, DUPLICATE, Path(i, path), value, "")


def _repeated(items: Sequence[Any]) -> Iterator[int]:
    """Yield the index of the second occurrence of each item."""
    seen: dict[object, int] = {}
    for i, item in enumerate(items):
        same = _identity(item)
        seen[same] = times = seen.get(same, 0) + 1
        if times == 2:
            yield i


def _identity(item: Any) -> object:
    """Return what is equal for equal items: of objects and lists the JSON text, of others type and value as in Go."""
    if item.__class__ is dict or item.__class__ is list:
        return marshal(item)
    return item.__class__, item


def _map_errors(path: Path | None, keys: Sequence[str], items: list[Any]) -> Iterator[FieldError]:
    for i, item in enumerate(items):
        if item is not None and item.__class__ is not dict:
            detail = "must be an object for an array of list-type map"
            yield invalid(
                RULE,
                Path(i, path),
                item,
                detail,
                reason=Reason(Code.NO_MAP_ITEM),
            )
            return
    composed = [_keys_of(item or {}, keys) for item in items]
    compared: list[Any] = composed
    if len(keys) == 1:
        # A single key is compared by its value, whose type matters.
        compared = [item.get(keys[0], _UNSPECIFIED) for item in composed]
    for i in _repeated(compared):
        yield _duplicate(path, i, composed[i])


def _keys_of(item: dict[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {name: item[name] for name in keys if name in item}
