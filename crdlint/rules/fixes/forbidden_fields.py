"""Fixes for the findings of `rules/server/forbidden_fields.py`."""

from __future__ import annotations

from typing import Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.edits import Edits, expect, rename_to_true, require, unlisted
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf, removal
from crdlint.rules.helps.forbidden_fields import (
    BYTES,
    LIST,
    MAP,
    MEANT_TYPES,
    TYPES_OF_FORMATS,
    VAGUE,
    is_unsigned,
    meant_type,
    names_other_type,
    nullable_type,
)
from crdlint.rules.helps.structural import implied_type
from crdlint.rules.server.forbidden_fields import (
    ADDITIONAL_ITEMS,
    BOTH_PROPERTIES,
    DEFAULT_FORBIDDEN,
    DEFINITIONS,
    EMBEDDED_IN_META,
    ID,
    ITEMS_ARRAY,
    PRESERVE_FALSE,
    TYPE_UNSUPPORTED,
    UNIQUE_ITEMS,
)
from crdlint.schema.formats import FORMATS, normalized
from crdlint.yaml.nodes import Mapping, Scalar, text_of

_ANY: Final = frozenset({"any", "*"})


_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"


_INT_OR_STRING: Final = "x-kubernetes-int-or-string"


_FORMATS: Final = {
    "date": "date",
    "date-time": "date-time",
    "duration": "duration",
    "uri": "uri",
    "uuid": "uuid",
    "byte": "byte",
    "password": "password",
    "email": "email",
    "ipv4": "ipv4",
    "ipv6": "ipv6",
    "cidr": "cidr",
    "datetime": "date-time",
    "timestamp": "date-time",
    "time": "date-time",
    "url": "uri",
    "bytes": "byte",
    **dict.fromkeys(BYTES, "byte"),
}


_FRACTIONAL: Final = frozenset({"float", "float32", "float64", "double", "decimal"})


_OBJECTS: Final = frozenset({"object", "obj", "struct", "objects"})


_KEEPING: Final = sum(
    SCHEMA_BITS[name]
    for name in ("properties", "additionalProperties", "x-kubernetes-preserve-unknown-fields")
)


@Fixer("Write the type and `nullable: true`", "safe").example(
    bad="note: {type: string|null}", good="note: {type: string, nullable: true}"
)
def _type_or_null(finding: FieldFinding) -> Edits:
    type_ = nullable_type(finding.scalar().value)
    if type_ in SCALARS and finding.owner.find("nullable") is None:
        yield from finding.write(type_)
        yield finding.editor.insert(
            finding.owner,
            "nullable",
            "true",
            after="type",
        )


@Fixer("Exchange the type and the format", "safe").example(
    bad="size: {type: int32, format: integer}", good="size: {type: integer, format: int32}"
)
def _exchanged_format(finding: FieldFinding) -> Edits:
    format_ = finding.owner.find("format")
    word = finding.scalar().value
    if format_ is not None and TYPES_OF_FORMATS.get(word) == text_of(format_[1]):
        yield from finding.write(TYPES_OF_FORMATS[word])
        yield finding.editor.respell(expect(Scalar, format_[1]), word)


@Fixer("Correct the type", "safe").example(
    bad="labels:\n  type: map[string]string",
    good="labels:\n  type: object\n  additionalProperties: {type: string}",
)
def _meant_type(finding: FieldFinding) -> Edits:
    word, schema = finding.scalar().value, finding.schema(finding.owner)
    meant = None if _has_rest_of_another(finding) else meant_type(word, schema)
    if meant is None or (meant == "array" and finding.owner.find("items") is None):
        return  # the items are a guess
    value = MAP.fullmatch(word.replace(" ", ""))
    keeps_fields = schema.set_fields & _KEEPING
    if value is not None and not keeps_fields:
        of_values = next(filter(None, value.groups())).lower()
        type_ = require(MEANT_TYPES.get(of_values, of_values if of_values in SCALARS else None))
        item = f"{{{finding.editor.name('type')}: {finding.editor.value(type_)}}}"
        yield finding.editor.insert(
            finding.owner,
            "additionalProperties",
            item,
            after="type",
        )
    elif meant == "object" and not keeps_fields and word.lower() not in _OBJECTS:
        return  # a map, of which an object without fields would keep nothing
    yield from finding.write(meant)


@Fixer("Write an integer that is at least 0", "safe").example(
    bad="size: {type: uint32}", good="size: {type: integer, minimum: 0}"
)
def _unsigned(finding: FieldFinding) -> Edits:
    if is_unsigned(finding.scalar().value) and finding.owner.find("minimum") is None:
        yield finding.editor.insert(
            finding.owner,
            "minimum",
            "0",
            after="type",
        )
        yield from finding.write("integer")


@Fixer("Write `type: array`, and accept any items", "unsafe").example(
    bad="hosts: {type: list}",
    good="hosts: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}",
)
def _array_of_any(finding: FieldFinding) -> Edits:
    editor, owner = finding.editor, finding.owner
    word = finding.scalar().value
    if meant_type(word) == "array" and owner.find("items") is None:
        of_items = LIST.fullmatch(word)
        name = of_items[1] if of_items is not None else word.removeprefix("[]").removesuffix("[]")
        item = meant_type(name) if name != word else None
        plain = item if item in SCALARS else None
        schema = (
            f"{editor.name('type')}: {editor.value(plain)}"
            if plain
            else f"{editor.name(_PRESERVE)}: true"
        )
        yield from finding.write("array")
        yield editor.insert(owner, "items", f"{{{schema}}}", after="type")


def _format_meant(finding: FieldFinding) -> str | None:
    """Return the format that is written as the type.

    None if the schema is not one of texts, or if a value in it does not have the format.
    """
    format_ = _FORMATS.get(finding.scalar().value.lower())
    if format_ is None:
        return None
    schema, has = finding.schema(finding.owner), FORMATS[normalized(format_)]
    if implied_type(schema) not in {"", "string"}:
        return None
    values = [*schema.enum, *([] if schema.default is None else [schema.default.value])]
    is_meant = all(isinstance(value, str) and has(value) for value in values)
    return format_ if is_meant else None


@Fixer("Write a string of the format", "unsafe").example(
    bad="start:\n  type: date", good="start:\n  type: string\n  format: date"
)
def _string_of_format(finding: FieldFinding) -> Edits:
    editor, owner = finding.editor, finding.owner
    format_ = _format_meant(finding)
    if format_ is not None and owner.find("format") is None:
        yield from finding.write("string")
        yield editor.insert(
            owner,
            "format",
            editor.value(format_),
            after="type",
        )


def _has_rest_of_another(finding: FieldFinding) -> bool:
    """Return whether the type goes on in lines below, which are the rest of another value."""
    node = finding.scalar()
    return bool(node.start_mark.line != node.end_mark.line)


@Fixer("Write the type that the other keywords imply", "safe").example(
    bad="mode: {type: enum, enum: [on-demand, spot]}",
    good="mode: {type: string, enum: [on-demand, spot]}",
)
def _implied_type(finding: FieldFinding) -> Edits:
    word, schema = finding.scalar().value.lower(), finding.schema(finding.owner)
    if word == "null" or _has_rest_of_another(finding):
        return  # the other type is a guess, and the rest is not lost silently
    if word.replace("-", "") == "intorstring":
        if finding.owner.find(_INT_OR_STRING) is None:
            yield from rename_to_true(
                finding.editor,
                finding.owner,
                "type",
                _INT_OR_STRING,
            )
        else:
            yield finding.editor.remove(finding.owner, "type")
    elif word in _FORMATS:
        is_of_texts = implied_type(schema) == "string" and _format_meant(finding) is None
        yield from finding.write("string") if is_of_texts else []
    elif meant_type(word, schema) is None and word not in _FRACTIONAL:
        type_ = TYPES_OF_FORMATS.get(schema.format) if word in VAGUE else implied_type(schema)
        if type_ and not names_other_type(word, type_):
            yield from finding.write(type_)


@Fixer("Accept any value", "unsafe").example(
    bad="extra: {type: any}", good="extra: {x-kubernetes-preserve-unknown-fields: true}"
)
def _any_value(finding: FieldFinding) -> Edits:
    is_open = not implied_type(finding.schema(finding.owner))
    if finding.scalar().value.lower() in _ANY and is_open and finding.owner.find(_PRESERVE) is None:
        yield from rename_to_true(
            finding.editor,
            finding.owner,
            "type",
            _PRESERVE,
        )


@Fixer("Take the only schema out of the list", "safe").example(
    bad="hosts:\n  type: array\n  items:\n  - type: string\n    maxLength: 9",
    good="hosts:\n  type: array\n  items:\n    type: string\n    maxLength: 9",
)
def _one_schema(finding: FieldFinding) -> Edits:
    return unlisted(finding.editor, finding.node())


@Fixer("Write `x-kubernetes-list-type: set`", "unsafe")
def _set_instead(finding: FieldFinding) -> Edits:
    owner, editor = finding.owner, finding.editor
    schema = finding.schema(owner)
    item = schema.item_schema
    if schema.x_list_type in {"set", "map"}:  # both reject items that are equal
        yield editor.remove(owner, "uniqueItems")
        return
    if (
        item is None or schema.x_list_type is not None or item.type not in SCALARS
    ):  # server-side apply has no other sets
        return
    key, value = editor.entry(owner, "uniqueItems")
    yield editor.respell(key, "x-kubernetes-list-type")
    yield editor.replace(value, editor.value("set"))


@Fixer("Remove `additionalProperties: false`", "safe").example(
    bad="tls:\n  type: object\n  additionalProperties: false\n  properties: {key: {type: string}}",
    good="tls:\n  type: object\n  properties: {key: {type: string}}",
)
def _properties_only(finding: FieldFinding) -> Edits:
    if finding.scalar().value == "false":
        yield finding.editor.remove(finding.owner, "additionalProperties")


@Fixer("Write `x-kubernetes-preserve-unknown-fields: true`", "unsafe").example(
    bad="tls:\n  type: object\n  additionalProperties: {}\n  properties: {key: {type: string}}",
    good="tls:\n  type: object\n  x-kubernetes-preserve-unknown-fields: true\n  properties: {key: {type: string}}",
)
def _keep_unknown_fields(finding: FieldFinding) -> Edits:
    node, owner = finding.node(), finding.owner
    is_open = (
        node.value == "true"
        if isinstance(node, Scalar)
        else isinstance(node, Mapping) and not node.items
    )
    if is_open and owner.find(_PRESERVE) is None:
        yield from rename_to_true(
            finding.editor,
            owner,
            "additionalProperties",
            _PRESERVE,
        )


def _without_property(finding: FieldFinding) -> Edits:
    """Remove a property of the metadata that is declared as an object: its values are texts."""
    editor = finding.editor
    name, properties = require(editor.key_of(finding.owner)), editor.parent(finding.owner)
    properties, metadata = expect(Mapping, properties), expect(Mapping, editor.parent(properties))
    is_only = len(properties.items) == len(("key", "value"))
    yield (
        editor.remove(metadata, "properties") if is_only else editor.remove(properties, name.value)
    )


FIXES: Final = FixesOf(
    FieldFinding,
    {
        ID.id: (Fixer("Remove `id`", "safe", removal),),
        ADDITIONAL_ITEMS.id: (Fixer("Remove `additionalItems`", "safe", removal),),
        DEFINITIONS.id: (Fixer("Remove `definitions`", "unsafe", removal),),
        TYPE_UNSUPPORTED.id: (
            _type_or_null,
            _exchanged_format,
            _unsigned,
            _meant_type,
            _implied_type,
            _array_of_any,
            _string_of_format,
            _any_value,
        ),
        ITEMS_ARRAY.id: (_one_schema,),
        DEFAULT_FORBIDDEN.id: (Fixer("Remove the default", "safe", removal),),
        EMBEDDED_IN_META.id: (
            Fixer("Remove the property, which is a text", "unsafe", _without_property),
        ),
        UNIQUE_ITEMS.id: (_set_instead,),
        BOTH_PROPERTIES.id: (_properties_only, _keep_unknown_fields),
        PRESERVE_FALSE.id: (
            Fixer("Remove `x-kubernetes-preserve-unknown-fields: false`", "safe", removal),
        ),
    },
)
