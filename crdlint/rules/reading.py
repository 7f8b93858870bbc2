"""Problems before a document is a CRD: YAML syntax, Go's type errors, unknown and duplicate fields, old versions.

`crdlint.yaml` and `crdlint.crd.decode` create the messages; this module has the texts of the rules.
"""

from __future__ import annotations

from crdlint.rules import misplaced_fields, reading_fixes, v1beta1
from crdlint.rules.engine.examples import HEAD
from crdlint.rules.engine.finding import Fixer
from crdlint.rules.engine.rule import Caution, Rule

_V1BETA1 = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  version: v1
  names: {plural: foos, kind: Foo}
  scope: Namespaced
"""

_V1 = HEAD + "        type: object\n"

_V1BETA1_FULL = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  version: v1
  names: {plural: foos, kind: Foo}
  scope: Namespaced
  preserveUnknownFields: false
  subresources:
    status: {}
  additionalPrinterColumns:
  - {name: Ready, type: string, JSONPath: .status.ready}
  validation:
    # The whole object.
    openAPIV3Schema:
      type: object
"""

_V1_FULL = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      # The whole object.
      openAPIV3Schema:
        type: object
    subresources:
      status: {}
    additionalPrinterColumns:
    - {name: Ready, type: string, jsonPath: .status.ready}
  names: {plural: foos, kind: Foo}
  scope: Namespaced
"""

YAML_SYNTAX = Rule(
    id="yaml-syntax",
    summary="Invalid YAML syntax",
    why="kubectl and the API server stop at the first syntax error, so nothing in the document is applied.",
    bad="apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: foos.example.com\n name: x\n",
    good=_V1,
    help="Fix the syntax at the reported position; the cause is often on the line before it",
    source="sigs.k8s.io/yaml YAMLToJSON",
    scope="text",
    fixes=reading_fixes.SYNTAX,
)
DECODE_TYPE = Rule(
    id="decode-type",
    summary="Field has the wrong JSON type",
    why="The API server cannot decode the document and rejects it at the first value of a wrong type.",
    bad='type: object\nproperties:\n  name: {type: string, maxLength: "63"}\n',
    good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n",
    scope="schema",
    help="Write a value of the type that the message names: numbers without quotes, strings in quotes",
    source="sigs.k8s.io/json UnmarshalCaseSensitivePreserveInts",
    fixes=(misplaced_fields.FIXER_OF_SCHEMA, *reading_fixes.DECODE),
)
UNKNOWN_FIELD = Rule(
    id="unknown-field",
    summary="Unknown field",
    why="With strict field validation (kubectl's default) the API server rejects the object. With `Warn` or "
    "`Ignore` it drops the field, so the setting has no effect.",
    bad="type: object\nproperties:\n  name: {type: string, maxlength: 63}\n",
    good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n",
    scope="schema",
    help="Remove the field, or correct its spelling (field names are case-sensitive)",
    source="sigs.k8s.io/json UnmarshalStrict",
    fixes=(misplaced_fields.FIXER, *reading_fixes.UNKNOWN),
)
UNKNOWN_FIELD_IGNORED = Caution(
    id="unknown-field-ignored",
    summary="Unknown field that the API server drops without an error",
    why="The decoder of `items` and `additionalProperties` is not strict: below them the API server drops unknown "
    "fields without an error, so the setting has no effect.",
    bad="type: object\nproperties:\n  names: {type: array, items: {type: string, maxlength: 63}}\n",
    good="type: object\nproperties:\n  names: {type: array, items: {type: string, maxLength: 63}}\n",
    scope="schema",
    help="Remove the field, or correct its spelling (field names are case-sensitive)",
    source="k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1 JSONSchemaPropsOrArray.UnmarshalJSON",
    fixes=reading_fixes.IGNORED,
)
DUPLICATE_KEY = Rule(
    id="duplicate-key",
    summary="Key is set twice in one mapping",
    why="kubectl and other clients that send JSON keep the last value, so the API server never sees the first one. "
    "A request that contains the YAML itself is rejected with `fieldValidation=Strict`.",
    bad="type: object\nproperties:\n  name:\n    type: string\n    type: integer\n",
    good="type: object\nproperties:\n  name:\n    type: string\n",
    scope="schema",
    help="Remove one of the two keys",
    source="sigs.k8s.io/yaml YAMLToJSONStrict",
    severity="warning",
    fixes=reading_fixes.DUPLICATE,
)
MERGE_KEY_OVERRIDE = Rule(
    id="merge-key-override",
    summary="Key overrides a key that `<<` merges",
    why="kubectl and other clients that send JSON accept this, but the API server rejects it in a YAML request "
    "with `fieldValidation=Strict`. crdlint reports it only if `select` or `severity` names this rule.",
    bad="name: &name {type: string, maxLength: 63}\nlong: {<<: *name, maxLength: 253}",
    good="name: {type: string, maxLength: 63}\nlong: {type: string, maxLength: 253}",
    help="Write out the merged keys instead of using `<<`",
    source="sigs.k8s.io/yaml YAMLToJSONStrict",
    severity="info",
    on_request=True,
)
CRD_MISSPELLED = Rule(
    id="crd-misspelled",
    summary="Misspelled kind or apiVersion of a CRD",
    why="No API server has this kind or version, so kubectl cannot apply the document. Tools that find CRDs by "
    "their kind skip it.",
    bad=_V1.replace("kind: CustomResourceDefinition", "kind: CustomResourceDefinitions"),
    good=_V1,
    help="Write `apiVersion: apiextensions.k8s.io/v1` and `kind: CustomResourceDefinition`",
    source="k8s.io/apimachinery pkg/api/meta NoKindMatchError",
    scope="text",
    fixes=reading_fixes.MISSPELLED,
)
API_VERSION_REMOVED = Rule(
    id="api-version-removed",
    summary="CRD uses an API version that Kubernetes has removed",
    why="Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1, so kubectl cannot apply the CRD to any supported cluster.",
    bad=_V1BETA1,
    good=_V1,
    help="Convert the CRD to `apiextensions.k8s.io/v1`: move `spec.version` to `spec.versions[].name`, "
    "`spec.validation` to `versions[].schema`, and `subresources` and `additionalPrinterColumns` to `versions[]`; "
    "rename `JSONPath` to `jsonPath`; make the schema structural",
    source="k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1",
    scope="text",
    fixes=(
        Fixer("Rewrite the CRD for apiextensions.k8s.io/v1", "unsafe", v1beta1.rewritten).example(
            bad=_V1BETA1_FULL, good=_V1_FULL
        ),
    ),
)
