"""The v1 API's Go types as tables: what ``encoding/json`` knows of them through reflection and struct tags.

From apiextensions-apiserver pkg/apis/apiextensions/v1 (types.go, types_jsonschema.go) and apimachinery
pkg/apis/meta/v1 (types.go). JSON names lead to the attribute of ``crdlint.crd.model`` that holds the value.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.crd import model

if TYPE_CHECKING:
    from collections.abc import Mapping as MappingOf


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
    record: type[model.Record] | None = None
    fields: dict[str, Field] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Field:
    """A struct's field: the model's attribute (empty: read, checked, not kept) and its type."""

    attribute: str
    type: GoType


def _named(name: str) -> GoType:
    return GoType("string", name)


def _slice(element: GoType, name: str = "") -> GoType:
    return GoType("slice", name or f"[]{element.name}", element)


def _map(element: GoType, name: str = "") -> GoType:
    return GoType("map", name or f"map[string]{element.name}", element)


def _struct(record: type[model.Record], fields: MappingOf[str, tuple[str, GoType]]) -> GoType:
    made = GoType("struct", f"v1.{record.__name__}", record=record)
    made.fields.update({name: Field(attribute, of) for name, (attribute, of) in fields.items()})
    return made


STRING: Final = GoType("string", "string")
BOOL: Final = GoType("bool", "bool")
INT32: Final = GoType("int32", "int32")
INT64: Final = GoType("int64", "int64")
UINT8: Final = GoType("uint8", "uint8")
FLOAT64: Final = GoType("float64", "float64")
BYTES: Final = GoType("bytes", "[]uint8", UINT8)
STRINGS: Final = _slice(STRING)
STRING_MAP: Final = _map(STRING)
TIME: Final = GoType("time", "v1.Time")
FIELDS: Final = GoType("fields", "v1.FieldsV1")
JSON: Final = GoType("json", "v1.JSON")

SCHEMA: Final = GoType("struct", "v1.JSONSchemaProps", record=model.JSONSchemaProps)
SCHEMAS: Final = _slice(SCHEMA)
SCHEMA_MAP: Final = _map(SCHEMA)
SCHEMA_OR_BOOL: Final = GoType("schema-or-bool", "v1.JSONSchemaPropsOrBool")
SCHEMA_OR_ARRAY: Final = GoType("schema-or-array", "v1.JSONSchemaPropsOrArray", SCHEMAS)
SCHEMA_OR_STRINGS: Final = GoType("schema-or-strings", "v1.JSONSchemaPropsOrStringArray", STRINGS)

_RULE: Final = _struct(
    model.ValidationRule,
    {
        "rule": ("rule", STRING),
        "message": ("message", STRING),
        "messageExpression": ("message_expression", STRING),
        "reason": ("reason", _named("v1.FieldValueErrorReason")),
        "fieldPath": ("field_path", STRING),
        "optionalOldSelf": ("optional_old_self", BOOL),
    },
)
_EXTERNAL_DOCS: Final = _struct(
    model.ExternalDocumentation, {"description": ("description", STRING), "url": ("url", STRING)}
)

SCHEMA.fields.update(
    {
        name: Field(attribute, of)
        for name, attribute, of in (
            ("id", "id", STRING),
            ("$schema", "schema", _named("v1.JSONSchemaURL")),
            ("$ref", "ref", STRING),
            ("description", "description", STRING),
            ("type", "type", STRING),
            ("format", "format", STRING),
            ("title", "title", STRING),
            ("default", "default", JSON),
            ("maximum", "maximum", FLOAT64),
            ("exclusiveMaximum", "exclusive_maximum", BOOL),
            ("minimum", "minimum", FLOAT64),
            ("exclusiveMinimum", "exclusive_minimum", BOOL),
            ("maxLength", "max_length", INT64),
            ("minLength", "min_length", INT64),
            ("pattern", "pattern", STRING),
            ("maxItems", "max_items", INT64),
            ("minItems", "min_items", INT64),
            ("uniqueItems", "unique_items", BOOL),
            ("multipleOf", "multiple_of", FLOAT64),
            ("enum", "enum", _slice(JSON)),
            ("maxProperties", "max_properties", INT64),
            ("minProperties", "min_properties", INT64),
            ("required", "required", STRINGS),
            ("items", "items", SCHEMA_OR_ARRAY),
            ("allOf", "all_of", SCHEMAS),
            ("oneOf", "one_of", SCHEMAS),
            ("anyOf", "any_of", SCHEMAS),
            ("not", "not_", SCHEMA),
            ("properties", "properties", SCHEMA_MAP),
            ("additionalProperties", "additional_properties", SCHEMA_OR_BOOL),
            ("patternProperties", "pattern_properties", SCHEMA_MAP),
            ("dependencies", "dependencies", _map(SCHEMA_OR_STRINGS, "v1.JSONSchemaDependencies")),
            ("additionalItems", "additional_items", SCHEMA_OR_BOOL),
            ("definitions", "definitions", _map(SCHEMA, "v1.JSONSchemaDefinitions")),
            ("externalDocs", "external_docs", _EXTERNAL_DOCS),
            ("example", "example", JSON),
            ("nullable", "nullable", BOOL),
            ("x-kubernetes-preserve-unknown-fields", "x_preserve_unknown_fields", BOOL),
            ("x-kubernetes-embedded-resource", "x_embedded_resource", BOOL),
            ("x-kubernetes-int-or-string", "x_int_or_string", BOOL),
            ("x-kubernetes-list-map-keys", "x_list_map_keys", STRINGS),
            ("x-kubernetes-list-type", "x_list_type", STRING),
            ("x-kubernetes-map-type", "x_map_type", STRING),
            ("x-kubernetes-validations", "x_validations", _slice(_RULE, "v1.ValidationRules")),
        )
    }
)

SCHEMA_BITS: Final = {name: 1 << i for i, name in enumerate(SCHEMA.fields)}

_NAMES: Final = _struct(
    model.CustomResourceDefinitionNames,
    {
        "plural": ("plural", STRING),
        "singular": ("singular", STRING),
        "shortNames": ("short_names", STRINGS),
        "kind": ("kind", STRING),
        "listKind": ("list_kind", STRING),
        "categories": ("categories", STRINGS),
    },
)
_COLUMN: Final = _struct(
    model.CustomResourceColumnDefinition,
    {
        "name": ("name", STRING),
        "type": ("type", STRING),
        "format": ("format", STRING),
        "description": ("description", STRING),
        "priority": ("priority", INT32),
        "jsonPath": ("json_path", STRING),
    },
)
_SCALE: Final = _struct(
    model.CustomResourceSubresourceScale,
    {
        "specReplicasPath": ("spec_replicas_path", STRING),
        "statusReplicasPath": ("status_replicas_path", STRING),
        "labelSelectorPath": ("label_selector_path", STRING),
    },
)
_VERSION: Final = _struct(
    model.CustomResourceDefinitionVersion,
    {
        "name": ("name", STRING),
        "served": ("served", BOOL),
        "storage": ("storage", BOOL),
        "deprecated": ("deprecated", BOOL),
        "deprecationWarning": ("deprecation_warning", STRING),
        "schema": (
            "schema",
            _struct(model.CustomResourceValidation, {"openAPIV3Schema": ("open_api_v3_schema", SCHEMA)}),
        ),
        "subresources": (
            "subresources",
            _struct(
                model.CustomResourceSubresources,
                {
                    "status": ("status", _struct(model.CustomResourceSubresourceStatus, {})),
                    "scale": ("scale", _SCALE),
                },
            ),
        ),
        "additionalPrinterColumns": ("additional_printer_columns", _slice(_COLUMN)),
        "selectableFields": (
            "selectable_fields",
            _slice(_struct(model.SelectableField, {"jsonPath": ("json_path", STRING)})),
        ),
    },
)
_SERVICE: Final = _struct(
    model.ServiceReference,
    {
        "namespace": ("namespace", STRING),
        "name": ("name", STRING),
        "path": ("path", STRING),
        "port": ("port", INT32),
    },
)
_WEBHOOK: Final = _struct(
    model.WebhookConversion,
    {
        "clientConfig": (
            "client_config",
            _struct(
                model.WebhookClientConfig,
                {"url": ("url", STRING), "service": ("service", _SERVICE), "caBundle": ("ca_bundle", BYTES)},
            ),
        ),
        "conversionReviewVersions": ("conversion_review_versions", STRINGS),
    },
)
_SPEC: Final = _struct(
    model.CustomResourceDefinitionSpec,
    {
        "group": ("group", STRING),
        "names": ("names", _NAMES),
        "scope": ("scope", _named("v1.ResourceScope")),
        "versions": ("versions", _slice(_VERSION)),
        "conversion": (
            "conversion",
            _struct(
                model.CustomResourceConversion,
                {"strategy": ("strategy", _named("v1.ConversionStrategyType")), "webhook": ("webhook", _WEBHOOK)},
            ),
        ),
        "preserveUnknownFields": ("preserve_unknown_fields", BOOL),
    },
)
_CONDITION: Final = _struct(
    model.CustomResourceDefinitionCondition,
    {
        "type": ("type", _named("v1.CustomResourceDefinitionConditionType")),
        "status": ("status", _named("v1.ConditionStatus")),
        "lastTransitionTime": ("last_transition_time", TIME),
        "reason": ("reason", STRING),
        "message": ("message", STRING),
        "observedGeneration": ("observed_generation", INT64),
    },
)
_STATUS: Final = _struct(
    model.CustomResourceDefinitionStatus,
    {
        "conditions": ("conditions", _slice(_CONDITION)),
        "acceptedNames": ("accepted_names", _NAMES),
        "storedVersions": ("stored_versions", STRINGS),
        "observedGeneration": ("observed_generation", INT64),
    },
)
_UID: Final = _named("types.UID")
_OWNER: Final = _struct(
    model.OwnerReference,
    {
        "apiVersion": ("api_version", STRING),
        "kind": ("kind", STRING),
        "name": ("name", STRING),
        "uid": ("uid", _UID),
        "controller": ("controller", BOOL),
        "blockOwnerDeletion": ("block_owner_deletion", BOOL),
    },
)
_MANAGED_FIELDS: Final = _struct(
    model.ManagedFieldsEntry,
    {
        "manager": ("manager", STRING),
        "operation": ("operation", _named("v1.ManagedFieldsOperationType")),
        "apiVersion": ("api_version", STRING),
        "time": ("time", TIME),
        "fieldsType": ("fields_type", STRING),
        "fieldsV1": ("fields_v1", FIELDS),
        "subresource": ("subresource", STRING),
    },
)
OBJECT_META: Final = _struct(
    model.ObjectMeta,
    {
        "name": ("name", STRING),
        "generateName": ("generate_name", STRING),
        "namespace": ("namespace", STRING),
        "selfLink": ("self_link", STRING),
        "uid": ("uid", _UID),
        "resourceVersion": ("resource_version", STRING),
        "generation": ("generation", INT64),
        "creationTimestamp": ("creation_timestamp", TIME),
        "deletionTimestamp": ("deletion_timestamp", TIME),
        "deletionGracePeriodSeconds": ("deletion_grace_period_seconds", INT64),
        "labels": ("labels", STRING_MAP),
        "annotations": ("annotations", STRING_MAP),
        "ownerReferences": ("owner_references", _slice(_OWNER)),
        "finalizers": ("finalizers", STRINGS),
        "managedFields": ("managed_fields", _slice(_MANAGED_FIELDS)),
    },
)
CRD: Final = _struct(
    model.CustomResourceDefinition,
    {
        "apiVersion": ("", STRING),
        "kind": ("", STRING),
        "metadata": ("metadata", OBJECT_META),
        "spec": ("spec", _SPEC),
        "status": ("status", _STATUS),
    },
)
