"""Changes between two versions of a CRD: one rule for each kind, with its severity.

``good`` is a fragment of the old CRD and ``bad`` the same part of the new one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.rules.engine.finding import Scope


def _change(
    name: str,
    severity: Severity,
    summary: str,
    why: str,
    help_: str,
    old: str = "",
    new: str = "",
    *,
    scope: Scope = "schema",
    on_request: bool = False,
) -> Rule:
    return Rule(
        id=f"change-{name}",
        summary=summary,
        why=why,
        bad=new,
        good=old,
        help=help_,
        scope=scope,
        severity=severity,
        origin="crdlint",
        on_request=on_request,
        compares=True,
    )


def _field(schema: str, name: str = "a") -> str:
    """Return the schema of an object with one field."""
    return f"type: object\nproperties:\n  {name}: {schema}\n"


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

REMOVED = _change(
    "crd-removed",
    "error",
    "CRD of the old revision was removed",
    "Deleting a CRD deletes all of its objects. Tools that prune, such as Argo CD and Flux, delete it from the "
    "cluster once no file contains it.",
    "Restore the CRD, or ignore this rule once no cluster has objects of it",
    scope="manifest",
)
VERSION_REMOVED = _change(
    "version-removed",
    "error",
    "Version was removed",
    "Requests to the version return 404, also those of clients and manifests that have not been updated yet.",
    "Keep the version with `deprecated: true` for a release, then set `served: false`, and remove it after that",
    _versions(_V1, _V1BETA1),
    _versions(_V1),
    scope="spec",
)
VERSION_UNSERVED = _change(
    "version-unserved",
    "error",
    "Version is not served any more",
    "Requests to the version return 404, also those of clients and manifests that have not been updated yet.",
    "Keep `served: true` with `deprecated: true` until all clients use another version",
    _versions(_V1, _V1BETA1),
    _versions(_V1, "name: v1beta1, served: false, storage: false"),
    scope="spec",
)
VERSION_RENAMED = _change(
    "version-renamed",
    "error",
    "Version was renamed",
    "Requests to the old name return 404, although the schema is the same.",
    "Keep both versions, with `strategy: None` as their schemas are equal, and set `deprecated: true` on the old one",
    _versions(_V1, _V1BETA1),
    _versions(_V1, "name: v1beta2, served: true, storage: false"),
    scope="spec",
)
VERSION_ADDED = _change(
    "version-added",
    "info",
    "Version was added",
    "Clients can read and write existing objects in a version that did not exist before.",
    "Make sure that objects can be converted between all versions without loss",
    _versions(_V1),
    _versions(_V1, _V1BETA1),
    scope="spec",
    on_request=True,
)
VERSION_DEPRECATED = _change(
    "version-deprecated",
    "info",
    "Version was deprecated",
    "The API server returns a warning with each request to the version.",
    "Set `deprecationWarning` to a text that names the version to use instead",
    _versions(_V1, _V1BETA1),
    _versions(_V1, f"{_V1BETA1}, deprecated: true"),
    scope="spec",
    on_request=True,
)
STORAGE_VERSION = _change(
    "storage-version",
    "warning",
    "Storage version was changed",
    "Objects remain stored in the old version until they are written again. After a rollback, a release that does not "
    "have the new version cannot read objects that were written in the meantime.",
    "Add the version in one release, and make it the storage version in a later one; then run a StorageVersionMigration",
    _versions(_V1, _V1BETA1),
    _versions("name: v1, served: true, storage: false", "name: v1beta1, served: true, storage: true"),
    scope="spec",
)
FIELD_REMOVED = _change(
    "field-removed",
    "error",
    "Field was removed",
    "The API server drops the field from stored objects at their next write, and ignores it in manifests.",
    "Keep the field and write `Deprecated:` in its description, or remove it in a new version only",
    "type: object\nproperties:\n  a: {type: string}\n  b: {type: string}\n",
    _field("{type: string}"),
)
FIELD_UNTYPED = _change(
    "field-untyped",
    "info",
    "Schema of a field was removed, and its values are kept",
    "The API server accepts and stores any value of the field.",
    "Restore the schema of the field if its values matter",
    "type: object\nx-kubernetes-preserve-unknown-fields: true\nproperties:\n  a: {type: string}\n",
    "type: object\nx-kubernetes-preserve-unknown-fields: true\n",
    on_request=True,
)
FIELD_TYPED = _change(
    "field-typed",
    "warning",
    "Schema was added for a field that could have any value",
    "Objects may have stored other values, since the object around the field keeps unknown fields.",
    "Check that stored objects have no other values, or add the schema in a new version only",
    "type: object\nx-kubernetes-preserve-unknown-fields: true\n",
    "type: object\nx-kubernetes-preserve-unknown-fields: true\nproperties:\n  a: {type: string}\n",
)
FIELD_ADDED = _change(
    "field-added",
    "info",
    "Field was added",
    "Servers with the old CRD drop the field.",
    "Check that older controllers may ignore the field",
    _field("{type: string}"),
    "type: object\nproperties:\n  a: {type: string}\n  b: {type: string}\n",
    on_request=True,
)
TYPE = _change(
    "type",
    "error",
    "Type was changed",
    "The API server rejects stored objects that have a value of the old type when that value is edited, and clients fail "
    "to decode the new type.",
    "Keep the type, and add a field with another name or a new version for the new one",
    _field("{type: string}"),
    _field("{type: integer}"),
)
TYPE_WIDENED = _change(
    "type-widened",
    "warning",
    "Type accepts more values",
    "Clients that were generated from the old schema fail to decode values of the new type.",
    "Keep the type, and add a field with another name for the new values",
    _field("{type: integer}"),
    _field("{type: number}"),
)
REQUIRED_ADDED = _change(
    "required-added",
    "error",
    "Field became required and has no default",
    "The API server rejects manifests and stored objects that leave the field out.",
    "Add a `default` to the field, or require it only where the old object has it: `has(self.a) || !has(oldSelf.a)`",
    _field("{type: string}"),
    f"{_field('{type: string}')}required: [a]\n",
)
REQUIRED_WITH_DEFAULT = _change(
    "required-with-default",
    "info",
    "Field with a default became required",
    "Manifests may still leave the field out, since the API server applies defaults before validation.",
    "Remove the name from `required` if the default is meant to go later",
    _field("{type: string, default: b}"),
    f"{_field('{type: string, default: b}')}required: [a]\n",
    on_request=True,
)
REQUIRED_REMOVED = _change(
    "required-removed",
    "info",
    "Field became optional",
    "Clients that rely on the field meet objects without it.",
    "Check that clients handle objects without the field",
    f"{_field('{type: string}')}required: [a]\n",
    _field("{type: string}"),
    on_request=True,
)
LIMIT_TIGHTENED = _change(
    "limit-tightened",
    "error",
    "Limit became tighter",
    "The API server rejects values that it accepted before.",
    _TIGHTER,
    _field("{type: string, maxLength: 63}"),
    _field("{type: string, maxLength: 40}"),
)
LIMIT_LOOSENED = _change(
    "limit-loosened",
    "info",
    "Limit became wider",
    "Clients meet values that were not possible before.",
    "Check that clients handle the new values",
    _field("{type: string, maxLength: 40}"),
    _field("{type: string, maxLength: 63}"),
    on_request=True,
)
ENUM_ADDED = _change(
    "enum-added",
    "error",
    "Values became limited to an enumeration",
    "The API server rejects all other values, which it accepted before.",
    "Check that no object has another value, or validate in a new version only",
    _field("{type: string}"),
    _field("{type: string, enum: [A, B]}"),
)
ENUM_VALUE_REMOVED = _change(
    "enum-value-removed",
    "error",
    "Value was removed from an enumeration",
    "The API server rejects the value in new objects, and in others as soon as the field is edited.",
    "Keep the value, and describe it as deprecated",
    _field("{type: string, enum: [A, B]}"),
    _field("{type: string, enum: [A]}"),
)
ENUM_VALUE_ADDED = _change(
    "enum-value-added",
    "info",
    "Value was added to an enumeration",
    "Clients that handle each value of the enumeration meet one that they do not know.",
    "Check that clients handle unknown values",
    _field("{type: string, enum: [A]}"),
    _field("{type: string, enum: [A, B]}"),
    on_request=True,
)
ENUM_REMOVED = _change(
    "enum-removed",
    "info",
    "Enumeration was removed",
    "Clients that handle each value of the enumeration meet others.",
    "Check that clients handle unknown values",
    _field("{type: string, enum: [A]}"),
    _field("{type: string}"),
    on_request=True,
)
PATTERN_ADDED = _change(
    "pattern-added",
    "error",
    "Values became limited by a pattern",
    "The API server rejects values that do not match, which it accepted before.",
    _TIGHTER,
    _field("{type: string}"),
    _field('{type: string, pattern: "^[a-z]+$"}'),
)
PATTERN = _change(
    "pattern",
    "warning",
    "Pattern was changed",
    "The API server rejects values that match the old pattern and not the new one.",
    "Make sure that the new pattern matches all values that the old one matches",
    _field('{type: string, pattern: "^[a-z]+$"}'),
    _field('{type: string, pattern: "^[0-9]+$"}'),
)
PATTERN_REMOVED = _change(
    "pattern-removed",
    "info",
    "Pattern was removed or matches more values",
    "Clients meet values that were not possible before.",
    "Check that clients handle the new values",
    _field('{type: string, pattern: "^[a-z]+$"}'),
    _field("{type: string}"),
    on_request=True,
)
FORMAT = _change(
    "format",
    "warning",
    "Format was added or changed",
    "The API server rejects values that do not have the format, which it accepted before.",
    _TIGHTER,
    _field("{type: string}"),
    _field("{type: string, format: date-time}"),
)
FORMAT_LOOSENED = _change(
    "format-loosened",
    "info",
    "Format was removed or accepts more values",
    "Clients meet values that were not possible before.",
    "Check that clients handle the new values",
    _field("{type: integer, format: int32}"),
    _field("{type: integer, format: int64}"),
    on_request=True,
)
NULLABLE_REMOVED = _change(
    "nullable-removed",
    "warning",
    "Field does not accept null any more",
    "The API server drops an explicit null, or replaces it by the default. In a list whose items have no default, it rejects null.",
    "Keep `nullable: true`",
    _field("{type: string, nullable: true}"),
    _field("{type: string}"),
)
NULLABLE_ADDED = _change(
    "nullable-added",
    "info",
    "Field accepts null",
    "Clients meet null, which merge patches and apply configurations cannot write.",
    "Remove `nullable: true`, unless null means something other than a missing field",
    _field("{type: string}"),
    _field("{type: string, nullable: true}"),
    on_request=True,
)
DEFAULT = _change(
    "default",
    "warning",
    "Default was changed",
    "Objects that leave the field out change their meaning. This includes stored ones, since defaults apply on reading.",
    "Keep the default, or change it in a new version only",
    _field("{type: string, default: b}"),
    _field("{type: string, default: c}"),
)
DEFAULT_REMOVED = _change(
    "default-removed",
    "warning",
    "Default was removed",
    "Objects that leave the field out are read without it, or rejected if it is required.",
    "Keep the default, or remove it in a new version only",
    _field("{type: string, default: b}"),
    _field("{type: string}"),
)
DEFAULT_ADDED = _change(
    "default-added",
    "info",
    "Default was added",
    "Objects that leave the field out are read with the default. This includes stored ones.",
    "Make sure that the default is what controllers do without the field",
    _field("{type: string}"),
    _field("{type: string, default: b}"),
)
LIST_TYPE = _change(
    "list-type",
    "warning",
    "List type was changed",
    "Server-side apply merges lists of type map and set item by item, and replaces atomic ones as a whole.",
    "Keep `x-kubernetes-list-type`, or change it in a new version only",
    _field("{type: array, items: {type: string}}"),
    _field("{type: array, x-kubernetes-list-type: set, items: {type: string}}"),
)
_ITEMS = "items: {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}"
LIST_MAP_KEYS = _change(
    "list-map-keys",
    "error",
    "Keys of a map list were changed",
    "The managed fields of stored objects have the old keys, so server-side apply does not find the items any more.",
    "Keep `x-kubernetes-list-map-keys`, or change them in a new version only",
    _field(f"{{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a], {_ITEMS}}}", "list"),
    _field(f"{{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [a, b], {_ITEMS}}}", "list"),
)
MAP_TYPE = _change(
    "map-type",
    "info",
    "Map type was changed",
    "Server-side apply merges granular objects field by field, and replaces atomic ones as a whole.",
    "Keep `x-kubernetes-map-type`, or change it in a new version only",
    _field("{type: object, additionalProperties: {type: string}}"),
    _field("{type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}"),
    on_request=True,
)
PRUNING = _change(
    "pruning",
    "error",
    "Unknown fields are dropped now",
    "The API server drops fields without a schema from stored objects at their next write.",
    "Keep `x-kubernetes-preserve-unknown-fields` or `additionalProperties`, or specify all fields that objects have",
    _field("{type: object, x-kubernetes-preserve-unknown-fields: true}"),
    _field("{type: object}"),
)
JUNCTOR = _change(
    "junctor",
    "error",
    "`not`, `anyOf` or `oneOf` was added or changed",
    "The API server rejects objects that do not match, which it accepted before.",
    "Keep the old branches, or validate in a new version only",
    "type: object\nproperties:\n  a: {type: string}\n  b: {type: string}\n",
    "type: object\nproperties:\n  a: {type: string}\n  b: {type: string}\noneOf:\n- required: [a]\n- required: [b]\n",
)
JUNCTOR_REMOVED = _change(
    "junctor-removed",
    "info",
    "`not`, `anyOf` or `oneOf` was removed or accepts more values",
    "Clients meet objects that were not possible before.",
    "Check that clients handle the new objects",
    "type: object\nproperties:\n  a: {type: string}\nnot: {required: [a]}\n",
    "type: object\nproperties:\n  a: {type: string}\n",
    on_request=True,
)
RULE_ADDED = _change(
    "rule-added",
    "warning",
    "Rule was added",
    "The API server rejects new objects that break the rule, and edits of existing ones that already break it.",
    "Use `optionalOldSelf: true`, and let unchanged values pass: `oldSelf.hasValue() && self == oldSelf.value() || ...`",
    _field("{type: integer}"),
    _field('{type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}'),
)
RULE_REMOVED = _change(
    "rule-removed",
    "info",
    "Rule was removed",
    "Clients meet objects that were not possible before.",
    "Check that clients handle the new objects",
    _field('{type: integer, x-kubernetes-validations: [{rule: "self > 0"}]}'),
    _field("{type: integer}"),
    on_request=True,
)
EMBEDDED_RESOURCE = _change(
    "embedded-resource",
    "error",
    "Object became an embedded resource",
    "`apiVersion` and `kind` become required, and the API server validates `metadata`.",
    "Remove `x-kubernetes-embedded-resource`, or set it in a new version only",
    _field("{type: object, x-kubernetes-preserve-unknown-fields: true}"),
    _field("{type: object, x-kubernetes-preserve-unknown-fields: true, x-kubernetes-embedded-resource: true}"),
)
STATUS_REMOVED = _change(
    "status-subresource-removed",
    "error",
    "Status subresource was removed",
    "Requests to `/status` return 404, so controllers cannot update the status any more.",
    "Keep `subresources: {status: {}}`",
    "subresources: {status: {}}\n",
    "subresources: {}\n",
    scope="version",
)
STATUS_ADDED = _change(
    "status-subresource-added",
    "warning",
    "Status subresource was added",
    "Writes to the main resource do not change the status any more, so older controllers and `kubectl apply` lose it.",
    "Change all clients to write the status by `/status` before the CRD is updated",
    "subresources: {}\n",
    "subresources: {status: {}}\n",
    scope="version",
)
_SCALE = "subresources: {{scale: {{specReplicasPath: .spec.replicas, statusReplicasPath: .status.{}}}}}\n"
SCALE_REMOVED = _change(
    "scale-removed",
    "error",
    "Scale subresource was removed",
    "Requests to `/scale` return 404, so `kubectl scale` and autoscalers fail.",
    "Keep `subresources.scale`",
    _SCALE.format("replicas"),
    "subresources: {}\n",
    scope="version",
)
SCALE_PATH = _change(
    "scale-path",
    "warning",
    "Path of the scale subresource was changed",
    "`kubectl scale` and autoscalers read or write another field than before.",
    "Keep the old path, or check that objects have the new field",
    _SCALE.format("replicas"),
    _SCALE.format("ready"),
    scope="version",
)
_SELECTABLE = (
    "schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object, properties: {a: {type: string}}}}}}\n"
)
SELECTABLE_FIELD_REMOVED = _change(
    "selectable-field-removed",
    "error",
    "Selectable field was removed",
    "The API server rejects list and watch requests that use the field in a field selector.",
    "Keep the entry in `selectableFields`",
    f"{_SELECTABLE}selectableFields: [{{jsonPath: .spec.a}}]\n",
    _SELECTABLE,
    scope="version",
)
NAMES = _change(
    "names",
    "warning",
    "Name of the list kind or singular name was changed",
    "Generated clients decode lists by the kind of the list, and scripts use the singular name.",
    "Keep the old name",
    "names: {listKind: FooList}\n",
    "names: {listKind: Foos}\n",
    scope="spec",
    on_request=True,
)
SHORT_NAME_REMOVED = _change(
    "short-name-removed",
    "info",
    "Short name was removed",
    "Scripts that use the short name fail.",
    "Keep the short name",
    "names: {shortNames: [fo]}\n",
    "names: {shortNames: []}\n",
    scope="spec",
    on_request=True,
)
CATEGORY_REMOVED = _change(
    "category-removed",
    "info",
    "Category was removed",
    "`kubectl get` with the category does not list the objects any more.",
    "Keep the category",
    "names: {categories: [all]}\n",
    "names: {categories: []}\n",
    scope="spec",
    on_request=True,
)
PRINTER_COLUMN_REMOVED = _change(
    "printer-column-removed",
    "info",
    "Printer column was removed",
    "Scripts that read the columns of `kubectl get` fail.",
    "Keep the column, with a `priority` above 0 to show it with `-o wide` only",
    "additionalPrinterColumns: [{name: Kind, type: string, jsonPath: .kind}]\n",
    "additionalPrinterColumns: []\n",
    scope="version",
    on_request=True,
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
CONVERSION = _change(
    "conversion",
    "warning",
    "Conversion strategy was changed",
    "With `strategy: None`, only `apiVersion` is rewritten, and fields that the other version does not have are lost.",
    "Keep the conversion webhook until all objects are stored in one version and only that version is served",
    f"{_TWO_SCHEMAS}{_WEBHOOK}",
    f"{_TWO_SCHEMAS}conversion: {{strategy: None}}\n",
    scope="spec",
)
SERVED_PAIR = _change(
    "served-pair",
    "warning",
    "Served versions without conversion have different fields",
    "If a client writes an object in a version without the field, the API server drops the field from the stored object.",
    "Add the field to all served versions, or use a conversion webhook",
    "versions:\n"
    "- name: v1\n  served: true\n  storage: true\n"
    "  schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}\n",
    "versions:\n"
    "- name: v1\n  served: true\n  storage: true\n"
    "  schema: {openAPIV3Schema: {type: object, properties: {a: {type: string}}}}\n"
    "- name: v2\n  served: true\n  storage: false\n"
    "  schema: {openAPIV3Schema: {type: object}}\n"
    "conversion: {strategy: None}\n",
    scope="spec",
)
