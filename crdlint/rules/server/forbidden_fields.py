"""Fields that JSON Schema has and CRDs do not, and values that are always rejected.

Upstream: specStandardValidatorV3.validate and similar parts of ValidateCustomResourceDefinitionOpenAPISchema
(apiextensions pkg/apis/apiextensions/validation).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from crdlint.crd.errors import forbidden, invalid, not_supported
from crdlint.crd.model import JSONSchemaProps
from crdlint.rules.engine.common import WalkResult
from crdlint.rules.engine.relations import SAME_FIELD, SAME_LINE, SIBLING
from crdlint.rules.engine.rule import Link, Nodes, Rule
from crdlint.rules.engine.schema_walk import Context, check
from crdlint.rules.helps import forbidden_fields as helps
from crdlint.rules.server import structural
from crdlint.schema.structural import TYPES

_SOURCE = "apiextensions/validation specStandardValidatorV3.validate"
_Rule: Final = partial(Rule, source=_SOURCE)
_WALK = "apiextensions/validation ValidateCustomResourceDefinitionOpenAPISchema"


_WalkRule: Final = partial(Rule, source=_WALK)


def _field(
    name: str,
    why: str,
    help_: str,
    bad: str,
    good: str,
    explains: tuple[Link, ...] = (),
    **traits: Any,
) -> Rule:
    kebab = "".join(f"-{c.lower()}" if c.isupper() else c for c in name.strip("$"))
    summary = f"`{name}` is not supported in a CRD's schema"
    return Rule(
        f"forbidden-{kebab}",
        summary,
        why,
        help_,
        bad,
        good,
        _SOURCE,
        explains=(Link(structural.NOT_CONVERTIBLE, SAME_LINE), *explains),
        **traits,
    )


# fmt: off
ID = _field("id", "The API server does not resolve references, so a schema needs no identifier.", "Remove `id`",
    "port: {type: integer, id: port}", "port: {type: integer}", claims_nothing=True)
ADDITIONAL_ITEMS = _field("additionalItems", "The API server does not support tuples: one schema in `items` applies to all items.",
    "Remove `additionalItems`; use `items` to validate every item, and `maxItems` to limit their number",
    "names: {type: array, items: {type: string}, additionalItems: false}", "names: {type: array, items: {type: string}}",
    claims_nothing=True)
PATTERN_PROPERTIES = _field("patternProperties", "The API server prunes by property name, not by pattern.",
    "Replace `patternProperties` with `additionalProperties` for the values and a rule for the keys: "
    "`self.all(key, key.matches('...'))`",
    "labels: {type: object, patternProperties: {'^x-': {type: string}}}",
    "labels: {type: object, additionalProperties: {type: string}}", changes="type", observed=("keys-that-a-rule-matches",))
DEFINITIONS = _field("definitions", "The API server does not resolve references, so definitions would have no effect.",
    "Remove `definitions`, and write each schema where it is used (a YAML anchor avoids repetition)",
    "tls: {type: object, definitions: {port: {type: integer}}}", "tls: {type: object}", claims_nothing=True)
DEPENDENCIES = _field("dependencies", "A structural schema has no conditional properties.",
    "Replace `dependencies` with a rule, such as `x-kubernetes-validations: [{rule: '!has(self.key) || has(self.cert)'}]`",
    "tls: {type: object, dependencies: {key: [cert]}}",
    "tls:\n  type: object\n  properties: {key: {type: string}, cert: {type: string}}\n"
    "  x-kubernetes-validations: [{rule: '!has(self.key) || has(self.cert)'}]", observed=("rule-instead-of-dependencies",))
REF = _field("$ref", "The API server does not resolve references, so a schema must be self-contained.",
    "Replace `$ref` with the schema that it refers to (a YAML anchor avoids repetition)",
    "limits: {type: object, $ref: '#/definitions/limits'}", "limits: {type: object}",
    changes="type", explains=(Link(structural.TYPE_REQUIRED, SIBLING),), claims_nothing=True)
# fmt: on

_UNSUPPORTED: Final[dict[str, tuple[Rule, Callable[[JSONSchemaProps], bool]]]] = {
    "id": (ID, lambda s: bool(s.id)),
    "additionalItems": (ADDITIONAL_ITEMS, lambda s: s.additional_items is not None),
    "patternProperties": (PATTERN_PROPERTIES, lambda s: bool(s.pattern_properties)),
    "definitions": (DEFINITIONS, lambda s: bool(s.definitions)),
    "dependencies": (DEPENDENCIES, lambda s: "dependencies" in vars(s)),
    "$ref": (REF, lambda s: s.ref is not None),
}

TYPE_UNSUPPORTED = _Rule(
    "type-unsupported",
    "Unsupported `type`",
    claims_nothing=True,
    headline="{of} has the unknown type {value}",
    changes="type",
    hides_costs=True,
    why="The API server supports the types array, boolean, integer, number, object and string, and cannot validate any other.",
    help="Use one of array, boolean, integer, number, object and string",
    marker="correct `+kubebuilder:validation:Type`",
    bad="size: {type: int}",
    good="size: {type: integer}",
)
TYPE_NULL = _Rule(
    "type-null",
    "`type: null` is not allowed",
    observed=("null-allowed-by-nullable",),
    follows=(Link(TYPE_UNSUPPORTED, SAME_FIELD),),
    headline="type of {of} cannot be `null`",
    changes="type",
    why="OpenAPI v3 has no null type. A schema allows null with `nullable: true`.",
    help="Set the type of the values that are not null, and add `nullable: true`",
    bad="note: {type: 'null'}",
    good="note: {type: string, nullable: true}",
)
ITEMS_ARRAY = _Rule(
    "items-not-a-schema",
    "`items` is a list of schemas",
    observed=("items-of-different-types",),
    explains=(
        Link(structural.ITEMS_REQUIRED, SAME_FIELD),
        Link(structural.NOT_CONVERTIBLE, SAME_LINE),
    ),
    headline="`items` of {of} must be one schema, not a list of schemas",
    changes="type",
    why="The API server does not support tuples: one schema applies to all items.",
    help="Write one schema for all items, such as `items: {x-kubernetes-preserve-unknown-fields: true}` if they differ",
    bad="pair: {type: array, items: [{type: string}, {type: integer}]}",
    good="pair: {type: array, items: {type: string}}",
)
DEFAULT_FORBIDDEN = _Rule(
    "default-forbidden",
    "Default is not allowed here",
    claims_nothing=True,
    headline="default of {of} is not allowed {subject}",
    withheld=True,
    why="Kubernetes sets apiVersion, kind and metadata of objects itself, so a schema cannot give defaults for them.",
    help="Remove the default",
    marker="remove `+kubebuilder:default`",
    bad="metadata: {type: object, properties: {name: {type: string, default: main}}}",
    good="metadata: {type: object, properties: {name: {type: string}}}",
)
EMBEDDED_IN_META = _Rule(
    "embedded-resource-in-metadata",
    "`x-kubernetes-embedded-resource` inside metadata",
    claims_nothing=True,
    headline="{key} is not allowed inside the metadata of a resource",
    why="The metadata of an object cannot contain other Kubernetes objects.",
    help="Remove the property from `metadata`, or declare it as a string",
    bad="metadata:\n  type: object\n  properties:\n"
    "    name: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
    good="metadata:\n  type: object",
)
UNIQUE_ITEMS = _WalkRule(
    "unique-items-forbidden",
    "`uniqueItems: true` is not allowed",
    headline="`uniqueItems: true` is not allowed on {of}",
    observed=("atomic-list-of-objects-applies", "set-of-objects-breaks-apply"),
    why="Comparing every item with every other one takes quadratic time.",
    help="Remove `uniqueItems`, and add `x-kubernetes-list-type: set`, which also rejects duplicates",
    marker="write `+listType=set` instead of `+kubebuilder:validation:UniqueItems=true`",
    bad="tags: {type: array, uniqueItems: true, items: {type: string}}",
    good="tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
)
BOTH_PROPERTIES = _WalkRule(
    "properties-and-additional-properties",
    "`properties` and `additionalProperties` in the same schema",
    observed=("named-fields-and-other-keys",),
    follows=(Link(structural.ROOT_MAP, SAME_FIELD),),
    headline="{of} cannot have both `properties` and `additionalProperties`",
    changes="type",
    because="properties",
    why="An object has either named fields, where unknown fields are pruned, or arbitrary keys, where all are kept.",
    help="Keep `properties` for named fields or `additionalProperties` for a map; to keep unknown fields next to named "
    "ones, set `x-kubernetes-preserve-unknown-fields: true`",
    bad="labels: {type: object, properties: {app: {type: string}}, additionalProperties: {type: string}}",
    good="labels: {type: object, additionalProperties: {type: string}}",
)
PRESERVE_FALSE = _WalkRule(
    "preserve-unknown-fields-not-true",
    "`x-kubernetes-preserve-unknown-fields` is set to false",
    observed=("named-fields-and-other-keys",),
    why="Pruning is the default, so the API server accepts only `true` or no value.",
    help="Remove `x-kubernetes-preserve-unknown-fields: false`; unknown fields are pruned without it",
    bad="raw: {type: object, x-kubernetes-preserve-unknown-fields: false}",
    good="raw: {type: object}",
)


@check(Nodes(when=lambda _, type_: type_ not in {"", *TYPES}))
def _type(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    path = schema.path.child("type")
    if context.options.require_valid_property_type:
        help_ = helps.of_type(schema)
        result.add(
            schema,
            not_supported(
                TYPE_UNSUPPORTED.id,
                path,
                schema.type,
                sorted(TYPES),
                help=help_,
            ),
        )
    if schema.type == "null":
        detail = "type cannot be set to null, use nullable as an alternative"
        result.add(schema, forbidden(TYPE_NULL.id, path, detail))


@check(Nodes({"default"}))
def _default(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    if context.defaults_forbidden is not None and schema.default is not None:
        detail = f"must not be set {context.defaults_forbidden}"
        path, where = schema.path.child("default"), context.defaults_forbidden
        result.add(schema, forbidden(DEFAULT_FORBIDDEN.id, path, detail, subject=where))


@check(Nodes(_UNSUPPORTED.keys()))
def _unsupported_fields(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    for name, (rule, is_set) in _UNSUPPORTED.items():
        if is_set(schema):
            beside_properties = name == "patternProperties" and schema.properties
            help_ = helps.BESIDE_PROPERTIES if beside_properties else None
            result.add(
                schema,
                forbidden(
                    rule.id,
                    schema.path.child(name),
                    f"{name} is not supported",
                    help=help_,
                ),
            )


@check(Nodes({"items"}))
def _items_array(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if schema.items is not None and schema.items.json_schemas:
        detail = "items must be a schema object and not an array"
        result.add(schema, forbidden(ITEMS_ARRAY.id, schema.path.child("items"), detail))


@check(Nodes({"x-kubernetes-embedded-resource"}))
def _embedded(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    if context.inside_meta and schema.x_embedded_resource:
        path = schema.path.child("x-kubernetes-embedded-resource")
        result.add(
            schema,
            forbidden(EMBEDDED_IN_META.id, path, "must not be used inside of resource meta"),
        )


@check(Nodes({"uniqueItems"}))
def _unique_items(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if schema.unique_items:
        detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
        help_ = helps.of_unique_items(schema)
        result.add(
            schema,
            forbidden(
                UNIQUE_ITEMS.id,
                schema.path.child("uniqueItems"),
                detail,
                help=help_,
            ),
        )


@check(Nodes({"additionalProperties"}))
def _both_properties(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    additional = schema.additional_properties
    if (
        schema.properties
        and additional is not None
        and (not additional.allows or additional.schema is not None)
    ):
        path = schema.path.child("additionalProperties")
        detail = "additionalProperties and properties are mutual exclusive"
        help_ = None if additional.allows else helps.NO_OTHERS
        result.add(schema, forbidden(BOTH_PROPERTIES.id, path, detail, help=help_))


@check(Nodes({"x-kubernetes-preserve-unknown-fields"}))
def _preserve_unknown_fields(
    schema: JSONSchemaProps, _context: Context, result: WalkResult
) -> None:
    if schema.x_preserve_unknown_fields is False:
        path = schema.path.child("x-kubernetes-preserve-unknown-fields")
        result.add(
            schema,
            invalid(
                PRESERVE_FALSE.id,
                path,
                False,
                "must be true or undefined",
            ),
        )
