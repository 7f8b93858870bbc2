"""Rules run on objects: what values of a schema do where cel-go's own do otherwise, what errors say, what calls cost."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crds import crd_in_json, crd_with_spec, object_in_json, schema_with_spec
from tables import each

from crdlint import validate_resource
from crdlint.rules.engine.examples import small

if TYPE_CHECKING:
    from typing import Any

TEXT = {"type": "string"}
NUMBER = {"type": "integer"}
NULLABLE = {
    "type": "object",
    "nullable": True,
    "properties": {"a": NUMBER, "n": {**TEXT, "nullable": True}},
}
FIELDS = {
    "n": NUMBER,
    "d": {"type": "number"},
    "texts": {"type": "array", "items": TEXT},
    "lists": {"type": "array", "items": {"type": "array", "items": NUMBER}},
    "objects": {"type": "array", "items": NULLABLE},
    "set": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
    "bytes": {
        "type": "array",
        "items": {**TEXT, "format": "byte"},
        "x-kubernetes-list-type": "set",
    },
    "spans": {"type": "array", "items": {**TEXT, "format": "duration"}},
    "span": {**TEXT, "format": "duration"},
    "map": {
        "type": "array",
        "items": {"type": "object", "properties": {"k": TEXT, "v": NUMBER}, "required": ["k"]},
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
    },
    "embedded": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    },
    "any": {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"n": NUMBER},
    },
}
OVERLOAD = "'no such overload': call arguments did not match a supported operator, function or macro signature for rule: "
PANIC = "internal error: interface conversion: "
NO_LIST = f"{PANIC}*types.Err is not traits.Lister: missing method Add"


def judged(
    rules: list[str],
    spec: object,
    old: object = None,
    schema: dict[str, Any] | None = None,
    **of_rules: str,
) -> tuple[list[str], int | None]:
    """Return what is said of an object, and what its rules cost."""
    whole = schema or {"type": "object", "properties": FIELDS}
    root = {**whole, "x-kubernetes-validations": [{"rule": rule, **of_rules} for rule in rules]}
    told = validate_resource(
        crd_in_json(schema_with_spec(root)),
        object_in_json(spec),
        old_resource=None if old is None else object_in_json(old),
    )
    return [error.detail for error in told.errors], told.cel_cost


@each(
    ("rule", "spec"),
    [
        ("self.lists.flatten() == [1, 2, 3]", {"lists": [[1], [2, 3]]}),
        ("[self.lists, self.lists].flatten(2) == [1, 1]", {"lists": [[1]]}),
        ("[self.texts].flatten() == self.texts", {"texts": ["a"]}),
        ("(self.set + ['b']).size() == 2 && (self.set + ['b']).size() == 2", {"set": ["a"]}),
        ("(self.lists + [[1, 2]]).size() == 2", {"lists": [[1]]}),
        ("self.objects.indexOf(self.objects[0]) == 0", {"objects": [{"a": 1, "n": None}]}),
        ("[self.objects[0]] != [null]", {"objects": [{"a": 1}]}),
        ("self.set != ['a'] && self.set == ['b', 'a']", {"set": ["a", "b"]}),
        ("self.map == self.map.filter(x, true)", {"map": [{"k": "a", "v": 1}, {"k": "b"}]}),
        ("self.lists[0] == [0, 1, 2, 3, 4, 5, 6, 7, 8]", {"lists": [list(range(9))]}),
        (
            "self.embedded.apiVersion == 'v1' && self.embedded.kind == 'Pod'",
            {"embedded": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}},
        ),
        ("lists.range(self.n) == [0, 1] && [0, 1] == lists.range(2)", {"n": 2}),
        ("lists.range(1) + [1] == lists.range(2) && [0] + lists.range(1) == [0, 0]", {}),
        ("lists.range(3).map(i, i * 2)[2] == 4 && lists.range(9).isSorted()", {}),
        (
            "cidr('10.0.0.0/8').containsIP(dyn('10.1.2.3')) && !cidr('10.0.0.0/8').containsIP(dyn(ip('11.0.0.1')))",
            {},
        ),
        ("!has(dyn(self.any).z) && dyn(self.any).n == 1", {"any": {"n": 1, "z": 1}}),
        ("quantity('1').add(1) == quantity('2') && quantity('2') != quantity('1').add(1)", {}),
    ],
)
def test_what_holds(rule: str, spec: dict[str, Any]) -> None:
    assert judged([rule], spec)[0] == []


LONGEST = "a" * 5120


@each(
    ("expression", "said"),
    [
        ("' b' + self.texts[0] + ' '", "ba"),
        ("'b\\n'", "b"),
        ("'b\\nc'", None),
        ("'\\t '", None),
        ("self.texts[1]", None),
        (f"'{LONGEST}'", LONGEST),
        (f"'{LONGEST}b'", None),
    ],
    ids=range(7),
)
def test_messages_of_expressions(expression: str, said: str | None) -> None:
    details, _ = judged(["1 > 2"], {"texts": ["a"]}, messageExpression=expression)
    assert details == [said or "failed rule: 1 > 2"]


@each(
    ("rule", "spec", "problem"),
    [
        ("self.texts.distinct().size() > 0", {}, NO_LIST),
        ("self.texts.sort().size() > 0", {}, NO_LIST),
        ("self.texts.sortBy(x, x).size() > 0", {}, NO_LIST),
        (
            "self.lists.flatten(self.n).size() > 0",
            {"lists": []},
            f"{PANIC}ref.Val is *types.Err, not types.Int",
        ),
        ("self.texts[dyn(1.0)] == ''", {"texts": ["a", "b"]}, "unsupported index: 1"),
        ("self.texts[dyn(1u)] == ''", {"texts": ["a", "b"]}, "unsupported index: 1"),
        (
            "[1][dyn(self.texts)] == 1",
            {"texts": []},
            "invalid qualifier type: *common.unstructuredList",
        ),
        (
            "dyn(self.objects[0]).exists(k, v, v == 2)",
            {"objects": [{"a": 1, "n": None}]},
            "no such key: n",
        ),
        ("dyn(quantity('1')).all(x, true)", {}, "got 'cel.Quantity', expected iterable type"),
        (
            "(self.spans + self.spans).all(d, d > duration('1s'))",
            {"spans": ["1h"]},
            "invalid data, expected string, got time.Duration",
        ),
        (
            "(self.lists + [[1, 2]])[0][0] == 1",
            {"lists": []},
            "invalid data, expected an array for the provided schema with type=array",
        ),
        (
            "self.bytes == self.bytes",
            {"bytes": ["YQ=="]},
            "internal error: runtime error: hash of unhashable type []uint8",
        ),
        (
            "'%s'.format([self.objects]) == ''",
            {"objects": [{"a": 1, "n": None}]},
            'error during formatting: could not find key: "n"',
        ),
        (
            "timestamp('2020-01-01T00:00:00Z').getHours('a\\\\b') == 1",
            {},
            "unknown time zone a\\b",
        ),
    ],
)
def test_what_goes_wrong(rule: str, spec: dict[str, Any], problem: str) -> None:
    assert judged([rule], spec)[0] == [f"{problem} evaluating rule: {rule}"]


LIST_TYPES: dict[str, dict[str, Any]] = {
    "atomic": {},
    "set": {"x-kubernetes-list-type": "set"},
    "map": {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
}
UNHASHABLE = "internal error: runtime error: hash of unhashable type"
UNREAD = "invalid data, expected string, got *errors.errorString"


@each(
    ("list_type", "rule", "problem"),
    [
        ("atomic", "(self.a + self.b)[1] == 'x'", UNREAD),
        ("set", "(self.a + self.b)[1] == 'x'", UNREAD),
        ("map", "(self.a + self.b)[1] == 'x'", UNREAD),
        ("atomic", "(self.a + self.b).all(x, x == 'x')", UNREAD),
        ("set", "(dyn(self.a) + dyn([[dyn(1u)]])) == dyn(self.b)", f"{UNHASHABLE} []ref.Val"),
        ("set", "(dyn(self.a) + dyn([dyn(semver('1.0.0'))])) == dyn(self.b)", f"{UNHASHABLE} semver.Version"),
        ("set", "(dyn(self.a) + dyn([dyn(quantity('1'))]))[1] == 'x'", "invalid data, expected string, got *resource.Quantity"),
        ("atomic", "(dyn(self.a) + dyn([dyn(1u)]))[1] == 'x'", "invalid data, expected string, got uint64"),
    ],
)  # fmt: skip
def test_lists_of_mistyped_items_are_added(list_type: str, rule: str, problem: str) -> None:
    """Nothing is validated before the rules where `kind` is missing, so that items of any type reach them."""
    list_ = {"type": "array", "items": TEXT, **LIST_TYPES[list_type]}
    whole = {
        "type": "object",
        "properties": {"a": list_, "b": list_},
        "x-kubernetes-validations": [{"rule": rule}],
    }
    resource = {"apiVersion": "example.com/v1", "metadata": {"name": "x"}, "a": ["x"], "b": [1]}
    (*_, found) = validate_resource(json.dumps(small(whole)), json.dumps(resource)).errors
    assert found.detail == f"{problem} evaluating rule: {rule}"


def test_the_nulls_of_two_sets_are_one_item() -> None:
    list_ = {"type": "array", "items": {**TEXT, "nullable": True}, **LIST_TYPES["set"]}
    rule = "(dyn(self.a) + dyn([null, null])).size() == 2"
    whole = {
        "type": "object",
        "properties": {"a": list_},
        "x-kubernetes-validations": [{"rule": rule}],
    }
    resource = {
        "apiVersion": "example.com/v1",
        "kind": "Foo",
        "metadata": {"name": "x", "namespace": "y"},
        "a": ["x"],
    }
    assert validate_resource(json.dumps(small(whole)), json.dumps(resource)).errors == []


@each(
    ("rule", "spec", "old"),
    [
        ("null in self.objects", {"objects": [{"a": 1}]}, None),
        ("self.objects == oldSelf.objects", {"objects": [{"a": 1}]}, {"objects": [None]}),
        ("quantity('2') == quantity('1').add(1)", {}, None),
    ],
)
def test_what_cannot_be_compared(
    rule: str, spec: dict[str, list[dict[str, int]]], old: dict[str, list[None]] | None
) -> None:
    assert judged([rule], spec, old)[0] == [f"{OVERLOAD}{rule}"]


@each(
    ("rule", "spec", "problem"),
    [
        ("self == oldSelf", {"span": "x"}, "Invalid duration x: unable to parse x as duration"),
        (
            "self.spans == oldSelf.spans",
            {"spans": ["x"]},
            "Invalid duration x: unable to parse x as duration",
        ),
        (
            "self.spans.sum() > duration('1h')",
            {"spans": ["1h", "x"]},
            "Invalid duration x: unable to parse x as duration",
        ),
        (
            "self.spans.isSorted()",
            {"spans": ["1h", "x"]},
            "Invalid duration x: unable to parse x as duration",
        ),
        (
            "sets.contains(self.spans, self.spans)",
            {"spans": ["1h", "x"]},
            "Invalid duration x: unable to parse x as duration",
        ),
        (
            "self.span > duration('1h')",
            {"span": "9999999999999999999 s"},
            'Invalid duration 9999999999999999999 s: strconv.Atoi: parsing "9999999999999999999": value out of range',
        ),
    ],
)
def test_unchanged_values_that_do_not_fit_their_format(
    rule: str, spec: dict[str, Any], problem: str
) -> None:
    assert judged([rule], spec, spec)[0] == [f"{problem} evaluating rule: {rule}"]


def test_unknown_fields_are_compared_as_what_go_holds() -> None:
    rule = "self.any == oldSelf.any"
    assert judged([rule], {"any": {"x": 1}}, {"any": {"x": 1}})[0] == []
    assert judged([rule], {"any": {"x": 1}}, {"any": {"x": 1.5}})[0] == [f"failed rule: {rule}"]


def test_a_set_takes_what_is_added_for_its_own() -> None:
    schema = {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"}
    rule = "(self + ['b']).size() == 2"
    assert judged([rule, rule], ["a"], schema=schema)[0] == [f"failed rule: {rule}"]


@each(
    ("rule", "cost"),
    [
        ("cidr('2001:db8::/128').containsIP('2001:db8::1')", 8),
        ("cidr('0.0.0.0/0').containsIP(ip('1.1.1.1'))", 2),
        ("ip('::1') != ip('::2')", 4),
        ("ip('1.1.1.1') != ip('::2')", 3),
    ],
)
def test_addresses_cost_by_their_bytes(rule: str, cost: int) -> None:
    assert judged([rule], {})[1] == cost


LIMIT = "'operation cancelled: actual cost limit exceeded': no further validation rules will be run"


@each(
    ("rule", "spec", "problem"),
    [
        ("self.objects.distinct().size() > 0", {"objects": [{"a": i} for i in range(1000)]}, LIMIT),
        (
            "sets.contains(self.objects, self.objects)",
            {"objects": [{"a": i} for i in range(2000)]},
            LIMIT,
        ),
        (
            "lists.range(self.n).size() > 0",
            {"n": 2**63 - 1},
            "lists.range: size 9223372036854775807 exceeds maximum",
        ),
        ("lists.range(self.n).all(x, lists.range(self.n).all(y, x + y >= 0))", {"n": 1000}, LIMIT),
        ("[self.texts].flatten(-1).size() > 0", {"texts": []}, "level must be non-negative"),
        ("self.lists.flatten(-1).size() > 0", {"lists": [[]] * 20}, "level must be non-negative"),
    ],
)
def test_what_costs_too_much_is_not_done(rule: str, spec: dict[str, Any], problem: str) -> None:
    (said,) = judged([rule], spec)[0]
    assert said.startswith(problem)


def test_a_value_is_shown_unless_it_has_parts() -> None:
    rule = "x-kubernetes-validations: [{rule: self.size() > 5}]"
    crd = crd_with_spec(
        f"{{type: object, properties: {{l: {{type: array, items: {{type: integer}}, {rule}}}, s: {{type: string, {rule}}}}}}}"
    )
    assert [
        error.message
        for error in validate_resource(crd, object_in_json({"l": [1], "s": "x"})).errors
    ] == [
        "spec.l: Invalid value: failed rule: self.size() > 5",
        'spec.s: Invalid value: "x": failed rule: self.size() > 5',
    ]
