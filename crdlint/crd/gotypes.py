"""The Go types of the v1 API as `encoding/json` sees them through reflection and struct tags.

They are built from the declarations of `crdlint.crd.model`: v1's types differ from the internal ones only in their
package and in some fields that only one of them has.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Final

from crdlint.crd import model
from crdlint.crd.record import Record
from crdlint.light import NamedTuple, dataclass


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class GoType:
    """A Go type: `kind` determines how JSON is decoded into it, `name` is the name that reflect prints.

    `fields`: those of a struct, none of other types.
    Kinds: string, bool, int32, int64, uint8, float64, bytes, slice, map (by string), struct, and the types with their
    own UnmarshalJSON: json, fields, time, schema-or-bool, schema-or-array, schema-or-strings. There are no pointers:
    decoding dereferences them, and `null` results in the zero value in both cases.
    """

    kind: str
    name: str
    element: GoType | None = None
    record: type[Record] | None = None
    fields: Mapping[str, GoField] = field(default_factory=dict)

    def below(self, key: str) -> GoType | None:
        """Return the type of the value of a key, None if it is unknown."""
        if self.kind == "map":
            return self.element
        field = self.fields.get(key)
        return None if field is None else field.type


class GoField(NamedTuple):
    """A field of a struct: the model's attribute (empty: decoded but not stored), its type, and whether it is a pointer."""

    attribute: str
    type: GoType
    is_pointer: bool = False


MAX_DEPTH: Final = 10000  # the maximum nesting of encoding/json's scanner
INT_RANGES: Final = {
    "int32": (-(2**31), 2**31 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint8": (0, 255),
}
# Types with their own decoding, with the type of their elements.
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
    """Return the v1 type for the declared type of an internal struct's field; each type exists once."""
    text = declared.removeprefix("*").replace("apiextensions.", "v1.")
    name, _, underlying = text.partition("=")
    if name in _types:
        return _types[name]
    record = getattr(model, name.removeprefix("v1."), None)
    if name.startswith(("[", "map[")):
        underlying = name
    if name in _KINDS:
        kind, element = _KINDS[name]
        of = GoType(
            kind,
            name,
            None if element is None else _type(element),
            record,
        )
    elif underlying:
        kind = "map" if underlying.startswith("map[") else "slice"
        of = GoType(kind, name, _type(underlying.partition("]")[2]))
    elif record is not None:
        return _struct_type(name, record)
    else:
        of = GoType("string", name)
    _types[name] = of
    return of


def _struct_type(name: str, record: type[Record]) -> GoType:
    """Return the type of a struct, which is known before its fields, because they may be of this type."""
    fields: dict[str, GoField] = {}
    of = _types[name] = GoType("struct", name, record=record, fields=fields)
    for declaration in record.FIELDS:
        if declaration.json_name:
            go_type = _type(declaration.go_type)
            field = GoField(declaration.attribute, go_type, declaration.is_pointer)
            fields[declaration.json_name] = field
    if record is model.CustomResourceDefinition:
        fields |= {name: GoField("", _type("string")) for name in ("apiVersion", "kind")}
    return of


# The type of a value that is kept as it is, or of an unknown field.
UNKNOWN_TYPE: Final = GoType("unknown", "")
STRING: Final = _type("string")
SCHEMA: Final = _type("v1.JSONSchemaProps")
# The error of a value that is neither.
SCHEMA_OR_BOOLEAN: Final = "boolean or JSON schema expected"
OBJECT_META: Final = _type("v1.ObjectMeta")
CRD: Final = _type("v1.CustomResourceDefinition")

# The bit of each schema field in `JSONSchemaProps.set_fields`.
SCHEMA_BITS: Final = {name: 1 << i for i, name in enumerate(SCHEMA.fields)}
