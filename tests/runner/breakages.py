# ruff: noqa: E501  a breakage a line
"""A CRD as code generators write it, and everyday breakages of it: what is replaced, and which fixes must repair it."""

from __future__ import annotations

from typing import NamedTuple

CRD = """\
---
# Generated; see docs/widgets.md.
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.16.5
  labels:
    app.kubernetes.io/part-of: widgets
  name: widgets.example.com
spec:
  group: example.com
  names:
    categories:
    - all
    kind: Widget
    listKind: WidgetList
    plural: widgets
    shortNames:
    - wd
    singular: widget
  scope: Namespaced
  versions:
  - additionalPrinterColumns:
    - jsonPath: .status.phase
      name: Phase
      type: string
    - jsonPath: .spec.replicas
      name: Replicas
      type: integer
    name: v1
    schema:
      openAPIV3Schema:
        description: A Widget runs containers.  # for people
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
          spec:
            description: What is wanted.
            properties:
              replicas:
                default: 1
                description: How many.
                format: int32
                maximum: 100
                minimum: 0
                type: integer
              paused:
                default: false
                type: boolean
              mode:
                default: Rolling
                enum:
                - Rolling
                - Recreate
                type: string
              image:
                maxLength: 253
                pattern: ^[a-z0-9./:-]+$
                type: string
              hosts:
                items:
                  maxLength: 253
                  type: string
                maxItems: 16
                type: array
                x-kubernetes-list-type: set
              ports:
                items:
                  properties:
                    name:
                      maxLength: 15
                      type: string
                    port:
                      type: integer
                    protocol:
                      default: TCP
                      type: string
                    targetPort:
                      anyOf:
                      - type: integer
                      - type: string
                      x-kubernetes-int-or-string: true
                  required:
                  - name
                  - port
                  type: object
                maxItems: 8
                type: array
                x-kubernetes-list-map-keys:
                - name
                x-kubernetes-list-type: map
              config:
                type: object
                x-kubernetes-preserve-unknown-fields: true
              selector:
                additionalProperties:
                  type: string
                type: object
            required:
            - image
            type: object
            x-kubernetes-validations:
            - message: an image is required
              rule: self.image.size() > 0
          status:
            properties:
              phase:
                type: string
            type: object
        type: object
    selectableFields:
    - jsonPath: .spec.mode
    served: true
    storage: true
    subresources:
      scale:
        specReplicasPath: .spec.replicas
        statusReplicasPath: .status.replicas
      status: {}
"""


# What a fix that guesses writes differs from what there was.
OTHER = "another text"


class Breakage(NamedTuple):
    """A text replaced in the CRD, and the text whose values must be there after the fixes: the old one if it is None."""

    name: str
    fixes: str  # safe or unsafe
    old: str
    new: str
    fixed: str | None = None

    @property
    def text(self) -> str:
        """The broken CRD."""
        assert CRD.count(self.old) > 0
        return CRD.replace(self.old, self.new, 1)

    @property
    def repaired(self) -> str:
        """The CRD as it must be after the fixes."""
        return CRD.replace(self.old, self.old if self.fixed is None else self.fixed, 1)


def _b(name: str, fixes: str, old: str, new: str, fixed: str | None = None) -> Breakage:
    return Breakage(name, fixes, old, new, fixed)


_REPLICAS = "                default: 1\n                description: How many.\n"
_IMAGE = "              image:\n                maxLength: 253\n"
_PHASE = "              phase:\n                type: string\n"
_PORT_REQUIRED = "                  required:\n                  - name\n                  - port\n"
_INT_OR_STRING = (
    "                      anyOf:\n                      - type: integer\n                      - type: string\n"
    "                      x-kubernetes-int-or-string: true\n"
)

_PROTOCOL = CRD[
    CRD.index("                    protocol:\n") : CRD.index(
        "                x-kubernetes-list-type: map\n"
    )
]
_KEY_PROTOCOL = (
    _PROTOCOL.replace("                      default: TCP\n", "") + "                - protocol\n"
)

BREAKAGES = (
    _b("misspelt field", "safe", "maxLength: 253\n                pattern", "maxlength: 253\n                pattern"),
    _b("misspelt nested field", "safe", "description: What is wanted.", "desciption: What is wanted."),
    _b("misspelt extension", "safe", "x-kubernetes-list-type: map", "x-kubernetes-listtype: map"),
    _b("extension without its prefix", "safe", "x-kubernetes-preserve-unknown-fields", "x-preserve-unknown-fields"),
    _b("extension in the singular", "safe", "x-kubernetes-preserve-unknown-fields", "x-kubernetes-preserve-unknown-field"),
    _b("JSONPath", "safe", "jsonPath: .status.phase", "JSONPath: .status.phase"),
    _b("json_path", "safe", "jsonPath: .status.phase", "jsonpath: .status.phase"),
    _b("int", "safe", "minimum: 0\n                type: integer", "minimum: 0\n                type: int"),
    _b("str", "safe", "- Recreate\n                type: string", "- Recreate\n                type: str"),
    _b("bool", "safe", "type: boolean", "type: bool"),
    _b("Boolean", "safe", "type: boolean", "type: Boolean"),
    _b("float", "safe", _PHASE, _PHASE.replace("string", "float"), _PHASE.replace("string", "number")),
    _b("list", "safe", "maxItems: 16\n                type: array", "maxItems: 16\n                type: list"),
    _b("map", "safe", "              config:\n                type: object", "              config:\n                type: map"),
    _b("strng", "safe", _PHASE, _PHASE.replace("string", "strng")),
    _b("quoted number", "safe", "maxItems: 16", 'maxItems: "16"'),
    _b("quoted limit", "safe", "maximum: 100", "maximum: '100'"),
    _b("quoted boolean", "safe", "storage: true", 'storage: "true"'),
    _b("Python's boolean in quotes", "safe", "served: true", "served: 'True'"),
    _b("number for a text", "safe", "description: How many.", "description: 5", "description: '5'"),
    _b("scalar for a list of names", "safe", "    shortNames:\n    - wd\n", "    shortNames: wd\n", "    shortNames: [wd]\n"),
    _b("scalar for a list of required fields", "safe", "            required:\n            - image\n",
       "            required: image\n", "            required: [image]\n"),
    _b("mapping for a list of rules", "safe",
       "            - message: an image is required\n              rule: self.image.size() > 0\n",
       "              message: an image is required\n              rule: self.image.size() > 0\n",
       "              - message: an image is required\n                rule: self.image.size() > 0\n"),
    _b("type that may be null", "safe", _PHASE, _PHASE.replace("string", '[string, "null"]'),
       "              phase:\n                type: string\n                nullable: true\n"),
    _b("missing type of an object", "safe", "            - image\n            type: object\n", "            - image\n", OTHER),
    _b("missing type of a list", "safe", "                maxItems: 16\n                type: array\n", "                maxItems: 16\n"),
    _b("missing type of the root", "safe", "            type: object\n        type: object\n", "            type: object\n"),
    _b("items in a list", "safe", "                items:\n                  maxLength: 253\n                  type: string\n",
       "                items:\n                - maxLength: 253\n                  type: string\n"),
    _b("alternatives in the wrong order", "safe", _INT_OR_STRING,
       _INT_OR_STRING.replace("integer", "x").replace("string\n", "integer\n", 1).replace("x\n", "string\n", 1)),
    _b("default of a number in quotes", "safe", "default: 1\n", 'default: "1"\n'),
    _b("default of a boolean in quotes", "safe", "default: false", 'default: "false"'),
    _b("number as the default of a text", "safe", "default: Rolling\n                enum:\n                - Rolling\n",
       "default: 1\n                enum:\n                - '1'\n", "default: '1'\n                enum:\n                - '1'\n"),
    _b("group in capitals", "safe", "group: example.com", "group: Example.com"),
    _b("missing group", "safe", "  group: example.com\n", ""),
    _b("missing plural", "safe", "    plural: widgets\n", ""),
    _b("plural in capitals", "safe", "plural: widgets", "plural: Widgets"),
    _b("name in the singular", "safe", "name: widgets.example.com", "name: widget.example.com"),
    _b("name with another group", "unsafe", "name: widgets.example.com", "name: widgets.example.co"),
    _b("Namespace for a scope", "safe", "scope: Namespaced", "scope: Namespace"),
    _b("scope in lower case", "safe", "scope: Namespaced", "scope: namespaced"),
    _b("column type", "safe", "name: Replicas\n      type: integer", "name: Replicas\n      type: int"),
    _b("column path without its dot", "safe", "jsonPath: .status.phase", "jsonPath: status.phase"),
    _b("scale path without its dot", "safe", "specReplicasPath: .spec", "specReplicasPath: spec"),
    _b("selectable field without its dot", "safe", "- jsonPath: .spec.mode", "- jsonPath: spec.mode"),
    _b("subresource", "safe", "    subresources:\n", "    subresource:\n"),
    _b("openAPIV3schema", "safe", "openAPIV3Schema:", "openAPIV3schema:"),
    _b("validation in a version", "safe", "    schema:\n", "    validation:\n"),
    _b("list map key that is optional", "unsafe", _PORT_REQUIRED, _PORT_REQUIRED.replace("- name\n                  - port", "- port"),
       "                  required:\n                  - port\n                  - name\n"),
    _b("protocol as an optional key", "unsafe", _PROTOCOL, _KEY_PROTOCOL,
       _KEY_PROTOCOL.replace("                      type: string\n", "                      type: string\n                      default: TCP\n", 1)),
    _b("misspelt list map key", "unsafe", "                x-kubernetes-list-map-keys:\n                - name\n",
       "                x-kubernetes-list-map-keys:\n                - nmae\n"),
    _b("missing list map keys", "unsafe", "                x-kubernetes-list-map-keys:\n                - name\n", ""),
    _b("set of objects", "unsafe",
       "                x-kubernetes-list-map-keys:\n                - name\n                x-kubernetes-list-type: map\n",
       "                x-kubernetes-list-type: set\n", OTHER),
    _b("uniqueItems", "unsafe", "                x-kubernetes-list-type: set\n", "                uniqueItems: true\n"),
    _b("required on a property", "unsafe", _IMAGE, _IMAGE + "                required: true\n"),
    _b("required inside properties", "safe", "            properties:\n              replicas:\n",
       "            properties:\n              required: [image]\n              replicas:\n",
       "            properties:\n              replicas:\n"),
    _b("nullable root", "safe", "        description: A Widget", "        nullable: true\n        description: A Widget"),
    _b("unknown fields not preserved", "safe", "                type: object\n            required:\n",
       "                type: object\n                x-kubernetes-preserve-unknown-fields: false\n            required:\n"),
    _b("preserveUnknownFields", "unsafe", "  scope: Namespaced\n", "  preserveUnknownFields: true\n  scope: Namespaced\n", OTHER),
    _b("restricted metadata", "safe", "          metadata:\n            type: object\n",
       "          metadata:\n            properties:\n              labels:\n                type: object\n            type: object\n"),
    _b("YAML 1.1 booleans", "safe", "                - Rolling\n                - Recreate\n",
       "                - Rolling\n                - on\n", "                - Rolling\n                - 'on'\n"),
    _b("colon in a description", "safe", "description: How many.", "description: How many: a number.",
       "description: 'How many: a number.'"),
    _b("description that begins with a backtick", "safe", "description: How many.", "description: `n` is a number.",
       "description: '`n` is a number.'"),
    _b("description that begins with an asterisk", "safe", "description: How many.", "description: *all* of them.",
       "description: '*all* of them.'"),
    _b("description that begins with an at sign", "safe", "description: How many.", "description: @deprecated use it no more.",
       "description: '@deprecated use it no more.'"),
    _b("description that begins with a percent sign", "safe", "description: How many.", "description: %s",
       "description: '%s'"),
    _b("negated rule without quotes", "safe", "rule: self.image.size() > 0", "rule: !has(self.mode) || self.mode != ''",
       "rule: '!has(self.mode) || self.mode != '''''"),
    _b("one negated call without quotes", "safe", "rule: self.image.size() > 0", "rule: !self.image.startsWith('x')",
       "rule: '!self.image.startsWith(''x'')'"),
    _b("tabs", "unsafe", _PHASE, _PHASE.replace("                type", "\t\t\t\t\t\t\t\ttype")),
    _b("equal keys twice", "safe", "                maximum: 100\n", "                maximum: 100\n                maximum: 100\n"),
    _b("misspelt name in a rule", "safe", "rule: self.image.size() > 0", "rule: self.imgae.size() > 0"),
    _b("unclosed bracket in a rule", "unsafe", "rule: self.image.size() > 0", "rule: (self.image.size() > 0",
       "rule: (self.image.size() > 0)"),
    _b("rule of several lines without a message", "unsafe",
       "            - message: an image is required\n              rule: self.image.size() > 0\n",
       "            - rule: |\n                self.image.size() > 0 &&\n                self.image != 'x'\n", OTHER),
    _b("unused optionalOldSelf", "safe", "              rule: self.image.size() > 0\n",
       "              optionalOldSelf: true\n              rule: self.image.size() > 0\n"),
    _b("rule over its budget", "unsafe", "                maxItems: 16\n                type: array\n",
       "                type: array\n                x-kubernetes-validations:\n"
       "                - rule: self.all(a, self.exists_one(b, a == b))\n", OTHER),
    _b("missing colon blank", "safe", "name: Replicas\n      type: integer", "name: Replicas\n      type:integer"),
    _b("key without a colon", "safe", "              phase:\n", "              phase\n"),
    _b("regular expression between double quotes", "safe", "pattern: ^[a-z0-9./:-]+$", 'pattern: "^[a-z]+\\.[0-9]+$"',
       'pattern: "^[a-z]+\\\\.[0-9]+$"'),
    _b("unclosed quote", "unsafe", "description: How many.", 'description: "How many.', 'description: "How many."'),
    _b("wrong indentation of a line", "unsafe", "                maximum: 100\n", "               maximum: 100\n"),
    _b("additionalProperties: false", "safe", _PHASE + "            type: object\n",
       _PHASE + "            additionalProperties: false\n            type: object\n"),
    _b("kind in the plural", "safe", "kind: CustomResourceDefinition\n", "kind: CustomResourceDefinitions\n"),
    _b("two storage keys", "safe", "    storage: true\n", "    storage: false\n"),
    _b("exclusive bound of JSON Schema", "safe", "                minimum: 0\n", "                exclusiveMinimum: 0\n",
       "                minimum: 0\n                exclusiveMinimum: true\n"),
    _b("deprecation warning alone", "safe", "    name: v1\n", "    deprecationWarning: use v2\n    name: v1\n",
       "    deprecated: true\n    deprecationWarning: use v2\n    name: v1\n"),
    _b("duplicate list map key", "safe", "                x-kubernetes-list-map-keys:\n                - name\n",
       "                x-kubernetes-list-map-keys:\n                - name\n                - name\n"),
    _b("missing items", "unsafe", "                items:\n                  maxLength: 253\n                  type: string\n", "", OTHER),
    _b("version in capitals", "unsafe", "    name: v1\n", "    name: V1\n"),
    _b("const", "safe", "                enum:\n                - Rolling\n                - Recreate\n",
       "                const: Rolling\n", "                enum: [Rolling]\n"),
    _b("default in another case", "unsafe", "default: Rolling", "default: rolling"),
    _b("missing type of a column", "unsafe", "      name: Phase\n      type: string\n", "      name: Phase\n"),
    _b("format of a column", "safe", "      type: integer\n    name", "      type: integer\n      format: int_32\n    name",
       "      type: integer\n      format: int32\n    name"),
    _b("status: true", "safe", "      status: {}\n", "      status: true\n"),
    _b("status: Enabled", "safe", "      status: {}\n", "      status: Enabled\n"),
    _b("default in an alternative", "unsafe", _IMAGE,
       "              image:\n                anyOf:\n                - {default: x, minLength: 2, nullable: true}\n                maxLength: 253\n",
       "              image:\n                anyOf:\n                - {minLength: 2}\n                maxLength: 253\n"),
    _b("$schema", "safe", "        description: A Widget", "        $schema: http://json-schema.org/schema#\n        description: A Widget"),
)  # fmt: skip
