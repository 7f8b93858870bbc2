"""Names, versions and selectable fields: what upstream asks of versions of one name, and of no schema to look in."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crds import small
from tables import each

import crdlint

_SPEC = {
    "type": "object",
    "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"}}}},
}


def said(*versions: dict[str, Any], **spec: object) -> list[str]:
    """Return what the server says of versions, each given as what it has besides the usual."""
    usual = {"name": "v1", "served": True, "schema": {"openAPIV3Schema": _SPEC}}
    manifest = small(_SPEC)
    manifest["spec"] |= {
        "versions": [{**usual, "storage": i == 0, **one} for i, one in enumerate(versions)],
        **spec,
    }
    return [d.message for d in crdlint.lint_text(json.dumps(manifest)) if d.origin == "apiserver"]


def _schema(**fields: object) -> dict[str, Any]:
    return {"openAPIV3Schema": {**_SPEC, **fields}}


@pytest.mark.parametrize(
    ("first", "second", "refused"),
    [
        ({}, {"status": {}}, []),
        (
            {"status": {}},
            {},
            ["spec.versions[0].schema.openAPIV3Schema", "spec.versions[1].schema.openAPIV3Schema"],
        ),
    ],
)
def test_of_versions_with_one_name_the_first_tells_of_the_status(
    first: dict[str, Any], second: dict[str, Any], refused: list[str]
) -> None:
    messages = said(
        {"subresources": first, "schema": _schema(minProperties=1)},
        {"subresources": second, "schema": _schema(minProperties=2)},
    )
    assert [
        m.partition(":")[0] for m in messages if "status subresource is enabled" in m
    ] == refused


@each(("kind", "taken"), [("Foo", True), ("F\u0130", True), ("F\u212a", True), ("F\u00e9", False)])
def test_kinds_are_lowered_as_go_does(kind: str, taken: bool) -> None:
    messages = said(
        {}, names={"plural": "foos", "singular": "foo", "kind": kind, "listKind": "FooList"}
    )
    assert any("spec.names.kind" in message for message in messages) is not taken


REQUIRED = "spec.selectableFields[%d].jsonPath: Required value"
INVALID = 'spec.selectableFields[%d].jsonPath: Invalid value: "%s": is an invalid path: %s'
REFUSED = "spec.schema.openAPIV3Schema: Invalid value: \"\": OpenAPIV3Schema '%s' is not supported"
MISSING = [
    REQUIRED % 1,
    INVALID % (2, "spec.a", "expected [ or . but got: spec"),
    INVALID % (3, ".", "unexpected end of JSON path"),
    INVALID % (4, "[a", "array notation is not allowed"),
]


@each(
    ("version", "messages"),
    [
        ({"schema": {}}, ["spec.versions[0].schema.openAPIV3Schema: Required value", *MISSING]),
        (
            {"schema": None},
            [
                "spec.versions[0].schema.openAPIV3Schema: Required value",
                'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included',
            ],
        ),
        (
            {"schema": _schema(id="x")},
            [
                "spec.validation.openAPIV3Schema.id: Forbidden: id is not supported",
                REFUSED % "id",
                *MISSING,
            ],
        ),
        (
            {
                "schema": _schema(
                    items=[], oneOf=[{"items": {"id": "x"}}], properties={"a": {"$ref": "y"}}
                )
            },
            [
                "spec.validation.openAPIV3Schema.properties[a].$ref: Forbidden: $ref is not supported",
                "spec.validation.openAPIV3Schema.oneOf[0].items.id: Forbidden: id is not supported",
                REFUSED % "id",
                *MISSING,
            ],
        ),
        (
            {"schema": _schema(properties={"a": {"properties": {"b": {"id": "x"}}}})},
            [
                "spec.validation.openAPIV3Schema.properties[a].properties[b].id: Forbidden: id is not supported",
                REFUSED % "id",
                *MISSING,
            ],
        ),
    ],
)
def test_selectable_fields_without_a_schema(version: dict[str, Any], messages: list[str]) -> None:
    fields = [{"jsonPath": path} for path in (".spec.a", "", "spec.a", ".", "[a")]
    assert said({"selectableFields": fields, **version}) == messages


@each(
    ("warning", "detail"),
    [
        ("x" * 256, None),
        ("x" * 257, "must be <= 256 characters long"),
        ("\u00e9" * 128, None),
        ("\u00e9" * 128 + "x", "must be <= 256 characters long"),
        ("\ud800" * 85 + "x", None),  # JSON decoding writes U+FFFD, of three bytes
        ("\ud800" * 85 + "xy", "must be <= 256 characters long"),
        ("", "must not be an empty string"),
    ],
)
def test_bytes_of_deprecation_warnings(warning: str, detail: str | None) -> None:
    found = said({"deprecated": True, "deprecationWarning": warning})
    assert [one.rpartition(": ")[2] for one in found] == ([] if detail is None else [detail])
