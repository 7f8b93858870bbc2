"""What server-side apply, kubectl and Helm say of CRDs: the answers are those of kube-apiserver 1.37.2 and kubectl 1.36.3."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crds import SMALLEST, crd_in_json
from tables import each

import crdlint

_CRD = "(/foos.example.com; apiextensions.k8s.io/v1, Kind=CustomResourceDefinition)"
_PATCH = f"failed to create typed patch object {_CRD}: "
_CONVERT = (
    f"failed to convert new object {_CRD} to proper version: unable to convert unstructured object to "
    "apiextensions.k8s.io/v1, Kind=CustomResourceDefinition: "
)
_ROOT = ".spec.versions[0].schema.openAPIV3Schema"
_TEXT = {"type": "string"}


def _with(field: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": field}}


SCHEMAS = {
    "a valid one": (_with(_TEXT), None),
    "equal rules": (
        _with({"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}, {"rule": "self > 0", "message": "m"}]}),
        f'{_PATCH}{_ROOT}.properties.a.x-kubernetes-validations: duplicate entries for key [rule="self > 0"]',
    ),
    "an unknown field": (_with(_TEXT | {"u": 1}), f"{_PATCH}{_ROOT}.properties.a.u: field not declared in schema"),
    "an unknown field that is not declared below items": (
        _with({"type": "array", "items": _TEXT | {"u": 1}}),
        None,
    ),
    "a text for a number": (
        _with(_TEXT | {"maxLength": "1"}),
        f"{_PATCH}{_ROOT}.properties.a.maxLength: expected numeric (int or float), got string",
    ),
    "a text for a number below items": (
        _with({"type": "array", "items": _with(_TEXT | {"maxLength": "1"})}),
        f"{_CONVERT}json: cannot unmarshal string into Go struct field JSONSchemaProps.properties.maxLength of type int64",
    ),
    "a fraction": (_with(_TEXT | {"maxLength": 1.5}), f"{_CONVERT}cannot convert float64 to int64"),
    "no schema": (_with({"type": "array", "items": _TEXT, "additionalItems": 1}), f"{_CONVERT}boolean or JSON schema expected"),
    "a null": (_with(_TEXT | {"maxLength": None}), None),
}  # fmt: skip


@each(("schema", "wanted"), SCHEMAS.values(), ids=SCHEMAS)
def test_schemas(schema: dict[str, Any], wanted: str | None) -> None:
    findings = crdlint.lint_text(crd_in_json(schema), sender="kubectl-server-side")
    got = [finding.message for finding in findings if finding.kind in {"decode", "field", "strict"}]
    assert got == ([] if wanted is None else [wanted])


def test_numbers_out_of_range_wrap() -> None:
    crd = crd_in_json(_with(_TEXT | {"maxLength": 10000000000000000000}))
    assert [d for d in crdlint.lint_text(crd) if d.kind == "decode"]
    assert not [
        d
        for d in crdlint.lint_text(crd, sender="kubectl-server-side")
        if d.kind in {"decode", "field"}
    ]


def test_each_error_has_its_place_and_the_server_one_message() -> None:
    crd = SMALLEST.replace("{type: object}", "{type: object, u: 1, maxItems: a}")
    (finding,) = [
        d for d in crdlint.lint_text(crd, sender="kubectl-server-side") if d.kind == "decode"
    ]
    assert finding.message.splitlines()[0] == f"{_PATCH}errors:"
    assert len(finding.message.splitlines()) == 3


@each(
    ("metadata", "wanted"),
    [
        ({}, "resource name may not be empty"),
        ({"name": ""}, "resource name may not be empty"),
        (
            {"name": "50%/"},
            "invalid resource name \"50%/\": [may not contain '/' may not contain '%']",
        ),
        ({"generateName": "a-"}, "from a-: cannot use generate name with apply"),
        (
            {"name": "foos.example.com", "annotations": "a"},
            'unable to decode "STDIN": json: cannot unmarshal string into Go struct field '
            "ObjectMeta.metadata.annotations of type map[string]string",
        ),
    ],
)
def test_kubectl_does_not_send_it(metadata: dict[str, Any], wanted: str) -> None:
    crd = json.loads(crd_in_json(_with(_TEXT)))
    crd["metadata"] = metadata
    for sender in ("kubectl-server-side", "kubectl-apply"):
        findings = crdlint.lint_text(json.dumps(crd), sender=sender)
        assert [finding.message for finding in findings if finding.kind == "decode"] == [wanted]


_WITHOUT_SCHEMA = _with({"type": "object", "properties": {"a": None}})
_NULL_DEFAULT = _with(
    {
        "type": "object",
        "default": {"a": None},
        "required": ["a"],
        "properties": {"a": {"type": "string", "nullable": True}},
    }
)


@each(
    ("schema", "by_create", "by_apply"),
    [
        (_WITHOUT_SCHEMA, ["structural-type-required"], []),
        (_with(_TEXT | {"u": None}), ["unknown-field"], []),
        (_NULL_DEFAULT, [], ["default-invalid"]),
    ],
)
def test_client_side_apply_drops_nulls(
    schema: dict[str, Any], by_create: list[str], by_apply: list[str]
) -> None:
    for sender, wanted in (("kubectl", by_create), ("kubectl-apply", by_apply)):
        found = crdlint.lint_text(crd_in_json(schema), sender=sender)
        assert [one.rule for one in found if one.origin == "apiserver"] == wanted


def test_unknown_sender() -> None:
    with pytest.raises(
        ValueError,
        match="unknown sender 'fleet': use one of create, server-side-apply, kubectl, kubectl-apply, kubectl-server-side",
    ):
        crdlint.lint_text(SMALLEST, sender="fleet")


def _json(**fields: object) -> str:
    return json.dumps(json.loads(crd_in_json(_with(_TEXT))) | fields)


CLIENTS = {
    "a number that is an integer": (crd_in_json(_with(_TEXT | {"maxLength": 1.0})), None),
    "metadata that is a list": (
        _json(metadata=["a"]),
        'unable to decode "x.json": json: cannot unmarshal array into Go struct field metadataOnlyObject.metadata of type '
        "v1.ObjectMeta",
    ),
    "a label": (
        _json(metadata={"name": "foos.example.com", "labels": {"a": 1}}),
        'unable to decode "x.json": json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type '
        "string",
    ),
    "a syntax error": ('{"kind": "CustomResourceDefinition", "spec": [1,}', "error parsing x.json: json: offset 49: invalid "
    "character '}' looking for beginning of value"),
    "an end": ('{"kind": "CustomResourceDefinition", "spec": [1', "error parsing x.json: unexpected EOF"),
    "no number": (
        crd_in_json(_with(_TEXT | {"maximum": 7})).replace(": 7", ": 1e400"),
        'error validating "x.json": error validating data: json: cannot unmarshal number 1e400 into Go value of type '
        "float64; if you choose to ignore these errors, turn validation off with --validate=false",
    ),
    "the first error in sorted order": (
        _json(spec={"versions": 1, "group": 1}),
        "json: cannot unmarshal number into Go struct field CustomResourceDefinitionSpec.spec.group of type string",
    ),
    "a field twice": (_json().replace('"kind"', '"kind": "X", "kind"', 1), None),
}  # fmt: skip


@each(("text", "wanted"), CLIENTS.values(), ids=CLIENTS)
def test_kubectl(text: str, wanted: str | None) -> None:
    findings = crdlint.lint_text(text, filename="x.json", sender="kubectl")
    got = [
        d.message
        for d in findings
        if d.origin == "apiserver" and d.kind in {"decode", "field", "strict"}
    ]
    assert got == ([] if wanted is None else [wanted])


def test_create_reads_the_text_itself() -> None:
    text = crd_in_json(_with(_TEXT | {"maxLength": 1.0}))
    assert [d.kind for d in crdlint.lint_text(text) if d.origin == "apiserver"] == ["decode"]


def test_helm_3_drops_unknown_fields() -> None:
    text = crd_in_json(_with(_TEXT | {"u": 1}))
    by_sender = {
        sender: [
            (d.kind, d.severity)
            for d in crdlint.lint_text(text, sender=sender)
            if d.origin == "apiserver"
        ]
        for sender in ("kubectl", "helm-3", "helm-4")
    }
    assert by_sender == {
        "kubectl": [("strict", "error")],
        "helm-3": [("warning", "warning")],
        "helm-4": [("decode", "error")],
    }
