"""Rules and message expressions compiled, by Kubernetes version."""

from __future__ import annotations

import pytest
from kubecel_support import compile_all, compile_rule, node, schema
from present import present
from tables import each

from crdlint.kubecel.compilation import Environments, RuleCompiler
from crdlint.kubecel.declarations import DeclarationFailedError, SchemaContext
from crdlint.kubecel.environment import new_expressions, stored_expressions
from crdlint.kubernetes.servers import NEWEST, OLDEST

FIELDS = (
    "{a: {type: string}, num: {type: integer}, o: {type: object, properties: {x: {type: integer}}}}"
)


@each(
    "rule",
    [
        "self.num > 0 && self.a != ''",
        "self.o.x == oldSelf.o.x",
        "self.num > 1.5",
        "quantity(self.a).isGreaterThan(quantity('1Gi'))",
        "[1, 2].sortBy(x, -x) == [2, 1]",
        "self.?o.?x.orValue(1) == 1",
        "type(self.num) == int && duration('1h') < duration('2h')",
        "google.protobuf.Duration{seconds: 3} == duration('3s')",
        "format.dns1123Label().validate(self.a).hasValue()",
        "type(ip('::1')) == net.IP",
    ],
)
def test_well(rule: str) -> None:
    assert compile_rule(rule, FIELDS).rule.error is None


@each(
    ("rule", "error"),
    [
        ("self.num", "cel expression must evaluate to a bool"),
        ("dyn(true)", "cel expression must evaluate to a bool"),
        (
            "self.b == 1",
            "compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b == 1\n | ....^",
        ),
        (
            "[1, 'a'] == []",
            "compilation failed: ERROR: <input>:1:5: expected type 'int' but found 'string'\n | [1, 'a'] == []\n | ....^",
        ),
        (
            "'a'.sortBy(x, x) == []",
            "compilation failed: ERROR: <input>:1:1: sortBy can only be applied to a list, identifier, comprehension,"
            " call or select expression\n | 'a'.sortBy(x, x) == []\n | ^",
        ),
        (
            "duration(93) > duration('1h')",
            "compilation failed: ERROR: <input>:1:9: found no matching overload for 'duration' applied to '(int)'\n"
            " | duration(93) > duration('1h')\n | ........^",
        ),
        (
            "oldSelf.hasValue()",
            "compilation failed: ERROR: <input>:1:17: found no matching overload for 'hasValue' applied to"
            " 'selfType.()'\n | oldSelf.hasValue()\n | ................^",
        ),
    ],
)
def test_refused(rule: str, error: str) -> None:
    assert compile_rule(rule, FIELDS).rule.error == error


@each(
    ("rule", "first"),
    [
        ("self.num > 0", (1, 28)),
        ("self.?a.hasValue()", (1, 29)),
        ("sets.contains([1], [1])", (1, 30)),
        ("'%d'.format([1]) == '1'", (1, 30)),
        ("isIP(self.a)", (1, 31)),
        ("isCIDR(self.a)", (1, 31)),
        ("format.named('byte').hasValue()", (1, 32)),
        ("self.namespace == ''", (1, 32)),
        ("[1].all(i, v, v > 0)", (1, 33)),
        ("isSemver(self.a, true)", (1, 34)),
        ("[1].reverse() == [1]", (1, 35)),
    ],
)
def test_from_which_server_on(rule: str, first: tuple[int, int]) -> None:
    fields = "{a: {type: string}, num: {type: integer}, namespace: {type: string}}"
    well = [
        f"1.{minor}"
        for minor in range(28, 37)
        if compile_rule(rule, fields, f"1.{minor}").rule.error is None
    ]
    assert well == [f"1.{minor}" for minor in range(first[1], 37)]


def test_literals_are_looked_at_from_1_30_on() -> None:
    errors = {
        minor: compile_rule("duration('x') > duration('1h')", version=f"1.{minor}").rule.error
        for minor in (30, 36)
    }
    assert all(
        error is not None and "invalid duration argument" in error for error in errors.values()
    )


def test_a_stored_rule_may_use_everything() -> None:
    whole = schema("{type: object, x-kubernetes-validations: [{rule: 'isIP(self.kind)'}]}")
    environments = Environments(
        new_expressions(OLDEST), stored_expressions(NEWEST), frozenset({"isIP(self.kind)"})
    )
    compiler = RuleCompiler(SchemaContext(NEWEST.cel).declared(whole))
    assert compiler.rule(whole.x_validations[0], environments).rule.error is None


def test_old_self() -> None:
    assert compile_rule("self == oldSelf", FIELDS).uses_old_self
    assert not compile_rule("self == self", FIELDS).uses_old_self
    assert not compile_rule("oldSelf.nope == 1", FIELDS).uses_old_self
    optional = compile_rule(
        "!oldSelf.hasValue() || oldSelf.value() == self", FIELDS, optionalOldSelf=True
    )
    assert optional.uses_old_self
    assert optional.rule.error is None


@each(
    ("expression", "error"),
    [
        ("'is ' + self.a", None),
        ("self.num", "messageExpression must evaluate to a string"),
        (
            "self.b",
            "messageExpression compilation failed: ERROR: <input>:1:5: undefined field 'b'\n | self.b\n | ....^",
        ),
    ],
)
def test_message_expression(expression: str, error: str | None) -> None:
    message = compile_rule("true", FIELDS, messageExpression=expression).message
    assert message is not None
    assert message.error == error


def test_no_message_where_the_rule_is_refused() -> None:
    assert compile_rule("nope", FIELDS, messageExpression="nope").message is None


def test_cardinality() -> None:
    whole = schema("""
        type: object
        properties:
          list:
            type: array
            maxItems: 5
            items:
              type: object
              additionalProperties: {type: object, properties: {x: {type: integer}}}
              maxProperties: 3
          unbounded: {type: array, items: {type: string}}
          negative: {type: array, maxItems: -1, items: {type: string}}
    """)
    context = SchemaContext(NEWEST.cel)
    items = node(whole, "list", "items")
    assert context.cardinality(items) == 5
    values = present(present(items.additional_properties).schema)
    assert context.cardinality(values) == 15
    assert context.cardinality(values.properties["x"]) == 15
    assert context.cardinality(node(whole, "unbounded", "items")) is None
    assert context.cardinality(node(whole, "negative", "items")) == 0


def test_metadata_below_a_rule_is_what_the_server_declares() -> None:
    rules = compile_all("""
        type: object
        properties: {metadata: {type: object, x-kubernetes-validations: [{rule: "self.name != ''"}]}}
        x-kubernetes-validations: [{rule: "self.kind != ''"}]
    """)
    assert [one.rule.error for one in rules] == [None, None]


def test_what_cannot_be_declared() -> None:
    whole = schema("""
        type: object
        properties: {a: {x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}}
    """)
    with pytest.raises(
        DeclarationFailedError, match="unable to convert structural schema to CEL declarations"
    ):
        SchemaContext(NEWEST.cel).declared(node(whole, "a"))
