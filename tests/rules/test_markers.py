"""Markers of controller-gen in helps: only for CRDs that it generated, and those that its version knows."""

from __future__ import annotations

import json
import re
from typing import Any

from crds import small
from tables import each

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.catalog import all_rules
from crdlint.rules.engine.markers import VERSION_ANNOTATION, marker_help
from crdlint.yaml import decode_yaml

# All markers and options of controller-gen v0.21.0 that a help may name.
KNOWN = {
    "crd:generateEmbeddedObjectMeta", "crd:maxDescLen", "groupName", "versionName", "kubebuilder:default",
    "kubebuilder:deprecatedversion", "kubebuilder:deprecatedversion:warning", "kubebuilder:metadata:annotations",
    "kubebuilder:metadata:labels", "kubebuilder:printcolumn", "kubebuilder:pruning:PreserveUnknownFields",
    "kubebuilder:printcolumn:name", "kubebuilder:resource", "kubebuilder:resource:scope", "kubebuilder:selectablefield",
    "kubebuilder:storageversion",
    "kubebuilder:subresource:scale", "kubebuilder:subresource:status", "kubebuilder:unservedversion",
    "kubebuilder:validation:XValidation:rule", "listMapKey",
    "listType", "mapType", "nullable", "optional", "required", "structType",
}  # fmt: skip
VALIDATIONS = {
    "Enum", "ExclusiveMaximum", "ExclusiveMinimum", "Format", "MaxItems", "MaxLength", "MaxProperties", "Maximum", "MinItems",
    "MinLength", "MinProperties", "Minimum", "MultipleOf", "Pattern", "Required", "Type", "UniqueItems", "XValidation",
}  # fmt: skip


def helps(
    root: str, rule: str, version: str | None = "v0.21.0", more: str = ""
) -> list[str | None]:
    schema: Any = decode_yaml(f"{{type: object, {root}}}")
    found: Any = small(schema)
    if version is not None:
        found["metadata"]["annotations"] = {VERSION_ANNOTATION: version}
    found["spec"]["versions"][0].update(decode_yaml(f"{{{more}}}"))
    result = lint_file(json.dumps(found), "crd.json", CheckRequest(requested=frozenset({rule})))
    return [one.help for one in result.diagnostics if one.rule == rule]


@each("rule", [rule for rule in all_rules().values() if rule.marker], ids=lambda rule: rule.id)
def test_rules_name_markers_that_controller_gen_has(rule: Any) -> None:
    for text in re.findall(r"`(\+[^`]*|crd:[^`]*)`", rule.marker):
        name = text.removeprefix("+").partition("=")[0]
        prefix, _, keyword = name.rpartition(":")
        is_validation = (
            prefix in {"kubebuilder:validation", "kubebuilder:validation:items"}
            and keyword in VALIDATIONS
        )
        assert is_validation is (name not in KNOWN)


@each(
    ("version", "expected"),
    [
        ("v0.21.0", "With controller-gen v0.21.0: write `+required`"),
        ("v0.16.0", "With controller-gen v0.16.0: write `+required`"),
        ("v0.15.0", "With controller-gen v0.15.0: write `+kubebuilder:validation:Required`"),
        (
            "v0.9.2-0.20220622",
            "With controller-gen v0.9.2-0.20220622: write `+kubebuilder:validation:Required`",
        ),
        ("(devel)", "With controller-gen: write `+required`"),
        ("(unknown)", "With controller-gen: write `+required`"),
    ],
)
def test_markers_are_those_of_the_version(version: str, expected: str) -> None:
    assert marker_help("write `+required`", version) == expected


def test_a_marker_that_the_version_lacks_is_named_with_the_first_that_has_it() -> None:
    marker = "write `+kubebuilder:validation:items:MaxLength`"
    assert marker_help(marker, "v0.14.0") == f"With controller-gen v0.15.0 or later: {marker}"
    assert marker_help(marker, "v0.15.0") == f"With controller-gen v0.15.0: {marker}"


def test_only_crds_of_controller_gen_have_markers() -> None:
    [help_] = helps("", "root-prunes-everything", None)
    assert help_ is not None
    assert "controller-gen" not in help_


def field(text: str, name: str = "a") -> str:
    return f"properties: {{{name}: {{{text}}}}}"


@each(
    ("rule", "root", "expected"),
    [
        (
            "keyword-without-effect",
            field("type: array, maxLength: 63, items: {type: string}"),
            "write `+kubebuilder:validation:items:MaxLength` instead of `+kubebuilder:validation:MaxLength`",
        ),
        (
            "keyword-without-effect",
            field("type: boolean, maxLength: 63"),
            "remove `+kubebuilder:validation:MaxLength`",
        ),
        (
            "keyword-without-effect",
            field("type: boolean, x-kubernetes-preserve-unknown-fields: true"),
            "remove `+kubebuilder:pruning:PreserveUnknownFields`",
        ),
        (
            "never-valid",
            field("type: string, minLength: 3, maxLength: 2"),
            "correct `+kubebuilder:validation:MinLength` or `+kubebuilder:validation:MaxLength`",
        ),
        ("never-valid", field("type: string, enum: [1]"), "correct `+kubebuilder:validation:Enum`"),
        (
            "never-valid",
            field("type: array, items: {type: string, pattern: ^a, enum: [b]}"),
            "correct `+kubebuilder:validation:items:Pattern` or `+kubebuilder:validation:items:Enum`",
        ),
        (
            "immutable-bypass",
            field("type: string, x-kubernetes-validations: [{rule: self == oldSelf}]"),
            'write `+kubebuilder:validation:XValidation:rule="!has(oldSelf.a) || has(self.a)",message="a cannot be removed"` '
            "on the struct that has the field",
        ),
    ],
)
def test_markers_of_single_findings(rule: str, root: str, expected: str) -> None:
    [help_] = helps(root, rule)
    assert help_ is not None
    assert help_.partition("With controller-gen v0.21.0: ")[2] == expected


def test_a_keyword_without_a_marker_has_none() -> None:
    [help_] = helps(
        field("type: array, required: [a], items: {type: string}"), "keyword-without-effect"
    )
    assert help_ == "Remove `required`, or correct the type"


def test_a_finding_with_a_marker_keeps_rules_from_being_estimated() -> None:
    found: Any = small({"type": "object", "x-kubernetes-validations": [{"rule": "self.foo()"}]})
    found["metadata"]["annotations"] = {VERSION_ANNOTATION: "v0.21.0"}
    result = lint_file(json.dumps(found), "crd.json", CheckRequest(keep=True))
    assert [one.rule for one in result.unestimated] == ["cel-compilation"]


@each(
    ("rule", "part"),
    [
        ("{rule: self.phsae == 'a'}", "`rule`"),
        ("{rule: 'true', messageExpression: self.phsae}", "`messageExpression`"),
    ],
)
def test_what_to_write_stays_in_the_help(rule: str, part: str) -> None:
    [help_] = helps(
        f"properties: {{phase: {{type: string}}}}, x-kubernetes-validations: [{rule}]",
        "cel-compilation",
    )
    marker = f"correct the {part} of `+kubebuilder:validation:XValidation`"
    assert help_ == f"Write `phase` instead. With controller-gen v0.21.0: {marker}"
