"""Which attributes of a node count as an internal schema, in structural form, and below a junctor."""

from __future__ import annotations

from schema_support import schema
from tables import each

from crdlint.kubernetes.servers import NEWEST
from crdlint.schema.structural import is_int_or_string, set_attributes, structural_attributes

# A field; the attribute that it sets as an internal schema, as a structural one, and below a junctor ("" for none).
CASES = [
    ("id: ''", "", "", ""),
    ("$ref: ''", "ref", "", ""),
    ("definitions: {}", "definitions", "", ""),
    ("patternProperties: {}", "pattern_properties", "", ""),
    ("dependencies: {}", "dependencies", "", ""),
    ("items: []", "items", "", ""),
    ("items: {}", "items", "items", "items"),
    ("additionalProperties: false", "additional_properties", "additional_properties", ""),
    (
        "additionalProperties: true",
        "additional_properties",
        "additional_properties",
        "additional_properties",
    ),
    ("properties: {}", "properties", "", "properties"),
    ("properties: {a: {}}", "properties", "properties", "properties"),
    ("enum: []", "", "", ""),
    ("required: []", "required", "required", "required"),
    ("x-kubernetes-list-type: ''", "x_list_type", "x_list_type", "x_list_type"),
    ("minLength: 0", "min_length", "min_length", "min_length"),
    ("not: {}", "not_", "not_", "not_"),
]


@each(("field", "internal", "structural", "nested"), CASES)
def test_attributes(field: str, internal: str, structural: str, nested: str) -> None:
    node = schema(field)
    assert set_attributes(node, nested=True) == {internal} - {""}
    assert structural_attributes(node, NEWEST, nested=False) == {structural} - {""}
    assert structural_attributes(node, NEWEST, nested=True) == {nested} - {""}


@each(
    ("alternatives", "expected"),
    [
        ("[{type: integer}, {type: string}]", True),
        ("[{type: integer, definitions: {}, items: []}, {type: string, $ref: ''}]", True),
        ("[{type: string}, {type: integer}]", False),
        ("[{type: integer}]", False),
        ("[{type: integer}, {type: string}, {}]", False),
        ("[{type: integer}, {type: string, required: []}]", False),
        ("[{type: integer, minimum: 0}, {type: string}]", False),
    ],
)
def test_int_or_string(alternatives: str, expected: bool) -> None:
    assert is_int_or_string(schema(f"anyOf: {alternatives}").any_of, NEWEST) is expected
