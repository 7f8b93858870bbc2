"""Changes between two versions of a CRD, a rule for each kind; ``good`` and ``bad`` are fragments of the old and new CRD."""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.rules.engine.rule import Caution, Hint, OnRequest, Rule

_Break: Final = partial(
    Rule,
    severity="error",
    origin="crdlint",
    compares=True,
)
_Risk: Final = partial(Caution, compares=True)
_Harmless: Final = partial(OnRequest, compares=True)
_NewValues: Final = partial(
    _Harmless,
    why="Clients meet values that were not possible before.",
    help="Check that clients handle the new values",
)
_NewObjects: Final = partial(
    _Harmless,
    why="Clients meet objects that were not possible before.",
    help="Check that clients handle the new objects",
)


def _version(version: str, fields: str = "") -> str:
    return f"- {{{version}, schema: {{openAPIV3Schema: {{type: object{fields}}}}}}}\n"


def _versions(*versions: str) -> str:
    return "versions:\n" + "".join(map(_version, versions))


_V1 = "name: v1, served: true, storage: true"
_V1BETA1 = "name: v1beta1, served: true, storage: false"
REQUIRED_HELP: Final = (
    "Add a `default` to the field, or require it only where the old object has it: `{}`"
)
_TIGHTER = (
    "Keep the old constraint, or replace it with a rule that has `optionalOldSelf: true` that accepts unchanged values: "
    "`oldSelf.hasValue() && self == oldSelf.value() || ...`"
)

PRUNED: Final = (
    "reads lack the fields that no schema specifies at once, and the next write deletes them"
)
REMOVED_FIELD: Final = (
    "reads lack it at once, the next write deletes it, and kubectl and server-side apply reject "
    "manifests with it"
)
BREAKS_APPLY: Final = "server-side apply of any field fails for an object that has such a value"
ATOMIC_NOW: Final = (
    "the next server-side apply of a list that several managers share conflicts, or removes the "
    "items of the others by force"
)
ATOMIC_MAP_NOW: Final = (
    "the next server-side apply of an object that several managers share conflicts, or removes the "
    "fields of the others by force"
)
GRANULAR_NOW: Final = (
    "server-side apply merges fields, and keeps stored ones that their owner leaves out"
)
MERGED_NOW: Final = (
    "server-side apply merges items, and keeps stored ones that their owner leaves out; new "
    "duplicates are rejected"
)
UNIQUE_NOW: Final = "new duplicates are rejected"
ITEMS_NOT_FOUND: Final = "server-side apply does not find items of stored objects"

# Three lines for each kind: what changes, why it matters and what to do; then the old and the new fragment.
# fmt: off
REMOVED = _Break("change-crd-removed", "CRD of the old revision was removed", scope="manifest",
    observed=("crd-deleted",),
    why="Deleting a CRD deletes all of its objects. Tools that prune, such as Argo CD and Flux, delete it from the "
    "cluster once no file contains it.",
    help="Restore the CRD, or ignore this rule once no cluster has objects of it")
VERSION_REMOVED = _Break("change-version-removed", "Version was removed", scope="spec",
    observed=("version-not-served", "storage-version-cannot-be-removed", "crd-applied-over-versions"),
    why="Requests to the version return 404, also those of clients and manifests that have not been updated yet.",
    help="Keep the version with `deprecated: true` for a release, then set `served: false`, and remove it after that",
    good=_versions(_V1, _V1BETA1), bad=_versions(_V1))
VERSION_UNSERVED = _Break("change-version-unserved", "Version is not served any more", scope="spec",
    observed=("version-not-served",),
    why="Requests to the version return 404, also those of clients and manifests that have not been updated yet.",
    help="Keep `served: true` with `deprecated: true` until all clients use another version",
    good=_versions(_V1, _V1BETA1), bad=_versions(_V1, "name: v1beta1, served: false, storage: false"))
VERSION_RENAMED = _Break("change-version-renamed", "Version was renamed", scope="spec",
    observed=("version-not-served",),
    why="Requests to the old name return 404, although the schema is the same.",
    help="Keep both versions, with `strategy: None` as their schemas are equal, and set `deprecated: true` on the old one",
    good=_versions(_V1, _V1BETA1), bad=_versions(_V1, "name: v1beta2, served: true, storage: false"))
VERSION_ADDED = _Harmless("change-version-added", "Version was added", scope="spec",
    observed=("version-added",),
    why="Clients can read and write existing objects in a version that did not exist before.",
    help="Make sure that objects can be converted between all versions without loss",
    good=_versions(_V1), bad=_versions(_V1, _V1BETA1))
VERSION_DEPRECATED = _Harmless("change-version-deprecated", "Version was deprecated", scope="spec",
    observed=("deprecated-with-newer-version", "deprecated-without-newer-version"),
    why="The API server returns a warning with each request to the version.",
    help="Set `deprecationWarning` to a text that names the version to use instead",
    good=_versions(_V1, _V1BETA1), bad=_versions(_V1, f"{_V1BETA1}, deprecated: true"))
STORAGE_VERSION = _Risk("change-storage-version", "Storage version was changed", scope="spec",
    observed=("storage-version-cannot-be-removed", "storage-version-cannot-be-rolled-back"),
    why="Objects remain stored in the old version until they are written again. The API server then rejects a CRD without the "
    "new version, so that a rollback to a release that does not have it fails.",
    help="Add the version in one release, and make it the storage version in a later one; then run a StorageVersionMigration",
    good=_versions(_V1, _V1BETA1),
    bad=_versions("name: v1, served: true, storage: false", "name: v1beta1, served: true, storage: true"))
FIELD_REMOVED = _Break("change-field-removed", "Field was removed",
    observed=("field-removed",),
    why="The API server returns stored objects without the field at once, and their next write deletes it. `kubectl apply` and "
    "server-side apply reject manifests that have it. Other clients get at most a warning.",
    help="Keep the field and write `Deprecated:` in its description, or remove it in a new version only",
    good="a: {type: string}\nb: {type: string}", bad="a: {type: string}")
FIELD_UNTYPED = _Harmless("change-field-untyped", "Schema of a field was removed, and its values are kept", scope="schema",
    observed=("field-untyped",),
    why="The API server accepts and stores any value of the field.",
    help="Restore the schema of the field if its values matter",
    good="type: object\nx-kubernetes-preserve-unknown-fields: true\nproperties:\n  a: {type: string}\n",
    bad="type: object\nx-kubernetes-preserve-unknown-fields: true\n")
FIELD_TYPED = _Risk("change-field-typed", "Schema was added for a field that could have any value", scope="schema",
    observed=("field-typed-breaks-apply",),
    why="Objects may have stored other values, since the object around the field keeps unknown fields. They cannot be written "
    "again, and server-side apply of any field fails for such an object.",
    help="Check that stored objects have no other values, or add the schema in a new version only",
    good="type: object\nx-kubernetes-preserve-unknown-fields: true\n",
    bad="type: object\nx-kubernetes-preserve-unknown-fields: true\nproperties:\n  a: {type: string}\n")
FIELD_ADDED = _Harmless("change-field-added", "Field was added",
    observed=("field-added-older-server",),
    why="API servers with the old CRD reject manifests with the field from `kubectl apply` and server-side apply, and drop it from "
    "other requests.",
    help="Check that manifests with the field are applied after the CRD, and that older controllers may ignore it",
    good="a: {type: string}", bad="a: {type: string}\nb: {type: string}")
TYPE = _Break("change-type", "Type was changed",
    observed=(
        "type-change-breaks-apply", "type-change-in-status", "number-to-integer-applies", "object-to-string-breaks-apply",
        "boolean-to-int-or-string-applies", "int-or-string-to-string-breaks-apply",
    ),
    why="An object with a value of the old type can be read, and other fields of it can be updated. Server-side apply of any field "
    "fails for it with status 500. Clients fail to decode the new type.",
    help="Keep the type, and add a field with another name or a new version for the new one",
    good="a: {type: string}", bad="a: {type: integer}")
TYPE_WIDENED = _Risk("change-type-widened", "Type accepts more values", severity="info",
    observed=("type-widened",),
    why="Clients that were generated from the old schema fail to decode values of the new type.",
    help="Keep the type, and add a field with another name for the new values",
    good="a: {type: integer}", bad="a: {type: number}")
REQUIRED_ADDED = _Break("change-required-added", "Field became required and has no default",
    observed=("required-below-spec", "old-self-below-atomic-list", "required-spec-locks-objects"),
    why="The API server rejects manifests that leave the field out. A stored object without it can only be edited outside of the "
    "object that requires it, and not at all if that is the root.",
    help=REQUIRED_HELP.format("has(self.a) || !has(oldSelf.a)"),
    good="spec: {type: object, properties: {a: {type: string}}}",
    bad="spec: {type: object, required: [a], properties: {a: {type: string}}}")
REQUIRED_WITH_DEFAULT = _Harmless("change-required-with-default", "Field with a default became required",
    observed=("required-with-default",),
    why="Manifests may still leave the field out, since the API server applies defaults before validation.",
    help="Remove the name from `required` if the default is meant to go later",
    good="spec: {type: object, properties: {a: {type: string, default: b}}}",
    bad="spec: {type: object, required: [a], properties: {a: {type: string, default: b}}}")
REQUIRED_REMOVED = _Harmless("change-required-removed", "Field became optional",
    observed=("constraints-loosened",),
    why="Clients that rely on the field meet objects without it.",
    help="Check that clients handle objects without the field",
    good="spec: {type: object, required: [a], properties: {a: {type: string}}}",
    bad="spec: {type: object, properties: {a: {type: string}}}")
LIMIT_TIGHTENED = _Break("change-limit-tightened", "Limit became tighter",
    observed=("limit-tightened", "limit-of-a-list-tightened", "old-self-below-atomic-list"),
    why="The API server rejects values that it accepted before.",
    help=_TIGHTER,
    good="a: {type: string, maxLength: 63}", bad="a: {type: string, maxLength: 40}")
LIMIT_LOOSENED = _NewValues("change-limit-loosened", "Limit became wider",
    observed=("constraints-loosened",),
    good="a: {type: string, maxLength: 40}", bad="a: {type: string, maxLength: 63}")
ENUM_ADDED = _Break("change-enum-added", "Values became limited to an enumeration",
    observed=("limit-tightened",),
    why="The API server rejects all other values, which it accepted before.",
    help="Check that no object has another value, or validate in a new version only",
    good="a: {type: string}", bad="a: {type: string, enum: [A, B]}")
ENUM_VALUE_REMOVED = _Break("change-enum-value-removed", "Value was removed from an enumeration",
    observed=("limit-tightened",),
    why="The API server rejects the value in new objects, and in others as soon as the field is edited.",
    help="Keep the value, and describe it as deprecated",
    good="a: {type: string, enum: [A, B]}", bad="a: {type: string, enum: [A]}")
ENUM_VALUE_ADDED = _Harmless("change-enum-value-added", "Value was added to an enumeration",
    observed=("constraints-loosened",),
    why="Clients that handle each value of the enumeration meet one that they do not know.",
    help="Check that clients handle unknown values",
    good="a: {type: string, enum: [A]}", bad="a: {type: string, enum: [A, B]}")
ENUM_REMOVED = _Harmless("change-enum-removed", "Enumeration was removed",
    observed=("constraints-loosened",),
    why="Clients that handle each value of the enumeration meet others.",
    help="Check that clients handle unknown values",
    good="a: {type: string, enum: [A]}", bad="a: {type: string}")
PATTERN_ADDED = _Break("change-pattern-added", "Values became limited by a pattern",
    observed=("limit-tightened", "old-self-below-atomic-list"),
    why="The API server rejects values that do not match, which it accepted before.",
    help=_TIGHTER,
    good="a: {type: string}", bad='a: {type: string, pattern: "^[a-z]+$"}')
PATTERN = _Risk("change-pattern", "Pattern was changed",
    observed=("limit-tightened",),
    why="The API server rejects values that match the old pattern and not the new one.",
    help="Make sure that the new pattern matches all values that the old one matches",
    good='a: {type: string, pattern: "^[a-z]+$"}', bad='a: {type: string, pattern: "^[0-9]+$"}')
PATTERN_REMOVED = _NewValues("change-pattern-removed", "Pattern was removed or matches more values",
    observed=("constraints-loosened",),
    good='a: {type: string, pattern: "^[a-z]+$"}', bad="a: {type: string}")
FORMAT = _Risk("change-format", "Format was added or changed",
    observed=("limit-tightened", "old-self-below-atomic-list"),
    why="The API server rejects values that do not have the format, which it accepted before.",
    help=_TIGHTER,
    good="a: {type: string}", bad="a: {type: string, format: date-time}")
FORMAT_LOOSENED = _NewValues("change-format-loosened", "Format was removed or accepts more values",
    observed=("constraints-loosened",),
    good="a: {type: integer, format: int32}", bad="a: {type: integer, format: int64}")
NULLABLE_REMOVED = _Risk("change-nullable-removed", "Field does not accept null any more",
    observed=("nullable-removed-from-required-field", "nullable-removed"),
    why="The API server drops an explicit null, or replaces it with the default. It rejects null if the field is required, and "
    "in a list whose items have no default.",
    help="Keep `nullable: true`",
    good="a: {type: string, nullable: true}", bad="a: {type: string}")
NULLABLE_ADDED = _Harmless("change-nullable-added", "Field accepts null",
    observed=("nullable-added",),
    why="Clients meet null, which merge patches and apply configurations cannot write.",
    help="Remove `nullable: true`, unless null means something other than a missing field",
    good="a: {type: string}", bad="a: {type: string, nullable: true}")
DEFAULT = _Risk("change-default", "Default was changed",
    observed=("default-changed", "default-is-stored"),
    why="New objects that leave the field out get the new default. Objects that were created with the old one keep it. Only an "
    "object that was stored before there was a default is read with the new one.",
    help="Keep the default, or change it in a new version only",
    good="a: {type: string, default: b}", bad="a: {type: string, default: c}")
DEFAULT_REMOVED = _Risk("change-default-removed", "Default was removed",
    observed=("default-changed", "default-is-stored"),
    why="New objects that leave the field out lack it, or are rejected if it is required. Objects that were created with the "
    "default keep it.",
    help="Keep the default, or remove it in a new version only",
    good="a: {type: string, default: b}", bad="a: {type: string}")
DEFAULT_ADDED = Hint("change-default-added", "Default was added", compares=True,
    observed=("default-changed", "required-with-default"),
    why="Objects that leave the field out are read with the default. This includes stored ones.",
    help="Make sure that the default is what controllers do without the field",
    good="a: {type: string}", bad="a: {type: string, default: b}")
LIST_TYPE = _Risk("change-list-type", "List type was changed",
    observed=(
        "list-type-change-keeps-duplicates", "list-type-change-leaves-map-items", "list-type-change-leaves-items",
        "list-type-becomes-atomic", "atomic-list-conflicts", "types-inside-an-atomic-list",
    ),
    why="Server-side apply merges lists of type map and set item by item, and treats atomic ones as one value. After a change from "
    "atomic, items of stored objects stay even if their owner leaves them out. An object with duplicates may keep them.",
    help="Keep `x-kubernetes-list-type`, or change it in a new version only",
    good="a: {type: array, items: {type: string}}",
    bad="a: {type: array, x-kubernetes-list-type: set, items: {type: string}}")
LIST_MAP_KEYS = _Break("change-list-map-keys", "Keys of a map list were changed",
    observed=("list-map-keys-changed",),
    why="The managed fields of stored objects have the old keys, so server-side apply does not find the items any more.",
    help="Keep `x-kubernetes-list-map-keys`, or change them in a new version only",
    good="list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], items: {type: "
    "object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}}",
    bad="list: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], items: {type: "
    "object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}}")
MAP_TYPE = _Risk("change-map-type", "Map type was changed",
    observed=(
        "map-type-becomes-granular", "map-type-becomes-atomic", "map-types-merge", "types-inside-an-atomic-list",
    ),
    why="Server-side apply merges granular objects by field, and replaces atomic ones as a whole. After a change from atomic, "
    "stored fields stay even if their owner leaves them out. After a change to atomic, managers that share an object conflict.",
    help="Keep `x-kubernetes-map-type`, or change it in a new version only",
    good="a: {type: object, additionalProperties: {type: string}}",
    bad="a: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}")
PRUNING = _Break("change-pruning", "Unknown fields are dropped now",
    observed=("pruning-hides-fields", "map-to-fields-hides-keys"),
    why="The API server returns stored objects without the fields that have no schema at once, and their next write deletes them.",
    help="Keep `x-kubernetes-preserve-unknown-fields` or `additionalProperties`, or specify all fields that objects have",
    good="a: {type: object, x-kubernetes-preserve-unknown-fields: true}", bad="a: {type: object}")
PRUNING_REMOVED = _Harmless("change-pruning-removed", "Unknown fields are kept now",
    observed=("unknown-fields-kept",),
    why="Clients meet fields that they do not know, and misspelt fields are stored instead of dropped.",
    help="Specify the fields that objects may have instead",
    good="a: {type: object}", bad="a: {type: object, x-kubernetes-preserve-unknown-fields: true}")
JUNCTOR = _Break("change-junctor", "`not`, `anyOf` or `oneOf` was added or changed",
    observed=("rule-added-to-an-object",),
    why="The API server rejects objects that do not match, which it accepted before.",
    help="Keep the old branches, or validate in a new version only",
    good="spec: {type: object, properties: {a: {type: string}, b: {type: string}}}",
    bad="spec: {type: object, properties: {a: {type: string}, b: {type: string}}, oneOf: [{required: [a]}, {required: [b]}]}")
JUNCTOR_REMOVED = _NewObjects("change-junctor-removed", "`not`, `anyOf` or `oneOf` was removed or accepts more values",
    observed=("constraints-loosened",),
    good="spec: {type: object, properties: {a: {type: string}}, not: {required: [a]}}",
    bad="spec: {type: object, properties: {a: {type: string}}}")
RULE_ADDED = _Risk("change-rule-added", "Rule was added",
    observed=(
        "rule-added-to-an-object", "old-self-below-atomic-list", "rule-added-to-a-value", "new-value-and-optional-old-self",
    ),
    why="The API server rejects new objects that break the rule. In an existing object that breaks it, edits of what the rule is "
    "about are rejected, and others are accepted with a warning.",
    help="Use `optionalOldSelf: true`, and let unchanged values pass: `oldSelf.hasValue() && self == oldSelf.value() || ...`",
    good="a: {type: integer}", bad='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}')
RULE_REMOVED = _NewObjects("change-rule-removed", "Rule was removed",
    observed=("constraints-loosened",),
    good='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}', bad="a: {type: integer}")
RULE_MESSAGE = _Harmless("change-rule-message", "Message expression, reason or field path of a rule was changed",
    observed=("rule-reason",),
    why="Clients that read the reason or the field of an error meet another one.",
    help="Check that clients handle the new reason and field",
    good='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}',
    bad='a: {type: integer, x-kubernetes-validations: [{rule: "self > 0", reason: FieldValueForbidden}]}')
EMBEDDED_RESOURCE = _Break("change-embedded-resource", "Object became an embedded resource",
    observed=("embedded-resource-rejects-every-update",),
    why="`apiVersion` and `kind` become required, and the API server validates `metadata`. Every update of an object that lacks "
    "them is rejected, also of its labels and finalizers, so that it cannot be deleted. Only its status can be written.",
    help="Remove `x-kubernetes-embedded-resource`, or set it in a new version only",
    good="a: {type: object, x-kubernetes-preserve-unknown-fields: true}",
    bad="a: {type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}")
STATUS_REMOVED = _Break("change-status-subresource-removed", "Status subresource was removed", scope="version",
    observed=("status-subresource-removed",),
    why="Requests to `/status` return 404, so controllers cannot update the status any more.",
    help="Keep `subresources: {status: {}}`",
    good="subresources: {status: {}}\n", bad="subresources: {}\n")
STATUS_ADDED = _Risk("change-status-subresource-added", "Status subresource was added", scope="version",
    observed=("status-before-the-subresource",),
    why="Writes to the main resource do not change the status any more, so older controllers and `kubectl apply` lose it.",
    help="Change all clients to write the status by `/status`, and by the main resource as long as that returns 404",
    good="subresources: {}\n", bad="subresources: {status: {}}\n")
_SCALE = "subresources: {{scale: {{specReplicasPath: .spec.replicas, statusReplicasPath: .status.{}}}}}\n"
SCALE_REMOVED = _Break("change-scale-removed", "Scale subresource was removed", scope="version",
    observed=("scale-changed",),
    why="Requests to `/scale` return 404, so `kubectl scale` and autoscalers fail.",
    help="Keep `subresources.scale`",
    good=_SCALE.format("replicas"), bad="subresources: {}\n")
SCALE_PATH = _Risk("change-scale-path", "Path of the scale subresource was changed", scope="version",
    observed=("scale-changed",),
    why="`kubectl scale` and autoscalers read or write another field than before.",
    help="Keep the old path, or check that objects have the new field",
    good=_SCALE.format("replicas"), bad=_SCALE.format("ready"))
_SELECTABLE = (
    "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}\n"
)
SELECTABLE_FIELD_REMOVED = _Break("change-selectable-field-removed", "Selectable field was removed", scope="version",
    observed=("selectable-field",),
    why="The API server rejects list and watch requests that use the field in a field selector.",
    help="Keep the entry in `selectableFields`",
    good=f"{_SELECTABLE}selectableFields: [{{jsonPath: .spec.a}}]\n", bad=_SELECTABLE)
NAMES = _Risk("change-names", "Name of the list kind or singular name was changed", scope="spec",
    observed=("list-kind-changed",),
    why="Generated clients decode lists by the kind of the list, and scripts use the singular name.",
    help="Keep the old name",
    good="names: {listKind: FooList}\n", bad="names: {listKind: Foos}\n")
SHORT_NAME_REMOVED = _Risk("change-short-name-removed", "Short name was removed", scope="spec",
    observed=("short-name-and-category-removed", "crd-applied-over-names"),
    why="Scripts that use the short name fail.",
    help="Keep the short name",
    good="names: {shortNames: [fo]}\n", bad="names: {shortNames: []}\n")
CATEGORY_REMOVED = _Harmless("change-category-removed", "Category was removed", scope="spec",
    observed=("short-name-and-category-removed",),
    why="`kubectl get` with the category does not list the objects any more.",
    help="Keep the category",
    good="names: {categories: [all]}\n", bad="names: {categories: []}\n")
NAME_ADDED = _Harmless("change-name-added", "Short name or category was added", scope="spec",
    observed=("short-name-of-another-crd-added",),
    why="If another CRD has the short name already, the API server does not accept the name.",
    help="Check that no other CRD has the short name",
    good="names: {categories: []}\n", bad="names: {categories: [all]}\n")
PRINTER_COLUMN = _Harmless("change-printer-column", "Printer column was changed", scope="version",
    observed=("column-removed",),
    why="Scripts that read the column of `kubectl get` read another value.",
    help="Keep the column, and add another one",
    good="additionalPrinterColumns: [{name: Kind, type: string, jsonPath: .kind}]\n",
    bad="additionalPrinterColumns: [{name: Kind, type: string, jsonPath: .apiVersion}]\n")
PRINTER_COLUMN_REMOVED = _Harmless("change-printer-column-removed", "Printer column was removed", scope="version",
    observed=("column-removed",),
    why="Scripts that read the columns of `kubectl get` fail.",
    help="Keep the column, with a `priority` above 0 to show it with `-o wide` only",
    good="additionalPrinterColumns: [{name: Kind, type: string, jsonPath: .kind}]\n",
    bad="additionalPrinterColumns: []\n")
_V2 = "name: v2, served: true, storage: false"
_ONE_SCHEMA = "versions:\n" + _version(_V1, ", properties: {a: {type: string}}")
_TWO_SCHEMAS = _ONE_SCHEMA + _version(_V2, ", properties: {b: {type: string}}")
_WEBHOOK = (
    "conversion:\n  strategy: Webhook\n  webhook:\n    conversionReviewVersions: [v1]\n"
    "    clientConfig: {url: https://example.com/convert}\n"
)
CONVERSION = _Risk("change-conversion", "Conversion strategy was changed", scope="spec",
    observed=("webhook-to-none", "crd-applied-over-a-conversion", "crd-patched-over-a-conversion"),
    why="With `strategy: None`, only `apiVersion` is rewritten, and fields that the other version does not have are lost. "
    "A webhook that another writer has set, such as the operator itself, stays if the CRD is applied without a conversion.",
    help="Keep the conversion webhook until all objects are stored in one version and only that version is served",
    good=f"{_TWO_SCHEMAS}{_WEBHOOK}", bad=f"{_TWO_SCHEMAS}conversion: {{strategy: None}}\n")
CONVERSION_WEBHOOK = _Risk("change-conversion-webhook", "Conversion webhook was changed", scope="spec",
    observed=("webhook-that-does-not-answer", "ca-bundle-removed"),
    why="The API server calls another address, or trusts other certificates. Requests that convert objects fail while the webhook "
    "does not answer or is not trusted. Requests in the storage version succeed.",
    help="Make sure that the webhook answers at the new address before the CRD is updated",
    good=f"{_TWO_SCHEMAS}{_WEBHOOK}", bad=f"{_TWO_SCHEMAS}{_WEBHOOK.replace('/convert', '/v2/convert')}")
SERVED_PAIR = _Risk("change-served-pair", "Served versions without conversion have different fields", scope="spec",
    observed=("served-pair-storage-lacks-field", "served-pair-write-drops-field"),
    why="If a client writes an object in a version without the field, the API server drops the field from the stored object. "
    "A field that the storage version lacks is never stored.",
    help="Add the field to all served versions, or use a conversion webhook",
    good=_ONE_SCHEMA, bad=f"{_ONE_SCHEMA}{_version(_V2)}conversion: {{strategy: None}}\n")
_STRICT = ", properties: {a: {type: string, maxLength: 5}}"
SERVED_STRICTER = _Risk("change-served-version-stricter", "New served version rejects objects of another one", scope="spec",
    observed=("served-version-stricter",),
    why="Without a conversion webhook, objects of the other version can be read and labelled in the new one, but edits of values "
    "that it rejects fail. "
    "kubectl uses the most stable and highest version by default.",
    help="Make all served versions accept the same objects, or use a conversion webhook",
    good=_ONE_SCHEMA, bad=f"{_ONE_SCHEMA}{_version(_V2, _STRICT)}conversion: {{strategy: None}}\n")
# fmt: on

# The rules whose help is a rule about the old value.
_WITH_OLD_VALUE: Final = frozenset(
    rule.id for rule in (REQUIRED_ADDED, LIMIT_TIGHTENED, PATTERN_ADDED, FORMAT, RULE_ADDED)
)


def of_list_item(rule: Rule, list_: str) -> Rule:
    """Return the rule of a change with a help that holds below a list whose items have no keys: rules there have no `oldSelf`.

    `list_` is the path of that list, empty if there is none.
    """
    if not list_ or rule.id not in _WITH_OLD_VALUE:
        return rule
    return rule._replace(help=_OF_LIST_ITEM.format(list_))


_OF_LIST_ITEM: Final = (
    "Keep the old constraint, or put a rule with `optionalOldSelf: true` on `{}`, whose items have no keys: "
    "`oldSelf.hasValue() && self == oldSelf.value() || self.all(x, ...)`"
)
