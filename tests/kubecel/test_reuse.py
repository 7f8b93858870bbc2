"""Expressions compiled once for several servers: those that use only what all of them have."""

from __future__ import annotations

import pytest
from kubecel_support import node, schema
from tables import each

from crdlint.cel.checker import check
from crdlint.kubecel.compilation import RULE, RuleCompiler
from crdlint.kubecel.declarations import SchemaContext
from crdlint.kubecel.environment import new_expressions, stored_expressions
from crdlint.kubecel.sharing import Sharing
from crdlint.kubernetes.servers import SERVERS

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


def compiler_of(server: object, sharing: Sharing) -> RuleCompiler:
    whole = schema(SPEC)
    return RuleCompiler(SchemaContext(server.cel, sharing).declared(node(whole, "spec")), sharing)  # type: ignore[attr-defined]


@each("rule", RULES)
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
        assert reused.highest_cost == anew.highest_cost
        if anew.error is None:
            assert {id_: str(type_) for id_, type_ in reused.compiled.result.type_map.items()} == {
                id_: str(type_) for id_, type_ in anew.compiled.result.type_map.items()
            }


@pytest.mark.parametrize(
    ("rule", "checks"),
    [("self.s == 'a'", 1), ("1 < 2.0", 2), ("isIP(self.s)", 4), ("self.missing", len(SERVERS))],
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
