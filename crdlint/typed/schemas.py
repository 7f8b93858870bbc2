"""From the schema of a CRD to the type of its objects.

Upstream: kube-openapi pkg/schemaconv/openapi.go, for what apiextensions pkg/controller/openapi/builder makes of a CRD.
"""

from __future__ import annotations

from typing import Any, Final

from crdlint.crd.model import JSONSchemaProps
from crdlint.typed.builtin import OBJECT_META_TYPE
from crdlint.typed.types import (
    ANY,
    ANY_SCALAR,
    BOOLEAN,
    NUMERIC,
    STRING,
    FieldType,
    ListType,
    MapType,
)

_SCALARS: Final = {"integer": NUMERIC, "number": NUMERIC, "boolean": BOOLEAN}
# Formats of texts; a text of another format accepts any scalar.
_TEXT_FORMATS: Final = frozenset({"", "byte"})
# The fields of a resource, at the root and in embedded resources.
_RESOURCE: Final = {"apiVersion": STRING, "kind": STRING, "metadata": OBJECT_META_TYPE}


def type_of_objects(schema: JSONSchemaProps | None, *, preserves: bool) -> FieldType:
    """Return the type of the objects of a CRD's version; `preserves` is the CRD's preserveUnknownFields."""
    if schema is None:
        return ANY
    return _SchemaTypes(schema, preserves=preserves).root()


class _SchemaTypes:
    """The types of a schema; each is created once."""

    def __init__(self, schema: JSONSchemaProps, *, preserves: bool) -> None:
        self._schema = schema
        self._preserves = preserves
        self._types: dict[tuple[int, bool], FieldType] = {}

    def root(self) -> FieldType:
        return self._created(self._schema, preserves=self._preserves, is_resource=True)

    def _of(self, schema: JSONSchemaProps, *, preserves: bool) -> FieldType:
        """Return the type of a schema; `preserves` is set below a schema that preserves unknown fields."""
        key = (id(schema), preserves)
        if key not in self._types:
            self._types[key] = self._created(
                schema, preserves=preserves, is_resource=schema.x_embedded_resource
            )
        return self._types[key]

    def _created(self, schema: JSONSchemaProps, *, preserves: bool, is_resource: bool) -> FieldType:
        preserves = preserves or bool(schema.x_preserve_unknown_fields)
        if schema.type == "object":
            return FieldType(map=self._map(schema, preserves=preserves, is_resource=is_resource))
        if schema.type == "array":
            return FieldType(list=self._list(schema, preserves=preserves))
        if schema.type == "string":
            return STRING if schema.format in _TEXT_FORMATS else ANY_SCALAR
        if schema.type:
            # No OpenAPI document is built for an unknown type.
            return _SCALARS.get(schema.type, ANY)
        # Without a type, any value is accepted, with what the schema declares about its items and fields.
        of_list = self._list(schema, preserves=preserves)
        return FieldType(
            "untyped", of_list, self._map(schema, preserves=preserves, is_resource=is_resource)
        )

    def _map(self, schema: JSONSchemaProps, *, preserves: bool, is_resource: bool) -> MapType:
        own = _RESOURCE if is_resource else {}
        properties = schema.properties
        is_free_form = not properties and not is_resource

        def of_others() -> FieldType | None:
            additional = schema.additional_properties
            if additional is None:
                return ANY if preserves or is_free_form else None
            if additional.schema is not None:
                return self._of(additional.schema, preserves=preserves)
            return ANY if additional.allows else None

        types: dict[str, FieldType] = {**own}

        def value(name: str) -> FieldType | None:
            if name in types:
                return types[name]
            declared = properties.get(name)
            if declared is None:
                return of_others()
            type_ = types[name] = self._of(declared, preserves=preserves)
            return type_

        def default(name: str) -> Any:
            declared = None if name in own else properties.get(name)
            return None if declared is None else declared.default_value

        def has(name: str) -> bool:
            return name in own or name in properties

        return MapType(
            value,
            default,
            has,
            is_atomic=schema.x_map_type == "atomic",
        )

    def _list(self, schema: JSONSchemaProps, *, preserves: bool) -> ListType:
        items = schema.item_schema

        def item() -> FieldType:
            return ANY if items is None else self._of(items, preserves=preserves)

        keys = tuple(schema.x_list_map_keys) if schema.x_list_type == "map" else ()
        return ListType(item, schema.x_list_type in {"set", "map"}, keys)
