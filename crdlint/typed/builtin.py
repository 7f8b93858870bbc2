"""The types of the API server's own objects: CustomResourceDefinition, and the metadata of all objects.

They are what kube-openapi makes of the Go types, so they follow from the declarations of `crdlint.crd.model`, except
for the few lists with keys. All supported servers have the same lists. Upstream: apiextensions pkg/generated/openapi.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from crdlint.crd.gotypes import CRD, OBJECT_META, GoType
from crdlint.kubernetes.servers import NEWEST, Server
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

_SCALARS: Final = {
    "string": STRING,
    "bytes": STRING,
    "bool": BOOLEAN,
    "int32": NUMERIC,
    "int64": NUMERIC,
    "float64": NUMERIC,
    "time": ANY_SCALAR,
}
# The lists whose items are identified by a key, or by their value, by struct and field.
_KEYS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("CustomResourceDefinitionStatus", "conditions"): ("type",),
    ("JSONSchemaProps", "x-kubernetes-validations"): ("rule",),
    ("ObjectMeta", "ownerReferences"): ("uid",),
    ("ObjectMeta", "finalizers"): (),
}
# The structs that are replaced as a whole.
_ATOMIC: Final = frozenset({"OwnerReference"})


@cache
def type_of_crds(server: Server = NEWEST) -> FieldType:
    """Return the type of CustomResourceDefinition of a server."""
    return _TypesOfGo(server).of(CRD)


class _TypesOfGo:
    """The types of Go types for a server, each created once, because a schema contains schemas."""

    def __init__(self, server: Server) -> None:
        self._unknown = server.unknown_fields
        self._types: dict[GoType, FieldType] = {}

    def of(self, go_type: GoType) -> FieldType:
        if go_type not in self._types:
            self._types[go_type] = self._created(go_type)
        return self._types[go_type]

    def _created(self, of: GoType) -> FieldType:
        element = of.element
        if of.kind in _SCALARS:
            return _SCALARS[of.kind]
        if of.kind == "slice" and element is not None:
            return FieldType(list=ListType(lambda: self.of(element)))
        if of.kind == "map" and element is not None:
            return FieldType(map=MapType(lambda _name: self.of(element)))
        if of.kind == "struct" and of.fields:
            return FieldType(map=self._struct(of))
        if of.kind in {"struct", "fields"}:
            return FieldType(map=ANY.map)  # an object without declared fields
        return ANY  # types with their own decoding: the OpenAPI document declares no type for them

    def _struct(self, of: GoType) -> MapType:
        field_types = {
            name: field.type
            for name, field in of.fields.items()
            if field.attribute not in self._unknown
        }
        struct = "" if of.record is None else of.record.__name__

        def value(name: str) -> FieldType | None:
            if name not in field_types:
                return None
            keys = _KEYS.get((struct, name))
            declared = self.of(field_types[name])
            if keys is None or declared.list is None:
                return declared
            return FieldType(list=declared.list._replace(is_associative=True, keys=keys))

        return MapType(
            value,
            _empty_text,
            field_types.__contains__,
            struct in _ATOMIC,
        )


def _empty_text(_name: str) -> str:
    """Return the default of a key: each is a required text, whose zero value the OpenAPI document has as default."""
    return ""


# The metadata of custom resources, in which the servers do not differ.
OBJECT_META_TYPE: Final = _TypesOfGo(NEWEST).of(OBJECT_META)
