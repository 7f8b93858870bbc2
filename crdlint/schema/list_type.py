"""Uniqueness of items in set and map lists. Upstream: apiextensions schema/listtype/validation.go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from crdlint.crd.errors import DUPLICATE, FieldError, Reason, ReasonCode, invalid
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path, path_of
from crdlint.golang.printing import marshal
from crdlint.schema.traversal import containers

RULE: Final = "resource-list-type"


_UNSPECIFIED: Final = object()  # a key that a map item does not have; it equals only itself


def validate_list_sets_and_maps(schema: JSONSchemaProps | None, value: Any) -> list[FieldError]:
    """Return an error for each duplicate item of sets and map lists of a resource; `value` is an object or None."""
    errors: list[FieldError] = []
    for value_path, here, own in containers(value, schema):
        if here.__class__ is not list or own.x_list_type not in {"set", "map"}:
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
        # Objects and lists are compared by their JSON text, and others as in Go, where the type is part of a key.
        same: object = marshal(item) if item.__class__ is dict or item.__class__ is list else (item.__class__, item)
        seen[same] = times = seen.get(same, 0) + 1
        if times == 2:
            yield i


def _map_errors(path: Path | None, keys: Sequence[str], items: list[Any]) -> Iterator[FieldError]:
    for i, item in enumerate(items):
        if item is not None and item.__class__ is not dict:
            detail = "must be an object for an array of list-type map"
            yield invalid(RULE, Path(i, path), item, detail, reason=Reason(ReasonCode.NO_MAP_ITEM))
            return
    if len(keys) == 1:
        name = keys[0]
        values = [_UNSPECIFIED if item is None else item.get(name, _UNSPECIFIED) for item in items]
        for i in _repeated(values):
            yield _duplicate(path, i, {} if values[i] is _UNSPECIFIED else {name: values[i]})
        return
    composed = [{name: item[name] for name in keys if name in item} if item is not None else {} for item in items]
    for i in _repeated(composed):
        yield _duplicate(path, i, composed[i])
