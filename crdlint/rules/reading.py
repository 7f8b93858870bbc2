"""What can go wrong before a document is a CRD: YAML syntax, Go's type errors, unknown and duplicate fields, old versions.

The texts of these findings come from ``crdlint.yaml`` and ``crdlint.crd.decode``; this module says what they mean.
"""

from __future__ import annotations

from crdlint.rules import reading_fixes, v1beta1
from crdlint.rules.engine.finding import Fixer
from crdlint.rules.engine.rule import Rule

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

_V1 = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  names: {plural: foos, kind: Foo}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
"""

_V1BETA1_FULL = """\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: example.com
  version: v1
  names:
    plural: foos
    kind: Foo
  scope: Namespaced
  preserveUnknownFields: false
  subresources:
    status: {}
  additionalPrinterColumns:
  - name: Ready
    type: string
    JSONPath: .status.ready
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
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
    subresources:
      status: {}
    additionalPrinterColumns:
    - name: Ready
      type: string
      jsonPath: .status.ready
  group: example.com
  names:
    plural: foos
    kind: Foo
  scope: Namespaced
"""

RULES = (
    Rule(
        id="yaml-syntax",
        summary="The text is not YAML as the API server's decoder reads it.",
        why="kubectl and the API server stop at the first syntax error: nothing of the document is applied.",
        bad="apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: foos.example.com\n name: x\n",
        good=_V1,
        help="mend the syntax at the position shown; the error's cause is often on the line before",
        source="sigs.k8s.io/yaml YAMLToJSON",
        scope="text",
        fixes=reading_fixes.SYNTAX,
    ),
    Rule(
        id="decode-type",
        summary="A field has another JSON type than the API's.",
        why="The decoder refuses the whole document at the first value of a wrong type.",
        bad='type: object\nproperties:\n  name: {type: string, maxLength: "63"}\n',
        good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n",
        help="give the field a value of the type that the message names; quotes make a string of a number",
        source="sigs.k8s.io/json UnmarshalCaseSensitivePreserveInts",
        fixes=reading_fixes.DECODE,
    ),
    Rule(
        id="unknown-field",
        summary="A field that the API does not have.",
        why="Under fieldValidation=Strict (kubectl's default) the API server refuses it; under Warn or Ignore it is dropped "
        "in silence, and what it was meant to say is lost.",
        bad="type: object\nproperties:\n  name: {type: string, maxlength: 63}\n",
        good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n",
        help="remove the field, or spell it as the API does (field names are case-sensitive)",
        source="sigs.k8s.io/json UnmarshalStrict",
        fixes=reading_fixes.UNKNOWN,
    ),
    Rule(
        id="duplicate-key",
        summary="A key that is set twice in one mapping.",
        why="kubectl and every client that sends JSON decode YAML without strictness: the last value wins, and the API server "
        "never sees the first. Only a request with the YAML itself is rejected, under fieldValidation=Strict.",
        bad="type: object\nproperties:\n  name:\n    type: string\n    type: integer\n",
        good="type: object\nproperties:\n  name:\n    type: string\n",
        help="remove one of the two keys",
        source="sigs.k8s.io/yaml YAMLToJSONStrict",
        severity="warning",
        fixes=reading_fixes.DUPLICATE,
    ),
    Rule(
        id="merge-key-override",
        summary="A key that overrides one merged by `<<`.",
        why="This is what merging is for, and kubectl and every client that sends JSON accept it. The API server rejects it in "
        "a request with the YAML itself, under fieldValidation=Strict. Only reported if `select` or `severity` names this rule.",
        bad="type: object\nproperties:\n  name: &name {type: string, maxLength: 63}\n  long: {<<: *name, maxLength: 253}\n",
        good="type: object\nproperties:\n  name: {type: string, maxLength: 63}\n  long: {type: string, maxLength: 253}\n",
        help="write the mapping out without `<<` if it is sent as YAML",
        source="sigs.k8s.io/yaml YAMLToJSONStrict",
        severity="info",
        on_request=True,
    ),
    Rule(
        id="crd-misspelled",
        summary="Misspelled kind or apiVersion of a CRD.",
        why="No server has such a kind, so kubectl refuses to apply it. Tools that look for CRDs by their kind skip it.",
        bad=_V1.replace("kind: CustomResourceDefinition", "kind: CustomResourceDefinitions"),
        good=_V1,
        help="write `kind: CustomResourceDefinition` and `apiVersion: apiextensions.k8s.io/v1`",
        source="k8s.io/apimachinery pkg/api/meta NoKindMatchError",
        scope="text",
        fixes=reading_fixes.MISSPELLED,
    ),
    Rule(
        id="api-version-removed",
        summary="A CustomResourceDefinition of an API version that no supported server serves.",
        why="apiextensions.k8s.io/v1beta1 was removed in Kubernetes 1.22.",
        bad=_V1BETA1,
        good=_V1,
        help="rewrite it for apiextensions.k8s.io/v1: spec.version becomes spec.versions[], spec.validation becomes "
        "versions[].schema, subresources and additionalPrinterColumns move into versions[], JSONPath becomes jsonPath, "
        "and the schema must be structural",
        source="k8s.io/apiextensions-apiserver pkg/apis/apiextensions/v1",
        scope="text",
        fixes=(
            Fixer(
                "Rewrite the CRD for apiextensions.k8s.io/v1",
                "unsafe",
                v1beta1.rewritten,
                bad=_V1BETA1_FULL,
                good=_V1_FULL,
            ),
        ),
    ),
)
