"""Expressions compiled once for several servers: those that use only what all of them have."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise, permutations

import pytest
from kubecel_support import node, schema
from tables import each

from crdlint.cel.checker import check
from crdlint.cel.dialect import CELDialect
from crdlint.cel.eval.values import NONE
from crdlint.cel.source_ranges import error_range
from crdlint.kubecel.compilation import ANY_VALUE, RULE, Expression, RuleCompiler
from crdlint.kubecel.declarations import SchemaContext
from crdlint.kubecel.environment import new_expressions, program_of, stored_expressions
from crdlint.kubecel.reuse import (
    REACH,
    Reach,
    compiles_alike,
    cost_key,
    evaluates_alike,
    fails_alike,
    overload_ids,
    reads_alike,
)
from crdlint.kubecel.sharing import Sharing
from crdlint.kubecel.values import to_value
from crdlint.kubernetes.servers import NEWEST, SERVERS, Server

SPEC = """
type: object
properties:
  spec:
    type: object
    properties:
      s: {type: string, maxLength: 10}
      l: {type: array, maxItems: 4, items: {type: integer}}
      namespace: {type: string, maxLength: 10}
    x-kubernetes-validations: [{rule: "true"}]
"""
RULES = (
    "self.s == 'a'",
    "self.l.all(x, x > 0)",
    "self.l.existsOne(x, x > 0)",
    "self.l.existsOne(i, x, x > i)",
    "self.l.all(i, x, x > i)",
    "self.l.sort() == self.l",
    "isIP(self.s)",
    "self.?s.orValue('a') == 'a'",
    "[?optional.of(1)] == [1]",
    "[?oldSelf].size() == 1",
    "self.namespace == 'a'",
    "1 < 2.0",
    "dyn(1) < 2",
    "null == type(self.s)",
    "type(duration('1s')) == duration",
    "'%d'.format([[1, 'a'].size()]) == '2'",
    "net.IP == net.IP",
    "type(self.s) == google.protobuf.Value",
    "self.missing",
    "has(self.s) && self.s in ['a', 'b']",
    "self.l.map(x, x + 1).all(y, y > 1)",
    "self.l.filter(x, x > 1).exists(y, y in self.l.map(z, z * 2))",
    "[1, 'a'].size() == 2",
    "'%d%s'.format([1, 'a']) == '1a'",
    "{'a': 1, 'b': 2}['a'] == 1",
    "optional.of(self.s) == null",
    "[null, self].size() == 2",
    "self.l[0] < 1.5",
    "dyn(self.l[0]) < 1.5",
    "quantity('1') == quantity(self.s)",
    "isQuantity(self.s)",
    "url(self.s) == url(self.s)",
    "cidr('10.0.0.0/8').containsCIDR('10.0.0.0/16')",
    "'%e'.format([1.0]) == self.s",
    "self.s == 'a' || self.s.contains(self.s)",
)
# None compiles on the newest server, some on older ones.
BROKEN = (
    "self.missing > 0",
    "self.missing\n > 0",
    "self.s.missing == 1",
    "self.l.all(x, x > missing)",
    "self.l.all(x, x > missing && x < 2.5)",
    "self.l.all(i, x, x > missing)",
    "self.l.all(1, x, x > i)",
    "self.l.all(1, x > 1)",
    "self.l.transformList(x, missing)",
    "self.l.missing(x, x > 0)",
    "missing(self.s)",
    "self.s.missing()",
    "[self.s.missing(), 1] == self.l",
    "self.s == 1",
    "self.s && true",
    "self.missing && self.s",
    "self.l.all(x, self.s)",
    "self.s < 1.5",
    "self.missing < 1.5 || 1 < 2.5",
    "self.l < 2.5 || self.missing",
    "[1, 'a'] == self.missing",
    "{'a': 1, 'b': ''} == self.missing",
    "[null] == self.s || self.l == null",
    "null == self.l[0]",
    "self.l == [self.s]",
    "self.?missing.orValue('') == ''",
    "self.?namespace.orValue(1) == 'a'",
    "self.namespace == 1",
    "self.package == 1",
    "[?self.s] == self.l",
    "optional.of(self.s) == self.s",
    "optional.of(self.l).missing()",
    "type(self.s).missing",
    "type(self.s) == self.l",
    "duration(self.l) == self.s",
    "duration(1) == self.s",
    "duration('a') == duration('1s')",
    "timestamp('a') == timestamp('b') || self.s.matches('(')",
    "duration == self.missing",
    "list == self.missing",
    "self.l.map(x, missing)",
    "self.l.map(net, net.IP == missing)",
    ".missing == 1",
    "self.l.sort() == self.s",
    "isIP(self.l)",
    "self.s.format(1)",
    "'%s'.format([1, 'a', missing])",
    "[1, 'a'].size() == 2 && ['%s'.format([1, 'a'])] == ['a', 1]",
    "google.protobuf.Value{null_value: 'a'}",
    "missing{}",
    "int{}",
    "self{}.s",
    "self.`s` == 1",
    "self.l.map(__result__, missing)",
    "__result__ == 1",
    "self.s ==",
    "self.s ==\n",
    "self.s == 'a",
    "self.s = 'a'",
    "self.s == 'a' &\n& true",
    "has(self)",
    "has(self.s, 1)",
    "self.l.optMap(x, x)",
    "optional.of(1).optMap(x, missing)",
    "let == 1",
    "self.s",
    "self.l.map(x, x)",
    "sets.contains(self.l, self.s)",
    "cidr(self.s).missing()",
    "quantity(1)",
    "semver('1').missing()",
    "self.l.flatten(self.s)",
    "format.named(1)",
    "self.s.reverse(1)",
    "ip.isCanonical(1)",
    "size(1)",
    "1 + 'a'",
    "self.l[self.s]",
    "self.l.exists_one(x, y, x > missing)",
    "self.l.exists(x, x)",
    "self.l.sortBy\u00e9(x, missing)",
)


def compiler_of(server: object, sharing: Sharing) -> RuleCompiler:
    whole = schema(SPEC)
    return RuleCompiler(SchemaContext(server.cel, sharing).declared(node(whole, "spec")), sharing)  # type: ignore[attr-defined]


@each("rule", (*RULES, *BROKEN))
@each("of", [new_expressions, stored_expressions])
def test_a_reused_expression_is_what_compiling_anew_gives(rule: str, of: object) -> None:
    sharing = Sharing()
    for server in reversed(SERVERS):
        environment = of(server)  # type: ignore[operator]
        reused, anew = (
            compiler_of(server, used).expression(
                rule, RULE, environment, optional_old_self="?oldSelf" in rule
            )
            for used in (sharing, Sharing())
        )
        assert reused.error == anew.error
        assert problems(reused) == problems(anew)
        assert reused.highest_cost == anew.highest_cost
        if anew.error is None:
            assert type_texts(reused) == type_texts(anew)


@pytest.mark.parametrize(
    ("rule", "checks"),
    [
        ("self.s == 'a'", 1),
        ("1 < 2.0", 2),
        ("isIP(self.s)", 3),
        ("self.missing", 1),
        ("self.s.missing", 2),
    ],
)
def test_how_often_an_expression_is_checked_for_all_servers(
    rule: str, checks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = 0

    def counted(*args: object) -> object:
        nonlocal calls
        calls += 1
        return check(*args)  # type: ignore[arg-type]

    monkeypatch.setattr("crdlint.cel.compiler.check", counted)
    sharing = Sharing()
    for server in reversed(SERVERS):
        compiler_of(server, sharing).expression(
            rule, RULE, new_expressions(server), optional_old_self=False
        )
    assert calls == checks


def type_texts(expression: Expression) -> dict[int, str]:
    return {id_: str(type_) for id_, type_ in expression.compiled.result.type_map.items()}


def problems(expression: Expression) -> list[object]:
    return [
        (error.location, error.expr_id, error.message, str(error.problem.args))
        for error in expression.compiled.errors
    ]


def ranges(expression: Expression) -> list[tuple[int, int] | None]:
    """Return the characters that each error is about."""
    compiled = expression.compiled
    return [error_range(error, compiled.source) for error in compiled.errors]


def test_each_switch_of_the_dialect_declares_for_what_it_matters() -> None:
    assert list(REACH) == list(CELDialect._fields)
    without_condition = {name for name, reach in REACH.items() if reach[:3] == Reach()[:3]}
    assert without_condition == {name for name, reach in REACH.items() if reach.otherwise}


OF_SERVER = (new_expressions, stored_expressions)
VERSIONS = ("compatible_with", "stored_with")
OBJECT = {"s": "a", "l": [1, 2], "namespace": "a"}
MORE_RULES = (
    "type(self.l) == list",
    "self.l.all(net, net > 0)",
    ".self.s == 'a'",
    "self.s.startsWith('a') && matches(self.s, 'a')",
    "[0, 1][self.l[5]] == 1",
    "self.l.map(x, 1 / 0).all(i, x, x > i)",
    "lists.range(3) == self.l",
    "self.s.indexOf('', 5) < 0 && self.s.lastIndexOf('b') < 0",
    "duration('1s') == duration(self.s)",
    "optional.of(self.l).hasValue()",
    "[optional.of(1)].unwrap() == [1]",
    "!format.dns1123Label().validate(self.s).hasValue()",
)


def expressions_of(server: Server) -> list[Expression]:
    """Return all rules compiled for a server, each without what other servers had."""
    environment = stored_expressions(server)
    return [
        compiler_of(server, Sharing()).expression(
            rule, ANY_VALUE, environment, optional_old_self="?oldSelf" in rule
        )
        for rule in (*RULES, *MORE_RULES, *BROKEN)
    ]


@cache
def expressions_of_the_newest() -> list[Expression]:
    return expressions_of(NEWEST)


def result(expression: Expression) -> tuple[str, int]:
    declared = expression.compiler.declared.schema
    assert declared is not None
    value = to_value(OBJECT, declared, is_resource=False)
    old = NONE if expression.optional_old_self else value
    program = program_of(expression.compiled, expression.environment)
    evaluated = program.evaluate({"self": value, "oldSelf": old}, 10**9)
    return str(evaluated.value), evaluated.cost


@pytest.mark.parametrize("switch", [name for name in CELDialect._fields if name not in VERSIONS])
def test_a_switch_changes_only_the_expressions_that_it_declares(switch: str) -> None:
    dialect = NEWEST.cel._replace(**{switch: not getattr(NEWEST.cel, switch)})
    server = replace(NEWEST, cel=dialect)
    on, other = stored_expressions(NEWEST), stored_expressions(server)
    others = {expression.text: expression for expression in expressions_of(server)}
    for first in expressions_of_the_newest():
        second = others[first.text]
        if first.error is not None:
            if first.compiled.errors and fails_alike(first.uses, on, other):
                assert second.error == first.error
                assert problems(second) == problems(first)
            if first.compiled.errors and fails_alike(first.uses, on, other, in_words=False):
                assert ranges(second) == ranges(first)
            continue
        if not compiles_alike(first.uses, on, other):
            continue
        assert second.error is None
        assert type_texts(second) == type_texts(first)
        if cost_key(first.uses, on) == cost_key(first.uses, other):
            assert second.highest_cost == first.highest_cost
        if evaluates_alike({first.uses}, on, other):
            assert result(second) == result(first)


@each("rule", (*RULES, *MORE_RULES))
def test_an_expression_without_names_that_differ_is_compiled_alike(rule: str) -> None:
    """Each server with the next one: the older environment may be compiled in first."""
    for older, newer in pairwise(SERVERS):
        environments = [of(server) for server in (older, newer) for of in OF_SERVER]
        for on, other in permutations(environments, 2):
            if not reads_alike(rule, on, other):
                continue
            first, second = (
                compiler_of(newer, Sharing()).expression(
                    rule, ANY_VALUE, environment, optional_old_self="?oldSelf" in rule
                )
                for environment in (on, other)
            )
            assert first.error == second.error
            if first.error is None:
                assert type_texts(first) == type_texts(second)
                assert result(first) == result(second)


def test_new_functions_of_the_next_version_are_names_that_differ() -> None:
    new, stored = new_expressions(NEWEST), stored_expressions(NEWEST)
    assert reads_alike("self.s == 'a'", new, stored)
    assert reads_alike("self.s == 'a'", stored, new)
    added = overload_ids(stored.env) - overload_ids(new.env)
    names = {
        overload.function.rpartition(".")[2]
        for overloads in stored.env.functions.values()
        for overload in overloads
        if overload.id in added
    }
    assert names
    assert not any(reads_alike(f"self.l.{name}()", new, stored) for name in names)
