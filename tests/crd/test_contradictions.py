"""The keyword because of which the server rejects another line."""

from __future__ import annotations

from crds import crd_with_spec
from tables import each

import crdlint

LIST_MAP = """\
type: array
x-kubernetes-list-type: map
x-kubernetes-list-map-keys: [a]
items:
  type: object
  properties:
    a: {type: string}
"""
CASES = {
    "key of a list map": (LIST_MAP, "x-kubernetes-list-map-keys: [a]"),
    "items of a list map": (
        """\
type: array
x-kubernetes-list-type: map # outer
x-kubernetes-list-map-keys: [a]
items:
  type: array
  x-kubernetes-list-type: atomic # inner
  items: {type: string}
""",
        "x-kubernetes-list-type: map # outer",
    ),
    "list type of a text": (
        "type: string\nx-kubernetes-list-type: set\n",
        "x-kubernetes-list-type: set",
    ),
    "default": ("type: integer\nminimum: 3\ndefault: 2\n", "minimum: 3"),
    "item of a default": (
        "type: array\nitems:\n  type: string\n  enum: [a]\ndefault:\n- a\n- b\n",
        "enum: [a]",
    ),
    "field of a default": (
        "type: object\nproperties:\n  a:\n    type: string\n    maxLength: 1\ndefault: {a: bc}\n",
        "maxLength: 1",
    ),
    "key of a default map": (
        "type: object\nadditionalProperties:\n  type: string\n  pattern: ^a$\ndefault:\n  k: bc\n",
        "pattern: ^a$",
    ),
    "in the same line": (
        "type: object\nproperties:\n  a: {type: integer, maximum: 1, default: 2}\n",
        None,
    ),
    "both kinds of fields": (
        "type: object\nproperties: {a: {type: string}}\nadditionalProperties: {type: string}\n",
        "properties: {a: {type: string}}",
    ),
    "no other line": ("type: strange\n", None),
}


@each("name", CASES)
def test_the_other_line(name: str) -> None:
    schema, expected = CASES[name]
    text = crd_with_spec(schema)
    others = [finding.related for finding in crdlint.lint_text(text) if finding.severity == "error"]
    assert [other and text.split("\n")[other.line - 1].strip() for other in others[:1]] == [
        expected
    ]
