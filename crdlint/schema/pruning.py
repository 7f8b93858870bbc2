"""Removal of fields that a structural schema does not specify. Upstream: apiextensions pkg/apiserver/schema/pruning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.model import JSONSchemaProps

if TYPE_CHECKING:
    # A container, its schema, whether it is a whole resource, its printed path, whether unknown fields are kept.
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
    pending: list[Pending] = []
    _push(pending, value, schema, "", keep=False, embedded=is_resource_root)
    while pending:
        here, schema, embedded, path, keep = pending.pop()
        if here.__class__ is list:
            items = None if schema is None else schema.item_schema
            if keep and items is None:
                continue
            for i, item in enumerate(here):
                _push(pending, item, items, f"{path}[{i}]", keep=keep)
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
        known = properties.get(name)
        if known is not None or additional is not None:
            if item.__class__ in _CONTAINERS:
                below = known if known is not None else additional.schema  # type: ignore[union-attr]
                _push(pending, item, below, _join(path, name), keep=False)
        elif not keep:
            dropped.append(name)
    for name in dropped:
        del here[name]
        if path or name not in META_FIELDS:
            unknown.append(_join(path, name))


def _push(
    pending: list[Pending],
    value: Any,
    schema: JSONSchemaProps | None,
    path: str,
    *,
    keep: bool,
    embedded: bool = False,
) -> None:
    """Push a container on the stack; `keep` is true for a list whose items keep unknown fields."""
    if value.__class__ not in _CONTAINERS:
        return
    if schema is not None:
        keep = keep or bool(schema.x_preserve_unknown_fields)
        embedded = embedded or schema.x_embedded_resource
    pending.append((value, schema, embedded, path, keep))


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
