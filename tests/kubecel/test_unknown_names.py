"""Which texts certainly do not compile, because an unknown name is in them: these are not compiled to find what is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counting import recording
from kubecel_support import compile_rule
from tables import each

from crdlint.cel.compiler import compile_valid
from crdlint.kubecel.hints import hint
from crdlint.kubecel.repair import meaning
from crdlint.kubecel.repair.patterns import Tokens, candidates
from crdlint.kubecel.repair.state import CompiledText
from crdlint.safety.work import Effort

if TYPE_CHECKING:
    import pytest

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
        ("self.nam == 'a'", "self.all(x, x.nam == 'a')", True),
        ("self.nam == 'a'", "self.exists_one(x, x.nam == 'a')", True),
        ("self.nam == 'a'", "self . map (x, x.nam)", True),
        ("self.nam == 'a'", "self.all == 'a'", False),
        ("self.nam == 'a'", "self.size() == 1", False),
        ("self.nam == 'a'", "self.ports.all(x, x == 1)", False),
        ("self.ports.all(p, p > nam)", "self.all(x, x > 1)", False),
    ],
)
def test_a_text_keeps_the_error_of_another(rule: str, other: str, keeps: bool) -> None:
    expression = compile_rule(rule, FIELDS).rule
    state = CompiledText.of(expression)
    assert state.keeps_error(other) is keeps
    compiled = compile_valid(other, expression.env, expression.environment.parser)
    assert not keeps or compiled is None or compiled.errors


@each(
    ("rule", "tried"),
    [
        ("self.port.all(p, p > 1)", ["self.ports.all(p, p > 1)"]),
        ("self.other > 0", []),
        ("self.other.all(x, x > 0)", []),
        ("self.ports.all(p, p > other)", []),
        ("self.name > other", ["self.name > 'other'"]),
    ],
)
def test_only_what_may_compile_is_compiled(
    rule: str, tried: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(meaning, "compile_valid", recording(calls, compile_valid))
    hint(compile_rule(rule, FIELDS).rule, Effort())
    assert calls == tried


@each(
    ("text", "written", "may_match"),
    [
        ("self.self.name == 'a'", "self . self", True),
        ("self.name == self", "self . self", False),
        (".name == 'a'", "START . v", True),
        ("self.name == 'a'", "START . v", False),
        ("self.name == 'a'.", "START X . END", True),
        ("self.name == 'a'", "START X . END", False),
        ("self.name()", "A ( )", True),
        ("self.name(1)", "A ( )", False),
    ],
)
def test_words_side_by_side_rule_a_row_out(text: str, written: str, may_match: bool) -> None:
    rows = {row.written for row in candidates(Tokens(text))}
    assert (written in rows) is may_match
