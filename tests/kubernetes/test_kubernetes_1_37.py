"""What Kubernetes 1.37 changes, on cases that follow upstream's own tests."""

from __future__ import annotations

import json
from typing import Any

import pytest
from crds import crd_in_json, small
from tables import each

from crdlint import estimate_costs, lint_text, lint_update, validate_resource
from crdlint.kubernetes.servers import NEWEST


def crd(schema: dict[str, Any], **metadata: Any) -> str:
    crd = small(schema)
    crd["metadata"] |= metadata
    return json.dumps(crd)


def objects(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def list_of(type_: str, list_type: str = "set") -> dict[str, Any]:
    atomic = {
        "object": {"x-kubernetes-map-type": "atomic"},
        "array": {"x-kubernetes-list-type": "atomic"},
    }.get(type_, {})
    items: dict[str, Any] = {"type": type_, **atomic}
    if type_ == "array":
        items["items"] = {"type": "string"}
    return {"type": "array", "x-kubernetes-list-type": list_type, "items": items}


def ruled(rule: str, **schema: Any) -> dict[str, Any]:
    return {**schema, "x-kubernetes-validations": [{"rule": rule}]}


def set_warnings(*types: str) -> list[str]:
    what = "is not supported by server-side apply or CEL validation rules"
    return [f'x-kubernetes-list-type: set for items of type "{type_}" {what}' for type_ in types]


def warnings(text: str, version: str = "1.37", old: str | None = None) -> list[str]:
    found = (
        lint_text(text, kube_version=version)
        if old is None
        else lint_update(old, text, kube_version=version)
    )
    return [one.message for one in found if one.kind == "warning"]


def test_it_is_the_default() -> None:
    assert str(NEWEST) == "1.37"


@each(
    ("schema", "types"),
    [
        (objects(a=list_of("object")), ["object"]),
        (objects(a=list_of("array")), ["array"]),
        (
            objects(a=list_of("object"), b=list_of("array"), c=list_of("object")),
            ["array", "object"],
        ),
        (objects(a=list_of("string")), []),
        (objects(a=list_of("object", "atomic")), []),
        (objects(outer={"type": "array", "items": objects(inner=list_of("object"))}), ["object"]),
    ],
)
def test_sets_of_objects_are_warned_of(schema: dict[str, Any], types: list[str]) -> None:
    assert warnings(crd(schema)) == set_warnings(*types)
    assert warnings(crd(schema), "1.36") == []


def test_an_update_warns_of_new_sets_of_objects_only() -> None:
    old, new = (
        crd(objects(a=list_of("object"))),
        crd(objects(a=list_of("object"), b=list_of("array"))),
    )
    assert warnings(old, old=old) == []
    assert warnings(new, old=old) == set_warnings("array")


def test_a_range_names_the_version_that_warns() -> None:
    text = crd(objects(a=list_of("object")))
    (one,) = lint_text(text, kube_version="1.35..1.37")
    assert one.versions == ("1.37",)
    assert text[one.column - 1 :].startswith('"set"')


def costs(schema: dict[str, Any], version: str = "1.37") -> list[int]:
    return [one.max_cost for one in estimate_costs(crd(schema), kube_version=version)]


@each(
    ("metadata", "name", "length"),
    [
        ({}, "name", 253),
        ({}, "generateName", 252),
        ({"name": {"type": "string", "maxLength": 10}}, "name", 10),
        ({"name": {"type": "string", "maxLength": 10}}, "generateName", 252),
        ({"name": {"type": "string", "maxLength": 1000}}, "name", 253),
        ({"generateName": {"type": "string", "maxLength": 1000}}, "generateName", 252),
    ],
)
def test_names_are_as_long_as_names_can_be(
    metadata: dict[str, Any], name: str, length: int
) -> None:
    rule = f"self.metadata.{name}.contains('0123456789')"
    properties = {"metadata": objects(**metadata)} if metadata else {}
    schema = ruled(rule, **objects(**properties))
    # A character has up to four bytes; a unit is ten bytes read, for each unit of the argument.
    assert costs(schema) == [3 + -(-length * 4 // 10)]
    assert costs(schema, "1.36") == [3 + -(-(3 * 1024 * 1024 - 2) // 10)]


def errors(text: str, version: str = "1.37") -> list[str]:
    return [one.message for one in lint_text(text, kube_version=version) if one.kind == "field"]


def spent(rule: str, version: str = "1.37", **fields: Any) -> int | None:
    schema = objects(spec=ruled(rule, **objects(**{name: {"type": "string"} for name in fields})))
    foo = {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": fields,
    }
    return validate_resource(crd(schema), json.dumps(foo), kube_version=version).cel_cost


@each(
    ("rule", "before", "since"),
    [
        ("self.val1.startsWith('Rook')", 4, 3),
        ("!self.val1.startsWith('knight')", 5, 4),
        ("!self.val1.endsWith('knight')", 5, 4),
        ("self.val1.matches('^[^0-9]*$')", 8, 8),
        ("matches(self.val1, '^[^0-9]*$')", 3, 8),
    ],
)
def test_costs_at_run_time(rule: str, before: int, since: int) -> None:
    text = "Rook takes 👑"
    assert spent(rule, "1.36", val1=text) == before
    assert spent(rule, val1=text) == since


def test_matches_called_as_a_function_is_estimated_by_its_arguments() -> None:
    method = objects(a=ruled("self.matches('^[a-z]$')", type="string", maxLength=50))
    function = objects(a=ruled("matches(self, '^[a-z]$')", type="string", maxLength=50))
    assert costs(method) == costs(method, "1.36") == costs(function) == [43]
    assert costs(function, "1.36") == [2]


INCLUDES = "['a', 'b'].includes(self)"


@pytest.mark.parametrize(("version", "errors_"), [("1.36", 1), ("1.37", 1)])
def test_new_rules_may_not_use_includes_yet(version: str, errors_: int) -> None:
    found = errors(crd(objects(a=ruled(INCLUDES, type="string"))), version)
    assert len(found) == errors_
    assert "undeclared reference to 'includes'" in found[0]


@each(
    ("rule", "accepts"),
    [
        ("[1, 2, 3].includes(2)", True),
        ("[1, 2, 3].includes(4)", False),
        ("'model-a'.includes('model-a')", True),
        ("'model-a'.includes('model-b')", False),
    ],
)
def test_stored_rules_may_use_includes(rule: str, accepts: bool) -> None:
    foo = '{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}, "spec": {}}'
    report = validate_resource(
        crd(objects(spec=ruled(rule, type="object"))), foo, kube_version="1.37"
    )
    assert [one.error_type for one in report.errors] == ([] if accepts else ["FieldValueInvalid"])


@each(
    ("rule", "fields", "cost"),
    [
        (
            "!self.l.includes('x')",
            {"l": ["012345678901"] * 5},
            8,
        ),  # ten characters of an element are a unit
        ("!self.l.includes(1)", {"l": ["a"]}, 3),
        ("self.i.includes(3)", {"i": [1, 2, 3, 4, 5]}, 7),
        ("!self.s.includes('123')", {"s": "0123456789" * 3}, 6),
        ("[1, 2, 3, 4, 5].includes(3)", {}, 5),
        ("[[1, 2], [3]].includes([3])", {}, 3),
    ],
)
def test_the_cost_of_includes_at_run_time(rule: str, fields: dict[str, Any], cost: int) -> None:
    text, number = {"type": "string"}, {"type": "integer"}
    properties = {
        "s": text,
        "l": {"type": "array", "items": text},
        "i": {"type": "array", "items": number},
    }
    foo = {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "a", "namespace": "b"},
        "spec": fields,
    }
    report = validate_resource(
        crd(objects(spec=ruled(rule, **objects(**properties)))),
        json.dumps(foo),
        kube_version="1.37",
    )
    assert (report.errors, report.cel_cost) == ([], cost)


def test_fields_in_backticks() -> None:
    schema = objects(spec=ruled("self.`a` == 'x'", **objects(a={"type": "string", "maxLength": 5})))
    assert errors(crd(schema)) == []
    assert "unsupported syntax: '`'" in errors(crd(schema), "1.36")[0]
    (one,) = [
        one
        for one in lint_text(crd(schema), kube_version="1.36..1.37")
        if one.rule == "kube-version-too-old"
    ]
    assert one.message == "needs Kubernetes 1.37 or later"


def test_an_integer_is_no_duration() -> None:
    text = crd(
        objects(spec=ruled("duration(self.i) == duration('1s')", **objects(i={"type": "integer"})))
    )
    assert errors(text, "1.36") == []
    assert "found no matching overload for 'duration' applied to '(int)'" in errors(text)[0]


def test_missing_fields_of_owner_references() -> None:
    owner = {"apiVersion": "v1/", "kind": "", "name": "a", "uid": "u"}
    sound = {**owner, "apiVersion": "v1", "kind": "A"}
    assert errors(
        crd(objects(), ownerReferences=[sound, owner, {**sound, "apiVersion": "a/b/c"}])
    ) == [
        'metadata.ownerReferences[1].apiVersion: Invalid value: "v1/": must be <group>/<version> or <version>',
        "metadata.ownerReferences[1].kind: Required value: must not be empty",
        'metadata.ownerReferences[2].apiVersion: Invalid value: "a/b/c": must be <group>/<version> or <version>',
    ]
    assert errors(crd(objects(), ownerReferences=[owner]), "1.36") == [
        'metadata.ownerReferences.apiVersion: Invalid value: "v1/": version must not be empty',
        'metadata.ownerReferences.kind: Invalid value: "": must not be empty',
    ]
    assert errors(
        crd(objects(), ownerReferences=[{**sound, "kind": "", "name": "", "uid": ""}]), "1.33"
    ) == [
        f'metadata.ownerReferences.{name}: Invalid value: "": {name} must not be empty'
        for name in ("kind", "name", "uid")
    ]


def test_owner_references_without_any_field() -> None:
    fields = ("apiVersion", "kind", "name", "uid")
    assert errors(crd(objects(), ownerReferences=[dict.fromkeys(fields, "")])) == [
        f"metadata.ownerReferences[0].{name}: Required value: must not be empty" for name in fields
    ]


@pytest.mark.parametrize(
    ("operation", "detail"),
    [
        ("", "Required value: must not be empty"),
        ("Patch", 'Unsupported value: "Patch": supported values: "Apply", "Update"'),
    ],
)
def test_the_operation_of_managed_fields(operation: str, detail: str) -> None:
    entry = {
        "manager": "kubectl",
        "operation": operation,
        "apiVersion": "v1",
        "fieldsType": "FieldsV1",
    }
    meta = {"name": "x", "managedFields": [entry]}
    foo = json.dumps({"apiVersion": "example.com/v1", "kind": "Foo", "metadata": meta})
    definition = crd(objects()).replace("Namespaced", "Cluster")
    report = validate_resource(definition, foo)
    assert [error.message for error in report.errors] == [
        f"metadata.managedFields[0].operation: {detail}"
    ]
    # The server resets managed fields that it cannot decode, before it validates what a client sends.
    assert validate_resource(definition, foo, as_request=True).errors == []
    assert errors(crd(objects(), managedFields=[entry])) == []


@each(
    ("rule", "before", "since"),
    [
        # A selection from a variable that a macro hides costs nothing.
        ("['x'].exists(x, .self.val1 == 'a')", 8, 8),
        ("['x'].exists(self, .self.val1 == 'a')", None, 7),
        ("[self.val1].flatten(-1) == []", 22, 24),
        ("[[self.val1]].flatten(2) == [self.val1]", 48, 48),
    ],
)
def test_costs_since_cel_go_0_29(rule: str, before: int | None, since: int) -> None:
    if before is not None:
        assert spent(rule, "1.36", val1="a") == before
    assert spent(rule, val1="a") == since


@each(
    ("rule", "before", "since"),
    [
        ("self.s.indexOf('', 5) == 3", False, True),
        ("self.s.lastIndexOf('', 5) == 3", False, True),
        ("self.s.indexOf('', 2) == 2", True, True),
        ("self.s.indexOf('', -5) == -5", True, False),
        ("self.s.indexOf('c', 2) == 2", True, True),
        ("lists.range(-1).size() == 0", True, False),
        ("lists.range(3).size() == 3", True, True),
        ("dyn(self.s).orValue('x') == 'abc'", True, False),
        ("dyn(self.?s).orValue('x') == 'abc'", True, True),
        # A name with a dot before it is never a variable of a macro.
        ("['x'].exists(self, .self == 'x')", True, False),
        ("['x'].exists(self, .self.s == 'abc')", False, True),
        ("['x'].exists(self, self == 'x' && .self.s == 'abc')", False, True),
        ("['s'].exists(self, .self[self] == 'abc')", False, False),
        (".self.s == 'abc'", True, True),
    ],
)
def test_functions_that_change(rule: str, before: bool, since: bool) -> None:
    schema = objects(spec=ruled(rule, **objects(s={"type": "string"})))
    foo = '{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}, "spec": {"s": "abc"}}'
    for version, accepts in (("1.36", before), ("1.37", since)):
        assert (validate_resource(crd(schema), foo, kube_version=version).errors == []) is accepts


def test_a_range_has_a_million_numbers_at_most() -> None:
    schema = objects(spec=ruled("lists.range(2000000).size() > 1", type="object"))
    foo = '{"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "a", "namespace": "b"}, "spec": {}}'
    (one,) = validate_resource(crd(schema), foo, kube_version="1.37").errors
    assert (
        "lists.range: size 2000000 exceeds maximum allowed (1000000) evaluating rule" in one.message
    )


def test_selectable_fields_without_a_schema_make_the_server_panic() -> None:
    crd = json.loads(crd_in_json({"type": "object"}))
    [version] = crd["spec"]["versions"]
    version.update(schema={}, selectableFields=[{"jsonPath": ".spec.a"}])
    assert "api-server-panic" in {finding.rule for finding in lint_text(json.dumps(crd))}
