"""Helps for mistakes that are read in the author's way: what to write, with the names of the file."""

from __future__ import annotations

import pytest
from crds import SMALLEST, crd_with_spec

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest

LIST = "type: object\nproperties: {l: {type: array, x-kubernetes-list-type: map, items: {type: object, %s}}}"
# The rule, the help for its first finding, and the CRD.
CASES = {
    "a version beside the versions": (
        "unknown-field", "Remove `version`: the versions are in `spec.versions`",
        SMALLEST.replace("  scope", "  version: v1\n  scope"),
    ),
    "a version in the place of the versions": (
        "unknown-field", "Write `versions` instead, with an item that has `name: v1`, `served: true` and `storage: true`",
        SMALLEST.partition("  versions:")[0] + "  version: v1\n",
    ),
    "no kind": (
        "decode-type", "Add `kind: CustomResourceDefinition`",
        SMALLEST.replace("kind: CustomResourceDefinition\n", ""),
    ),
    "a name beside the names": (
        "unknown-field", "Move `singular` into `names`",
        SMALLEST.replace("  scope", "  singular: foo\n  scope"),
    ),
    "keys of conditions": (
        "list-map-keys-required", "Add `x-kubernetes-list-map-keys: [type]`",
        crd_with_spec(LIST % "required: [type, status], properties: {type: {type: string}, status: {type: string}}"),
    ),
    "keys of optional names": (
        "list-map-keys-required",
        "Add `x-kubernetes-list-map-keys: [name]`, and `name` to `required` of the items",
        crd_with_spec(LIST % "properties: {name: {type: string}, a: {type: string}}"),
    ),
    "a version twice": (
        "version-name-duplicate", "Rename this version, or remove it: `spec.versions[0]` is named `v1`, too",
        SMALLEST + "  - {name: v1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}\n",
    ),
    "the length of a list whose items have one": (
        "keyword-without-effect", "Write `minItems` to limit the list, or remove `minLength`, which `items` has, too",
        crd_with_spec("type: object\nproperties: {l: {type: array, minLength: 1, items: {type: string, minLength: 2}}}"),
    ),
    "a path in CEL's words": (
        "rule-field-path-invalid", "Write `fieldPath: .a`",
        crd_with_spec(
            "type: object\nproperties: {a: {type: string}}\nx-kubernetes-validations:\n- rule: has(self.a)\n  fieldPath: self.a"
        ),
    ),
    "a certificate": (
        "decode-type", "Encode the certificate by base64",
        SMALLEST.replace(
            "  scope",
            "  conversion:\n    strategy: Webhook\n    webhook:\n      conversionReviewVersions: [v1]\n      clientConfig:\n"
            "        url: https://a.b\n        caBundle: |\n          -----BEGIN CERTIFICATE-----\n          MIIB\n"
            "          -----END CERTIFICATE-----\n  scope",
        ),
    ),
    "a comment in JSON": (
        "yaml-syntax", "Remove the comment in line 2: JSON has none",
        '{"apiVersion": "apiextensions.k8s.io/v1",\n "kind": "CustomResourceDefinition" // the kind\n}',
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_help_says_what_to_write(name: str) -> None:
    rule, help_, text = CASES[name]
    findings = lint_file(text, "x.yaml", CheckRequest(fixes=True)).diagnostics
    assert next(finding.help for finding in findings if finding.rule == rule) == help_


def test_an_unknown_format_of_an_unknown_type_follows_from_the_type() -> None:
    from crdlint.rules.consequences import causes

    text = crd_with_spec("type: object\nproperties: {a: {type: int, format: int64}}")
    findings = lint_file(text, "x.yaml", CheckRequest()).diagnostics
    first = causes(findings)
    assert [finding.rule for finding in findings if id(finding) not in first] == [
        "type-unsupported"
    ]
