"""Uniqueness of items in set and map lists. Upstream: apiextensions schema/listtype/validation.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import DUPLICATE, Code, FieldError, Reason, invalid
from crdlint.crd.paths import child, index, key
from crdlint.golang.values import marshal
from crdlint.schema.values import scalar_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.crd.model import JSONSchemaProps
    from crdlint.crd.paths import Path

RULE: Final = "resource-list-type"


class _Unspecified:
    """A key that a map item does not have; it equals only itself."""


_UNSPECIFIED: Final = _Unspecified()


def validate_list_sets_and_maps(schema: JSONSchemaProps | None, value: Any) -> list[FieldError]:
    """Return an error for each duplicate item of sets and map lists of a resource; `value` is an object or None."""
    errors: list[FieldError] = []
    pending: list[tuple[Path | None, JSONSchemaProps | None, Any]] = [(None, schema, value)]
    while pending:
        here_path, schema, here = pending.pop()
        if schema is None:
            continue
        below: list[tuple[Path | None, JSONSchemaProps | None, Any]] = []
        if here.__class__ is dict:
            additional = schema.additional_schema
            for name, item in here.items():
                if item.__class__ is not dict and item.__class__ is not list:
                    continue
                if additional is not None:
                    below.append((key(here_path, name), additional, item))
                if name in schema.properties:
                    below.append((child(here_path, name), schema.properties[name], item))
        elif here.__class__ is list:
            if schema.x_list_type == "set":
                for i in _repeated(here):
                    errors.append(_duplicate(index(here_path, i), here[i]))  # noqa: PERF401
            elif schema.x_list_type == "map":
                errors.extend(_map_errors(here_path, schema.x_list_map_keys, here))
            items = schema.item_schema
            if items is not None:
                below = [(index(here_path, i), items, item) for i, item in enumerate(here)]
        pending.extend(reversed(below))
    return errors


def _duplicate(path: Path, value: Any) -> FieldError:
    return FieldError(RULE, DUPLICATE, path, value, "")


def _repeated(items: Sequence[Any]) -> Iterator[int]:
    """Yield the index of the second occurrence of each item."""
    seen: dict[object, int] = {}
    for i, item in enumerate(items):
        # Objects and lists are compared by their JSON text.
        same: object = marshal(item) if item.__class__ is dict or item.__class__ is list else scalar_key(item)
        seen[same] = times = seen.get(same, 0) + 1
        if times == 2:
            yield i


def _map_errors(path: Path | None, keys: Sequence[str], items: list[Any]) -> Iterator[FieldError]:
    for i, item in enumerate(items):
        if item is not None and item.__class__ is not dict:
            yield invalid(
                RULE,
                index(path, i),
                item,
                "must be an object for an array of list-type map",
                reason=Reason(Code.NO_MAP_ITEM),
            )
            return
    if len(keys) == 1:
        name = keys[0]
        values = [_UNSPECIFIED if item is None else item.get(name, _UNSPECIFIED) for item in items]
        for i in _repeated(values):
            yield _duplicate(index(path, i), {} if values[i] is _UNSPECIFIED else {name: values[i]})
        return
    composed = [{name: item[name] for name in keys if name in item} if item is not None else {} for item in items]
    for i in _repeated(composed):
        yield _duplicate(index(path, i), composed[i])
