"""Metadata of whole and embedded resources judged (apiextensions schema/objectmeta/validation.go).

The rules of metadata itself are apimachinery's pkg/api/validation/objectmeta.go and pkg/apis/meta/v1/validation;
metadata is a dict as ``object_meta.read_object_meta`` gives it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.crd import object_meta
from crdlint.crd.errors import Wording, forbidden, invalid, required
from crdlint.crd.kubenames import (
    is_dns1035_label,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_path_segment,
    mask_trailing_dash,
)
from crdlint.crd.model import JSONSchemaProps
from crdlint.schema.nil_paths import child, index, key
from crdlint.schema.object_meta import RULE, MetadataError, read_object_meta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from crdlint.crd.errors import FieldError
    from crdlint.crd.paths import Path

    NameCheck = Callable[[str, bool], list[str]]

_RULES: Final = object_meta.Rules(*[RULE] * 7)
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


_MISSING: Final = Wording.by_version("must not be empty", (34, ""))


def _resource(path: Path | None, here: dict[str, Any]) -> Iterator[FieldError]:
    for name in ("apiVersion", "kind"):
        if name not in here:
            yield required(RULE, child(path, name), _MISSING)
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
    yield from validate_object_meta(meta, at, requires_namespace="namespace" in meta, name_check=path_segment)


def path_segment(text: str, prefix: bool) -> list[str]:
    """Return why a text is no name of any object at all (ValidatePathSegmentName)."""
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
    yield from object_meta.validate_object_meta(object_meta.as_record(meta), path, _RULES)


def validate_object_meta_update(meta: dict[str, Any], old: dict[str, Any], path: Path) -> Iterator[FieldError]:
    """Yield what an update may not do to metadata (ValidateObjectMetaAccessorUpdate)."""
    return object_meta.validate_update(object_meta.as_record(meta), object_meta.as_record(old), path, _RULES)


def _namespace(namespace: str, path: Path, *, required_: bool) -> Iterator[FieldError]:
    if not required_:
        if namespace:
            yield forbidden(RULE, path, "not allowed on this type")
    elif not namespace:
        yield required(RULE, path, "")
    else:
        for message in is_dns1123_label(namespace):
            yield invalid(RULE, path, namespace, message)
