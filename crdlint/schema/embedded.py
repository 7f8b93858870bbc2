"""Resources within values: their type and object metadata (apiextensions pkg/apiserver/schema/objectmeta).

Wherever a schema says x-kubernetes-embedded-resource, and at the root of a resource, apiVersion, kind and metadata are
what they are in any object, whatever the schema says of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import FieldError, invalid, required
from crdlint.crd.kubenames import is_dns1035_label
from crdlint.crd.object_meta import Rules, known_fields, read_object_meta, validate_object_meta
from crdlint.crd.paths import Path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import JSONSchemaProps, ObjectMeta

    Level = tuple[Path | None, dict[str, Any], JSONSchemaProps | None, bool]


def coerce(rule: str, path: Path | None, value: Any, schema: JSONSchemaProps, *, is_resource: bool) -> FieldError | None:
    """Bring the metadata of resources into the form that Go's types give it; return what keeps it from that (Coerce).

    Unknown fields of metadata are dropped.
    """
    for at, one, _, resource in _objects(path, value, schema, is_resource=is_resource):
        if not resource:
            continue
        for name in ("apiVersion", "kind"):
            if name in one and not isinstance(one[name], str):
                return invalid(rule, _child(at, name), one[name], "must be a string")
        if "metadata" not in one:
            continue
        read = read_object_meta(one["metadata"])
        if read.error is not None:
            return invalid(rule, _child(at, "metadata"), one["metadata"], read.error)
        one["metadata"] = known_fields(one["metadata"] or {})
    return None


def unknown_metadata(value: Any, schema: JSONSchemaProps, *, is_resource: bool) -> list[str]:
    """Return the paths of unknown fields in the metadata of resources."""
    found = []
    for at, one, _, resource in _objects(None, value, schema, is_resource=is_resource):
        if resource and "metadata" in one:
            prefix = str(_child(at, "metadata"))
            found.extend(f"{prefix}.{path}" for path in read_object_meta(one["metadata"]).unknown)
    return sorted(found)


def validate_embedded(
    rules: Rules, rule: str, path: Path | None, value: Any, schema: JSONSchemaProps, *, is_resource: bool
) -> Iterator[FieldError]:
    """Yield what is wrong with the type and object metadata of resources (Validate)."""
    for at, one, _, resource in _objects(path, value, schema, is_resource=is_resource):
        if resource:
            yield from _resource(rules, rule, at, one)


def _resource(rules: Rules, rule: str, path: Path | None, value: dict[str, Any]) -> Iterator[FieldError]:
    for name in ("apiVersion", "kind"):
        if name not in value:
            yield required(rule, _child(path, name), "")
    for name, held in value.items():
        at = _child(path, name)
        if name == "apiVersion":
            yield from _api_version(rule, at, held)
        elif name == "kind":
            yield from _kind(rule, at, held)
        elif name == "metadata":
            read = read_object_meta(held)
            if read.error is not None:
                yield invalid(rule, at, held, read.error)
            else:
                yield from _names(rule, at, read.meta)
                yield from validate_object_meta(read.meta, at, rules)


def _api_version(rule: str, path: Path, value: Any) -> Iterator[FieldError]:
    if not isinstance(value, str):
        yield invalid(rule, path, value, "must be a string")
    elif not value:
        yield invalid(rule, path, value, "must not be empty")
    elif value.count("/") > 1:
        yield invalid(rule, path, value, f"unexpected GroupVersion string: {value}")


def _kind(rule: str, path: Path, value: Any) -> Iterator[FieldError]:
    if not isinstance(value, str):
        yield invalid(rule, path, value, "must be a string")
    elif not value:
        yield invalid(rule, path, value, "must not be empty")
    else:
        errors = is_dns1035_label(value.lower())
        if errors:
            detail = f"may have mixed case, but should otherwise match: {','.join(errors)}"
            yield invalid(rule, path, value, detail)


_MAY_NOT_BE: Final = (".", "..")
_MAY_NOT_CONTAIN: Final = ("/", "%")


def _names(rule: str, path: Path, meta: ObjectMeta) -> Iterator[FieldError]:
    """Yield why the names of an object are no segments of a path, and why its namespace is no label."""
    if meta.generate_name:
        for message in _contained(meta.generate_name):
            yield invalid(rule, path.child("generateName"), meta.generate_name, message)
    if meta.name:
        reserved = [f"may not be '{meta.name}'"] if meta.name in _MAY_NOT_BE else []
        for message in reserved or _contained(meta.name):
            yield invalid(rule, path.child("name"), meta.name, message)
    if meta.namespace:
        from crdlint.crd.kubenames import is_dns1123_label

        for message in is_dns1123_label(meta.namespace):
            yield invalid(rule, path.child("namespace"), meta.namespace, message)


def _contained(name: str) -> list[str]:
    return [f"may not contain '{text}'" for text in _MAY_NOT_CONTAIN if text in name]


def _child(path: Path | None, name: str) -> Path:
    return Path(name) if path is None else path.child(name)


def _objects(path: Path | None, value: Any, schema: JSONSchemaProps, *, is_resource: bool) -> Iterator[Level]:
    """Yield the objects of a value that a schema reaches, parents first, and which of them are resources."""
    stack: list[tuple[Path | None, Any, JSONSchemaProps | None, bool]] = [
        (path, value, schema, is_resource or schema.x_embedded_resource)
    ]
    while stack:
        at, one, of, resource = stack.pop()
        if of is None:
            continue
        if isinstance(one, dict):
            yield at, one, of, resource
            additional = of.additional_properties
            below: list[tuple[Path | None, Any, JSONSchemaProps | None, bool]] = []
            for key, item in one.items():
                if key in of.properties:
                    inner: JSONSchemaProps | None = of.properties[key]
                    where = _child(at, key)
                elif additional is not None:
                    inner = additional.schema
                    where = Path(key) if at is None else at.key(key)
                else:
                    continue
                below.append((where, item, inner, inner is not None and inner.x_embedded_resource))
            stack.extend(reversed(below))
        elif isinstance(one, list):
            items = None if of.items is None else of.items.schema
            if items is not None:
                paths = [None if at is None else at.index(i) for i in range(len(one))]
                stack.extend(
                    (where, item, items, items.x_embedded_resource)
                    for where, item in reversed(list(zip(paths, one, strict=True)))
                )
