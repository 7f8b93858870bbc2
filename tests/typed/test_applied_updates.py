"""What server-side apply makes of a stored object: the answers are those of kube-apiserver 1.37.2 (see tests/upstream/claims)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crds import crd_in_json
from tables import each

import crdlint
from crdlint.typed.fields import in_order, of_json, root
from crdlint.typed.types import ANY

_TEXT = {"type": "string"}
_NAMED = {"type": "object", "required": ["name"], "properties": {"name": _TEXT, "v": _TEXT}}
_FIELDS = {
    "a": _TEXT,
    "d": {"type": "integer", "default": 3},
    "m": {"type": "object", "properties": {"x": _TEXT, "y": _TEXT}},
    "atomic": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {"x": _TEXT, "y": _TEXT}},
    "labels": {"type": "object", "additionalProperties": _TEXT},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": _TEXT},
    "list": {"type": "array", "items": _TEXT},
    "named": {
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"], "items": _NAMED,
    },
}  # fmt: skip
_CRD = crd_in_json(
    {"type": "object", "properties": {"spec": {"type": "object", "properties": _FIELDS}}}
)
_NULL = 'spec.m: Invalid value: "null": spec.m in body must be of type object: "null"'
_OTHER = {"manager": "c", "operation": "Update", "apiVersion": "example.com/v1"}


def _object(spec: object, owned: dict[str, Any] | None = None) -> str:
    metadata: dict[str, Any] = {"name": "x"}
    if owned is not None:
        entry = _OTHER | {"fieldsType": "FieldsV1", "fieldsV1": {"f:spec": owned}}
        metadata["managedFields"] = [entry]
    kind = {"apiVersion": "example.com/v1", "kind": "Foo"}
    return json.dumps(kind | {"metadata": metadata, "spec": spec})


def _applied(
    old: str, new: str, sender: str = "server-side-apply", version: str = "1.37"
) -> crdlint.ResourceReport:
    return crdlint.validate_resource(
        _CRD, new, old_resource=old, as_request=True, sender=sender, kube_version=version
    )


MERGED: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any]]] = {
    "a field that is left out": ({"a": "1", "list": ["x"]}, {"list": ["x"]}, {"d": 3, "list": ["x"]}),
    "a default that was stored": ({"d": 7, "a": "1"}, {"a": "1"}, {"d": 3, "a": "1"}),
    "a part of an object": ({"m": {"x": "1", "y": "2"}}, {"m": {"x": "3"}}, {"d": 3, "m": {"x": "3"}}),
    "a part of an atomic one": (
        {"atomic": {"x": "1", "y": "2"}}, {"atomic": {"x": "3"}}, {"d": 3, "atomic": {"x": "3"}},
    ),
    "an item of a set": ({"set": ["b", "a"]}, {"set": ["a", "c"]}, {"d": 3, "set": ["a", "c"]}),
    "an item of a map list": (
        {"named": [{"name": "p", "v": "1"}, {"name": "q", "v": "2"}]},
        {"named": [{"name": "q"}]},
        {"d": 3, "named": [{"name": "q"}]},
    ),
}  # fmt: skip


@each(("old", "new", "wanted"), MERGED.values(), ids=MERGED)
def test_what_one_manager_applies(
    old: dict[str, Any], new: dict[str, Any], wanted: dict[str, Any]
) -> None:
    report = _applied(_object(old), _object(new))
    assert report.errors == []
    assert report.resource["spec"] == wanted


OF_OTHERS: dict[str, tuple[dict[str, Any], dict[str, Any], dict[str, Any], object]] = {
    "a field of another manager stays": (
        {"a": "1", "d": 7}, {"f:a": {}, "f:d": {}}, {"list": []}, {"a": "1", "d": 7, "list": []},
    ),
    "an equal value is no conflict": ({"a": "1"}, {"f:a": {}}, {"a": "1"}, {"a": "1", "d": 3}),
    "another value is one": (
        {"a": "1"}, {"f:a": {}}, {"a": "2"},
        'Apply failed with 1 conflict: conflict with "c" using example.com/v1: .spec.a',
    ),
    "two fields, those of an object before its items": (
        {"a": "1", "named": [{"name": "x", "v": "1"}]},
        {"f:a": {}, "f:named": {'k:{"name":"x"}': {".": {}, "f:v": {}}}},
        {"a": "2", "named": [{"name": "x", "v": "2"}]},
        'Apply failed with 2 conflicts: conflicts with "c" using example.com/v1:\n'
        '- .spec.a\n- .spec.named[name="x"].v',
    ),
    "items of a set are of nobody's order": (
        {"set": ["b", "a"]}, {"f:set": {'v:"a"': {}, 'v:"b"': {}}}, {"set": ["a", "c"]},
        {"d": 3, "set": ["b", "a", "c"]},
    ),
    "an atomic list": (
        {"list": ["x"]}, {"f:list": {}}, {"list": ["y"]},
        'Apply failed with 1 conflict: conflict with "c" using example.com/v1: .spec.list',
    ),
    "a null over an object": ({"m": {"x": "1"}}, {"f:m": {"f:x": {}}}, {"m": None}, {"d": 3, "m": {"x": "1"}}),
}  # fmt: skip


@each(("old", "owned", "new", "wanted"), OF_OTHERS.values(), ids=OF_OTHERS)
def test_what_others_own(
    old: dict[str, Any], owned: dict[str, Any], new: dict[str, Any], wanted: object
) -> None:
    report = _applied(_object(old, owned), _object(new))
    messages = [error.message for error in report.errors]
    if isinstance(wanted, str):
        assert messages == [wanted]
    else:
        assert messages == []
        assert report.resource["spec"] == wanted


def test_an_object_that_loses_its_last_field_is_null() -> None:
    (error,) = _applied(_object({"m": {"x": "1"}}), _object({"m": {}})).errors
    assert error.message == _NULL
    assert error.headline == "`m` becomes null, because what it had before is removed"
    replaced = _applied(_object({"m": {"x": "1"}}), _object({"m": {}}), sender="create")
    assert replaced.errors == []


@pytest.mark.parametrize(
    ("version", "is_accepted"), [("1.28", False), ("1.29", True), ("1.37", True)]
)
def test_stored_duplicates(version: str, is_accepted: bool) -> None:
    report = _applied(_object({"set": ["x", "y", "x"]}), _object({"set": ["x"]}), version=version)
    assert (report.errors == []) is is_accepted
    if is_accepted:
        assert report.resource["spec"]["set"] == ["x"]
    else:
        assert report.errors[0].message.startswith(
            "failed to create typed live object (default/x; "
        )


def test_a_stored_object_of_another_type() -> None:
    (error,) = _applied(_object({"a": 1}), _object({"list": []})).errors
    start = "failed to create typed live object (default/x; example.com/v1, Kind=Foo): "
    assert error.message.startswith(f"{start}.spec.a: expected string")
    assert error.headline == "the stored object does not fit the CRD: `spec.a`"


def test_objects_deeper_than_the_stack() -> None:
    deep = '{"k":' * 3000 + "1" + "}" * 3000
    crd = crd_in_json({"type": "object", "x-kubernetes-preserve-unknown-fields": True})
    text = f'{{"apiVersion":"example.com/v1","kind":"Foo","metadata":{{"name":"x"}},"spec":{deep}}}'
    report = crdlint.validate_resource(
        crd,
        text.replace("1}", "2}"),
        old_resource=text,
        as_request=True,
        sender="server-side-apply",
    )
    assert report.errors == []


def test_the_order_of_fields() -> None:
    names: dict[str, Any] = {
        "f:b": {},
        "f:a": {".": {}, "f:c": {}},
        "v:2": {},
        'v:"x"': {},
        'k:{"n":1}': {},
        "i:0": {},
    }
    fields = of_json(names, root(ANY))
    wanted = [".a", ".b", "[n=1]", "[=2]", '[="x"]', "[0]", ".a.c"]
    assert [str(field) for field in in_order(fields)] == wanted


OF_DEPLOYERS = {"flux": "kustomize-controller", "argo-cd-server-side": "argocd-controller"}


@each(("sender", "manager"), OF_DEPLOYERS.items(), ids=OF_DEPLOYERS)
def test_deployers_take_fields_over(sender: str, manager: str) -> None:
    old = _object({"a": "1", "list": ["x"]}, {"f:a": {}, "f:list": {}})
    report = _applied(old, _object({"a": "2"}), sender=sender)
    assert report.errors == []
    assert report.resource["spec"] == {"a": "2", "d": 3, "list": ["x"]}
    wrong = _applied(old, _object({"a": "2", "list": [1]}), sender=sender)
    assert [error.rule for error in wrong.errors] == ["resource-apply-rejected"]
    own = json.loads(old)
    own["metadata"]["managedFields"][0] |= {"manager": manager, "operation": "Apply"}
    own_text = json.dumps(own)
    assert _applied(own_text, _object({"a": "2"}), sender=sender).resource["spec"] == {
        "a": "2",
        "d": 3,
    }
    (conflict,) = _applied(own_text, _object({"a": "2"})).errors
    assert conflict.message == f'Apply failed with 1 conflict: conflict with "{manager}": .spec.a'
