"""Changes of `not`, `anyOf`, `oneOf` and x-kubernetes-validations: they are compared by their effect, as conditions on a value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.cel.ast import Expr, Ident, nodes
from crdlint.changes.change import NEW_VALUES, Collector
from crdlint.changes.conditions import junctor_condition
from crdlint.changes.conjunction import Conjunction, Pair, steps, type_of
from crdlint.changes.constraints import JUNCTORS, fingerprint, junctors_of
from crdlint.changes.reasons import FOR_EXISTING, WIDER, Reasons, field_paths
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.golang.values import marshal
from crdlint.kubecel.reasoning.domains import TRUE
from crdlint.kubecel.reasoning.reasoner import Facts, FieldPath, Reasoner
from crdlint.kubecel.syntax_trees import parsed, rule_key
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from crdlint.changes.examples import Example
    from crdlint.crd.paths import Path
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
        effect, severity = _effect(rule, pair, example) if reason is None else (f", {reason}", "info")
        text = f"{pair.field.shown}: rule `{_shown(rule)}` was added{effect}"
        collector.add(rules.RULE_ADDED, text, paths, field=pair.field, severity=severity, example=example)
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


_MESSAGES: Final = (("messageExpression", "message_expression"), ("reason", "reason"), ("fieldPath", "field_path"))


def _shown(rule: ValidationRule) -> str:
    text = " ".join(rule.rule.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


def _names_old_self(tree: Expr | None) -> bool:
    return tree is not None and any(isinstance(node, Ident) and node.name == "oldSelf" for node in nodes(tree))


def _effect(rule: ValidationRule, pair: Pair, example: Example | None) -> tuple[str, Severity]:
    """Return what an added rule means for existing objects, as the end of a sentence, and its severity."""
    tree = parsed(rule.rule)
    is_container = type_of(pair.new) in {"object", "array"}
    consequence = pair.field.consequence(is_container=is_container)
    if _names_old_self(tree):
        rejected = "new objects and updates" if rule.optional_old_self else "updates"
        return f": {rejected} that break it are rejected, so automation that changes the value fails", "warning"
    severity: Severity = "error" if is_container and example is not None else "warning"
    unknown = "" if example is not None else ": it is not known which objects break it"
    if tree is None:
        return f"{unknown}; {consequence}", severity
    before = [old for schema in pair.old for each in schema.x_validations if (old := parsed(each.rule)) is not None]
    for path in field_paths(tree)[:_FIELDS]:
        if _was_optional(path, pair) and _needs(tree, path) and not any(_needs(rule, path) for rule in before):
            field = ".".join(("self", *path))
            return f": no object without `{field}` fulfils it, which was optional; {consequence}", "error"
    return f"{unknown}; {consequence}", severity


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


class _Junctor(NamedTuple):
    """A junctor: its branches, the digests of their schemas, and where it is."""

    kind: str
    branches: Sequence[JSONSchemaProps]
    digests: frozenset[str]
    path: Path

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        """What is equal for equal junctors."""
        return self.kind, self.digests

    def is_like(self, other: _Junctor) -> bool:
        """Return whether one junctor probably replaces another one."""
        return self.kind == other.kind or (self.digests == other.digests and len(self.digests) > 1)

    @property
    def condition(self) -> str:
        """The junctor in CEL."""
        return junctor_condition(self.kind, self.branches)

    @property
    def part(self) -> JSONSchemaProps:
        """A schema that has only the junctor."""
        return JSONSchemaProps.of(**{JUNCTORS[self.kind]: self.branches[0] if self.kind == "not" else self.branches})


def compare_junctors(pair: Pair, reasons: Reasons, collector: Collector) -> None:
    """Report the junctors of a value that were added, changed or removed."""
    before, after = _junctors(pair.old), _junctors(pair.new)
    same = {junctor.key for junctor in before} & {junctor.key for junctor in after}
    lost = [junctor for junctor in before if junctor.key not in same]
    gained = [junctor for junctor in after if junctor.key not in same]
    for junctor in gained:
        _report_added(junctor, [old for old in lost if old.is_like(junctor)], pair, reasons, collector)
    for junctor in lost:
        if not any(junctor.is_like(new) for new in gained) and not reasons.remains(junctor.condition):
            text = f"{pair.field.shown}: `{junctor.kind}` was removed: {NEW_VALUES}"
            collector.add(rules.JUNCTOR_REMOVED, text, (pair.new[0].path, junctor.path), field=pair.field)


def _junctors(node: Conjunction) -> list[_Junctor]:
    return [
        _Junctor(kind, branches, frozenset(fingerprint(branch).digest for branch in branches), schema.path.child(kind))
        for kind, schema, branches in junctors_of(node)
        if not _is_of_int_or_string(node, kind, branches)
    ]


def _is_of_int_or_string(node: Conjunction, kind: str, branches: Sequence[JSONSchemaProps]) -> bool:
    """Return whether branches only repeat what `x-kubernetes-int-or-string` means."""
    return (
        kind == "anyOf"
        and any(schema.x_int_or_string for schema in node)
        and {branch.type for branch in branches} == {"integer", "string"}
    )


def _report_added(
    junctor: _Junctor, replaced: Sequence[_Junctor], pair: Pair, reasons: Reasons, collector: Collector
) -> None:
    kind, paths = junctor.kind, (junctor.path, replaced[0].path if replaced else pair.old[0].path)
    change = f"`{kind}` was {'changed' if replaced else 'added'}"
    if replaced and replaced[0].kind != kind:
        change = f"`{replaced[0].kind}` became `{kind}`"
    change = f"{pair.field.shown}: {change}"
    reason, example = reasons.effect(junctor.condition, junctor.part, collector)
    if reason == WIDER or (reason is not None and replaced):
        if not all(reasons.remains(old.condition) for old in replaced):
            collector.add(rules.JUNCTOR_REMOVED, f"{change}: {NEW_VALUES}", paths, field=pair.field)
        return
    severity: Severity | None = None
    consequence = pair.field.consequence(is_container=pair.new[0].type in {"object", "array"})
    if reason is not None:
        severity = "info"
        text = f"{change}, {'which rejects only objects with new fields' if reason == FOR_EXISTING else reason}"
    elif example is None:
        severity = "warning"
        text = f"{change}: it is not known which values are rejected now; {consequence}"
    else:
        which = "match" if kind == "not" else "match several branches" if "became" in change else "do not match"
        text = f"{change}: values that {which} are rejected; {consequence}"
    collector.add(rules.JUNCTOR, text, paths, field=pair.field, severity=severity, example=example)
