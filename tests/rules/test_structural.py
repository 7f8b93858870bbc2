"""What is empty and what is absent, where upstream compares a schema in structural form with one that holds nothing."""

from __future__ import annotations

from crds import HEAD
from tables import each

import crdlint

METADATA = (
    "spec.validation.openAPIV3Schema.properties[metadata]: Forbidden: "
    "must not specify anything other than name and generateName, but metadata is implicitly specified"
)
ALTERNATIVES = [
    f"spec.validation.openAPIV3Schema.properties[port].anyOf[{i}].type: Forbidden: must be empty to be structural"
    for i in range(2)
]
STATUS = "fields are allowed at the root of the schema if the status subresource is enabled"
INT_OR_STRING = "properties: {port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer, %s}, {type: string}]}}"
ALL_OF = (
    "properties: {port: {x-kubernetes-int-or-string: true, "
    "allOf: [{anyOf: [{type: integer}, {type: string, %s}]}, {pattern: a}]}}"
)

# A field, whether metadata at the root still holds nothing with it, and whether an alternative is still a bare type.
FIELDS = [
    ("$schema: ''", True, True),
    ("id: ''", True, True),
    ("$ref: ''", True, True),
    ("definitions: {}", True, True),
    ("patternProperties: {}", True, True),
    ("dependencies: {}", True, True),
    ("items: []", True, True),
    ("items: ''", True, True),
    ("items: null", True, True),
    ("enum: []", True, True),
    ("allOf: []", True, True),
    ("anyOf: []", True, True),
    ("oneOf: []", True, True),
    ("description: ''", True, True),
    ("format: ''", True, True),
    ("pattern: ''", True, True),
    ("nullable: false", True, True),
    ("uniqueItems: false", True, True),
    ("exclusiveMaximum: false", True, True),
    ("x-kubernetes-embedded-resource: false", True, True),
    ("default: null", True, True),
    ("example: null", True, True),
    ("properties: {}", True, False),
    ("properties: {name: {type: string}, generateName: {type: string}}", True, False),
    ("default: {}", True, False),
    ("additionalProperties: false", False, True),
    ("additionalProperties: true", False, False),
    ("properties: {name: {type: string}, labels: {type: object}}", False, False),
    ("items: {type: string}", False, False),
    ("required: []", False, False),
    ("x-kubernetes-list-map-keys: []", False, False),
    ("x-kubernetes-validations: []", False, False),
    ("x-kubernetes-list-type: ''", False, False),
    ("x-kubernetes-map-type: ''", False, False),
    ("not: {}", False, False),
    ("allOf: [{}]", False, False),
    ("externalDocs: {}", False, False),
    ("example: {}", False, False),
    ("maximum: 0", False, False),
    ("maxLength: 0", False, False),
    ("x-kubernetes-preserve-unknown-fields: true", False, False),
]


def messages(schema: str, version: str = "") -> list[str]:
    """Return what is said of a root's fields, those the server does not get to included."""
    of_version = HEAD.replace("    schema:\n", f"    {version}\n    schema:\n")
    manifest = f"{of_version.rstrip()} {{type: object, {schema}}}\n"
    return [diagnostic.message for diagnostic in crdlint.lint_text(manifest)]


@each(("field", "taken", "_bare"), FIELDS)
def test_metadata_at_the_root_may_hold_what_is_zero_in_structural_form(
    field: str, taken: bool, _bare: bool
) -> None:
    said = messages(f"properties: {{metadata: {{type: object, {field}}}}}")
    assert (METADATA in said) is not taken


@each(("field", "_taken", "bare"), FIELDS)
def test_an_int_or_string_may_hold_what_is_zero_in_structural_form(
    field: str, _taken: bool, bare: bool
) -> None:
    said = messages(INT_OR_STRING % field)
    assert [message for message in said if message in ALTERNATIVES] == (
        [] if bare else ALTERNATIVES
    )


@each(("field", "_taken", "bare"), FIELDS)
def test_so_may_the_first_of_all_of(field: str, _taken: bool, bare: bool) -> None:
    said = messages(ALL_OF % field)
    assert any(".anyOf[0].type: Forbidden" in message for message in said) is not bare


@each(
    ("field", "taken"),
    [
        ("id: ''", True),
        ("$schema: ''", True),
        ("description: ''", True),
        ("items: []", True),
        ("required: []", True),
        ("properties: {}", True),
        ("$ref: ''", False),
        ("definitions: {}", False),
        ("patternProperties: {}", False),
        ("dependencies: {}", False),
        ("enum: []", False),
        ("allOf: []", False),
        ("additionalProperties: false", False),
    ],
)
def test_the_root_beside_a_status_is_not_compared_in_structural_form(
    field: str, taken: bool
) -> None:
    said = messages(field, "subresources: {status: {}}")
    assert any(STATUS in message for message in said) is not taken


@each(
    "field",
    [
        "definitions: {a: {}}",
        "patternProperties: {a: {}}",
        "items: [{}]",
        "$ref: a",
        "id: a",
        "$schema: a",
    ],
)
def test_what_cannot_be_converted_is_told_of_alone(field: str) -> None:
    said = messages(f"properties: {{metadata: {{type: object, {field}}}}}")
    assert said
    assert METADATA not in said
