"""Changes of x-kubernetes-validations: rules are compared by their syntax trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.cel.ast import Expr, Ident, nodes
from crdlint.changes.conjunction import Pair, steps, type_of
from crdlint.changes.reasons import WIDER, Reasons, field_paths
from crdlint.golang.values import marshal
from crdlint.kubecel.reasoning.domains import TRUE
from crdlint.kubecel.reasoning.reasoner import Facts, FieldPath, Reasoner
from crdlint.kubecel.syntax_trees import parsed, rule_key
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from crdlint.changes.change import Collector
    from crdlint.changes.examples import Example
    from crdlint.crd.model import ValidationRule
    from crdlint.diagnostics.diagnostic import Severity

_FIELDS: Final = 32  # fields of a rule that are assumed to be absent, one after the other
_SHOWN: Final = 100  # characters of a rule in a text


def compare_rules(pair: Pair, reasons: Reasons, collector: Collector) -> None:
    """Report the rules of a value that were added or removed."""
    before = {rule_key(rule.rule): rule for schema in pair.old for rule in schema.x_validations}
    after = {
        rule_key(rule.rule): (rule, i, schema) for schema in pair.new for i, rule in enumerate(schema.x_validations)
    }
    _, old_path = pair.paths("x_validations")
    for text_key, (rule, i, schema) in after.items():
        if text_key in before:
            continue
        paths = schema.path.child("x-kubernetes-validations").index(i).child("rule"), old_path
        if _names_old_self(parsed(rule.rule)):
            reason, example = reasons.reason(rule.rule), None
        else:
            reason, example = reasons.effect(rule.rule, rule, collector)
        if reason == WIDER:
            text = f"{pair.field.shown}: rule `{_shown(rule)}` {reason}"
            collector.add(rules.RULE_REMOVED, text, paths, field=pair.field)
            continue
        effect = _effect(rule, pair, example) if reason is None else _Effect(f", {reason}", "info")
        text = f"{pair.field.shown}: rule `{_shown(rule)}` was added{effect.text}"
        collector.add(rules.RULE_ADDED, text, paths, field=pair.field, severity=effect.severity, example=example)
    for text_key, rule in before.items():
        if text_key not in after:
            collector.report(rules.RULE_REMOVED, f"rule `{_shown(rule)}` was removed", pair, "x_validations")


def compare_messages(pair: Pair, collector: Collector) -> None:
    """Report the rules that remain with another message, reason or field path."""
    before = {rule_key(rule.rule): rule for schema in pair.old for rule in schema.x_validations}
    remaining = [rule for schema in pair.new for rule in schema.x_validations if rule_key(rule.rule) in before]
    for rule in remaining:
        old = before[rule_key(rule.rule)]
        for keyword, attribute in _MESSAGES:
            was, now = getattr(old, attribute), getattr(rule, attribute)
            if (was or "") != (now or ""):
                text = f"rule `{_shown(rule)}`: `{keyword}` changed from "
                text += f"{marshal(was) if was else 'nothing'} to {marshal(now) if now else 'nothing'}"
                collector.report(rules.RULE_MESSAGE, text, pair, "x_validations")


_MESSAGES: Final = (
    ("messageExpression", "message_expression"), ("reason", "reason"), ("fieldPath", "field_path"),
)  # fmt: skip


def _shown(rule: ValidationRule) -> str:
    text = " ".join(rule.rule.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _names_old_self(tree: Expr | None) -> bool:
    return tree is not None and any(isinstance(node, Ident) and node.name == "oldSelf" for node in nodes(tree))


class _Effect(NamedTuple):
    """What an added rule means for existing objects, as the end of a sentence."""

    text: str
    severity: Severity


def _effect(rule: ValidationRule, pair: Pair, example: Example | None) -> _Effect:
    tree = parsed(rule.rule)
    is_container = type_of(pair.new) in {"object", "array"}
    consequence = pair.field.consequence(is_container=is_container)
    if _names_old_self(tree):
        rejected = "new objects and updates" if rule.optional_old_self else "updates"
        text = f": {rejected} that break it are rejected, so automation that changes the value fails"
        return _Effect(text, "warning")
    severity: Severity = "error" if is_container and example is not None else "warning"
    unknown = "" if example is not None else ": it is not known which objects break it"
    if tree is None:
        return _Effect(f"{unknown}; {consequence}", severity)
    before = [old for schema in pair.old for each in schema.x_validations if (old := parsed(each.rule)) is not None]
    for path in field_paths(tree)[:_FIELDS]:
        if _was_optional(path, pair) and _needs(tree, path) and not any(_needs(rule, path) for rule in before):
            field = ".".join(("self", *path))
            return _Effect(f": no object without `{field}` fulfils it, which was optional; {consequence}", "error")
    return _Effect(f"{unknown}; {consequence}", severity)


def _needs(tree: Expr, path: FieldPath) -> bool:
    """Return whether no object without a field fulfils a rule."""
    return not Reasoner(Facts(frozenset({path}))).results_at_once(tree) & TRUE


def _was_optional(path: FieldPath, pair: Pair) -> bool:
    """Return whether existing objects may lack a field whose object they have."""
    new, old = list(steps(path, pair.new)), list(steps(path, pair.old))
    if len(new) != len(path) or len(old) != len(path):
        return False
    parent = old[-2] if len(old) > 1 else pair.old
    is_required = any(path[-1] in schema.required for schema in parent)
    return not is_required and all(schema.default is None for schema in new[-1])
