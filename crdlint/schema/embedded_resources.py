"""Coercion and validation of embedded resources' type and metadata. Upstream: apiextensions pkg/apiserver/schema/objectmeta."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from crdlint.crd.errors import FieldError, Wording, invalid, required
from crdlint.crd.kubenames import is_dns1035_label, is_path_segment
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.object_meta import (
    RESOURCE_METADATA,
    MetadataError,
    as_record,
    read_object_meta,
    validate_any_object_meta,
)
from crdlint.crd.paths import Path, path_of
from crdlint.kubernetes.servers import Server
from crdlint.light import NamedTuple
from crdlint.schema.traversal import SchemaSearch, containers

_EMPTY: Final = JSONSchemaProps()


class Coerced(NamedTuple):
    """The result of coercion: the first error, which stopped it, and the sorted paths of unknown metadata fields."""

    error: FieldError | None
    unknown: tuple[str, ...]


def embedded_search() -> SchemaSearch:
    """Return a search for embedded resources."""
    return SchemaSearch(lambda schema: schema.x_embedded_resource)


def coerce(
    path: Path | None,
    value: Any,
    schema: JSONSchemaProps | None,
    *,
    is_resource_root: bool,
    drop_invalid: bool = False,
    search: SchemaSearch | None = None,
) -> Coerced:
    """Coerce apiVersion, kind and metadata of embedded resources, in place. Upstream: objectmeta.CoerceWithOptions.

    `is_resource_root` includes the value itself. `drop_invalid` removes values of a wrong type instead of returning an
    error. `path` is the path of the value, None for a whole resource. `search` is that of `embedded_search` for the schema.
    """
    unknown: list[str] = []
    resources = _embedded(
        path,
        value,
        schema,
        search,
        is_resource_root=is_resource_root,
    )
    errors = (
        _coerce(
            resource_path,
            here,
            unknown,
            drop_invalid=drop_invalid,
        )
        for resource_path, here in resources
    )
    return Coerced(next(filter(None, errors), None), tuple(sorted(unknown)))


def _coerce(
    path: Path | None,
    here: dict[str, Any],
    unknown: list[str],
    *,
    drop_invalid: bool,
) -> FieldError | None:
    for name in ("apiVersion", "kind"):
        if name in here and here[name].__class__ is not str:
            if not drop_invalid:
                return invalid(
                    RESOURCE_METADATA,
                    Path(name, path),
                    here[name],
                    "must be a string",
                )
            del here[name]
    if "metadata" not in here:
        return None
    metadata_path = Path("metadata", path)
    try:
        here["metadata"], fields = read_object_meta(here["metadata"], drop_malformed=drop_invalid)
    except MetadataError as error:
        if drop_invalid:
            return None  # metadata that is not an object is kept unchanged
        return invalid(
            RESOURCE_METADATA,
            metadata_path,
            here["metadata"],
            str(error),
        )
    unknown.extend(f"{metadata_path}.{name}" for name in fields)
    return None


def validate_embedded(
    path: Path | None,
    value: Any,
    schema: JSONSchemaProps | None,
    server: Server,
    search: SchemaSearch | None = None,
    *,
    is_resource_root: bool,
) -> list[FieldError]:
    """Return the errors in type and metadata of embedded resources, including the value itself if `is_resource_root`."""
    errors: list[FieldError] = []
    for resource_path, here in _embedded(
        path,
        value,
        schema,
        search,
        is_resource_root=is_resource_root,
    ):
        errors += _validate(resource_path, here, server)
    return errors


def _embedded(
    path: Path | None,
    value: Any,
    schema: JSONSchemaProps | None,
    search: SchemaSearch | None,
    *,
    is_resource_root: bool,
) -> Iterator[tuple[Path | None, dict[str, Any]]]:
    """Yield the embedded resources of a value with their paths, outer ones first; the caller may change them."""
    root = value if is_resource_root else None
    if is_resource_root and schema is None:
        schema = _EMPTY
    for value_path, here, own in containers(value, schema, None if is_resource_root else search):
        is_resource = own.x_embedded_resource or here is root
        if is_resource and here.__class__ is dict:
            yield path_of(value_path, path), here


_MISSING: Final = Wording.by_version("must not be empty", (34, ""))


def _validate(path: Path | None, here: dict[str, Any], server: Server) -> Iterator[FieldError]:
    for name in ("apiVersion", "kind"):
        if name not in here:
            yield required(RESOURCE_METADATA, Path(name, path), _MISSING)
    for name, value in here.items():
        if name == "metadata":
            yield from _metadata(path, value, server)
        elif name in _TYPE_META:
            wrong = _type_meta_error(name, value)
            if wrong is not None:
                yield invalid(RESOURCE_METADATA, Path(name, path), value, wrong)


def _type_meta_error(name: str, value: Any) -> str | None:
    if value.__class__ is not str:
        return "must be a string"
    if not value:
        return "must not be empty"
    return _TYPE_META[name](value)


def _api_version_error(text: str) -> str | None:
    return f"unexpected GroupVersion string: {text}" if text.count("/") > 1 else None


def _kind_error(text: str) -> str | None:
    errors = is_dns1035_label("".join(char.lower()[0] for char in text))
    if not errors:
        return None
    return f"may have mixed case, but should otherwise match: {','.join(errors)}"


_TYPE_META: Final[dict[str, Callable[[str], str | None]]] = {
    "apiVersion": _api_version_error,
    "kind": _kind_error,
}


def _metadata(path: Path | None, value: Any, server: Server) -> Iterator[FieldError]:
    metadata_path = Path("metadata", path)
    try:
        meta, _ = read_object_meta(value)
    except MetadataError as error:
        yield invalid(RESOURCE_METADATA, metadata_path, value, str(error))
        return
    meta.setdefault("name", "fakename")  # an embedded resource does not need a name
    yield from validate_any_object_meta(
        as_record(meta),
        metadata_path,
        server,
        requires_namespace="namespace" in meta,
        name_check=is_path_segment,
    )
