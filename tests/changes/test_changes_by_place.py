"""The same kinds of change in items, maps, `allOf`, several versions, `.status`, and the whole object."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from changes_support import read, summary, with_parts
from crds import small
from tables import each


def with_object(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD whose objects have a schema."""
    return small({"type": "object", **schema})


def with_status(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD with the schema of `.status`, an object."""
    return with_object({"properties": {"status": {"type": "object", **schema}}})


def with_spec_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD with the schema of `.spec`, an object."""
    return with_object({"properties": {"spec": {"type": "object", **schema}}})


def with_field_of(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD with the schema of `.spec.a`."""
    return with_spec_of({"properties": {"a": schema}})


MAKERS = {
    "field": with_field_of,
    "object": with_spec_of,
    "status": with_status,
    "whole object": with_object,
}
TABLE: dict[str, Any] = read((Path(__file__).parent / "changes.yaml").read_text())
CASES = [
    (place, case["old"], case["new"], case["found"])
    for place, cases in TABLE.items()
    for case in cases
]


@each(("place", "old", "new", "expected"), CASES)
def test_a_change_of_a_schema(
    place: str, old: dict[str, Any], new: dict[str, Any], expected: list[str]
) -> None:
    assert summary(MAKERS[place](old), MAKERS[place](new)) == expected


A = "a: {type: string}"
A5 = "a: {type: string, maxLength: 5}"
AB = "a: {type: string}, b: {type: string}"


def version(
    name: str, *, served: bool = True, storage: bool = False, fields: str = A, more: str = ""
) -> str:
    """Return a version with the fields of `.spec`."""
    schema = f"{{type: object, properties: {{spec: {{type: object, properties: {{{fields}}}}}}}}}"
    flags = f"served: {str(served).lower()}, storage: {str(storage).lower()}"
    return f"{{name: {name}, {flags}, schema: {{openAPIV3Schema: {schema}}}{more}}}"


def versions(*each: str) -> dict[str, str]:
    """Return the versions of a CRD."""
    return {"versions": f"[{', '.join(each)}]"}


def webhook(host: str) -> str:
    """Return the conversion by a webhook."""
    config = f"{{conversionReviewVersions: [v1], clientConfig: {{url: 'https://{host}/c'}}}}"
    return f"{{strategy: Webhook, webhook: {config}}}"


def scale(more: str = "") -> str:
    """Return a scale subresource."""
    return f"{{scale: {{specReplicasPath: .spec.r, statusReplicasPath: .status.r{more}}}}}"


PARTS: list[tuple[dict[str, str], dict[str, str], str]] = [
    (
        versions(version("v1", storage=True), version("v2", fields=AB)),
        versions(version("v1", storage=True), version("v2", fields=A5 + ", b: {type: string}")),
        "error limit-tightened",
    ),
    (
        versions(version("v1", storage=True), version("v0", served=False)),
        versions(version("v1", storage=True), version("v0", served=False, fields=A5)),
        "",
    ),
    (
        versions(version("v1alpha1", storage=True, fields=AB)),
        versions(version("v1alpha1", storage=True, fields=A)),
        "warning field-removed",
    ),
    (
        versions(version("v1beta1", storage=True, fields=AB)),
        versions(version("v1beta1", storage=True, fields=A)),
        "error field-removed",
    ),
    (
        versions(version("v1", storage=True), version("v1alpha1", served=False)),
        versions(version("v1", storage=True)),
        "warning version-removed",
    ),
    (
        versions(version("v1", storage=True), version("v1beta1")),
        versions(version("v1beta1"), version("v1", storage=True)),
        "",
    ),
    (
        versions(version("v1", storage=True), version("v1beta1", more=", deprecated: true")),
        versions(version("v1", storage=True), version("v1beta1")),
        "",
    ),
    (
        versions(
            version("v1", storage=True),
            version("v1beta1", more=", deprecated: true, deprecationWarning: x"),
        ),
        versions(
            version("v1", storage=True),
            version("v1beta1", more=", deprecated: true, deprecationWarning: y"),
        ),
        "",
    ),
    (
        versions(version("v1", storage=True), version("v1beta1", served=False)),
        versions(version("v1", storage=True), version("v1beta1")),
        "",
    ),
    (
        versions(version("v1beta1", storage=True)),
        versions(version("v1beta2", storage=True)),
        "error version-renamed, warning storage-version",
    ),
    (
        versions(version("v1beta1", storage=True)),
        versions(version("v1beta2", storage=True, fields=AB)),
        "error version-removed, info version-added, warning storage-version",
    ),
    (
        versions(version("v1beta1", storage=True), version("v1")),
        versions(version("v1beta1"), version("v1", storage=True)),
        "warning storage-version",
    ),
    (
        versions(version("v1alpha1", storage=True), version("v1")),
        versions(version("v1alpha1", served=False), version("v1", storage=True)),
        "warning storage-version, warning version-unserved",
    ),
    (
        versions(version("v1", storage=True), version("v2")),
        {**versions(version("v1", storage=True), version("v2")), "conversion": "{strategy: None}"},
        "",
    ),
    (
        {**versions(version("v1", storage=True), version("v2")), "conversion": webhook("a")},
        {**versions(version("v1", storage=True), version("v2")), "conversion": webhook("b")},
        "warning conversion-webhook",
    ),
    (
        {
            **versions(version("v1", storage=True), version("v2", fields=AB)),
            "conversion": webhook("a"),
        },
        {
            **versions(version("v1", storage=True), version("v2", fields=AB)),
            "conversion": "{strategy: None}",
        },
        "warning conversion, warning served-pair",
    ),
    (
        {
            **versions(version("v1", storage=True), version("v2", fields=AB)),
            "conversion": webhook("a"),
        },
        {**versions(version("v1", storage=True)), "conversion": "{strategy: None}"},
        "error version-removed, info conversion",
    ),
    (
        {**versions(version("v1", storage=True)), "conversion": webhook("a")},
        versions(version("v1", storage=True)),
        "info conversion",
    ),
    (
        versions(version("v1", storage=True), version("v2")),
        versions(version("v1", storage=True, fields=A5), version("v2", fields=A5)),
        "error limit-tightened",
    ),
    (
        versions(
            version("v1", storage=True, more=", subresources: {status: {}}"),
            version("v2", more=", subresources: {status: {}}"),
        ),
        versions(version("v1", storage=True, more=", subresources: {status: {}}"), version("v2")),
        "error status-subresource-removed",
    ),
    ({"subresources": scale()}, {"subresources": scale(", labelSelectorPath: .status.s")}, ""),
    (
        {"subresources": scale(", labelSelectorPath: .status.s")},
        {"subresources": scale()},
        "warning scale-path",
    ),
    (
        {"subresources": scale(", labelSelectorPath: .status.s")},
        {"subresources": scale(", labelSelectorPath: .status.t")},
        "warning scale-path",
    ),
    (
        {
            "subresources": "{scale: {specReplicasPath: .spec.r, statusReplicasPath: .status.r}, status: {}}"
        },
        {"subresources": "{status: {}}"},
        "error scale-removed",
    ),
    (
        {
            "additionalPrinterColumns": "[{name: A, type: string, jsonPath: .spec.a}, {name: B, type: string, jsonPath: .spec.a}]"
        },
        {
            "additionalPrinterColumns": "[{name: B, type: string, jsonPath: .spec.a, priority: 1}, "
            "{name: A, type: string, jsonPath: .spec.a, description: x}]"
        },
        "",
    ),
    (
        {"additionalPrinterColumns": "[{name: A, type: string, jsonPath: .spec.a}]"},
        {"additionalPrinterColumns": "[{name: A, type: string, jsonPath: .spec.b}]"},
        "info printer-column",
    ),
    (
        {"additionalPrinterColumns": "[{name: A, type: string, jsonPath: .spec.a}]"},
        {"additionalPrinterColumns": "[{name: B, type: string, jsonPath: .spec.a}]"},
        "info printer-column-removed",
    ),
    (
        {"names": "{plural: foos, kind: Foo, shortNames: [fo, f]}"},
        {"names": "{plural: foos, kind: Foo, shortNames: [f, fo]}"},
        "",
    ),
    (
        {"names": "{plural: foos, kind: Foo, shortNames: [fo, f]}"},
        {"names": "{plural: foos, kind: Foo, shortNames: [f]}"},
        "warning short-name-removed",
    ),
    (
        {"names": "{plural: foos, kind: Foo}"},
        {"names": "{plural: foos, kind: Foo, categories: [all]}"},
        "info name-added",
    ),
    (
        {"names": "{plural: foos, kind: Foo, categories: [a, b]}"},
        {"names": "{plural: foos, kind: Foo, categories: [b]}"},
        "info category-removed",
    ),
    (
        {"names": "{plural: foos, kind: Foo, singular: foo, listKind: FooList}"},
        {"names": "{plural: foos, kind: Foo}"},
        "",
    ),
    (
        {"selectableFields": "[{jsonPath: .spec.a}, {jsonPath: .spec.b}]"},
        {"selectableFields": "[{jsonPath: .spec.b}, {jsonPath: .spec.a}]"},
        "",
    ),
    (
        {"selectableFields": "[{jsonPath: .spec.a}, {jsonPath: .spec.b}]"},
        {"selectableFields": "[{jsonPath: .spec.a}]"},
        "error selectable-field-removed",
    ),
    (
        versions(version("v1", storage=True, fields=AB), version("v2")),
        versions(version("v1", storage=True, fields=AB), version("v2", fields=AB)),
        "info field-added",
    ),
]


@each(("old", "new", "expected"), PARTS)
def test_a_change_beside_the_schema(
    old: dict[str, str], new: dict[str, str], expected: str
) -> None:
    assert ", ".join(summary(with_parts(**old), with_parts(**new))) == expected
