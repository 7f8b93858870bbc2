"""Which texts certainly do not compile, because an unknown name is in them: these are not compiled to find what is meant."""

from __future__ import annotations

from kubecel_support import compile_rule
from tables import each

from crdlint.cel.compiler import compile_valid
from crdlint.kubecel.repair.state import CompiledText

FIELDS = "{name: {type: string}, ports: {type: array, items: {type: integer}}}"


@each(
    ("rule", "other", "keeps"),
    [
        ("self.nam == 'a'", "self.nam.size() == 1", True),
        ("self.nam == 'a'", "string( self.nam ) == 'a'", True),
        ("self.nam == 'a'", "has(self.nam) && self.nam == 'a'", True),
        ("self.nam == 'a'", "self.name == 'a'", False),
        ("self.nam == 'a'", "self.name == 'self.nam'", False),
        ("self.nam == 'a'", "self.nam() == 'a'", False),
        ("self.nam == 'a'", "'a' == 'b' // self.nam", False),
        ("self.nam == self.nam", "self.name == self.nam", False),
        ("self.ports.all(self, self.a > 1)", "self.ports.all(self, self.a > 2)", False),
        ("self.ports.all(p, p > nam)", "self.ports.all(p, p < nam)", True),
        ("self.ports.all(p, p > nam)", "self.ports.all(p, p > 'nam')", False),
        ("self.ports.all(p, p > nam)", "self.ports.all(p, p > self.nam)", False),
        ("self.ports.all(p, p > nam)", "self.ports.all(nam, nam > nam)", False),
        ("self.ports.all(p, p > nam)", "self.ports.all(nam, p, p > nam)", False),
        ("self.ports.all(p, p > ip)", "self.ports.all(p, ip.isCanonical('::1'))", False),
        ("self.ports.all(p, p.x > 1)", "self.ports.all(p, p.x > 2)", False),
        ("self.name.x == 1", "self.name.x == 2", False),
    ],
)
def test_a_text_keeps_the_error_of_another(rule: str, other: str, keeps: bool) -> None:
    expression = compile_rule(rule, FIELDS).rule
    state = CompiledText(expression, rule, expression.compiled)
    assert state.keeps_error(other) is keeps
    compiled = compile_valid(other, expression.env, expression.environment.parser)
    assert not keeps or compiled is None or compiled.errors
