"""Snippets: a CRD in an empty file, and new items of its lists."""

from __future__ import annotations

from typing import Final

from crdlint.lsp.words import Word

_CRD: Final = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: ${1:widgets}.${2:example.com}
spec:
  group: ${2:example.com}
  scope: ${3:Namespaced}
  names:
    kind: ${4:Widget}
    listKind: ${4:Widget}List
    plural: ${1:widgets}
    singular: ${5:widget}
  versions:
  - name: ${6:v1}
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              ${7:size}:
                type: ${8:integer}
          status:
            type: object
    subresources:
      status: {}"""
_VERSION: Final = """\
name: ${1:v2}
served: true
storage: false
schema:
  openAPIV3Schema:
    type: object
    properties:
      spec:
        type: object
        properties:
          ${2:size}:
            type: ${3:integer}"""
_RULE: Final = """\
rule: ${1:self.size > 0}
message: ${2:size must be positive}"""
_COLUMN: Final = """\
name: ${1:Size}
type: ${2:integer}
jsonPath: ${3:.spec.size}"""
# A snippet for an item of a list, by the type of the item.
OF_ITEMS: Final = {
    "v1.CustomResourceDefinitionVersion": Word(
        "version",
        "snippet",
        "A version that is served and not stored.",
        template=_VERSION,
    ),
    "v1.ValidationRule": Word("rule", "snippet", "A rule in CEL with its message.", template=_RULE),
    "v1.CustomResourceColumnDefinition": Word(
        "column",
        "snippet",
        "A column of `kubectl get`.",
        template=_COLUMN,
    ),
}
NEW_CRD: Final = Word(
    "CustomResourceDefinition",
    "snippet",
    "A new CRD with one version.",
    template=_CRD,
)


def new_resource(api_version: str, kind: str) -> Word:
    """Return the snippet of a new custom resource."""
    template = (
        f"apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: ${{1:example}}\nspec:\n  $0"
    )
    return Word(
        kind,
        "snippet",
        f"A new object of `{api_version}`.",
        template=template,
    )
