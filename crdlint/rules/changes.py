"""Changes between two versions of a CRD: one rule for each kind, with its severity.

``good`` is a fragment of the old CRD and ``bad`` the same part of the new one.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.rules.engine.rule import Caution, Hint, OnRequest, Rule

_Break: Final = partial(Rule, severity="error", origin="crdlint", compares=True)
_Risk: Final = partial(Caution, compares=True)
_Harmless: Final = partial(OnRequest, compares=True)


def _versions(*versions: str) -> str:
    """Return the versions of a CRD, each with the same schema."""
    schema = "schema: {openAPIV3Schema: {type: object}}"
    return "versions:\n" + "".join(f"- {{{version}, {schema}}}\n" for version in versions)


_V1 = "name: v1, served: true, storage: true"
_V1BETA1 = "name: v1beta1, served: true, storage: false"
_TIGHTER = (
    "Keep the old constraint, or replace it by a rule with `optionalOldSelf: true` that accepts unchanged values: "
    "`oldSelf.hasValue() && self == oldSelf.value() || ...`"
)

REMOVED = _Break(
    id="change-crd-removed",
    summary="CRD of the old revision was removed",
    why="Deleting a CRD deletes all of its objects. Tools that prune, such as Argo CD and Flux, delete it from the "
    "cluster once no file contains it.",
    help="Restore the CRD, or ignore this rule once no cluster has objects of it",
    scope="manifest",
)
VERSION_REMOVED = _Break(
    id="change-version-removed",
    summary="Version was removed",
    why="Requests to the version return 404, also those of clients and manifests that have not been updated yet.",
    good=_versions(_V1, _V1BETA1),
    bad=_versions(_V1),
    help="Keep the version with `deprecated: true` for a release, then set `served: false`, and remove it after that",
    scope="spec",
)
VERSION_UNSERVED = _Break(
    id="change-version-unserved",
    summary="Version is not served any more",
    why="Requests to the version return 404, also those of clients and manifests that have not been updated yet.",
    good=_versions(_V1, _V1BETA1),
    bad=_versions(_V1, "name: v1beta1, served: false, storage: false"),
    help="Keep `served: true` with `deprecated: true` until all clients use another version",
    scope="spec",
)
VERSION_RENAMED = _Break(
    id="change-version-renamed",
    summary="Version was renamed",
    why="Requests to the old name return 404, although the schema is the same.",
    good=_versions(_V1, _V1BETA1),
    bad=_versions(_V1, "name: v1beta2, served: true, storage: false"),
    help="Keep both versions, with `strategy: None` as their schemas are equal, and set `deprecated: true` on the old one",
    scope="spec",
)
VERSION_ADDED = _Harmless(
    id="change-version-added",
    summary="Version was added",
    why="Clients can read and write existing objects in a version that did not exist before.",
    good=_versions(_V1),
    bad=_versions(_V1, _V1BETA1),
    help="Make sure that objects can be converted between all versions without loss",
    scope="spec",
)
VERSION_DEPRECATED = _Harmless(
    id="change-version-deprecated",
    summary="Version was deprecated",
    why="The API server returns a warning with each request to the version.",
    good=_versions(_V1, _V1BETA1),
    bad=_versions(_V1, f"{_V1BETA1}, deprecated: true"),
    help="Set `deprecationWarning` to a text that names the version to use instead",
    scope="spec",
)
STORAGE_VERSION = _Risk(
    id="change-storage-version",
    summary="Storage version was changed",
    why="Objects remain stored in the old version until they are written again. After a rollback, a release that does not "
    "have the new version cannot read objects that were written in the meantime.",
    good=_versions(_V1, _V1BETA1),
    bad=_versions("name: v1, served: true, storage: false", "name: v1beta1, served: true, storage: true"),
    help="Add the version in one release, and make it the storage version in a later one; then run a StorageVersionMigration",
    scope="spec",
)
FIELD_REMOVED = _Break(
    id="change-field-removed",
    summary="Field was removed",
    why="The API server drops the field from stored objects at their next write, and ignores it in manifests.",
    good="a: {type: string}\nb: {type: string}",
    bad="a: {type: string}",
    help="Keep the field and write `Deprecated:` in its description, or remove it in a new version only",
)
FIELD_UNTYPED = _Harmless(
    id="change-field-untyped",
    summary="Schema of a field was removed, and its values are kept",
    why="The API server accepts and stores any value of the field.",
    good="type: object\nx-kubernetes-preserve-unknown-fields: true\nproperties:\n  a: {type: string}\n",
    bad="type: object\nx-kubernetes-preserve-unknown-fields: true\n",
    help="Restore the schema of the field if its values matter",
    scope="schema",
)
FIELD_TYPED = _Risk(
    id="change-field-typed",
    summary="Schema was added for a field that could have any value",
    why="Objects may have stored other values, since the object around the field keeps unknown fields.",
    good="type: object\nx-kubernetes-preserve-unknown-fields: true\n",
    bad="type: object\nx-kubernetes-preserve-unknown-fields: true\nproperties:\n  a: {type: string}\n",
    help="Check that stored objects have no other values, or add the schema in a new version only",
    scope="schema",
)
FIELD_ADDED = _Harmless(
    id="change-field-added",
    summary="Field was added",
    why="Servers with the old CRD drop the field.",
    good="a: {type: string}",
    bad="a: {type: string}\nb: {type: string}",
    help="Check that older controllers may ignore the field",
)
TYPE = _Break(
    id="change-type",
    summary="Type was changed",
    why="The API server rejects stored objects that have a value of the old type when that value is edited, and clients fail "
    "to decode the new type.",
    good="a: {type: string}",
    bad="a: {type: integer}",
    help="Keep the type, and add a field with another name or a new version for the new one",
)
TYPE_WIDENED = _Risk(
    id="change-type-widened",
    severity="info",
    summary="Type accepts more values",
    why="Clients that were generated from the old schema fail to decode values of the new type.",
    good="a: {type: integer}",
    bad="a: {type: number}",
    help="Keep the type, and add a field with another name for the new values",
)
REQUIRED_ADDED = _Break(
    id="change-required-added",
    summary="Field became required and has no default",
    why="The API server rejects manifests and stored objects that leave the field out.",
    good="spec: {type: object, properties: {a: {type: string}}}",
    bad="spec: {type: object, required: [a], properties: {a: {type: string}}}",
    help="Add a `default` to the field, or require it only where the old object has it: `has(self.a) || !has(oldSelf.a)`",
)
REQUIRED_WITH_DEFAULT = _Harmless(
    id="change-required-with-default",
    summary="Field with a default became required",
    why="Manifests may still leave the field out, since the API server applies defaults before validation.",
    good="spec: {type: object, properties: {a: {type: string, default: b}}}",
    bad="spec: {type: object, required: [a], properties: {a: {type: string, default: b}}}",
    help="Remove the name from `required` if the default is meant to go later",
)
REQUIRED_REMOVED = _Harmless(
    id="change-required-removed",
    summary="Field became optional",
    why="Clients that rely on the field meet objects without it.",
    good="spec: {type: object, required: [a], properties: {a: {type: string}}}",
    bad="spec: {type: object, properties: {a: {type: string}}}",
    help="Check that clients handle objects without the field",
)
LIMIT_TIGHTENED = _Break(
    id="change-limit-tightened",
    summary="Limit became tighter",
    why="The API server rejects values that it accepted before.",
    good="a: {type: string, maxLength: 63}",
    bad="a: {type: string, maxLength: 40}",
    help=_TIGHTER,
)
LIMIT_LOOSENED = _Harmless(
    id="change-limit-loosened",
    summary="Limit became wider",
    why="Clients meet values that were not possible before.",
    good="a: {type: string, maxLength: 40}",
    bad="a: {type: string, maxLength: 63}",
    help="Check that clients handle the new values",
)
ENUM_ADDED = _Break(
    id="change-enum-added",
    summary="Values became limited to an enumeration",
    why="The API server rejects all other values, which it accepted before.",
    good="a: {type: string}",
    bad="a: {type: string, enum: [A, B]}",
    help="Check that no object has another value, or validate in a new version only",
)
ENUM_VALUE_REMOVED = _Break(
    id="change-enum-value-removed",
    summary="Value was removed from an enumeration",
    why="The API server rejects the value in new objects, and in others as soon as the field is edited.",
    good="a: {type: string, enum: [A, B]}",
    bad="a: {type: string, enum: [A]}",
    help="Keep the value, and describe it as deprecated",
)
ENUM_VALUE_ADDED = _Harmless(
    id="change-enum-value-added",
    summary="Value was added to an enumeration",
    why="Clients that handle each value of the enumeration meet one that they do not know.",
    good="a: {type: string, enum: [A]}",
    bad="a: {type: string, enum: [A, B]}",
    help="Check that clients handle unknown values",
)
ENUM_REMOVED = _Harmless(
    id="change-enum-removed",
    summary="Enumeration was removed",
    why="Clients that handle each value of the enumeration meet others.",
    good="a: {type: string, enum: [A]}",
    bad="a: {type: string}",
    help="Check that clients handle unknown values",
)
PATTERN_ADDED = _Break(
    id="change-pattern-added",
    summary="Values became limited by a pattern",
    why="The API server rejects values that do not match, which it accepted before.",
    good="a: {type: string}",
    bad='a: {type: string, pattern: "^[a-z]+$"}',
    help=_TIGHTER,
)
PATTERN = _Risk(
    id="change-pattern",
    summary="Pattern was changed",
    why="The API server rejects values that match the old pattern and not the new one.",
    good='a: {type: string, pattern: "^[a-z]+$"}',
    bad='a: {type: string, pattern: "^[0-9]+$"}',
    help="Make sure that the new pattern matches all values that the old one matches",
)
PATTERN_REMOVED = _Harmless(
    id="change-pattern-removed",
    summary="Pattern was removed or matches more values",
    why="Clients meet values that were not possible before.",
    good='a: {type: string, pattern: "^[a-z]+$"}',
    bad="a: {type: string}",
    help="Check that clients handle the new values",
)
FORMAT = _Risk(
    id="change-format",
    summary="Format was added or changed",
    why="The API server rejects values that do not have the format, which it accepted before.",
    good="a: {type: string}",
    bad="a: {type: string, format: date-time}",
    help=_TIGHTER,
)
FORMAT_LOOSENED = _Harmless(
    id="change-format-loosened",
    summary="Format was removed or accepts more values",
    why="Clients meet values that were not possible before.",
    good="a: {type: integer, format: int32}",
    bad="a: {type: integer, format: int64}",
    help="Check that clients handle the new values",
)
NULLABLE_REMOVED = _Risk(
    id="change-nullable-removed",
    summary="Field does not accept null any more",
    why="The API server drops an explicit null, or replaces it by the default. In a list whose items have no "
    "default, it rejects null.",
    good="a: {type: string, nullable: true}",
    bad="a: {type: string}",
    help="Keep `nullable: true`",
)
NULLABLE_ADDED = _Harmless(
    id="change-nullable-added",
    summary="Field accepts null",
    why="Clients meet null, which merge patches and apply configurations cannot write.",
    good="a: {type: string}",
    bad="a: {type: string, nullable: true}",
    help="Remove `nullable: true`, unless null means something other than a missing field",
)
DEFAULT = _Risk(
    id="change-default",
    summary="Default was changed",
    why="Objects that leave the field out change their meaning. This includes stored ones, since defaults apply on reading.",
    good="a: {type: string, default: b}",
    bad="a: {type: string, default: c}",
    help="Keep the default, or change it in a new version only",
)
DEFAULT_REMOVED = _Risk(
    id="change-default-removed",
    summary="Default was removed",
    why="Objects that leave the field out are read without it, or rejected if it is required.",
    good="a: {type: string, default: b}",
    bad="a: {type: string}",
    help="Keep the default, or remove it in a new version only",
)
DEFAULT_ADDED = Hint(
    id="change-default-added",
    summary="Default was added",
    why="Objects that leave the field out are read with the default. This includes stored ones.",
    good="a: {type: string}",
    bad="a: {type: string, default: b}",
    help="Make sure that the default is what controllers do without the field",
    compares=True,
)
LIST_TYPE = _Risk(
    id="change-list-type",
    summary="List type was changed",
    why="Server-side apply merges lists of type map and set item by item, and replaces atomic ones as a whole.",
    good="a: {type: array, items: {type: string}}",
    bad="a: {type: array, x-kubernetes-list-type: set, items: {type: string}}",
    help="Keep `x-kubernetes-list-type`, or change it in a new version only",
)
LIST_MAP_KEYS = _Break(
    id="change-list-map-keys",
    summary="Keys of a map list were changed",
    why="The managed fields of stored objects have the old keys, so server-side apply does not find the items any more.",
    good="list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: "
    "object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}}",
    bad="list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], items: {type: "
    "object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}}",
    help="Keep `x-kubernetes-list-map-keys`, or change them in a new version only",
)
MAP_TYPE = _Harmless(
    id="change-map-type",
    summary="Map type was changed",
    why="Server-side apply merges granular objects field by field, and replaces atomic ones as a whole.",
    good="a: {type: object, additionalProperties: {type: string}}",
    bad="a: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}",
    help="Keep `x-kubernetes-map-type`, or change it in a new version only",
)
PRUNING = _Break(
    id="change-pruning",
    summary="Unknown fields are dropped now",
    why="The API server drops fields without a schema from stored objects at their next write.",
    good="a: {type: object, x-kubernetes-preserve-unknown-fields: true}",
    bad="a: {type: object}",
    help="Keep `x-kubernetes-preserve-unknown-fields` or `additionalProperties`, or specify all fields that objects have",
)
JUNCTOR = _Break(
    id="change-junctor",
    summary="`not`, `anyOf` or `oneOf` was added or changed",
    why="The API server rejects objects that do not match, which it accepted before.",
    good="spec: {type: object, properties: {a: {type: string}, b: {type: string}}}",
    bad="spec: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}",
    help="Keep the old branches, or validate in a new version only",
)
JUNCTOR_REMOVED = _Harmless(
    id="change-junctor-removed",
    summary="`not`, `anyOf` or `oneOf` was removed or accepts more values",
    why="Clients meet objects that were not possible before.",
    good="spec: {type: object, properties: {a: {type: string}}, not: {required: [a]}}",
    bad="spec: {type: object, properties: {a: {type: string}}}",
    help="Check that clients handle the new objects",
)
RULE_ADDED = _Risk(
    id="change-rule-added",
    summary="Rule was added",
    why="The API server rejects new objects that break the rule, and edits of existing ones that already break it.",
    good="a: {type: integer}",
    bad='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}',
    help="Use `optionalOldSelf: true`, and let unchanged values pass: `oldSelf.hasValue() && self == oldSelf.value() || ...`",
)
RULE_REMOVED = _Harmless(
    id="change-rule-removed",
    summary="Rule was removed",
    why="Clients meet objects that were not possible before.",
    good='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}',
    bad="a: {type: integer}",
    help="Check that clients handle the new objects",
)
RULE_MESSAGE = _Harmless(
    id="change-rule-message",
    summary="Message expression, reason or field path of a rule was changed",
    why="Clients that read the reason or the field of an error meet another one.",
    good='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}',
    bad='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0", reason: FieldValueForbidden}]}',
    help="Check that clients handle the new reason and field",
)
EMBEDDED_RESOURCE = _Break(
    id="change-embedded-resource",
    summary="Object became an embedded resource",
    why="`apiVersion` and `kind` become required, and the API server validates `metadata`.",
    good="a: {type: object, x-kubernetes-preserve-unknown-fields: true}",
    bad="a: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}",
    help="Remove `x-kubernetes-embedded-resource`, or set it in a new version only",
)
STATUS_REMOVED = _Break(
    id="change-status-subresource-removed",
    summary="Status subresource was removed",
    why="Requests to `/status` return 404, so controllers cannot update the status any more.",
    good="subresources: {status: {}}\n",
    bad="subresources: {}\n",
    help="Keep `subresources: {status: {}}`",
    scope="version",
)
STATUS_ADDED = _Risk(
    id="change-status-subresource-added",
    summary="Status subresource was added",
    why="Writes to the main resource do not change the status any more, so older controllers and `kubectl apply` lose it.",
    good="subresources: {}\n",
    bad="subresources: {status: {}}\n",
    help="Change all clients to write the status by `/status` before the CRD is updated",
    scope="version",
)
_SCALE = "subresources: {{scale: {{specReplicasPath: .spec.replicas, statusReplicasPath: .status.{}}}}}\n"
SCALE_REMOVED = _Break(
    id="change-scale-removed",
    summary="Scale subresource was removed",
    why="Requests to `/scale` return 404, so `kubectl scale` and autoscalers fail.",
    good=_SCALE.format("replicas"),
    bad="subresources: {}\n",
    help="Keep `subresources.scale`",
    scope="version",
)
SCALE_PATH = _Risk(
    id="change-scale-path",
    summary="Path of the scale subresource was changed",
    why="`kubectl scale` and autoscalers read or write another field than before.",
    good=_SCALE.format("replicas"),
    bad=_SCALE.format("ready"),
    help="Keep the old path, or check that objects have the new field",
    scope="version",
)
_SELECTABLE = (
    "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}\n"
)
SELECTABLE_FIELD_REMOVED = _Break(
    id="change-selectable-field-removed",
    summary="Selectable field was removed",
    why="The API server rejects list and watch requests that use the field in a field selector.",
    good=f"{_SELECTABLE}selectableFields: [{{jsonPath: .spec.a}}]\n",
    bad=_SELECTABLE,
    help="Keep the entry in `selectableFields`",
    scope="version",
)
NAMES = _Risk(
    id="change-names",
    summary="Name of the list kind or singular name was changed",
    why="Generated clients decode lists by the kind of the list, and scripts use the singular name.",
    good="names: {listKind: FooList}\n",
    bad="names: {listKind: Foos}\n",
    help="Keep the old name",
    scope="spec",
)
SHORT_NAME_REMOVED = _Risk(
    id="change-short-name-removed",
    summary="Short name was removed",
    why="Scripts that use the short name fail.",
    good="names: {shortNames: [fo]}\n",
    bad="names: {shortNames: []}\n",
    help="Keep the short name",
    scope="spec",
)
CATEGORY_REMOVED = _Harmless(
    id="change-category-removed",
    summary="Category was removed",
    why="`kubectl get` with the category does not list the objects any more.",
    good="names: {categories: [all]}\n",
    bad="names: {categories: []}\n",
    help="Keep the category",
    scope="spec",
)
NAME_ADDED = _Harmless(
    id="change-name-added",
    summary="Short name or category was added",
    why="If another CRD has the short name already, the API server does not accept the name.",
    good="names: {categories: []}\n",
    bad="names: {categories: [all]}\n",
    help="Check that no other CRD has the short name",
    scope="spec",
)
PRINTER_COLUMN = _Harmless(
    id="change-printer-column",
    summary="Printer column was changed",
    why="Scripts that read the column of `kubectl get` read another value.",
    good="additionalPrinterColumns: [{name: Kind, type: string, jsonPath: .kind}]\n",
    bad="additionalPrinterColumns: [{name: Kind, type: string, jsonPath: .apiVersion}]\n",
    help="Keep the column, and add another one",
    scope="version",
)
PRINTER_COLUMN_REMOVED = _Harmless(
    id="change-printer-column-removed",
    summary="Printer column was removed",
    why="Scripts that read the columns of `kubectl get` fail.",
    good="additionalPrinterColumns: [{name: Kind, type: string, jsonPath: .kind}]\n",
    bad="additionalPrinterColumns: []\n",
    help="Keep the column, with a `priority` above 0 to show it with `-o wide` only",
    scope="version",
)
_TWO_SCHEMAS = (
    "versions:\n"
    "- name: v1\n  served: true\n  storage: true\n"
    "  schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}\n"
    "- name: v2\n  served: true\n  storage: false\n"
    "  schema: {openAPIV3Schema: {type: object, properties: {b: {type: string}}}}\n"
)
_WEBHOOK = (
    "conversion:\n  strategy: Webhook\n  webhook:\n    conversionReviewVersions: [v1]\n"
    "    clientConfig: {url: https://example.com/convert}\n"
)
CONVERSION = _Risk(
    id="change-conversion",
    summary="Conversion strategy was changed",
    why="With `strategy: None`, only `apiVersion` is rewritten, and fields that the other version does not have are lost.",
    good=f"{_TWO_SCHEMAS}{_WEBHOOK}",
    bad=f"{_TWO_SCHEMAS}conversion: {{strategy: None}}\n",
    help="Keep the conversion webhook until all objects are stored in one version and only that version is served",
    scope="spec",
)
CONVERSION_WEBHOOK = _Risk(
    id="change-conversion-webhook",
    summary="Conversion webhook was changed",
    why="The API server calls another address, or trusts other certificates. Requests fail while the webhook does not answer.",
    good=f"{_TWO_SCHEMAS}{_WEBHOOK}",
    bad=f"{_TWO_SCHEMAS}{_WEBHOOK.replace('/convert', '/v2/convert')}",
    help="Make sure that the webhook answers at the new address before the CRD is updated",
    scope="spec",
)
SERVED_PAIR = _Risk(
    id="change-served-pair",
    summary="Served versions without conversion have different fields",
    why="If a client writes an object in a version without the field, the API server drops the field from the stored object.",
    good="versions:\n"
    "- name: v1\n  served: true\n  storage: true\n"
    "  schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}\n",
    bad="versions:\n"
    "- name: v1\n  served: true\n  storage: true\n"
    "  schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}\n"
    "- name: v2\n  served: true\n  storage: false\n"
    "  schema: {openAPIV3Schema: {type: object}}\n"
    "conversion: {strategy: None}\n",
    help="Add the field to all served versions, or use a conversion webhook",
    scope="spec",
)
