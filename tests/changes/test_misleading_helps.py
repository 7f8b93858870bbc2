"""Two errors whose fix is not the one that their sentence suggests."""

from __future__ import annotations

import json

from changes_support import with_parts

import crdlint

VERSION = (
    "{{name: {}, served: true, storage: {}, selectableFields: [{{jsonPath: .spec.a}}], schema: {{openAPIV3Schema: "
    "{{type: object, description: {}, properties: {{spec: {{type: object, properties: {{a: {{type: string}}}}}}}}}}}}}}"
)


def test_equal_selectable_fields_beside_different_schemas() -> None:
    versions = f"[{VERSION.format('v1', 'true', 'one')}, {VERSION.format('v2', 'false', 'two')}]"
    [found] = crdlint.lint_text(json.dumps(with_parts(versions=versions)))
    assert found.message == (
        'spec.selectableFields: Invalid value: "": may only be set when validations.schema is included'
    )
    assert found.help is not None
    assert found.help.startswith(
        "Make the `selectableFields` of the versions differ, or their schemas equal"
    )
    equal = f"[{VERSION.format('v1', 'true', 'one')}, {VERSION.format('v2', 'false', 'one')}]"
    assert crdlint.lint_text(json.dumps(with_parts(versions=equal))) == []


def test_a_required_status_with_the_status_subresource() -> None:
    crd = with_parts(subresources="{status: {}}")
    root = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    root["required"] = ["status"]
    root["properties"]["status"] = {"type": "object"}
    resource = json.dumps(
        {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}}
    )
    [found] = crdlint.validate_resource(json.dumps(crd), resource).errors
    assert found.message == "status: Required value"
    assert (
        found.help
        == "Remove `status` from `required` in the CRD: the API server drops the status of new objects"
    )
    del crd["spec"]["versions"][0]["subresources"]
    [found] = crdlint.validate_resource(json.dumps(crd), resource).errors
    assert found.help is not None
    assert "`required`" not in found.help
