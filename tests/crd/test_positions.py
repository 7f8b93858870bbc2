"""Internal paths lead to the user's own characters."""

from __future__ import annotations

import pytest
from present import mapping_of, present, root_of
from tables import each

from crdlint.crd.convert import read_crd
from crdlint.crd.paths import Path
from crdlint.crd.positions import Locator, Span, node_span
from crdlint.linting.pipeline import lint_file
from crdlint.rules.engine.examples import HEAD

TEXT = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: foos.example.com
spec:
  group: &group "example.com"
  names:
  conversion:
    webhook: {conversionReviewVersions: [v1], clientConfig: {url: "http://x"}}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties: &props
          foo:
            description: |
              two
              lines
          a.b: {<<: {maxLength: 5}, pattern: *group}
    additionalPrinterColumns:
    - jsonPath: .a
    - {name: x}
    subresources:
      scale:
        specReplicasPath: .spec.replicas
  -
    name: v2
"""

SPEC = Path("spec")
SCHEMA = SPEC.child("validation", "openAPIV3Schema")


@pytest.fixture
def locator() -> Locator:
    return Locator(root_of(TEXT))


def shown(span: Span) -> tuple[int, str]:
    assert span.line == span.end_line
    return span.line, TEXT.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


@each(
    ("path", "where"),
    [
        (Path("metadata").child("name"), (4, "foos.example.com")),
        (Path("metadata").child("generateName"), (3, "metadata")),
        (Path("status").child("storedVersions"), (1, "apiVersion")),
        (SPEC.child("names"), (7, "names")),
        (SPEC.child("names", "plural"), (7, "names")),
        (SPEC.child("version"), (11, "v1")),
        (SPEC.child("versions").index(0), (11, "name")),
        (SPEC.child("versions").index(0).child("served"), (11, "name")),
        (SPEC.child("versions").index(1), (28, "name")),
        (SPEC.child("versions").index(7).child("name"), (10, "versions")),
        (SPEC.child("conversion", "webhookClientConfig", "url"), (9, '"http://x"')),
        (SPEC.child("conversion", "webhookClientConfig", "service"), (9, "clientConfig")),
        (SPEC.child("conversion", "conversionReviewVersions").index(0), (9, "v1")),
        (SCHEMA, (13, "openAPIV3Schema")),
        (SPEC.child("validation", "openAPIV3Schema.type"), (14, "object")),
        (SCHEMA.child("properties").key("foo").child("type"), (16, "foo")),
        (SCHEMA.child("properties").key("foo").child("description"), (17, "|")),
        (SCHEMA.child("properties").key("a.b"), (20, "a.b")),
        (SCHEMA.child("properties").key("a.b").child("maxLength"), (20, "5")),
        (SCHEMA.child("properties").key("a.b").child("pattern"), (6, '&group "example.com"')),
        (SCHEMA.child("properties").key("missing"), (15, "properties")),
        (SPEC.child("additionalPrinterColumns").index(0).child("JSONPath"), (22, ".a")),
        (SPEC.child("additionalPrinterColumns").index(1).child("JSONPath"), (23, "{name: x}")),
        (SPEC.child("subresources", "scale.specReplicasPath"), (26, ".spec.replicas")),
        (SPEC.child("subresources", "scale", "labelSelectorPath"), (25, "scale")),
    ],
    ids=str,
)
def test_span(locator: Locator, path: Path, where: tuple[int, str]) -> None:
    assert shown(locator.span(path)) == where


def test_span_of_a_key(locator: Locator) -> None:
    assert shown(locator.span(Path("metadata").child("name"), key=True)) == (4, "name")


def test_line_offset() -> None:
    locator = Locator(root_of(TEXT), 10)
    assert locator.span(Path("kind")).line == 12


def test_scalar_over_lines() -> None:
    root = mapping_of("a: 'x\n  y'\nb: {\n}\n")
    span = node_span(root.items[1])
    assert (span.line, span.column, span.end_line, span.end_column) == (1, 4, 2, 5)
    span = node_span(root.items[3])
    assert (span.line, span.column, span.end_line, span.end_column) == (3, 4, 3, 5)


def test_versions_that_differ_keep_their_places() -> None:
    text = TEXT.replace(
        "    name: v2", "    name: v2\n    schema: {openAPIV3Schema: {type: string}}"
    )
    root = root_of(text)
    crd = read_crd(root).crd
    path = present(present(crd.spec.versions[1].schema).open_api_v3_schema).path.child("type")
    span = Locator(root).span(path)
    assert (span.line, span.column) == (29, 38)


def reported(schema: str, rule: str, rest: str = "") -> str:
    """Return the text that the only finding of a rule points at."""
    text = f"{HEAD}        type: object\n        properties:\n          a: {schema}\n{rest}"
    (found,) = {
        (one.line, one.column, one.end_column)
        for one in lint_file(text, filename="x").diagnostics
        if one.rule == rule
    }
    return text.split("\n")[found[0] - 1][found[1] - 1 : found[2] - 1]


def test_a_list_in_one_line_is_reported_itself() -> None:
    assert reported('{type: [string, "null"]}', "decode-type") == '[string, "null"]'


def test_a_list_of_several_lines_is_reported_at_its_first_line() -> None:
    assert (
        reported('\n            type:\n            - string\n            - "null"', "decode-type")
        == "- string"
    )


def test_a_field_that_structural_schemas_lack_is_reported_itself() -> None:
    assert reported("{type: string, $schema: http://x}", "schema-not-convertible") == "$schema"
    of_fields = "    selectableFields: [{jsonPath: .a}]\n"
    assert (
        reported("{type: string, $schema: http://x}", "schema-not-convertible", of_fields)
        == "$schema"
    )
    assert reported("{not: {$ref: x}, id: x}", "schema-not-convertible", of_fields) == "id"
    lax = "x-kubernetes-preserve-unknown-fields"
    assert (
        reported(f"{{{lax}: false, not: {{$ref: x}}}}", "schema-not-convertible", of_fields)
        == "$ref"
    )
    assert (
        reported(f"{{{lax}: false, items: {{$ref: x}}}}", "schema-not-convertible", of_fields)
        == lax
    )
