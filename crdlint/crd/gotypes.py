"""The v1 API's Go types: what ``encoding/json`` knows of them through reflection and struct tags.

Made from the declarations of `crdlint.crd.model`: v1's types differ from the internal ones in their package only, and
in the fields that either has alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.crd import model

if TYPE_CHECKING:
    from crdlint.crd.record import Record


@dataclass(frozen=True, slots=True, eq=False)
class GoType:
    """A Go type: ``kind`` says how JSON is read into it, ``name`` is what reflect prints.

    Kinds: string, bool, int32, int64, uint8, float64, bytes, slice, map (by string), struct, and the types with an
    UnmarshalJSON of their own: json, fields, time, schema-or-bool, schema-or-array, schema-or-strings.
    Pointers are left out: decoding looks through them, and ``null`` leaves the zero value either way.
    """

    kind: str
    name: str
    element: GoType | None = None
    record: type[Record] | None = None
    fields: dict[str, Field] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A struct's field: the model's attribute (empty: read, checked, not kept), its type, and whether it is a pointer."""

    attribute: str
    type: GoType
    is_pointer: bool = False


# Types that are read in a way of their own, with the type of their elements.
_KINDS: Final = {
    **{name: (name, None) for name in ("string", "bool", "int32", "int64", "uint8", "float64")},
    "[]uint8": ("bytes", "uint8"),
    "v1.Time": ("time", None),
    "v1.FieldsV1": ("fields", None),
    "v1.JSON": ("json", None),
    "v1.JSONSchemaPropsOrBool": ("schema-or-bool", None),
    "v1.JSONSchemaPropsOrArray": ("schema-or-array", "[]v1.JSONSchemaProps"),
    "v1.JSONSchemaPropsOrStringArray": ("schema-or-strings", "[]string"),
}
_types: Final[dict[str, GoType]] = {}


def _type(declared: str) -> GoType:
    """Return a type of v1, each one once, by the type that the internal struct's field is declared with."""
    text = declared.removeprefix("*").replace("apiextensions.", "v1.")
    name, _, underlying = text.partition("=")
    if name not in _types:
        kind, element = _KINDS.get(name, ("", None))
        record = getattr(model, name.removeprefix("v1."), None)
        underlying = name if name.startswith(("[", "map[")) else underlying
        if kind:
            _types[name] = GoType(kind, name, None if element is None else _type(element))
        elif underlying:
            element = underlying.partition("]")[2]
            _types[name] = GoType("map" if underlying.startswith("map[") else "slice", name, _type(element))
        elif record is not None:
            _types[name] = made = GoType("struct", name, record=record)  # the fields may be of this type
            made.fields.update(
                {
                    one.json_name: Field(one.attribute, _type(one.go_type), one.is_pointer)
                    for one in record.FIELDS
                    if one.json_name
                }
            )
        else:
            _types[name] = GoType("string", name)
    return _types[name]


STRING: Final = _type("string")
STRINGS: Final = _type("[]string")
SCHEMA: Final = _type("v1.JSONSchemaProps")
OBJECT_META: Final = _type("v1.ObjectMeta")
CRD: Final = _type("v1.CustomResourceDefinition")
CRD.fields.update({name: Field("", STRING) for name in ("apiVersion", "kind")})

# The bit of each schema field in `JSONSchemaProps.given`.
SCHEMA_BITS: Final = {name: 1 << i for i, name in enumerate(SCHEMA.fields)}
