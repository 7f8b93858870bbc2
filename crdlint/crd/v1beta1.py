"""CRDs of v1beta1 read as those of v1. Upstream: apiextensions pkg/apis/apiextensions/v1beta1 conversion.go and defaults.go."""

from __future__ import annotations

import copy
from collections.abc import Sequence as SequenceOf
from types import SimpleNamespace
from typing import Final

from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, items_of

VERSION: Final = "apiextensions.k8s.io/v1beta1"
# What moves from the spec into each version that does not have its own, by its name in the spec and in a version.
_PER_VERSION: Final = {
    "validation": "schema",
    "subresources": "subresources",
    "additionalPrinterColumns": "additionalPrinterColumns",
    "selectableFields": "selectableFields",
}
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
    moved = [
        (_named(entry[0], name), _in_v1_names(entry[1]))
        for old_name, name in _PER_VERSION.items()
        if (entry := _entry(spec, old_name)) is not None
    ]
    entries = [
        entry
        for entry in _entries(spec)
        if entry[0].value not in {*_PER_VERSION, "version", "versions"}
    ]
    entries = [
        (key, _conversion(value) if key.value == "conversion" else value) for key, value in entries
    ]
    versions = _versions(spec, moved)
    if versions is not None:
        entries.append(versions)
    converted = _mapping(spec, entries)
    return _mapping(
        root, [(key, converted if value is spec else value) for key, value in _entries(root)]
    )


def preserves_unknown_fields(root: Mapping) -> bool:
    """Return whether a CRD of v1beta1 keeps fields without a schema, which is the default."""
    value = child(root, "spec", "preserveUnknownFields")
    return not isinstance(value, Scalar) or value.value != "false"


def _versions(spec: Mapping, moved: SequenceOf[_Entry]) -> _Entry | None:
    """Return the versions, each with the fields of the spec that it does not have itself; without any, that of `version`."""
    entry, single = _entry(spec, "versions"), _entry(spec, "version")
    if entry is not None and items_of(entry[1]):
        key, listed = entry
        versions = [
            _version(version, moved) if isinstance(version, Mapping) else version
            for version in items_of(listed)
        ]
        return key, _sequence(listed, versions)
    if single is None:
        return None
    key, name = single
    flags = [(_named(key, flag), _true(key)) for flag in ("served", "storage")]
    version = _mapping(spec, [(_named(key, "name"), name), *flags, *moved])
    return _named(key, "versions"), _sequence(spec, [version])


def _version(version: Mapping, moved: SequenceOf[_Entry]) -> Mapping:
    own = [(key, _in_v1_names(value)) for key, value in _entries(version)]
    names = {key.value for key, _ in own}
    return _mapping(version, [*own, *(entry for entry in moved if entry[0].value not in names)])


def _conversion(conversion: Node) -> Node:
    if not isinstance(conversion, Mapping):
        return conversion
    entries = _entries(conversion)
    webhook = [
        (_named(key, _OF_WEBHOOK[key.value]), value)
        for key, value in entries
        if key.value in _OF_WEBHOOK
    ]
    if not webhook:
        return conversion
    rest = [entry for entry in entries if entry[0].value not in _OF_WEBHOOK]
    return _mapping(
        conversion, [*rest, (_named(webhook[0][0], "webhook"), _mapping(conversion, webhook))]
    )


def _in_v1_names(columns: Node) -> Node:
    """Return printer columns with `jsonPath`, and any other value as it is."""
    if not isinstance(columns, Sequence) or not any(
        _entry(column, "JSONPath") for column in columns.items
    ):
        return columns
    return _sequence(columns, [_column(column) for column in columns.items])


def _column(column: Node) -> Node:
    if not isinstance(column, Mapping):
        return column
    names = {"JSONPath": "jsonPath"}
    return _mapping(
        column,
        [(_named(key, names.get(key.value, key.value)), value) for key, value in _entries(column)],
    )


def _entries(mapping: Mapping) -> list[_Entry]:
    return [(key, value) for key, value in mapping.pairs() if isinstance(key, Scalar)]


def _entry(node: Node, name: str) -> _Entry | None:
    pair = node.find(name) if isinstance(node, Mapping) else None
    return None if pair is None or not isinstance(pair[0], Scalar) else (pair[0], pair[1])


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
