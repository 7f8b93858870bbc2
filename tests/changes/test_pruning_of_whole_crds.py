"""`preserveUnknownFields`, and old CRDs of v1beta1, which are compared as those of v1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tables import each

from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic

HEAD = """\
apiVersion: apiextensions.k8s.io/{version}
kind: CustomResourceDefinition
metadata: {{name: foos.example.com}}
spec:
  group: example.com
  scope: Namespaced
  names: {{kind: Foo, plural: foos}}
"""
OBJECT = "{type: object, properties: {spec: {type: object, properties: {%s}}}}"


def in_v1(fields: str, more: str = "") -> str:
    """Return a CRD of v1 with the fields of `.spec`."""
    schema = f"schema: {{openAPIV3Schema: {OBJECT % fields}}}"
    return f"{HEAD.format(version='v1')}  versions: [{{name: v1, served: true, storage: true, {schema}}}]\n{more}"


def in_v1beta1(more: str) -> str:
    """Return a CRD of v1beta1 with more lines of its spec."""
    return HEAD.format(version="v1beta1") + more


def changes(old: str, new: str) -> list[Diagnostic]:
    collected = collect_crds(old, "old.yaml").by_name
    result = lint_file(new, "new.yaml", CheckRequest(previous=collected.get))
    return [finding for finding in result.diagnostics if finding.rule.startswith("change-")]


def kinds(old: str, new: str) -> list[str]:
    return sorted(
        f"{finding.severity} {finding.rule.removeprefix('change-')}"
        for finding in changes(old, new)
    )


A = "a: {type: string}"
AB = "a: {type: string}, b: {type: string}"
SCHEMA = f"  validation: {{openAPIV3Schema: {OBJECT % AB}}}\n"
OLD = f"  version: v1\n{SCHEMA}"
KEEPS = "  preserveUnknownFields: true\n"
PRUNES = "  preserveUnknownFields: false\n"


@each(
    ("old", "new", "expected"),
    [
        (in_v1(AB, KEEPS), in_v1(AB), ["error pruning"]),
        (in_v1(AB, KEEPS), in_v1(AB, PRUNES), ["error pruning"]),
        (in_v1(AB, KEEPS), in_v1(AB, KEEPS), []),
        (in_v1(AB, KEEPS), in_v1(A, KEEPS), ["info field-untyped"]),
        (in_v1(A, KEEPS), in_v1(AB, KEEPS), ["warning field-typed"]),
        (in_v1beta1(OLD), in_v1(AB), ["error pruning"]),
        (in_v1beta1(OLD + PRUNES), in_v1(AB), []),
        (in_v1beta1(OLD + PRUNES), in_v1(A), ["error field-removed"]),
        (
            in_v1beta1(
                f"  versions: [{{name: v1, served: true, storage: true}}]\n{SCHEMA}{PRUNES}"
            ),
            in_v1(AB),
            [],
        ),
        (in_v1beta1("  version: v1\n"), in_v1(A), ["error pruning", "warning field-typed"]),
    ],
)
def test_what_is_reported(old: str, new: str, expected: list[str]) -> None:
    assert kinds(old, new) == expected


@each(
    ("schema", "expected"),
    [
        ("{type: object, %s}", []),
        ("{type: object, %s, properties: {spec: {type: object, %s}}}", []),
        ("{type: object, %s, properties: {metadata: {type: object}, spec: {type: string}}}", []),
        ("{type: object, %s, properties: {spec: {type: object, additionalProperties: {type: string}}}}", []),
        ("{type: object, %s, properties: {spec: {type: object}}}", ["error pruning"]),
        ("{type: object, %s, properties: {spec: {type: array, items: {type: object}}}}", ["error pruning"]),
        ("{type: object, %s, properties: {spec: {type: object, %s, properties: {metadata: {type: object}}}}}",
         ["error pruning"]),
        ("{type: object, properties: {spec: {type: object, %s}}}", ["error pruning"]),
    ],
)  # fmt: skip
def test_pruning_begins_where_a_schema_does_not_keep_unknown_fields(
    schema: str, expected: list[str]
) -> None:
    text = schema.replace("%s", "x-kubernetes-preserve-unknown-fields: true")
    crd = in_v1(AB).replace(OBJECT % AB, text)
    assert kinds(crd + KEEPS, crd) == expected


@each(
    ("part", "expected"),
    [
        ("  subresources: {status: {}}\n", "error status-subresource-removed"),
        (
            "  additionalPrinterColumns: [{name: A, type: string, JSONPath: .spec.a}]\n",
            "info printer-column-removed",
        ),
        (
            "  conversion:\n    strategy: Webhook\n    conversionReviewVersions: [v1]\n"
            "    webhookClientConfig: {url: 'https://example.com/convert'}\n",
            "info conversion",
        ),
    ],
)
def test_the_fields_that_v1_has_in_another_place(part: str, expected: str) -> None:
    [found] = changes(in_v1beta1(f"{OLD}{PRUNES}{part}"), in_v1(AB))
    assert f"{found.severity} {found.rule.removeprefix('change-')}" == expected
    assert found.before is not None
    assert found.before.line > len(in_v1beta1(OLD).splitlines())


def test_kubectl_apply_keeps_what_no_file_has() -> None:
    [unwritten] = changes(in_v1beta1(OLD), in_v1(AB))
    assert unwritten.help == "Write `preserveUnknownFields: false` in this step"
    assert "`kubectl apply` keeps true" in unwritten.message
    [written] = changes(in_v1beta1(OLD), in_v1(AB, PRUNES))
    assert "kubectl" not in written.message
