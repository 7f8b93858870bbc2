"""Structural schemas: types everywhere, no structure in value validation. Upstream: pkg/apiserver/schema (validation.go)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from crdlint.crd.errors import (
    FORBIDDEN,
    INVALID,
    REQUIRED,
    Code,
    FieldError,
    Reason,
    forbidden,
    invalid,
    required,
)
from crdlint.crd.model import JSONSchemaProps, JSONSchemaPropsOrBool
from crdlint.kubernetes.servers import Server
from crdlint.light import regex
from crdlint.phrases import OneCommand
from crdlint.rules.engine.advisory import JUNCTORS
from crdlint.rules.engine.common import WalkResult
from crdlint.rules.engine.relations import ANYWHERE, OF_ALTERNATIVE, SAME_PLACE
from crdlint.rules.engine.rule import Link, Nodes, Rule
from crdlint.rules.engine.schema_walk import STRUCTURAL, Context, SchemaPosition, check
from crdlint.rules.helps import structural as helps
from crdlint.rules.server import panics
from crdlint.safety.bugs import attempt
from crdlint.schema.structural import incomplete, structural_attributes

_SOURCE = "apiextensions-apiserver/pkg/apiserver/schema ValidateStructural"
_Rule: Final = partial(Rule, source=_SOURCE)
_NOT_PLACES: Final = frozenset(SchemaPosition) - {SchemaPosition.OUTSIDE}
_ROOT: Final = frozenset({SchemaPosition.ROOT})
_NESTED: Final = frozenset({SchemaPosition.NESTED})


_TYPE_MISSING: Final = {
    SchemaPosition.ROOT: "must not be empty at the root",
    SchemaPosition.ITEM: "must not be empty for specified array items",
    SchemaPosition.FIELD: "must not be empty for specified object fields",
}
_LOOKAROUND: Final = regex(r"\(\?(?:[=!]|<[=!])[^()]*\)?")


_OfRoot: Final = partial(_Rule, scope="schema")


NOT_CONVERTIBLE = Rule(
    "schema-not-convertible",
    "Schema cannot be converted to a structural schema",
    claims_nothing=True,
    headline="{keyword} is not allowed on {of}",
    headline_names="place",
    explains=(Link(panics.PANIC, ANYWHERE),),
    scope="schema",
    why="The API server converts every schema to a structural schema, and rejects a field that has no equivalent "
    "there, such as `$schema`.",
    help="Remove the field that the message names (`schema` means `$schema`)",
    bad="type: object\n$schema: http://json-schema.org/draft-07/schema#\n",
    good="type: object",
    source="apiextensions-apiserver/pkg/apiserver/schema NewStructural",
)
TYPE_REQUIRED = _Rule(
    "structural-type-required",
    "Field without a type",
    observed=("named-fields-and-other-keys", "crd-with-a-null-patched"),
    changes="type",
    hides_costs=True,
    why="The API server prunes, defaults and converts objects by the types in the schema, so every field needs one.",
    help="Add the `type` of this field",
    bad="replicas: {minimum: 1}",
    good="replicas: {type: integer, minimum: 1}",
)
ITEMS_REQUIRED = _Rule(
    "structural-items-required",
    "Array without `items`",
    claims_nothing=True,
    headline="list {of} has no `items`",
    changes="type",
    hides_costs=True,
    why="Without `items` the API server can neither prune nor validate the items of the array.",
    help="Add `items` with the type of an item; `items: {x-kubernetes-preserve-unknown-fields: true}` accepts any item",
    bad="ports: {type: array}",
    good="ports: {type: array, items: {type: integer}}",
)
ROOT_TYPE = _OfRoot(
    "structural-root-not-object",
    "Root of the schema is not an object",
    claims_nothing=True,
    headline="type of {of} is {value}, not `object`",
    changes="type",
    why="Every Kubernetes object has the fields `apiVersion`, `kind` and `metadata`.",
    help="Set `type: object` at the root of the schema",
    bad="type: string",
    good="type: object",
)
ROOT_MAP = _OfRoot(
    "structural-root-additional-properties",
    "`additionalProperties` at the root of the schema",
    claims_nothing=True,
    headline="{key} is not allowed at the root of the schema",
    changes="type",
    why="The root is a Kubernetes object with named fields, so it cannot be a map.",
    help="Move `additionalProperties` to a field of the root, such as `spec`",
    bad="type: object\nadditionalProperties: {type: string}\n",
    good="type: object\nproperties:\n  data: {type: object, additionalProperties: {type: string}}\n",
)
NOT_STRUCTURAL = _Rule(
    "structural-forbidden-in-junctor",
    "Type, default or description inside allOf, anyOf, oneOf or not",
    claims_nothing=True,
    explains=(Link(TYPE_REQUIRED, OF_ALTERNATIVE),),
    headline="{key} is not allowed on {of}",
    why="These keywords only validate values. Types, defaults and descriptions must be specified outside of them, so "
    "that pruning and defaulting do not depend on the value.",
    help="Remove it here, and specify it outside of the allOf, anyOf, oneOf or not",
    bad="size: {type: string, anyOf: [{type: string}, {pattern: '^[0-9]+$'}]}",
    good="size: {type: string, anyOf: [{maxLength: 3}, {pattern: '^[0-9]+$'}]}",
)
INCOMPLETE = Rule(
    "structural-incomplete",
    "Field is specified only inside allOf, anyOf, oneOf or not",
    observed=("alternative-requires-a-dropped-field",),
    headline="{of} is specified only inside `allOf`, `anyOf`, `oneOf` or `not`",
    changes="type",
    why="The API server prunes a field that is specified nowhere else before it validates the object.",
    help="Specify the field, with its type, outside of the allOf, anyOf, oneOf or not",
    bad="type: object\nproperties:\n  spec: {type: object}\nanyOf: [{properties: {spec: {properties: {host: {maxLength: 63}}}}}]\n",
    good="type: object\nproperties:\n  spec: {type: object, properties: {host: {type: string}}}\n"
    "anyOf: [{properties: {spec: {properties: {host: {maxLength: 63}}}}}]\n",
    source="apiextensions-apiserver/pkg/apiserver/schema validateStructuralCompleteness",
    scope="schema",
)
METADATA = _Rule(
    "metadata-restricted",
    "Schema restricts metadata other than name and generateName",
    observed=("name-is-limited-by-the-schema",),
    headline="schema of `metadata` may only restrict `name` and `generateName`",
    why="Kubernetes defines `metadata` itself. A CRD may restrict only `name` and `generateName`.",
    help="Set `metadata` to `{type: object}`; of its `properties`, only `name` and `generateName` are allowed",
    bad="metadata: {type: object, properties: {labels: {type: object}}}",
    good="metadata: {type: object}",
)
METADATA_NESTED = _OfRoot(
    "metadata-in-junctor",
    "`metadata` inside allOf, anyOf, oneOf or not",
    observed=("name-is-limited-by-the-schema",),
    explains=(Link(INCOMPLETE, SAME_PLACE),),
    headline="`metadata` is not allowed inside {junctor}",
    why="Kubernetes defines `metadata` itself, so a schema may not restrict it here.",
    help="Remove `metadata` here; to restrict it, add a rule at the root, such as `self.metadata.name.size() < 20`",
    bad="type: object\nanyOf: [{properties: {metadata: {required: [name]}}}]\nproperties: {metadata: {type: object}}\n",
    good="type: object\nproperties: {metadata: {type: object}}\n",
)
META_TYPE = _Rule(
    "metadata-type",
    "Wrong type for apiVersion, kind or metadata",
    claims_nothing=True,
    headline="type of {of} is {value}, not `{args[0]}`",
    changes="type",
    why="In every Kubernetes object `apiVersion` and `kind` are strings and `metadata` is an object.",
    help="Set the type that the message names, or remove the field from the schema: Kubernetes defines it",
    bad="apiVersion: {type: integer}",
    good="apiVersion: {type: string}",
)
EMBEDDED = _Rule(
    "embedded-resource-shape",
    "Embedded resource is not an object with fields",
    observed=("embedded-resource-is-an-object",),
    headline={
        INVALID: "embedded resource {of} has the type {value}, not `object`",
        FORBIDDEN: "{key} is not allowed on the embedded resource {of}",
        REQUIRED: "embedded resource {of} has no {key}",
    },
    changes="type",
    because="x-kubernetes-embedded-resource",
    why="`x-kubernetes-embedded-resource: true` declares a whole Kubernetes object, so the schema must be an object "
    "and not a map.",
    help="Use `type: object` with `properties` or `x-kubernetes-preserve-unknown-fields: true`, and without "
    "`additionalProperties`",
    bad="template: {type: object, x-kubernetes-embedded-resource: true}",
    good="template: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}",
)
INT_OR_STRING = _Rule(
    "int-or-string-exclusive",
    "Int-or-string with unknown fields or an embedded resource",
    claims_nothing=True,
    headline="{key} is not allowed on {of}, which is an int-or-string",
    changes="type",
    because="x-kubernetes-int-or-string",
    why="An integer or a string has no fields, so it cannot have unknown fields or contain an object.",
    help="Keep `x-kubernetes-int-or-string: true`, and remove the field that the message names",
    bad="port: {x-kubernetes-int-or-string: true, x-kubernetes-preserve-unknown-fields: true}",
    good="port: {x-kubernetes-int-or-string: true}",
)
PATTERN = _Rule(
    "pattern-invalid",
    "Pattern is not a valid RE2 expression",
    claims_nothing=True,
    headline="pattern of {of}: {subject}",
    changes="values",
    why="The API server compiles patterns with Go's regexp package (RE2 syntax). It has no lookahead, lookbehind or "
    "back references, and allows at most 1000 repetitions.",
    help="Write the pattern in RE2 syntax (https://github.com/google/re2/wiki/Syntax)",
    marker="correct `+kubebuilder:validation:Pattern`",
    bad="name: {type: string, pattern: '^(?!kube-)'}",
    good="name:\n  type: string\n  x-kubernetes-validations: [{rule: \"!self.startsWith('kube-')\"}]",
)


@check(
    Nodes(
        when=lambda fields, type_: (
            not type_ or (type_ != "object" and "x-kubernetes-embedded-resource" in fields)
        )
    ),
    STRUCTURAL,
)
def _type(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    path = schema.path.child("type")
    if schema.x_embedded_resource and schema.type != "object":
        detail = "must be object if x-kubernetes-embedded-resource is true"
        set_type = OneCommand("Set `type: object`")
        if schema.type:
            error = invalid(
                EMBEDDED.id,
                path,
                schema.type,
                detail,
                help=set_type,
            )
        else:
            error = required(EMBEDDED.id, path, detail, help=set_type)
        result.add_structural(schema, error)
    elif not schema.type and not schema.x_int_or_string and not schema.x_preserve_unknown_fields:
        is_root = context.position is SchemaPosition.ROOT
        help_ = OneCommand("Add `type: object`") if is_root else helps.missing_type(schema)
        detail = _TYPE_MISSING[context.position]
        result.add_structural(schema, required(TYPE_REQUIRED.id, path, detail, help=help_))


@check(Nodes(when=lambda _, type_: type_ not in {"", "object"}), _ROOT)
def _root_type(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    error = invalid(
        ROOT_TYPE.id,
        schema.path.child("type"),
        schema.type,
        "must be object at the root",
    )
    result.add_structural(schema, error)


@check(Nodes(types={"array"}), STRUCTURAL)
def _items(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if schema.item_schema is None:
        path, help_ = schema.path.child("items"), helps.items(schema)
        error = required(
            ITEMS_REQUIRED.id,
            path,
            "must be specified",
            help=help_,
        )
        result.add_structural(schema, error)


@check(Nodes({"additionalProperties"}), STRUCTURAL)
def _additional_properties(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    if schema.additional_properties is None:
        return
    path = schema.path.child("additionalProperties")
    if context.position is SchemaPosition.ROOT:
        help_ = helps.root_map(schema)
        error = forbidden(
            ROOT_MAP.id,
            path,
            "must not be used at the root",
            help=help_,
        )
        result.add_structural(schema, error)
    if schema.x_embedded_resource:
        detail = "must not be used if x-kubernetes-embedded-resource is set"
        result.add_structural(schema, forbidden(EMBEDDED.id, path, detail))


@check(Nodes({"x-kubernetes-int-or-string"}), STRUCTURAL)
def _int_or_string(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if not schema.x_int_or_string:
        return
    for name, is_set in (
        ("x-kubernetes-preserve-unknown-fields", schema.x_preserve_unknown_fields),
        ("x-kubernetes-embedded-resource", schema.x_embedded_resource),
    ):
        if is_set:
            detail = "must be false if x-kubernetes-int-or-string is true"
            help_ = f"Remove `{name}`"
            result.add_structural(
                schema,
                invalid(
                    INT_OR_STRING.id,
                    schema.path.child(name),
                    True,
                    detail,
                    help=help_,
                ),
            )


@check(Nodes({"x-kubernetes-embedded-resource"}), STRUCTURAL)
def _embedded_fields(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if (
        schema.x_embedded_resource
        and not schema.x_preserve_unknown_fields
        and not schema.properties
    ):
        detail = "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        help_ = (
            "Add `x-kubernetes-preserve-unknown-fields: true`, or the `properties` of the object"
        )
        result.add_structural(
            schema,
            required(
                EMBEDDED.id,
                schema.path.child("properties"),
                detail,
                help=help_,
            ),
        )


@check(Nodes({"properties"}), STRUCTURAL)
def _object_fields(schema: JSONSchemaProps, context: Context, result: WalkResult) -> None:
    """Check apiVersion, kind and metadata of the root and of embedded resources."""
    if context.position is not SchemaPosition.ROOT and not schema.x_embedded_resource:
        return
    for name, type_ in (("kind", "string"), ("apiVersion", "string"), ("metadata", "object")):
        child = schema.properties.get(name)
        if child is not None and child.type != type_:
            result.add_structural(child, _wrong_type(child, type_))
    if context.position is not SchemaPosition.ROOT:
        return
    metadata = schema.properties.get("metadata")
    if metadata is not None and not _may_restrict(metadata, context.options.server):
        detail = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        result.add_structural(schema, forbidden(METADATA.id, metadata.path, detail))


def _wrong_type(schema: JSONSchemaProps, type_: str) -> FieldError:
    return invalid(
        META_TYPE.id,
        schema.path.child("type"),
        schema.type,
        f"must be {type_}",
        help=OneCommand(f"Set `type: {type_}`"),
        reason=Reason(Code.TYPE, (type_, schema.type)),
    )


def _may_restrict(metadata: JSONSchemaProps, server: Server) -> bool:
    attributes = structural_attributes(metadata, server, nested=False) - {"type", "default"}
    return attributes <= {"properties"} and metadata.properties.keys() <= {"name", "generateName"}


@check(Nodes({"pattern"}), _NOT_PLACES)
def _pattern(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    if not schema.pattern:
        return
    reason = helps.pattern_error(schema.pattern)
    if reason is None:
        return
    detail = f"must be a valid regular expression, but isn't: {reason}"
    path = schema.path.child("pattern")
    cause = attempt(helps.cause_in_short, schema.pattern, reason)
    help_ = attempt(helps.pattern_help, schema.pattern)
    error = invalid(
        PATTERN.id,
        path,
        schema.pattern,
        detail,
        help=help_,
        subject=cause,
    )
    lookaround = _LOOKAROUND.search(schema.pattern)
    if lookaround is not None:
        error = error._replace(inside=lookaround.span())
    result.add_structural(schema, error)


def _allows_others(additional: JSONSchemaPropsOrBool | None) -> bool:
    return additional is not None and (additional.schema is not None or additional.allows)


# What a nested schema must not hold: JSON field, what upstream asks of it, and when it counts as held.
_FORBIDDEN_NESTED: Final[tuple[tuple[str, str, Callable[[JSONSchemaProps], bool]], ...]] = (
    ("type", "empty", lambda s: bool(s.type)),
    ("additionalProperties", "undefined", lambda s: _allows_others(s.additional_properties)),
    ("default", "undefined", lambda s: s.default is not None),
    ("title", "empty", lambda s: bool(s.title)),
    ("description", "empty", lambda s: bool(s.description)),
    ("nullable", "false", lambda s: s.nullable),
    ("x-kubernetes-preserve-unknown-fields", "false", lambda s: bool(s.x_preserve_unknown_fields)),
    ("x-kubernetes-embedded-resource", "false", lambda s: s.x_embedded_resource),
    ("x-kubernetes-int-or-string", "false", lambda s: s.x_int_or_string),
    ("x-kubernetes-list-map-keys", "empty", lambda s: bool(s.x_list_map_keys)),
    ("x-kubernetes-list-type", "undefined", lambda s: s.x_list_type is not None),
    ("x-kubernetes-map-type", "undefined", lambda s: s.x_map_type is not None),
    ("x-kubernetes-validations", "empty", lambda s: bool(s.x_validations)),
)


@check(Nodes({name for name, _, _ in _FORBIDDEN_NESTED}), _NESTED)
def _nested(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    for name, state, is_set in _FORBIDDEN_NESTED:
        if is_set(schema):
            path, detail = schema.path.child(name), f"must be {state} to be structural"
            help_ = helps.nested(schema, name)
            result.add_structural(schema, forbidden(NOT_STRUCTURAL.id, path, detail, help=help_))


@check(Nodes({"properties"}), _NESTED)
def _nested_metadata(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    metadata = schema.properties.get("metadata")
    if metadata is not None:
        result.add_structural(
            schema,
            forbidden(
                METADATA_NESTED.id, metadata.path, "must not be specified in a nested context"
            ),
        )


@check(Nodes(JUNCTORS), _ROOT)
def _complete(schema: JSONSchemaProps, _context: Context, result: WalkResult) -> None:
    for structure, nested, path, spoken_of in incomplete(schema):
        result.add_structural(
            structure,
            required(
                INCOMPLETE.id,
                path,
                f"because it is defined in {spoken_of}",
                at=nested.path,
            ),
        )
