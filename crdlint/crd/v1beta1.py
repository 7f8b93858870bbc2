"""CRDs of v1beta1 read as those of v1. Upstream: apiextensions pkg/apis/apiextensions/v1beta1 conversion.go and defaults.go."""

from __future__ import annotations

import copy
from collections.abc import Sequence as SequenceOf
from types import SimpleNamespace
from typing import Final

from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, entry, items_of

VERSION: Final = "apiextensions.k8s.io/v1beta1"
# What moves from the spec into each version that does not have its own, by its name in the spec and in a version.
_PER_VERSION: Final = {
    "validation": "schema",
    "subresources": "subresources",
    "additionalPrinterColumns": "additionalPrinterColumns",
    "selectableFields": "selectableFields",
}
_MOVED: Final = frozenset({*_PER_VERSION, "version", "versions"})
_OF_WEBHOOK: Final = {
    "webhookClientConfig": "clientConfig",
    "conversionReviewVersions": "conversionReviewVersions",
}
_Entry = tuple[Scalar, Node]


def in_v1(root: Mapping) -> Mapping:
    """Return a CRD of v1beta1 with its fields where v1 has them; the moved nodes keep their positions.

    `preserveUnknownFields` is left as it is: without it, v1beta1 keeps unknown fields, see `preserves_unknown_fields`.
    """
    spec = child(root, "spec")
    if not isinstance(spec, Mapping):
        return root
    entries: list[_Entry] = []
    for key, value in _entries(spec):
        if key.value == "conversion":
            entries.append((key, _conversion(value)))
        elif key.value not in _MOVED:
            entries.append((key, value))
    versions = _versions(spec, _moved(spec))
    if versions is not None:
        entries.append(versions)
    converted = _mapping(spec, entries)
    in_root = [(key, converted if value is spec else value) for key, value in _entries(root)]
    return _mapping(root, in_root)


def _moved(spec: Mapping) -> list[_Entry]:
    """Return the fields of a spec that move into each version."""
    moved = []
    for old_name, name in _PER_VERSION.items():
        entry = _entry(spec, old_name)
        if entry is not None:
            key, value = entry
            moved.append((_named(key, name), _in_v1_names(value)))
    return moved


def preserves_unknown_fields(root: Mapping) -> bool:
    """Return whether a CRD of v1beta1 keeps fields without a schema, which is the default."""
    value = child(root, "spec", "preserveUnknownFields")
    return not isinstance(value, Scalar) or value.value != "false"


def _versions(spec: Mapping, moved: SequenceOf[_Entry]) -> _Entry | None:
    """Return the versions, each with the fields of the spec that it does not have itself; without any, that of `version`."""
    entry, single = _entry(spec, "versions"), _entry(spec, "version")
    if entry is not None and items_of(entry[1]):
        key, listed = entry
        return key, _sequence(listed, [_version(item, moved) for item in items_of(listed)])
    if single is None:
        return None
    key, name = single
    flags = [(_named(key, flag), _true(key)) for flag in ("served", "storage")]
    version = _mapping(spec, [(_named(key, "name"), name), *flags, *moved])
    return _named(key, "versions"), _sequence(spec, [version])


def _version(version: Node, moved: SequenceOf[_Entry]) -> Node:
    if not isinstance(version, Mapping):
        return version
    own = [(key, _in_v1_names(value)) for key, value in _entries(version)]
    names = {key.value for key, _ in own}
    added = [entry for entry in moved if entry[0].value not in names]
    return _mapping(version, [*own, *added])


def _conversion(conversion: Node) -> Node:
    """Return a conversion with the fields of a webhook in `webhook`."""
    if not isinstance(conversion, Mapping):
        return conversion
    rest: list[_Entry] = []
    webhook: list[_Entry] = []
    for key, value in _entries(conversion):
        if key.value in _OF_WEBHOOK:
            webhook.append((_named(key, _OF_WEBHOOK[key.value]), value))
        else:
            rest.append((key, value))
    if not webhook:
        return conversion
    first, _ = webhook[0]
    rest.append((_named(first, "webhook"), _mapping(conversion, webhook)))
    return _mapping(conversion, rest)


def _in_v1_names(columns: Node) -> Node:
    """Return printer columns with `jsonPath`, and any other value as it is."""
    if not isinstance(columns, Sequence):
        return columns
    if not any(_entry(column, "JSONPath") for column in columns.items):
        return columns
    return _sequence(columns, list(map(_column, columns.items)))


def _column(column: Node) -> Node:
    if not isinstance(column, Mapping):
        return column
    entries: list[_Entry] = []
    for key, value in _entries(column):
        name = "jsonPath" if key.value == "JSONPath" else key.value
        entries.append((_named(key, name), value))
    return _mapping(column, entries)


def _entries(mapping: Mapping) -> list[_Entry]:
    return [(key, value) for key, value in mapping.pairs() if isinstance(key, Scalar)]


def _entry(node: Node, name: str) -> _Entry | None:
    key, value = entry(node, name) or (None, None)
    return (key, value) if isinstance(key, Scalar) and value is not None else None


def _named(key: Scalar, name: str) -> Scalar:
    """Return a scalar with another text at the position of a key."""
    scalar = copy.copy(key)
    scalar.value = name
    return scalar


def _true(key: Scalar) -> Scalar:
    scalar = _named(key, "true")
    scalar.style = None
    return scalar


def _mapping(like: Mapping, entries: SequenceOf[_Entry]) -> Mapping:
    is_simple = like.simple and len({key.value for key, _ in entries}) == len(entries)
    mapping = Mapping(_event(like), tuple(key.value for key, _ in entries) if is_simple else None)
    mapping.items = [node for entry in entries for node in entry]
    mapping.json = like.json
    return mapping


def _sequence(like: Node, items: SequenceOf[Node]) -> Sequence:
    sequence = Sequence(_event(like))
    sequence.items = list(items)
    return sequence


def _event(like: Node) -> SimpleNamespace:
    return SimpleNamespace(
        start_mark=like.start_mark,
        end_mark=like.end_mark,
        anchor=None,
        flow_style=getattr(like, "flow", False),
    )
