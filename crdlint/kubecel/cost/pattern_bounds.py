"""The longest text that a pattern of a string allows: a limit that changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from crdlint.cel.ast import Call, Expr, Ident, Literal, operands
from crdlint.gathering import without_none
from crdlint.golang.regexp import anchors, compile_error
from crdlint.golang.regexp_language import UnsupportedError, lengths
from crdlint.kubecel.cost import EstimatedRule


def longest_text(rule: EstimatedRule) -> int | None:
    """Return the length of the longest text that the string of a rule may have by its patterns, None if there is none."""
    bounds = map(_longest, _patterns(rule))
    return min(without_none(bounds), default=None)


def _patterns(rule: EstimatedRule) -> Iterator[str]:
    """Yield the patterns that each value matches: the keyword of its schema, and calls of `matches` in the rule."""
    schema = rule.node.schema
    if schema.type != "string":
        return
    if schema.pattern:
        yield schema.pattern
    if rule.compiled.rule.error is None:
        for operand in operands(rule.compiled.rule.compiled.expr, "_&&_"):
            yield from _matched_by(operand)


def _matched_by(expr: Expr) -> Iterator[str]:
    """Yield the pattern of `self.matches('...')` and `matches(self, '...')`."""
    if not isinstance(expr, Call) or expr.function != "matches":
        return
    receiver = [] if expr.target is None else [expr.target]
    subject, *rest = receiver + expr.args
    is_self = isinstance(subject, Ident) and subject.name == "self"
    if is_self and len(rest) == 1 and isinstance(rest[0], Literal):
        value = rest[0].value
        if isinstance(value, str):
            yield value


@lru_cache(maxsize=64)
def _longest(pattern: str) -> int | None:
    is_whole = compile_error(pattern) is None and anchors(pattern) == (True, True)
    try:
        return lengths(pattern)[1] if is_whole else None
    except UnsupportedError:
        return None
