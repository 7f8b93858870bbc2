"""What the keywords of a schema and the fields of a CRD mean, and the values that they take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.record import RECORDS
from crdlint.rules.formats import formats_of

if TYPE_CHECKING:
    from crdlint.crd.record import Record
    from crdlint.lsp.places import Steps

# Keyword: what it does, and the types of values that it is for (empty: all).
KEYWORDS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "type": ("The type of the value. Every value needs one.", ()),
    "description": ("What the field is for; `kubectl explain` shows it.", ()),
    "title": ("A name of the schema. The API server ignores it.", ()),
    "properties": ("The fields of an object. The API server drops fields that are not listed.", ("object",)),
    "additionalProperties": ("The schema of the values of a map.", ("object",)),
    "required": ("The fields that every object must set.", ("object",)),
    "minProperties": ("The smallest number of fields or keys.", ("object",)),
    "maxProperties": ("The greatest number of fields or keys. It bounds the cost of rules.", ("object",)),
    "items": ("The schema of the items of a list.", ("array",)),
    "minItems": ("The smallest number of items.", ("array",)),
    "maxItems": ("The greatest number of items. It bounds the cost of rules.", ("array",)),
    "minLength": ("The smallest number of characters.", ("string",)),
    "maxLength": ("The greatest number of characters. It bounds the cost of rules.", ("string",)),
    "pattern": ("A regular expression (RE2) that must match a part of the text.", ("string",)),
    "format": (
        "The format of the value. The API server ignores formats that it does not know.",
        ("string", "number", "integer"),
    ),
    "minimum": ("The smallest number.", ("number", "integer")),
    "maximum": ("The greatest number.", ("number", "integer")),
    "exclusiveMinimum": ("Whether `minimum` itself is not allowed.", ("number", "integer")),
    "exclusiveMaximum": ("Whether `maximum` itself is not allowed.", ("number", "integer")),
    "multipleOf": ("The number that the value must be a multiple of.", ("number", "integer")),
    "enum": ("The values that are allowed.", ()),
    "default": ("The value that the API server sets where the field is not set.", ()),
    "example": ("An example of the value. The API server ignores it.", ()),
    "externalDocs": ("A link to more documentation. The API server ignores it.", ()),
    "nullable": ("Whether `null` is allowed; otherwise it is dropped or rejected.", ()),
    "allOf": ("Schemas that must all accept the value.", ()),
    "anyOf": ("Schemas of which at least one must accept the value.", ()),
    "oneOf": ("Schemas of which exactly one must accept the value.", ()),
    "not": ("A schema that must not accept the value.", ()),
    "x-kubernetes-validations": ("Rules in CEL that the API server evaluates on every value.", ()),
    "x-kubernetes-preserve-unknown-fields": ("Keeps fields that the schema does not list.", ()),
    "x-kubernetes-embedded-resource": ("The value is an object with apiVersion, kind and metadata.", ("object",)),
    "x-kubernetes-int-or-string": ("The value is an integer or a string, as a port may be.", ()),
    "x-kubernetes-list-type": ("How server-side apply merges the list: atomic, set or map.", ("array",)),
    "x-kubernetes-list-map-keys": ("The fields that identify the items of a map list.", ("array",)),
    "x-kubernetes-map-type": ("How server-side apply merges the object: granular or atomic.", ("object",)),
}
_BOOLS: Final = ("true", "false")
# The values of a field, by its name and that of the record.
_VALUES: Final = {
    ("JSONSchemaProps", "type"): ("object", "array", "string", "integer", "number", "boolean"),
    ("JSONSchemaProps", "x-kubernetes-list-type"): ("atomic", "set", "map"),
    ("JSONSchemaProps", "x-kubernetes-map-type"): ("granular", "atomic"),
    ("CustomResourceDefinitionSpec", "scope"): ("Namespaced", "Cluster"),
    ("CustomResourceConversion", "strategy"): ("None", "Webhook"),
    ("CustomResourceColumnDefinition", "type"): ("string", "integer", "number", "boolean", "date"),
    ("ValidationRule", "reason"): (
        "FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate",
    ),
}  # fmt: skip
_SCHEMA: Final = "JSONSchemaProps"


def record_at(steps: Steps) -> tuple[str, bool] | None:
    """Return the name of the record that the path of a CRD leads to, and whether a map of them; None for another value."""
    name, is_map = "CustomResourceDefinition", False
    for step in steps:
        if is_map:
            is_map = False
            continue
        if isinstance(step, int):
            continue
        record = _type_of_field(name, step)
        if record is None:
            return None
        name, is_map = record
    return name, is_map


def fields_of(record: str) -> list[str]:
    """Return the names in JSON of the fields of a record; of a schema those that the API server does not forbid."""
    names = [field.json_name for field in RECORDS[record].FIELDS if field.json_name]
    return [name for name in names if name in KEYWORDS] if record == _SCHEMA else names


def values_of(record: str, field: str, type_: str) -> tuple[str, ...]:
    """Return the values that a field takes, as far as they are known; ``type_`` is the type beside it in a schema."""
    if record == _SCHEMA and field == "format":
        return tuple(formats_of(type_))
    known = _VALUES.get((record, field))
    if known is not None:
        return known
    return _BOOLS if _go_type(record, field).removeprefix("*") == "bool" else ()


def is_collection(record: str, field: str) -> bool | None:
    """Return whether a field is an object or a list (False for a list), None for a scalar."""
    of = _go_type(record, field)
    if of.startswith("["):
        return None if of == "[]uint8" else False
    return True if of.startswith("map[") or _record_of(of) is not None else None


def _type_of_field(record: str, field: str) -> tuple[str, bool] | None:
    go_type = _go_type(record, field)
    class_ = _record_of(go_type)
    if class_ is None:
        return None
    if class_.__name__ in ("JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool"):
        return _SCHEMA, False
    return class_.__name__, "map[" in go_type


def _go_type(record: str, field: str) -> str:
    """Return the Go type of a field, behind the name that the API has for it; empty for an unknown field."""
    declared = next((each.go_type for each in RECORDS[record].FIELDS if each.json_name == field), "")
    return declared.partition("=")[2] or declared


def _record_of(go_type: str) -> type[Record] | None:
    return RECORDS.get(go_type.rpartition("]")[2].removeprefix("*").rpartition(".")[2])
