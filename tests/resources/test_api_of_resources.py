"""validate_resource: what it returns about the CRD itself."""

from __future__ import annotations

import json

import pytest
from crds import crd_in_json
from tables import each

from crdlint import validate_resource
from crdlint.rules.engine.examples import small

RESOURCE = json.dumps(
    {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x", "namespace": "y"}}
)
IP = {"type": "object", "x-kubernetes-validations": [{"rule": "isIP('1.2.3.4')"}]}


def test_an_accepted_crd_has_no_errors() -> None:
    assert validate_resource(crd_in_json({"type": "object"}), RESOURCE).crd_errors == []


def test_a_rejected_crd_is_reported_and_the_resource_validated() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integr"}}}
    report = validate_resource(crd_in_json(schema), json.dumps({**json.loads(RESOURCE), "a": "x"}))
    assert [error.rule for error in report.crd_errors] == ["type-unsupported"]
    assert [error.field for error in report.errors] == ["a"]


@each(
    ("version", "rules", "errors"),
    [
        ("1.36", [], []),
        ("1.31", [], []),
        ("1.30", ["cel-compilation"], []),  # stored rules may use what new ones may not
        ("1.29", ["cel-compilation"], ["resource-rule"]),  # which has no isIP() at all
    ],
)
def test_the_version_is_that_of_the_server_that_has_the_crd(
    version: str, rules: list[str], errors: list[str]
) -> None:
    report = validate_resource(crd_in_json(IP), RESOURCE, kube_version=version)
    assert [error.rule for error in report.crd_errors] == rules
    assert [error.rule for error in report.errors] == errors


def test_a_range_of_versions_and_an_unknown_version() -> None:
    report = validate_resource(crd_in_json(IP), RESOURCE, kube_version="1.29..1.36")
    assert [error.rule for error in report.crd_errors] == ["kube-version-too-old"]
    with pytest.raises(ValueError, match="nothing"):
        validate_resource(crd_in_json(IP), RESOURCE, kube_version="nothing")


def test_a_crd_without_versions_serves_no_kind() -> None:
    made = small({"type": "object"})
    made["spec"]["versions"] = []
    report = validate_resource(json.dumps(made), RESOURCE)
    assert [error.message for error in report.errors] == [
        'no matches for kind "Foo" in version "example.com/v1"'
    ]
    assert report.crd_errors != []


def test_an_object_is_validated_as_it_stands_or_as_a_request() -> None:
    schema = {"type": "object", "properties": {"status": {"type": "object"}}}
    made = small(schema)
    made["spec"]["versions"][0]["subresources"] = {"status": {}}
    metadata = {"name": "x", "generation": -1, "creationTimestamp": "2026-01-01T00:00:00Z"}
    resource = {**json.loads(RESOURCE), "metadata": metadata, "status": 1}
    texts = json.dumps(made), json.dumps(resource)
    old = json.dumps({**json.loads(RESOURCE), "metadata": {"name": "x"}})

    report = validate_resource(*texts)
    assert [error.field for error in report.errors] == [
        "metadata.namespace",
        "metadata.generation",
        "status",
    ]
    assert report.resource["status"] == 1
    updated = validate_resource(*texts, old_resource=old)
    assert [error.field for error in updated.errors] == [
        "metadata.namespace",
        "metadata.creationTimestamp",
        "status",
    ]

    report = validate_resource(*texts, as_request=True)
    assert (report.errors, report.resource.get("status")) == ([], None)
    assert report.resource["metadata"] == {
        "name": "x",
        "generation": 1,
        "namespace": "default",
    }, "the server sets the time itself"
    assert validate_resource(*texts, old_resource=old, as_request=True).errors == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("spec: {a: 1, a: 2, c: 3}\n", [5]),
        ("spec:\n  a: 1\n  b: {c: 1, c: 2}\n  a: 2\n", [7, 8]),
        ("spec: {a: 1}\n", []),
    ],
    ids=["flow", "block", "none"],
)
def test_keys_that_an_object_has_twice(text: str, lines: list[int]) -> None:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    head = "apiVersion: example.com/v1\nkind: Foo\nmetadata:\n  {name: x, namespace: team}\n"
    report = validate_resource(crd_in_json(schema), head + text)
    assert report.errors == report.warnings == []
    assert [(one.rule, one.line) for one in report.duplicate_keys] == [
        ("duplicate-key", line) for line in lines
    ]


def test_fields_that_an_object_in_json_has_twice() -> None:
    text = RESOURCE.removesuffix("}") + ', "spec": {"a": 1, "a": 2}}'
    report = validate_resource(crd_in_json({"type": "object"}), text)
    assert [one.rule for one in report.duplicate_keys] == ["duplicate-key"]
