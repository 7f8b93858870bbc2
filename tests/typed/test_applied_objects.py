"""What server-side apply rejects in custom resources: the answers are those of kube-apiserver 1.37.2."""

from __future__ import annotations

import json
from typing import Any

from crds import crd_in_json
from tables import each

import crdlint

_PATCH = "failed to create typed patch object (default/x; example.com/v1, Kind=Foo): "
_NAMED = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "port": {"type": "integer", "default": 80}},
}
_OF = {
    "text": {"type": "string"},
    "nullable": {"type": "string", "nullable": True},
    "defaulted": {"type": "string", "default": "d"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "time": {"type": "string", "format": "date-time"},
    "bytes": {"type": "string", "format": "byte"},
    "port": {"x-kubernetes-int-or-string": True},
    "list": {"type": "array", "items": {"type": "string"}},
    "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "integer"}},
    "objects": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}},
    "map": {
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"],
        "items": _NAMED | {"required": ["name"]},
    },
    "keyless": {
        "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"],
        "items": _NAMED | {"required": ["name"]},
    },
    "object": {"type": "object", "properties": {"a": {"type": "string"}}},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "free": {"type": "object"},
    "kept": {
        "type": "object", "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"below": {"type": "object", "properties": {"a": {"type": "string"}}}},
    },
    "embedded": {"type": "object", "x-kubernetes-embedded-resource": True, "properties": {"a": {"type": "string"}}},
}  # fmt: skip
_CRD = crd_in_json(
    {"type": "object", "properties": {"spec": {"type": "object", "properties": _OF}}}
)
_MAP = ".spec.map"
_WITHOUT_MAP = "associative list with keys may not have non-map elements"
_OMITS = 'an element that omits all key fields ["name"] (and doesn\'t have default values for any key fields)'

ERRORS: dict[str, tuple[dict[str, Any], str | None]] = {
    "a valid object": ({"text": "a", "port": 1, "set": [1, 2]}, None),
    "an unknown field": ({"u": 1}, ".spec.u: field not declared in schema"),
    "an unknown field below": (
        {"object": {"u": 1}},
        ".spec.object.u: field not declared in schema",
    ),
    "an unknown field of a free object": ({"free": {"u": {"v": [1]}}}, None),
    "an unknown field below a kept one": ({"kept": {"below": {"u": 1}}}, None),
    "a wrong type below a kept one": (
        {"kept": {"below": {"a": 1}}},
        ".spec.kept.below.a: expected string, got &value.valueUnstructured{Value:1}",
    ),
    "a number for a text": (
        {"text": 1.5},
        ".spec.text: expected string, got &value.valueUnstructured{Value:1.5}",
    ),
    "a list for a text": (
        {"text": ["a"]},
        '.spec.text: expected string, got &value.valueUnstructured{Value:[]interface {}{"a"}}',
    ),
    "an object for a text": (
        {"text": {"b": None, "a": 1}},
        '.spec.text: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"a":1, '
        '"b":interface {}(nil)}}',
    ),
    "a text for a number": (
        {"number": "1"},
        ".spec.number: expected numeric (int or float), got string",
    ),
    "a list for a number": (
        {"number": [1]},
        ".spec.number: expected numeric (int or float), got []interface {}",
    ),
    "a text for a boolean": ({"flag": "yes"}, ".spec.flag: expected boolean, got &{yes}"),
    "a number for a time": ({"time": {"a": 1}}, ".spec.time: expected any scalar, got &{map[a:1]}"),
    "a number for bytes": (
        {"bytes": 1},
        ".spec.bytes: expected string, got &value.valueUnstructured{Value:1}",
    ),
    "a text for a list": ({"list": "a"}, ".spec.list: expected list, got &{a}"),
    "a list for an object": ({"object": ["a"]}, ".spec.object: expected map, got &{[a]}"),
    "an item of a wrong type": (
        {"list": ["a", 1]},
        ".spec.list[1]: expected string, got &value.valueUnstructured{Value:1}",
    ),
    "a value of a map": (
        {"labels": {"a/b": 1}},
        ".spec.labels.a/b: expected string, got &value.valueUnstructured{Value:1}",
    ),
    "a set with equal items": ({"set": [1, 2, 1.0]}, ".spec.set: duplicate entries for key [=1]"),
    "a set with a null": (
        {"set": [1, None]},
        ".spec.set: element 1: associative list without keys has an element that's an explicit null",
    ),
    "a set of objects": (
        {"objects": [{"a": 1}]},
        ".spec.objects: element 0: associative list without keys has an element that's a map type",
    ),
    "a set with a list": (
        {"set": [[1]]},
        ".spec.set: element 0: not supported: associative list with lists as elements",
    ),
    "equal keys": (
        {"map": [{"name": "a"}, {"name": "a", "port": 80}]},
        f'{_MAP}: duplicate entries for key [name="a",port=80]',
    ),
    "keys that differ": ({"map": [{"name": "a"}, {"name": "a", "port": 81}]}, None),
    "some keys missing": ({"map": [{"port": 1}]}, None),
    "all keys missing": (
        {"keyless": [{}]},
        f".spec.keyless: element 0: associative list with keys has {_OMITS}",
    ),
    "a null in a map list": (
        {"map": [None]},
        f"{_MAP}: element 0: associative list with keys may not have a null element",
    ),
    "a text in a map list": ({"map": ["a"]}, f"{_MAP}: element 0: {_WITHOUT_MAP}"),
    "a field of an item": (
        {"map": [{"name": "a", "u": 1}]},
        f'{_MAP}[name="a",port=80].u: field not declared in schema',
    ),
    "an embedded resource": (
        {"embedded": {"apiVersion": 1, "kind": "A"}},
        ".spec.embedded.apiVersion: expected string, got &value.valueUnstructured{Value:1}",
    ),
    "an unknown field of an embedded resource": (
        {"embedded": {"apiVersion": "v1", "kind": "A", "u": 1}},
        ".spec.embedded.u: field not declared in schema",
    ),
}


def _applied(spec: object, crd: str = _CRD, **fields: object) -> list[str]:
    resource = {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "x"},
        "spec": spec,
    } | fields
    report = crdlint.validate_resource(
        crd, json.dumps(resource), as_request=True, sender="server-side-apply"
    )
    return [error.message for error in report.errors]


@each(("spec", "wanted"), ERRORS.values(), ids=ERRORS)
def test_typed_errors(spec: dict[str, Any], wanted: str | None) -> None:
    got = [message for message in _applied(spec) if message.startswith("failed to create")]
    assert got == ([] if wanted is None else [_PATCH + wanted])


def test_several_errors_are_one_message() -> None:
    (message,) = _applied({"u": 1, "text": 1, "flag": 0})
    assert message.splitlines() == [
        f"{_PATCH}errors:",
        "  .spec.text: expected string, got &value.valueUnstructured{Value:1}",
        "  .spec.flag: expected boolean, got &{0}",
        "  .spec.u: field not declared in schema",
    ]


NULLS = {
    "a null that create drops": (
        {"text": None},
        ['spec.text: Invalid value: "null": spec.text in body must be of type string: "null"'],
    ),
    "a nullable field": ({"nullable": None}, []),
    "a field with a default": ({"defaulted": None}, []),
    "an item": ({"list": [None]}, ['spec.list[0]: Invalid value: "null": spec.list[0] in body must be of type string: "null"']),
}  # fmt: skip


@each(("spec", "wanted"), NULLS.values(), ids=NULLS)
def test_nulls_are_kept(spec: dict[str, Any], wanted: list[str]) -> None:
    assert _applied(spec) == wanted


METADATA = {
    "managed fields": ({"managedFields": []}, "metadata.managedFields must be nil"),
    "a uid": (
        {"uid": "u-1"},
        'Operation cannot be fulfilled on foos.example.com "x": uid mismatch: the provided object specified uid u-1, '
        "and no existing object was found",
    ),
    "a label": (
        {"labels": {"a": 1}},
        f"{_PATCH}.metadata.labels.a: expected string, got &value.valueUnstructured{{Value:1}}",
    ),
    "equal owners": (
        {"ownerReferences": [{"kind": "A"}, {"kind": "B"}]},
        f'{_PATCH}.metadata.ownerReferences: duplicate entries for key [uid=""]',
    ),
    "equal finalizers": ({"finalizers": ["a/b", "a/b"]}, f'{_PATCH}.metadata.finalizers: duplicate entries for key [="a/b"]'),
    "a resource version": ({"resourceVersion": "a"}, 'strconv.ParseUint: parsing "a": invalid syntax'),
    "a name": ({"name": "a%b"}, "Name parameter invalid: \"a%b\": may not contain '%'"),
}  # fmt: skip


@each(("metadata", "wanted"), METADATA.values(), ids=METADATA)
def test_metadata(metadata: dict[str, Any], wanted: str) -> None:
    assert _applied({}, metadata={"name": "x"} | metadata) == [wanted]


@each(
    ("sender", "namespace", "printed"),
    [
        ("server-side-apply", None, "/"),
        ("server-side-apply", "", "/"),
        ("server-side-apply", "other", "other/"),
        ("kubectl-server-side", None, "default/"),
        ("kubectl-server-side", "", "default/"),
    ],
)
def test_only_kubectl_replaces_an_empty_namespace(
    sender: str, namespace: str | None, printed: str
) -> None:
    foo = {"apiVersion": "example.com/v1", "kind": "Foo", "spec": {"text": 1}}
    foo["metadata"] = {"name": "x", "namespace": namespace}
    report = crdlint.validate_resource(_CRD, json.dumps(foo), as_request=True, sender=sender)
    (error,) = report.errors
    assert error.message.startswith(f"failed to create typed patch object ({printed}x; ")


def test_create_is_not_changed() -> None:
    resource = {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "x"},
        "spec": {"text": None},
    }
    assert crdlint.validate_resource(_CRD, json.dumps(resource), as_request=True).errors == []


OLDER = {
    "1.28 accepts any value for any scalar": ("1.28", {"time": [1]}, None),
    "1.29 does not": (
        "1.29",
        {"time": [1]},
        f"{_PATCH}.spec.time: expected any scalar, got &{{[1]}}",
    ),
    "1.33 requires each key": (
        "1.33",
        {"map": [{"port": 1}]},
        f'{_PATCH}{_MAP}: element 0: associative list with keys has an element that omits key field "name" (and doesn\'t '
        "have default value)",
    ),
}


@each(("version", "spec", "wanted"), OLDER.values(), ids=OLDER)
def test_older_servers(version: str, spec: dict[str, Any], wanted: str | None) -> None:
    resource = {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "x"},
        "spec": spec,
    }
    report = crdlint.validate_resource(
        _CRD,
        json.dumps(resource),
        as_request=True,
        sender="server-side-apply",
        kube_version=version,
    )
    typed = [error.message for error in report.errors if error.message.startswith(_PATCH)]
    assert typed == ([] if wanted is None else [wanted])
