"""The metadata of any object: read as Go reads it, and what is wrong with it in general.

Reproduces apimachinery pkg/api/validation/objectmeta.go (ValidateObjectMeta without the name, which each type has rules
of its own for) and apiextensions pkg/apiserver/schema/objectmeta/coerce.go.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.decode_errors import explain
from crdlint.crd.decode_values import Reader
from crdlint.crd.errors import TOO_LONG, FieldError, invalid
from crdlint.crd.gotypes import OBJECT_META
from crdlint.crd.kubenames import is_label_key, is_label_value
from crdlint.golang.unicode import is_print
from crdlint.golang.values import Marshalled
from crdlint.yaml.parse import parse_first

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.gotypes import GoType
    from crdlint.crd.model import ObjectMeta, OwnerReference
    from crdlint.crd.paths import Path

ANNOTATIONS_LIMIT: Final = 262144  # bytes of all keys and values together
_MANAGER_LIMIT: Final = 128
_SUBRESOURCE_LIMIT: Final = 256


@dataclass(frozen=True, slots=True)
class Rules:
    """The ids of the rules that findings about metadata belong to."""

    labels: str
    annotations: str
    annotations_size: str
    owners: str
    finalizers: str
    server_owned: str


@dataclass(frozen=True, slots=True)
class ReadMeta:
    """Metadata as Go reads it: ``error`` is what its decoder says instead, ``unknown`` the paths of unknown fields."""

    meta: ObjectMeta
    error: str | None
    unknown: tuple[str, ...]


def read_object_meta(value: Any) -> ReadMeta:
    """Read a JSON value as an object's metadata (GetObjectMeta)."""
    node = parse_first(json.dumps(value)).root
    assert node is not None  # noqa: S101  JSON is never empty
    reader = Reader(json=True)
    meta = reader.read(OBJECT_META, node, 1)
    if not reader.trouble:
        return ReadMeta(meta, None, ())
    explained = explain(OBJECT_META, node)
    if isinstance(explained, list):
        return ReadMeta(meta, None, tuple(one.path for one in explained if one.path))
    return ReadMeta(meta, str(explained), ())


def known_fields(value: dict[str, Any]) -> dict[str, Any]:
    """Return metadata with what Go's type keeps of it: known fields that are not empty (SetObjectMeta)."""
    return _kept(OBJECT_META, value)


def _kept(of: GoType, value: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for name, field in of.fields.items():
        held = value.get(name)
        if held in (None, "", 0, {}, []) or held is False:
            continue
        element = field.type.element
        if field.type.kind == "slice" and element is not None and element.fields:
            held = [_kept(element, item or {}) for item in held]
        kept[name] = held
    return kept


def validate_object_meta(meta: ObjectMeta, path: Path, rules: Rules) -> Iterator[FieldError]:
    """Yield what is wrong with metadata, name and namespace aside."""
    if meta.generation < 0:
        at = path.child("generation")
        yield invalid(rules.server_owned, at, meta.generation, "must be greater than or equal to 0")
    yield from check_labels(meta, path, rules)
    yield from check_annotations(meta, path, rules)
    yield from check_owners(meta, path, rules)
    yield from check_finalizers(meta, path, rules)
    yield from check_managed_fields(meta, path, rules)


def check_labels(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    """Yield labels that are none."""
    path = within.child("labels")
    for key, value in meta.labels.items():
        for message in is_label_key(key):
            yield invalid(rules.labels, path, key, message, at=path.child(key), help=None)
        for message in is_label_value(value):
            yield invalid(rules.labels, path, value, message, at=path.child(key))


def check_annotations(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    """Yield keys of annotations that are none, and that all take too many bytes."""
    path = within.child("annotations")
    size = 0
    for key, value in meta.annotations.items():
        size += len(key.encode("utf-8", "surrogatepass")) + len(value.encode("utf-8", "surrogatepass"))
        for message in is_label_key(key.lower()):
            yield FieldError(rules.annotations, "FieldValueInvalid", path, key, message, at=path.child(key), key=True)
    if size > ANNOTATIONS_LIMIT:
        yield FieldError(
            rules.annotations_size, TOO_LONG, path, None, f"may not be more than {ANNOTATIONS_LIMIT} bytes"
        )


def check_owners(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    """Yield owner references that name no object."""
    path = within.child("ownerReferences")
    controller = ""
    for i, owner in enumerate(meta.owner_references):
        yield from _owner(owner, path.index(i), rules)
        if owner.controller:
            name = f"{owner.kind}/{owner.name}"
            if controller:
                detail = (
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {controller} and {name}'
                )
                yield invalid(rules.owners, path, meta.owner_references, detail)
            else:
                controller = name


def _owner(owner: OwnerReference, path: Path, rules: Rules) -> Iterator[FieldError]:
    group, _, version = owner.api_version.rpartition("/")
    if owner.api_version.count("/") > 1:
        group = version = ""  # what schema.FromAPIVersionAndKind cannot parse is empty
    for name, value, held, message in (
        ("apiVersion", owner.api_version, version, "version must not be empty"),
        ("kind", owner.kind, owner.kind, "must not be empty"),
        ("name", owner.name, owner.name, "must not be empty"),
        ("uid", owner.uid, owner.uid, "must not be empty"),
    ):
        if not held:
            yield invalid(rules.owners, path.child(name), Marshalled(value) if name == "uid" else value, message)
    if (group, version, owner.kind) == ("", "v1", "Event"):
        yield invalid(rules.owners, path, owner, "/v1, Kind=Event is disallowed from being an owner")


def check_finalizers(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    """Yield finalizers that are none."""
    path = within.child("finalizers")
    for i, finalizer in enumerate(meta.finalizers):
        for message in is_label_key(finalizer):
            yield invalid(rules.finalizers, path, finalizer, message, at=path.index(i))
    if {"orphan", "foregroundDeletion"} <= set(meta.finalizers):
        detail = "finalizer orphan and foregroundDeletion cannot be both set"
        yield invalid(rules.finalizers, path, meta.finalizers, detail)


def check_managed_fields(meta: ObjectMeta, within: Path, rules: Rules) -> Iterator[FieldError]:
    """Yield entries of managedFields that the server would not write."""
    for i, entry in enumerate(meta.managed_fields):
        path = within.child("managedFields").index(i)
        if entry.operation not in {"Apply", "Update"}:
            at = path.child("operation")
            yield invalid(rules.server_owned, at, Marshalled(entry.operation), "must be `Apply` or `Update`")
        if entry.fields_type and entry.fields_type != "FieldsV1":
            yield invalid(rules.server_owned, path.child("fieldsType"), entry.fields_type, "must be `FieldsV1`")
        if len(entry.manager.encode("utf-8", "surrogatepass")) > _MANAGER_LIMIT:
            detail = f"may not be more than {_MANAGER_LIMIT} bytes"
            yield FieldError(rules.server_owned, TOO_LONG, path.child("manager"), None, detail)
        position = 0
        for char in entry.manager:
            if not is_print(ord(char)):
                detail = f"invalid character U+{ord(char):04X} (at position {position})"
                yield invalid(rules.server_owned, path.child("manager"), entry.manager, detail)
            position += len(char.encode("utf-8", "surrogatepass"))
        if len(entry.subresource.encode("utf-8", "surrogatepass")) > _SUBRESOURCE_LIMIT:
            detail = f"may not be more than {_SUBRESOURCE_LIMIT} bytes"
            yield FieldError(rules.server_owned, TOO_LONG, path.child("subresource"), None, detail)
