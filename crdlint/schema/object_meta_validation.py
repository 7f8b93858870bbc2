"""Metadata of whole and embedded resources judged (apiextensions schema/objectmeta/validation.go).

The rules of metadata itself are apimachinery's pkg/api/validation/objectmeta.go and pkg/apis/meta/v1/validation;
metadata is a dict as ``object_meta.read_object_meta`` gives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import TOO_LONG, FieldError, forbidden, invalid, required
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.quote import quote
from crdlint.golang.unicode import is_print
from crdlint.golang.values import Marshalled
from crdlint.schema.kubenames import (
    is_dns1035_label,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_key,
    is_label_value,
    is_path_segment,
    mask_trailing_dash,
)
from crdlint.schema.object_meta import RULE, MetadataError, read_object_meta
from crdlint.schema.places import child, index, key
from crdlint.schema.values import deep_equal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.crd.paths import Path

    NameCheck = Callable[[str, bool], list[str]]

ANNOTATIONS_LIMIT: Final = 262144  # bytes of all keys and values together
_MANAGER_LIMIT: Final = 128
_SUBRESOURCE_LIMIT: Final = 256
_EMPTY: Final = JSONSchemaProps()


def validate_embedded(
    path: Path | None, value: Any, schema: JSONSchemaProps | None, *, is_resource_root: bool
) -> list[FieldError]:
    """Return what is wrong with the type and metadata of embedded resources, and at the top with ``is_resource_root``."""
    if is_resource_root and schema is None:
        schema = _EMPTY
    errors: list[FieldError] = []
    pending: list[tuple[Path | None, Any, JSONSchemaProps | None, bool]] = [(path, value, schema, is_resource_root)]
    while pending:
        at, here, schema, embedded = pending.pop()
        if schema is None:
            continue
        below: list[tuple[Path | None, Any, JSONSchemaProps | None, bool]] = []
        if here.__class__ is dict:
            if embedded or schema.x_embedded_resource:
                errors.extend(_resource(at, here))
            additional = schema.additional_properties
            for name, item in here.items():
                if item.__class__ is not dict and item.__class__ is not list:
                    continue
                known = schema.properties.get(name)
                if known is not None:
                    below.append((child(at, name), item, known, False))
                elif additional is not None and additional.schema is not None:
                    below.append((key(at, name), item, additional.schema, False))
        elif here.__class__ is list and schema.items is not None:
            below = [(index(at, i), item, schema.items.schema, False) for i, item in enumerate(here)]
        pending.extend(reversed(below))
    return errors


def _resource(path: Path | None, here: dict[str, Any]) -> Iterator[FieldError]:
    for name in ("apiVersion", "kind"):
        if name not in here:
            yield required(RULE, child(path, name), "")
    for name, value in here.items():
        if name == "metadata":
            yield from _metadata(path, value)
        elif name in _TYPE_META:
            at = child(path, name)
            if value.__class__ is not str:
                yield invalid(RULE, at, value, "must be a string")
            elif not value:
                yield invalid(RULE, at, value, "must not be empty")
            else:
                wrong = _TYPE_META[name](value)
                if wrong is not None:
                    yield invalid(RULE, at, value, wrong)


def _api_version_error(text: str) -> str | None:
    return f"unexpected GroupVersion string: {text}" if text.count("/") > 1 else None


def _kind_error(text: str) -> str | None:
    errors = is_dns1035_label("".join(char.lower()[0] for char in text))
    return "may have mixed case, but should otherwise match: " + ",".join(errors) if errors else None


_TYPE_META: Final[dict[str, Callable[[str], str | None]]] = {"apiVersion": _api_version_error, "kind": _kind_error}


def _metadata(path: Path | None, value: Any) -> Iterator[FieldError]:
    at = child(path, "metadata")
    try:
        meta, _ = read_object_meta(value)
    except MetadataError as error:
        yield invalid(RULE, at, value, str(error))
        return
    meta.setdefault("name", "fakename")  # an embedded resource needs none
    yield from validate_object_meta(meta, at, requires_namespace="namespace" in meta, name_check=_path_segment)


def _path_segment(text: str, prefix: bool) -> list[str]:
    return is_path_segment(text, prefix=prefix)


def dns_subdomain(text: str, prefix: bool) -> list[str]:
    """Return why a text is no name of a custom resource, or no generateName where ``prefix`` (NameIsDNSSubdomain)."""
    return is_dns1123_subdomain(mask_trailing_dash(text) if prefix else text)


def validate_object_meta(
    meta: dict[str, Any], path: Path, *, requires_namespace: bool, name_check: NameCheck
) -> Iterator[FieldError]:
    """Yield what is wrong with the metadata of a new object (ValidateObjectMetaAccessor)."""
    generate_name, name = meta.get("generateName", ""), meta.get("name", "")
    if generate_name:
        for message in name_check(generate_name, True):
            yield invalid(RULE, path.child("generateName"), generate_name, message)
    if name:
        for message in name_check(name, False):
            yield invalid(RULE, path.child("name"), name, message)
    else:
        yield required(RULE, path.child("name"), "name or generateName is required")
    yield from _namespace(meta.get("namespace", ""), path.child("namespace"), required_=requires_namespace)
    if meta.get("generation", 0) < 0:
        yield invalid(RULE, path.child("generation"), meta["generation"], "must be greater than or equal to 0")
    yield from _labels(meta, path)
    yield from _annotations(meta, path)
    yield from _owners(meta, path)
    yield from _finalizers(meta, path)
    yield from _managed_fields(meta, path)


def validate_object_meta_update(meta: dict[str, Any], old: dict[str, Any], path: Path) -> Iterator[FieldError]:
    """Yield what an update may not do to metadata (ValidateObjectMetaAccessorUpdate)."""
    if old.get("deletionTimestamp") is not None:
        extra = sorted(set(meta.get("finalizers", ())) - set(old.get("finalizers", ())))
        if extra:
            listed = "[]string{" + ", ".join(map(quote, extra)) + "}"
            detail = f"no new finalizers can be added if the object is being deleted, found new finalizers {listed}"
            yield forbidden(RULE, path.child("finalizers"), detail)
    if not meta.get("resourceVersion"):
        yield invalid(RULE, path.child("resourceVersion"), "", "must be specified for an update")
    if meta.get("generation", 0) < old.get("generation", 0):
        yield invalid(RULE, path.child("generation"), meta.get("generation", 0), "must not be decremented")
    for name, zero in _IMMUTABLE:
        value = meta.get(name, zero)
        if not deep_equal(value, old.get(name, zero)):
            # The uid is of a type of its own, which prints as JSON.
            yield invalid(RULE, path.child(name), Marshalled(value) if name == "uid" else value, "field is immutable")
    yield from _labels(meta, path)
    yield from _annotations(meta, path)
    yield from _owners(meta, path)
    yield from _managed_fields(meta, path)


# What may not change, and what it is where it is not given.
_IMMUTABLE: Final[tuple[tuple[str, Any], ...]] = (
    ("name", ""),
    ("namespace", ""),
    ("uid", ""),
    ("creationTimestamp", None),
    ("deletionTimestamp", None),
    ("deletionGracePeriodSeconds", None),
)


def _namespace(namespace: str, path: Path, *, required_: bool) -> Iterator[FieldError]:
    if not required_:
        if namespace:
            yield forbidden(RULE, path, "not allowed on this type")
    elif not namespace:
        yield required(RULE, path, "")
    else:
        for message in is_dns1123_label(namespace):
            yield invalid(RULE, path, namespace, message)


def _labels(meta: dict[str, Any], path: Path) -> Iterator[FieldError]:
    at = path.child("labels")
    for name, value in meta.get("labels", {}).items():
        for message in is_label_key(name):
            yield invalid(RULE, at, name, message, at=at.key(name))
        for message in is_label_value(value):
            yield invalid(RULE, at, value, message, at=at.key(name))


def _annotations(meta: dict[str, Any], path: Path) -> Iterator[FieldError]:
    at = path.child("annotations")
    size = 0
    for name, value in meta.get("annotations", {}).items():
        size += len(name.encode("utf-8", "surrogatepass")) + len(value.encode("utf-8", "surrogatepass"))
        for message in is_label_key(name.lower()):
            yield invalid(RULE, at, name, message, at=at.key(name))
    if size > ANNOTATIONS_LIMIT:
        yield _too_long(at, ANNOTATIONS_LIMIT)


def _too_long(path: Path, limit: int) -> FieldError:
    return FieldError(RULE, TOO_LONG, path, None, f"may not be more than {limit} bytes")


def _owners(meta: dict[str, Any], path: Path) -> Iterator[FieldError]:
    at = path.child("ownerReferences")
    owners = meta.get("ownerReferences", [])
    controller = ""
    for i, owner in enumerate(owners):
        yield from _owner(owner, at.index(i))
        if owner.get("controller"):
            name = f"{owner['kind']}/{owner['name']}"
            if controller:
                detail = (
                    "Only one reference can have Controller set to true. "
                    f'Found "true" in references for {controller} and {name}'
                )
                yield invalid(RULE, at, [_as_go_struct(owner) for owner in owners], detail)
            else:
                controller = name


def _owner(owner: dict[str, Any], path: Path) -> Iterator[FieldError]:
    api_version, kind = owner["apiVersion"], owner["kind"]
    group, _, version = api_version.rpartition("/")
    if api_version.count("/") > 1:
        group = version = ""  # what schema.FromAPIVersionAndKind cannot parse is empty
    if not version:
        yield invalid(RULE, path.child("apiVersion"), api_version, "version must not be empty")
    for name in ("kind", "name"):
        if not owner[name]:
            yield invalid(RULE, path.child(name), "", "must not be empty")
    if not owner["uid"]:
        yield invalid(RULE, path.child("uid"), Marshalled(""), "must not be empty")
    if (group, version, kind) == ("", "v1", "Event"):
        detail = "/v1, Kind=Event is disallowed from being an owner"
        yield invalid(RULE, path, _as_go_struct(owner), detail)


_OWNER_FIELDS: Final = ("apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion")


def _as_go_struct(owner: dict[str, Any]) -> object:
    """Return an owner as what prints in the order of Go's struct."""
    given = tuple((name, name) for name in _OWNER_FIELDS if name in owner)
    made: object = type("OwnerReference", (), {"GO_FIELDS": given, **owner})()
    return made


def _finalizers(meta: dict[str, Any], path: Path) -> Iterator[FieldError]:
    at = path.child("finalizers")
    finalizers = meta.get("finalizers", [])
    for i, finalizer in enumerate(finalizers):
        for message in is_label_key(finalizer):
            yield invalid(RULE, at, finalizer, message, at=at.index(i))
    if {"orphan", "foregroundDeletion"} <= set(finalizers):
        yield invalid(RULE, at, finalizers, "finalizer orphan and foregroundDeletion cannot be both set")


def _managed_fields(meta: dict[str, Any], path: Path) -> Iterator[FieldError]:
    for i, entry in enumerate(meta.get("managedFields", [])):
        at = path.child("managedFields").index(i)
        operation = entry.get("operation", "")
        if operation not in {"Apply", "Update"}:
            yield invalid(RULE, at.child("operation"), Marshalled(operation), "must be `Apply` or `Update`")
        fields_type = entry.get("fieldsType", "")
        if fields_type not in {"", "FieldsV1"}:
            yield invalid(RULE, at.child("fieldsType"), fields_type, "must be `FieldsV1`")
        yield from _manager(entry.get("manager", ""), at.child("manager"))
        if len(entry.get("subresource", "").encode("utf-8", "surrogatepass")) > _SUBRESOURCE_LIMIT:
            yield _too_long(at.child("subresource"), _SUBRESOURCE_LIMIT)


def _manager(manager: str, path: Path) -> Iterator[FieldError]:
    if len(manager.encode("utf-8", "surrogatepass")) > _MANAGER_LIMIT:
        yield _too_long(path, _MANAGER_LIMIT)
    position = 0
    for char in manager:
        if not is_print(ord(char)):
            detail = f"invalid character U+{ord(char):04X} (at position {position})"
            yield invalid(RULE, path, manager, detail)
        position += len(char.encode("utf-8", "surrogatepass"))
