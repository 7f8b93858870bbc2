"""Lists that are sets or maps: no element twice (apiextensions pkg/apiserver/schema/listtype)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crdlint.crd.errors import DUPLICATE, FieldError, invalid
from crdlint.crd.paths import Path
from crdlint.golang.values import marshal

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from crdlint.crd.model import JSONSchemaProps


def validate_list_types(rule: str, path: Path | None, schema: JSONSchemaProps, value: Any) -> Iterator[FieldError]:
    """Yield each element that stands a second time in a list that is a set or map."""
    stack: list[tuple[Path | None, JSONSchemaProps, Any]] = [(path, schema, value)]
    while stack:
        at, of, one = stack.pop()
        if isinstance(one, list) and at is not None:
            if of.x_list_type == "set":
                for i in _repeated(one):
                    yield FieldError(rule, DUPLICATE, at.index(i), one[i], "")
            elif of.x_list_type == "map":
                yield from _map(rule, at, of, one)
            items = None if of.items is None else of.items.schema
            if items is not None:
                stack.extend((at.index(i), items, item) for i, item in reversed(list(enumerate(one))))
        elif isinstance(one, dict):
            additional = None if of.additional_properties is None else of.additional_properties.schema
            below: list[tuple[Path | None, JSONSchemaProps, Any]] = []
            for key, item in one.items():
                if additional is not None:
                    below.append((Path(key) if at is None else at.key(key), additional, item))
                if key in of.properties:
                    below.append((Path(key) if at is None else at.child(key), of.properties[key], item))
            stack.extend(reversed(below))


def _map(rule: str, path: Path, schema: JSONSchemaProps, value: list[Any]) -> Iterator[FieldError]:
    for i, item in enumerate(value):
        if item is not None and not isinstance(item, dict):
            yield invalid(rule, path.index(i), item, "must be an object for an array of list-type map")
            return
    keys = [{name: item[name] for name in schema.x_list_map_keys if name in item} if item else {} for item in value]
    for i in _repeated(keys):
        yield FieldError(rule, DUPLICATE, path.index(i), keys[i], "")


def _repeated(values: list[Any]) -> list[int]:
    """Return the index of each value that stands for the second time; a third is not told again."""
    counts: dict[Hashable, int] = {}
    found = []
    for i, value in enumerate(values):
        known: Hashable = marshal(value) if isinstance(value, (dict, list)) else (value.__class__, value)
        times = counts[known] = counts.get(known, 0) + 1
        if times == 2:
            found.append(i)
    return found
