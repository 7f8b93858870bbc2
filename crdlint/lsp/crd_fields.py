"""What each field of a CRD is for, in one table, which hover and completion share."""

from __future__ import annotations

from typing import Final, NamedTuple

from crdlint.crd.gotypes import CRD, SCHEMA, GoType
from crdlint.lsp.steps import Steps


class Keyword(NamedTuple):
    """A keyword of a schema: what it does, and the types of values that it is for (empty: all)."""

    text: str
    types: tuple[str, ...] = ()


_NUMBERS: Final = ("number", "integer")
KEYWORDS: Final = {
    "type": Keyword("The type of the value. Every value needs one."),
    "description": Keyword("What the field is for; `kubectl explain` shows it."),
    "title": Keyword("A name of the schema. The API server ignores it."),
    "properties": Keyword(
        "The fields of an object. The API server drops fields that are not listed.", ("object",)
    ),
    "additionalProperties": Keyword("The schema of the values of a map.", ("object",)),
    "required": Keyword("The fields that every object must set.", ("object",)),
    "minProperties": Keyword("The smallest number of fields or keys.", ("object",)),
    "maxProperties": Keyword(
        "The greatest number of fields or keys. It bounds the cost of rules.", ("object",)
    ),
    "items": Keyword("The schema of the items of a list.", ("array",)),
    "minItems": Keyword("The smallest number of items.", ("array",)),
    "maxItems": Keyword("The greatest number of items. It bounds the cost of rules.", ("array",)),
    "minLength": Keyword("The smallest number of characters.", ("string",)),
    "maxLength": Keyword(
        "The greatest number of characters. It bounds the cost of rules.", ("string",)
    ),
    "pattern": Keyword(
        "A regular expression (RE2) that must match a part of the text.", ("string",)
    ),
    "format": Keyword(
        "The format of the value. The API server ignores formats that it does not know.",
        ("string", *_NUMBERS),
    ),
    "minimum": Keyword("The smallest number.", _NUMBERS),
    "maximum": Keyword("The greatest number.", _NUMBERS),
    "exclusiveMinimum": Keyword("Whether `minimum` itself is not allowed.", _NUMBERS),
    "exclusiveMaximum": Keyword("Whether `maximum` itself is not allowed.", _NUMBERS),
    "multipleOf": Keyword("The number that the value must be a multiple of.", _NUMBERS),
    "enum": Keyword("The values that are allowed."),
    "default": Keyword("The value that the API server sets where the field is not set."),
    "example": Keyword("An example of the value. The API server ignores it."),
    "externalDocs": Keyword("A link to more documentation. The API server ignores it."),
    "nullable": Keyword("Whether `null` is allowed; otherwise it is dropped or rejected."),
    "allOf": Keyword("Schemas that must all accept the value."),
    "anyOf": Keyword("Schemas of which at least one must accept the value."),
    "oneOf": Keyword("Schemas of which exactly one must accept the value."),
    "not": Keyword("A schema that must not accept the value."),
    "x-kubernetes-validations": Keyword(
        "Rules in CEL that the API server evaluates on every value."
    ),
    "x-kubernetes-preserve-unknown-fields": Keyword("Keeps fields that the schema does not list."),
    "x-kubernetes-embedded-resource": Keyword(
        "The value is an object with apiVersion, kind and metadata.", ("object",)
    ),
    "x-kubernetes-int-or-string": Keyword("The value is an integer or a string, as a port may be."),
    "x-kubernetes-list-type": Keyword(
        "How server-side apply merges the list: atomic, set or map.", ("array",)
    ),
    "x-kubernetes-list-map-keys": Keyword(
        "The fields that identify the items of a map list.", ("array",)
    ),
    "x-kubernetes-map-type": Keyword(
        "How server-side apply merges the object: granular or atomic.", ("object",)
    ),
}
# The other fields, by the name of their type.
FIELDS: Final[dict[str, dict[str, str]]] = {
    "v1.CustomResourceDefinition": {
        "apiVersion": "The version of this API: `apiextensions.k8s.io/v1`.",
        "kind": "The kind of this object: `CustomResourceDefinition`.",
        "metadata": "The name, labels and annotations of the CRD.",
        "spec": "What the CRD defines: group, names, scope and versions.",
        "status": "What the API server reports about the CRD. It is not written by hand.",
    },
    "v1.ObjectMeta": {
        "name": "The name of the CRD: `PLURAL.GROUP`, from `spec.names.plural` and `spec.group`.",
        "generateName": "A prefix of a generated name. A CRD needs a fixed name.",
        "namespace": "A CRD is in no namespace.",
        "labels": "Keys and values by which objects are selected.",
        "annotations": "Keys and values that tools read, such as `api-approved.kubernetes.io`.",
        "ownerReferences": "The objects that this one is deleted with.",
        "finalizers": "What must be done before the object is deleted.",
        "managedFields": "Who set which field. The API server writes it.",
        "uid": "The identity of the object. The API server sets it.",
        "resourceVersion": "The version of the stored object. The API server sets it.",
        "generation": "The number of changes of the spec. The API server sets it.",
        "creationTimestamp": "When the object was created. The API server sets it.",
        "deletionTimestamp": "When the object was deleted. The API server sets it.",
        "deletionGracePeriodSeconds": "How many seconds deletion takes. The API server sets it.",
        "selfLink": "A URL of the object. The API server no longer sets it.",
    },
    "v1.OwnerReference": {
        "apiVersion": "The API version of the owner.",
        "kind": "The kind of the owner.",
        "name": "The name of the owner.",
        "uid": "The identity of the owner.",
        "controller": "Whether the owner manages this object.",
        "blockOwnerDeletion": "Whether the owner is deleted only after this object.",
    },
    "v1.ManagedFieldsEntry": {
        "manager": "The program that set the fields.",
        "operation": "How it set them: `Apply` or `Update`.",
        "apiVersion": "The version in which the fields were set.",
        "time": "When they were set.",
        "fieldsType": "The format of `fieldsV1`: `FieldsV1`.",
        "fieldsV1": "The fields.",
        "subresource": "The subresource through which they were set.",
    },
    "v1.CustomResourceDefinitionSpec": {
        "group": "The API group of the objects, as in `apiVersion: GROUP/VERSION`.",
        "names": "The names of the kind: in manifests, URLs and on the command line.",
        "scope": "Whether objects are in a namespace: `Namespaced` or `Cluster`. It cannot be changed.",
        "versions": "The versions of the API. One of them is the storage version.",
        "conversion": "How objects of one version become those of another.",
        "preserveUnknownFields": "Only `false` is allowed: v1 prunes unknown fields.",
    },
    "v1.CustomResourceDefinitionNames": {
        "plural": "The name in URLs and on the command line: `kubectl get PLURAL`.",
        "singular": "Another name on the command line. The API server sets it to the kind in lower case.",
        "shortNames": "Short names on the command line: `kubectl get SHORT`.",
        "kind": "The `kind` of the objects in manifests.",
        "listKind": "The kind of lists. The API server sets it to the kind and `List`.",
        "categories": "Groups of kinds: `kubectl get all` lists those of `all`.",
    },
    "v1.CustomResourceDefinitionVersion": {
        "name": "The name of the version, as in `apiVersion: GROUP/VERSION`: `v1`, `v1beta1`.",
        "served": "Whether clients can use the version.",
        "storage": "Whether objects are stored in this version: true for exactly one.",
        "deprecated": "Whether clients get a warning when they use the version.",
        "deprecationWarning": "The text of that warning, instead of the usual one.",
        "schema": "Which objects are valid, and which fields are kept.",
        "subresources": "Whether objects have the subresources `status` and `scale`.",
        "additionalPrinterColumns": "The columns that `kubectl get` shows.",
        "selectableFields": "Fields that `--field-selector` can select objects by, at most 8.",
    },
    "v1.CustomResourceValidation": {
        "openAPIV3Schema": "The schema of the objects. Fields that it does not list are dropped.",
    },
    "v1.ExternalDocumentation": {
        "description": "What the other documentation is about.",
        "url": "Where it is.",
    },
    "v1.ValidationRule": {
        "rule": "An expression in CEL that is true for valid values. `self` is the value, `oldSelf` the one before an update.",
        "message": "The error if the rule is false. It has one line.",
        "messageExpression": "An expression in CEL that results in the error; `message` is used if it fails.",
        "reason": "The machine-readable reason of the error.",
        "fieldPath": "The field below `self` that the error is about: `.spec.size`.",
        "optionalOldSelf": "Also evaluate a rule with `oldSelf` on create; `oldSelf` is then optional.",
    },
    "v1.CustomResourceSubresources": {
        "status": "Objects have the subresource `/status`: it changes only the status, all else leaves it.",
        "scale": "Objects have the subresource `/scale`, which `kubectl scale` and autoscalers use.",
    },
    "v1.CustomResourceSubresourceScale": {
        "specReplicasPath": "The path of the wanted number of replicas, below `.spec`.",
        "statusReplicasPath": "The path of the actual number of replicas, below `.status`.",
        "labelSelectorPath": "The path of the selector of the pods as text, below `.status` or `.spec`.",
    },
    "v1.CustomResourceColumnDefinition": {
        "name": "The heading of the column.",
        "type": "The type of the values: string, integer, number, boolean or date.",
        "format": "The format of the values, such as `name`, `int32` or `date-time`.",
        "description": "What the column shows.",
        "priority": "0 is always shown, greater numbers only with `-o wide`.",
        "jsonPath": "The path of the value in the object: `.spec.size`.",
    },
    "v1.SelectableField": {
        "jsonPath": "The path of a string, boolean or integer: `.spec.color`.",
    },
    "v1.CustomResourceConversion": {
        "strategy": "`None` changes only `apiVersion`, `Webhook` asks a webhook.",
        "webhook": "How the webhook is called.",
    },
    "v1.WebhookConversion": {
        "clientConfig": "Where the webhook is.",
        "conversionReviewVersions": "The versions of ConversionReview that the webhook understands, best first.",
    },
    "v1.WebhookClientConfig": {
        "url": "The URL of the webhook outside of the cluster.",
        "service": "The service of the webhook in the cluster.",
        "caBundle": "The certificates, as PEM in base64, that the webhook's own is checked against.",
    },
    "v1.ServiceReference": {
        "namespace": "The namespace of the service.",
        "name": "The name of the service.",
        "path": "The path of the URL that is called.",
        "port": "The port of the service, 443 by default.",
    },
    "v1.CustomResourceDefinitionStatus": {
        "conditions": "Whether names are accepted, and whether the CRD is served.",
        "acceptedNames": "The names that are served.",
        "storedVersions": "The versions in which objects may be stored. They cannot be removed from the spec.",
        "observedGeneration": "The generation of the spec that the status is about.",
    },
    "v1.CustomResourceDefinitionCondition": {
        "type": "What the condition is about: `Established`, `NamesAccepted` and others.",
        "status": "`True`, `False` or `Unknown`.",
        "lastTransitionTime": "When the status changed.",
        "reason": "Why, as one word.",
        "message": "Why, for people.",
        "observedGeneration": "The generation of the spec that the condition is about.",
    },
}
_KINDS: Final = {
    "bool": "true or false",
    "slice": "list",
    "map": "map",
    "struct": "object",
    "json": "any value",
    "time": "time",
    "int32": "integer",
    "int64": "integer",
    "float64": "number",
    "bytes": "base64",
    "fields": "object",
    "schema-or-array": "schema",
    "schema-or-bool": "schema or boolean",
    "schema-or-strings": "schema or list",
}


def type_at(steps: Steps) -> GoType | None:
    """Return the Go type that the path of a CRD leads to, of a schema where others may be, too; None if it is unknown."""
    of: GoType | None = CRD
    for step in steps:
        if of is not None and not (of is SCHEMA and isinstance(step, int)):
            of = of.element if isinstance(step, int) else of.below(step)
        if of is not None and of.kind.startswith("schema-or-"):
            of = SCHEMA
    return of


def kind_of(of: GoType) -> str:
    """Return what the value of a field is, in a word or two."""
    return "schema" if of is SCHEMA else _KINDS.get(of.kind, of.kind)


def about(of: GoType, name: str) -> str:
    """Return what a field of a type is for, empty if it is unknown."""
    if of is SCHEMA:
        return KEYWORDS[name].text if name in KEYWORDS else ""
    return FIELDS.get(of.name, {}).get(name, "")
