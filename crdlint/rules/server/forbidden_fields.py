"""Fields that JSON Schema has and CRDs do not, and values that are always rejected.

Upstream: specStandardValidatorV3.validate and similar parts of ValidateCustomResourceDefinitionOpenAPISchema
(apiextensions pkg/apis/apiextensions/validation).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from crdlint.crd.errors import forbidden, invalid, not_supported
from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.diagnostics import Applicability
from crdlint.phrases import nearest
from crdlint.rules.engine.advisory import SCALARS
from crdlint.rules.engine.common import Findings
from crdlint.rules.engine.finding import (
    Edits,
    Finding,
    Fixer,
    removal,
    rename_to_true,
    require,
    unlisted,
)
from crdlint.rules.engine.rule import Nodes, Rule
from crdlint.rules.engine.schema_walk import Context, check
from crdlint.rules.server.structural import implied_type
from crdlint.schema.structural import TYPES
from crdlint.yaml.nodes import Mapping, Scalar

_SOURCE = "apiextensions/validation specStandardValidatorV3.validate"
_Rule: Final = partial(Rule, source=_SOURCE)
_WALK = "apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"
_ANY: Final = frozenset({"any", "*"})
_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_FORMATS: Final = {
    "date": "date", "date-time": "date-time", "duration": "duration", "uri": "uri", "uuid": "uuid", "byte": "byte",
    "password": "password", "email": "email", "ipv4": "ipv4", "ipv6": "ipv6", "cidr": "cidr",
    "datetime": "date-time", "timestamp": "date-time", "time": "date-time", "url": "uri", "bytes": "byte",
}  # fmt: skip
_LIKE: Final = 0.7
# Names that people use for the supported types.
_MEANT: Final = {
    word: meant
    for meant, words in (
        ("integer", "int int32 int64 long uint uint32 uint64"),
        ("number", "float float32 float64 double decimal"),
        ("string", "str text"),
        ("boolean", "bool"),
        ("array", "list slice seq sequence"),
        ("object", "map dict struct obj mapping dictionary hash hashmap record"),
    )
    for word in words.split()
}
_VAGUE: Final = frozenset({"num", "numeric"})  # integers or fractions
_FRACTIONAL: Final = frozenset({"float", "float32", "float64", "double", "decimal"})
_MAP: Final = re.compile(r"map\[string\](\w+)")
_OBJECTS: Final = frozenset({"object", "obj", "struct", "objects"})
_KEEPING: Final = sum(
    SCHEMA_BITS[name]
    for name in ("properties", "additionalProperties", "x-kubernetes-preserve-unknown-fields")
)
_OF_FORMAT: Final = {"int32": "integer", "int64": "integer", "float": "number", "double": "number"}
_BESIDE_PROPERTIES: Final = (
    "Replace `patternProperties` with `x-kubernetes-preserve-unknown-fields: true`, which accepts other fields, "
    "or move these fields into a map of their own"
)
_UNIQUE_BY_KEYS: Final = "Remove `uniqueItems`: no two items of a map list have the same keys"
_UNIQUE_ITEMS_HELPS: Final = {
    "object": "Remove `uniqueItems`; for items that differ in some fields, add `x-kubernetes-list-type: map` and those "
    "fields as `x-kubernetes-list-map-keys`",
    "array": "Remove `uniqueItems`: a set needs items of a scalar type",
}
_NO_OTHERS: Final = (
    "Remove `additionalProperties: false`: the API server drops fields that are not in `properties`"
)
_WalkRule: Final = partial(Rule, source=_WALK)


@Fixer("Correct the type", "safe").example(
    bad="labels:\n  type: map[string]string",
    good="labels:\n  type: object\n  additionalProperties: {type: string}",
)
def _meant_type(finding: Finding) -> Edits:
    word, schema = finding.scalar().value, finding.schema(finding.owner)
    meant = _meant(word, schema)
    if meant is None or (meant == "array" and finding.owner.find("items") is None):
        return  # the items are a guess
    value = _MAP.fullmatch(word.replace(" ", ""))
    keeps_fields = schema.set_fields & _KEEPING
    if value is not None and not keeps_fields:
        type_ = require(_MEANT.get(value[1].lower(), value[1] if value[1] in SCALARS else None))
        item = f"{{{finding.editor.name('type')}: {finding.editor.value(type_)}}}"
        yield finding.editor.insert(finding.owner, "additionalProperties", item, after="type")
    elif meant == "object" and not keeps_fields and word.lower() not in _OBJECTS:
        return  # a map, of which an object without fields would keep nothing
    yield from finding.write(meant)


@Fixer("Write `type: array`, and accept any items", "unsafe").example(
    bad="hosts: {type: list}",
    good="hosts: {type: array, items: {x-kubernetes-preserve-unknown-fields: true}}",
)
def _array_of_any(finding: Finding) -> Edits:
    editor, owner = finding.editor, finding.owner
    word = finding.scalar().value
    if _meant(word) == "array" and owner.find("items") is None:
        item = _meant(word.replace("[]", "")) if "[]" in word else None
        plain = item if item in SCALARS else None
        schema = (
            f"{editor.name('type')}: {editor.value(plain)}"
            if plain
            else f"{editor.name(_PRESERVE)}: true"
        )
        yield from finding.write("array")
        yield editor.insert(owner, "items", f"{{{schema}}}", after="type")


@Fixer("Write a string of the format", "unsafe").example(
    bad="start:\n  type: date", good="start:\n  type: string\n  format: date"
)
def _string_of_format(finding: Finding) -> Edits:
    editor, owner = finding.editor, finding.owner
    format_ = _FORMATS.get(finding.scalar().value.lower())
    if format_ is not None and owner.find("format") is None:
        yield from finding.write("string")
        yield editor.insert(owner, "format", editor.value(format_), after="type")


@Fixer("Write the type that the other keywords imply", "safe").example(
    bad="mode: {type: enum, enum: [on-demand, spot]}",
    good="mode: {type: string, enum: [on-demand, spot]}",
)
def _implied_type(finding: Finding) -> Edits:
    word, schema = finding.scalar().value.lower(), finding.schema(finding.owner)
    if word.replace("-", "") == "intorstring":
        if finding.owner.find(_INT_OR_STRING) is None:
            yield from rename_to_true(finding, finding.owner, "type", _INT_OR_STRING)
        else:
            yield finding.editor.remove(finding.owner, "type")
    elif _meant(word, schema) is None and word not in _FORMATS and word not in _FRACTIONAL:
        type_ = _OF_FORMAT.get(schema.format) if word in _VAGUE else implied_type(schema)
        yield from finding.write(type_) if type_ else []


@Fixer("Accept any value", "unsafe").example(
    bad="extra: {type: any}", good="extra: {x-kubernetes-preserve-unknown-fields: true}"
)
def _any_value(finding: Finding) -> Edits:
    is_open = not implied_type(finding.schema(finding.owner))
    if finding.scalar().value.lower() in _ANY and is_open and finding.owner.find(_PRESERVE) is None:
        yield from rename_to_true(finding, finding.owner, "type", _PRESERVE)


def _meant(word: str, schema: JSONSchemaProps | None = None) -> str | None:
    """Return the type for a type name of another language, or for a misspelled one; None if its format contradicts it."""
    if word.startswith("[]") or word.endswith("[]"):
        return "array"
    if word.lower() in _VAGUE:
        return None
    meant = (
        "object"
        if word.startswith("map[")
        else _MEANT.get(word.lower()) or nearest(word, TYPES, _LIKE)
    )
    implied = _OF_FORMAT.get(schema.format) if schema is not None else None
    return meant if implied is None or meant == implied else None


@Fixer("Take the only schema out of the list", "safe").example(
    bad="hosts:\n  type: array\n  items:\n  - type: string\n    maxLength: 9",
    good="hosts:\n  type: array\n  items:\n    type: string\n    maxLength: 9",
)
def _one_schema(finding: Finding) -> Edits:
    return unlisted(finding, finding.node())


@Fixer("Write `x-kubernetes-list-type: set`", "unsafe")
def _set_instead(finding: Finding) -> Edits:
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
def _properties_only(finding: Finding) -> Edits:
    if finding.scalar().value == "false":
        yield finding.editor.remove(finding.owner, "additionalProperties")


@Fixer("Write `x-kubernetes-preserve-unknown-fields: true`", "unsafe").example(
    bad="tls:\n  type: object\n  additionalProperties: {}\n  properties: {key: {type: string}}",
    good="tls:\n  type: object\n  x-kubernetes-preserve-unknown-fields: true\n  properties: {key: {type: string}}",
)
def _keep_unknown_fields(finding: Finding) -> Edits:
    node, owner = finding.node(), finding.owner
    is_open = (
        node.value == "true"
        if isinstance(node, Scalar)
        else isinstance(node, Mapping) and not node.items
    )
    if is_open and owner.find(_PRESERVE) is None:
        yield from rename_to_true(finding, owner, "additionalProperties", _PRESERVE)


@Fixer("Accept any value, and null", "unsafe").example(
    good="note: {x-kubernetes-preserve-unknown-fields: true, nullable: true}"
)
def _nullable_instead(finding: Finding) -> Edits:
    owner = finding.owner
    if owner.find(_PRESERVE) is None and owner.find("nullable") is None:
        yield from rename_to_true(finding, owner, "type", _PRESERVE)
        yield finding.editor.insert(owner, "nullable", "true", after="type")


def _field(
    name: str, why: str, help_: str, bad: str, good: str, *, removed: Applicability | None = None
) -> Rule:
    kebab = "".join(f"-{c.lower()}" if c.isupper() else c for c in name.strip("$"))
    fixes = (Fixer(f"Remove `{name}`", removed, removal),) if removed else ()
    summary = f"`{name}` is not supported in a CRD's schema"
    return Rule(f"forbidden-{kebab}", summary, why, help_, bad, good, _SOURCE, fixes=fixes)


# fmt: off
_ID = _field("id", "The API server does not resolve references, so a schema needs no identifier.", "Remove `id`",
    "port: {type: integer, id: port}", "port: {type: integer}", removed="safe")
_ADDITIONAL_ITEMS = _field("additionalItems", "The API server does not support tuples: one schema in `items` applies to all items.",
    "Remove `additionalItems`; use `items` to validate every item, and `maxItems` to limit their number",
    "names: {type: array, items: {type: string}, additionalItems: false}", "names: {type: array, items: {type: string}}",
    removed="safe")
_PATTERN_PROPERTIES = _field("patternProperties", "The API server prunes by property name, not by pattern.",
    "Replace `patternProperties` with `additionalProperties` for the values and a rule for the keys: "
    "`self.all(key, key.matches('...'))`",
    "labels: {type: object, patternProperties: {'^x-': {type: string}}}",
    "labels: {type: object, additionalProperties: {type: string}}")
_DEFINITIONS = _field("definitions", "The API server does not resolve references, so definitions would have no effect.",
    "Remove `definitions`, and write each schema where it is used (a YAML anchor avoids repetition)",
    "tls: {type: object, definitions: {port: {type: integer}}}", "tls: {type: object}", removed="unsafe")
_DEPENDENCIES = _field("dependencies", "A structural schema has no conditional properties.",
    "Replace `dependencies` with a rule, such as `x-kubernetes-validations: [{rule: '!has(self.key) || has(self.cert)'}]`",
    "tls: {type: object, dependencies: {key: [cert]}}",
    "tls:\n  type: object\n  properties: {key: {type: string}, cert: {type: string}}\n"
    "  x-kubernetes-validations: [{rule: '!has(self.key) || has(self.cert)'}]")
_REF = _field("$ref", "The API server does not resolve references, so a schema must be self-contained.",
    "Replace `$ref` with the schema that it refers to (a YAML anchor avoids repetition)",
    "limits: {type: object, $ref: '#/definitions/limits'}", "limits: {type: object}")
# fmt: on

_UNSUPPORTED: Final[dict[str, tuple[Rule, Callable[[JSONSchemaProps], bool]]]] = {
    "id": (_ID, lambda s: bool(s.id)),
    "additionalItems": (_ADDITIONAL_ITEMS, lambda s: s.additional_items is not None),
    "patternProperties": (_PATTERN_PROPERTIES, lambda s: bool(s.pattern_properties)),
    "definitions": (_DEFINITIONS, lambda s: bool(s.definitions)),
    "dependencies": (_DEPENDENCIES, lambda s: "dependencies" in vars(s)),
    "$ref": (_REF, lambda s: s.ref is not None),
}

_TYPE_UNSUPPORTED = _Rule("type-unsupported", "Unsupported `type`",
    why="The API server supports the types array, boolean, integer, number, object and string, and cannot validate any other.",
    help="Use one of array, boolean, integer, number, object and string",
    marker="correct `+kubebuilder:validation:Type`",
    bad="size: {type: int}", good="size: {type: integer}",
    fixes=(_meant_type, _implied_type, _array_of_any, _string_of_format, _any_value))  # fmt: skip
_TYPE_NULL = _Rule("type-null", "`type: null` is not allowed",
    why="OpenAPI v3 has no null type. A schema allows null with `nullable: true`.",
    help="Set the type of the values that are not null, and add `nullable: true`",
    bad="note: {type: 'null'}", good="note: {type: string, nullable: true}", fixes=(_nullable_instead,))  # fmt: skip
_ITEMS_ARRAY = _Rule("items-not-a-schema", "`items` is a list of schemas",
    why="The API server does not support tuples: one schema applies to all items.",
    help="Write one schema for all items, such as `items: {x-kubernetes-preserve-unknown-fields: true}` if they differ",
    bad="pair: {type: array, items: [{type: string}, {type: integer}]}",
    good="pair: {type: array, items: {type: string}}", fixes=(_one_schema,))  # fmt: skip
_DEFAULT_FORBIDDEN = _Rule("default-forbidden", "Default is not allowed here",
    why="Kubernetes sets apiVersion, kind and metadata of objects itself, so a schema cannot give defaults for them.",
    help="Remove the default", marker="remove `+kubebuilder:default`",
    bad="metadata: {type: object, properties: {name: {type: string, default: main}}}",
    good="metadata: {type: object, properties: {name: {type: string}}}",
    fixes=(Fixer("Remove the default", "safe", removal),))  # fmt: skip
_EMBEDDED_IN_META = _Rule("embedded-resource-in-metadata", "`x-kubernetes-embedded-resource` inside metadata",
    why="The metadata of an object cannot contain other Kubernetes objects.",
    help="Remove `x-kubernetes-embedded-resource` here",
    bad="metadata:\n  type: object\n  properties:\n"
    "    name: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
    good="metadata: {type: object}",
    fixes=(
        Fixer("Remove `x-kubernetes-embedded-resource`", "safe", removal,
            bad="metadata:\n  type: object\n  properties:\n    name: {type: object, x-kubernetes-embedded-resource: true}",
            good="metadata:\n  type: object\n  properties:\n    name: {type: object}"),
    ))  # fmt: skip
_UNIQUE_ITEMS = _WalkRule("unique-items-forbidden", "`uniqueItems: true` is not allowed",
    observed=("atomic-list-of-objects-applies", "set-of-objects-breaks-apply"),
    why="Comparing every item with every other one takes quadratic time.",
    help="Remove `uniqueItems`, and add `x-kubernetes-list-type: set`, which also rejects duplicates",
    marker="write `+listType=set` instead of `+kubebuilder:validation:UniqueItems=true`",
    bad="tags: {type: array, uniqueItems: true, items: {type: string}}",
    good="tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
    fixes=(_set_instead,))  # fmt: skip
_BOTH_PROPERTIES = _WalkRule("properties-and-additional-properties", "`properties` and `additionalProperties` in the same schema",
    because="properties",
    why="An object has either named fields, where unknown fields are pruned, or arbitrary keys, where all are kept.",
    help="Keep `properties` for named fields or `additionalProperties` for a map; to keep unknown fields next to named "
    "ones, set `x-kubernetes-preserve-unknown-fields: true`",
    bad="labels: {type: object, properties: {app: {type: string}}, additionalProperties: {type: string}}",
    good="labels: {type: object, additionalProperties: {type: string}}",
    fixes=(_properties_only, _keep_unknown_fields))  # fmt: skip
_PRESERVE_FALSE = _WalkRule("preserve-unknown-fields-not-true", "`x-kubernetes-preserve-unknown-fields` is set to false",
    why="Pruning is the default, so the API server accepts only `true` or no value.",
    help="Remove `x-kubernetes-preserve-unknown-fields: false`; unknown fields are pruned without it",
    bad="raw: {type: object, x-kubernetes-preserve-unknown-fields: false}", good="raw: {type: object}",
    fixes=(Fixer("Remove `x-kubernetes-preserve-unknown-fields: false`", "safe", removal),))  # fmt: skip

# Those after whose fix a schema may have another type or other fields.
CHANGING_TYPE: Final = frozenset(
    {
        _TYPE_UNSUPPORTED.id,
        _TYPE_NULL.id,
        _ITEMS_ARRAY.id,
        _BOTH_PROPERTIES.id,
        _REF.id,
        _PATTERN_PROPERTIES.id,
    }
)


@check(Nodes(when=lambda _, type_: type_ not in {"", *TYPES}))
def _type(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    path = schema.path.child("type")
    if context.options.require_valid_property_type:
        meant = _meant(schema.type, schema)
        help_ = f"Write `type: {meant}`" if meant else None
        findings.add(
            schema,
            not_supported(_TYPE_UNSUPPORTED.id, path, schema.type, sorted(TYPES), help=help_),
        )
    if schema.type == "null":
        detail = "type cannot be set to null, use nullable as an alternative"
        findings.add(schema, forbidden(_TYPE_NULL.id, path, detail))


@check(Nodes({"default"}))
def _default(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    if context.defaults_forbidden is not None and schema.default is not None:
        detail = f"must not be set {context.defaults_forbidden}"
        path, where = schema.path.child("default"), context.defaults_forbidden
        findings.add(schema, forbidden(_DEFAULT_FORBIDDEN.id, path, detail, subject=where))


@check(Nodes(_UNSUPPORTED.keys()))
def _unsupported_fields(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    for name, (rule, is_set) in _UNSUPPORTED.items():
        if is_set(schema):
            help_ = (
                _BESIDE_PROPERTIES if name == "patternProperties" and schema.properties else None
            )
            findings.add(
                schema,
                forbidden(rule.id, schema.path.child(name), f"{name} is not supported", help=help_),
            )


@check(Nodes({"items"}))
def _items_array(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if schema.items is not None and schema.items.json_schemas:
        detail = "items must be a schema object and not an array"
        findings.add(schema, forbidden(_ITEMS_ARRAY.id, schema.path.child("items"), detail))


@check(Nodes({"x-kubernetes-embedded-resource"}))
def _embedded(schema: JSONSchemaProps, context: Context, findings: Findings) -> None:
    if context.inside_meta and schema.x_embedded_resource:
        path = schema.path.child("x-kubernetes-embedded-resource")
        findings.add(
            schema,
            forbidden(_EMBEDDED_IN_META.id, path, "must not be used inside of resource meta"),
        )


@check(Nodes({"uniqueItems"}))
def _unique_items(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    if schema.unique_items:
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        item = "" if schema.item_schema is None else schema.item_schema.type
        help_ = _UNIQUE_BY_KEYS if schema.x_list_type == "map" else _UNIQUE_ITEMS_HELPS.get(item)
        if schema.type != "array":
            help_ = "Remove `uniqueItems`: it has no effect on a value that is not a list"
        findings.add(
            schema,
            forbidden(_UNIQUE_ITEMS.id, schema.path.child("uniqueItems"), detail, help=help_),
        )


@check(Nodes({"additionalProperties"}))
def _both_properties(schema: JSONSchemaProps, _context: Context, findings: Findings) -> None:
    additional = schema.additional_properties
    if (
        schema.properties
        and additional is not None
        and (not additional.allows or additional.schema is not None)
    ):
        path = schema.path.child("additionalProperties")
        detail = "additionalProperties and properties are mutual exclusive"
        help_ = None if additional.allows else _NO_OTHERS
        findings.add(schema, forbidden(_BOTH_PROPERTIES.id, path, detail, help=help_))


@check(Nodes({"x-kubernetes-preserve-unknown-fields"}))
def _preserve_unknown_fields(
    schema: JSONSchemaProps, _context: Context, findings: Findings
) -> None:
    if schema.x_preserve_unknown_fields is False:
        path = schema.path.child("x-kubernetes-preserve-unknown-fields")
        findings.add(schema, invalid(_PRESERVE_FALSE.id, path, False, "must be true or undefined"))
