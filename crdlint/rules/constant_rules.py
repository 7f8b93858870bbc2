"""Advice: rules that have the same result for every value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import Caution

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr

_MODE: Final = (
    "mode:\n  type: string\n  maxLength: 9\n  x-kubernetes-validations:\n  - rule: self {0} 'Fast' {1} self {0} 'Safe'"
)
_COMPARISONS: Final = frozenset({"_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_", "@in"})
_LONGEST: Final = 300  # characters of a rule
_NEVER_FALSE: Final = "the rule is never false, so it checks nothing"
_NEVER_TRUE: Final = "the rule is never true, so every value is rejected"


@Caution(
    id="cel-rule-constant",
    summary="Rule has the same result for every value",
    why="A value differs from one of two texts at least, and is not equal to both. A rule that combines such comparisons with the "
    "wrong operator accepts every value, or rejects every value.",
    bad=_MODE.format("!=", "||"),
    good=_MODE.format("!=", "&&"),
    help="Use `&&` to require all conditions, or `||` to require one of them",
    marker="correct `+kubebuilder:validation:XValidation`",
).practice
def constant_rules(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the rules that compare a value more than once, and are never false or never true."""
    for rule in crd.rules:
        text = rule.rule.rule
        is_short = len(text) <= _LONGEST  # the time grows with the number of comparisons
        consequence = _consequence(text) if is_short and _compares_again(rule.compiled.rule.compiled.expr) else ""
        if consequence:
            yield Advisory(consequence, rule.path.child("rule"))


def _compares_again(expr: Expr) -> bool:
    """Return whether an operand is compared with constants twice, without which hardly any rule is constant."""
    from crdlint.cel.ast import Call, ListExpr, Literal, nodes
    from crdlint.kubecel.syntax_trees import key

    operands = [
        arg
        for node in nodes(expr)
        if isinstance(node, Call) and node.function in _COMPARISONS
        for arg, other in (node.args, node.args[::-1])
        if isinstance(other, (Literal, ListExpr)) and not isinstance(arg, (Literal, ListExpr))
    ]
    return len({key(operand) for operand in operands}) < len(operands)


@lru_cache(maxsize=1024)
def _consequence(text: str) -> str:
    """Return what is wrong with a rule: no object is left if the rule, or its negation, is known to be true."""
    from crdlint.kubecel.reasoning.reasoner import Facts, Reasoner
    from crdlint.kubecel.syntax_trees import parsed

    false, reasoner = parsed("false"), Reasoner(Facts())
    for known, consequence in ((text, _NEVER_TRUE), (f"!({text}\n)", _NEVER_FALSE)):
        tree = parsed(known)
        if tree is not None and false is not None and not reasoner.results(false, [tree]):
            return consequence
    return ""
