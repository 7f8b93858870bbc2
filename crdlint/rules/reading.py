"""Problems before a document is a CRD: YAML syntax, Go's type errors, unknown and duplicate fields, old versions.

`crdlint.yaml` and `crdlint.crd.decode` create the messages; this module has the texts of the rules.
"""

from __future__ import annotations

from crdlint.rules import field_fixes, type_fixes, v1beta1, value_fixes
from crdlint.rules.engine.examples import HEAD
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

_V1BETA1_FULL = f"""\
{_V1BETA1}  preserveUnknownFields: false
  subresources:
    status: {{}}
  additionalPrinterColumns:
  - {{name: Ready, type: string, JSONPath: .status.ready}}
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

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
YAML_SYNTAX = Rule("yaml-syntax", "Invalid YAML syntax", scope="text", source="sigs.k8s.io/yaml YAMLToJSON",
    why="kubectl and the API server stop at the first syntax error, so nothing in the document is applied.",
    help="Fix the syntax at the reported position; the cause is often on the line before it",
    bad="apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: foos.example.com\n name: x\n",
    good=_V1, fixes=field_fixes.SYNTAX)
DECODE_TYPE = Rule("decode-type", "Field has the wrong JSON type", scope="schema",
    why="The API server cannot decode the document and rejects it at the first value of a wrong type.",
    help="Write a value of the type that the message names: numbers without quotes, strings in quotes",
    bad='type: object\nproperties:\n  name: {type: string, maxLength: "63"}\n',
    good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n",
    source="sigs.k8s.io/json UnmarshalCaseSensitivePreserveInts", fixes=(field_fixes.OF_SCHEMA, *type_fixes.DECODE))
UNKNOWN_FIELD = Rule("unknown-field", "Unknown field", scope="schema", source="sigs.k8s.io/json UnmarshalStrict",
    why="With strict field validation (kubectl's default) the API server rejects the object. With `Warn` or "
    "`Ignore` it drops the field, so the setting has no effect.",
    help="Remove the field, or correct its spelling (field names are case-sensitive)",
    bad="type: object\nproperties:\n  name: {type: string, maxlength: 63}\n",
    good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n",
    fixes=(field_fixes.indented, *field_fixes.UNKNOWN, *value_fixes.UNKNOWN))
UNKNOWN_FIELD_IGNORED = Caution("unknown-field-ignored", "Unknown field that the API server drops without an error",
    why="The decoder of `items` and `additionalProperties` is not strict: below them the API server drops unknown "
    "fields without an error, so the setting has no effect.",
    help="Remove the field, or correct its spelling (field names are case-sensitive)",
    bad="type: object\nproperties:\n  names: {type: array, items: {type: string, maxlength: 63}}\n",
    good="type: object\nproperties:\n  names: {type: array, items: {type: string, maxLength: 63}}\n", scope="schema",
    source="k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1 JSONSchemaPropsOrArray.UnmarshalJSON",
    fixes=field_fixes.IGNORED)
DUPLICATE_KEY = Rule("duplicate-key", "Key is set twice in one mapping", scope="schema", severity="warning",
    why="kubectl and other clients that send JSON keep the last value, so the API server never sees the first one. "
    "A request that contains the YAML itself is rejected with `fieldValidation=Strict`.",
    help="Remove one of the two keys",
    bad="type: object\nproperties:\n  name:\n    type: string\n    type: integer\n",
    good="type: object\nproperties:\n  name:\n    type: string\n", source="sigs.k8s.io/yaml YAMLToJSONStrict",
    fixes=field_fixes.DUPLICATE)
MERGE_KEY_OVERRIDE = Rule("merge-key-override", "Key overrides a key that `<<` merges", severity="info",
    why="kubectl and other clients that send JSON accept this, but the API server rejects it in a YAML request "
    "with `fieldValidation=Strict`. crdlint reports it only if `select` or `severity` names this rule.",
    help="Write out the merged keys instead of using `<<`",
    bad="name: &name {type: string, maxLength: 63}\nlong: {<<: *name, maxLength: 253}",
    good="name: {type: string, maxLength: 63}\nlong: {type: string, maxLength: 253}", on_request=True,
    source="sigs.k8s.io/yaml YAMLToJSONStrict")
CRD_MISSPELLED = Rule("crd-misspelled", "Misspelled kind or apiVersion of a CRD", scope="text",
    why="No API server has this kind or version, so kubectl cannot apply the document. Tools that find CRDs by "
    "their kind skip it.",
    help="Write `apiVersion: apiextensions.k8s.io/v1` and `kind: CustomResourceDefinition`",
    bad=_V1.replace("kind: CustomResourceDefinition", "kind: CustomResourceDefinitions"), good=_V1,
    source="k8s.io/apimachinery pkg/api/meta NoKindMatchError", fixes=(type_fixes.type_keys,))
API_VERSION_REMOVED = Rule("api-version-removed", "CRD uses an API version that Kubernetes has removed", scope="text",
    why="Kubernetes 1.22 removed apiextensions.k8s.io/v1beta1, so kubectl cannot apply the CRD to any supported cluster.",
    help="Convert the CRD to `apiextensions.k8s.io/v1`: move `spec.version` to `spec.versions[].name`, "
    "`spec.validation` to `versions[].schema`, and `subresources` and `additionalPrinterColumns` to `versions[]`; "
    "rename `JSONPath` to `jsonPath`; make the schema structural",
    bad=_V1BETA1, good=_V1, source="k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1",
    fixes=(v1beta1.rewritten.example(_V1BETA1_FULL, _V1_FULL),))
