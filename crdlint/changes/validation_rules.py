"""Changes of x-kubernetes-validations: rules are compared by their syntax trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Ident, Select, nodes
from crdlint.changes.conjunction import is_new, steps, type_of
from crdlint.changes.facts import SchemaFacts, repeats_list_type
from crdlint.kubecel.reasoning.domains import TRUE
from crdlint.kubecel.reasoning.reasoner import Facts, Reasoner
from crdlint.kubecel.syntax_trees import parsed, rule_key
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from crdlint.cel.ast import Expr
    from crdlint.changes.collector import Collector, Pair
    from crdlint.crd.model import ValidationRule
    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.kubecel.reasoning.reasoner import FieldPath
    from crdlint.kubernetes.servers import Server

_SHOWN: Final = 100  # characters of a rule in a text
_FIELDS: Final = 32  # fields of a rule that are assumed to be absent, one after the other
# Why an added rule rejects no object.
_WIDER: Final = "replaces a stricter one"
_BY_SCHEMA: Final = "which the schema implies already"
_BY_OLD_SCHEMA: Final = "which the old schema implied"
_BY_OLD_RULES: Final = "which the old rules implied"
_FOR_EXISTING: Final = "which is true for all objects without new fields and values"


def compare_rules(pair: Pair, collector: Collector) -> None:
    """Report the rules of a value that were added or removed."""
    before = {rule_key(rule.rule): rule for schema in pair.old for rule in schema.x_validations}
    after = {
        rule_key(rule.rule): (rule, i, schema) for schema in pair.new for i, rule in enumerate(schema.x_validations)
    }
    if not before and not after:
        return
    paths = pair.paths("x_validations", "x-kubernetes-validations")
    known = {text_key: tree for text_key, rule in before.items() if (tree := parsed(rule.rule)) is not None}
    reasons = _Reasons(pair, known, after.keys(), collector.server)
    for text_key, (rule, i, schema) in after.items():
        if text_key in before:
            continue
        path = schema.path.child("x-kubernetes-validations").index(i).child("rule")
        tree = parsed(rule.rule)
        reason = None if tree is None else reasons.reason(rule.rule, tree)
        if reason == _WIDER:
            text = f"{pair.field.shown}: rule `{_shown(rule)}` {reason}"
            collector.add(rules.RULE_REMOVED, text, path, paths[1], field=pair.field)
            continue
        effect = _effect(rule, tree, pair) if reason is None else _Effect(f", {reason}", "info")
        text = f"{pair.field.shown}: rule `{_shown(rule)}` was added{effect.text}"
        collector.add(rules.RULE_ADDED, text, path, paths[1], field=pair.field, severity=effect.severity)
    for text_key, rule in before.items():
        if text_key not in after:
            text = f"{pair.field.shown}: rule `{_shown(rule)}` was removed"
            collector.add(rules.RULE_REMOVED, text, *paths, field=pair.field)


def _shown(rule: ValidationRule) -> str:
    text = " ".join(rule.rule.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


class _Reasons:
    """Finds the reason why an added rule rejects no object, by what is known of these."""

    def __init__(self, pair: Pair, known: Mapping[str, Expr], new_keys: AbstractSet[str], server: Server) -> None:
        self._pair: Final = pair
        self._known: Final = known
        self._kept: Final = new_keys
        self._anything: Final = Reasoner(Facts())
        self._new: Final = Reasoner(SchemaFacts(pair.new, server))
        self._old: Final = Reasoner(SchemaFacts(pair.old, server))
        self._existing: Final = Reasoner(SchemaFacts(pair.old, server, lambda path: is_new(path, pair.old, pair.new)))

    def reason(self, rule: str, tree: Expr) -> str | None:
        """Return why a rule is true for all existing objects, None if it may not be."""
        if repeats_list_type(rule, self._pair.new):
            return _BY_SCHEMA
        if repeats_list_type(rule, self._pair.old):
            return _BY_OLD_SCHEMA
        named = _named(tree)
        related = {
            name: expr for name, expr in self._known.items() if not (named and _named(expr)) or named & _named(expr)
        }
        known = list(related.values())
        if self._existing.results(tree, known) != TRUE:
            return _BY_SCHEMA if self._new.results(tree) == TRUE else None
        if self._is_wider(tree, [expr for name, expr in related.items() if name not in self._kept]):
            return _WIDER
        if self._new.results(tree) == TRUE:
            return _BY_SCHEMA
        if self._old.results(tree) == TRUE:
            return _BY_OLD_SCHEMA
        return _BY_OLD_RULES if known and self._new.results(tree, known) == TRUE else _FOR_EXISTING

    def _is_wider(self, tree: Expr, removed: Sequence[Expr]) -> bool:
        """Return whether a rule follows from removed ones, whatever the schema is, and they do not follow from it."""
        if not removed or self._anything.results(tree, removed) != TRUE or self._anything.results(tree) == TRUE:
            return False
        return any(self._new.results(expr, [tree]) != TRUE for expr in removed)


def _named(tree: Expr) -> set[str]:
    return {node.field for node in nodes(tree) if isinstance(node, Select)}


@dataclass(frozen=True, slots=True)
class _Effect:
    """What an added rule means for existing objects, as the end of a sentence."""

    text: str
    severity: Severity


def _effect(rule: ValidationRule, tree: Expr | None, pair: Pair) -> _Effect:
    is_container = type_of(pair.new) in {"object", "array"}
    consequence = pair.field.consequence(is_container=is_container)
    severity: Severity = "error" if is_container else "warning"
    if tree is None:
        return _Effect(f"; {consequence}", severity)
    if any(isinstance(node, Ident) and node.name == "oldSelf" for node in nodes(tree)):
        rejected = "new objects and updates" if rule.optional_old_self else "updates"
        text = f": {rejected} that break it are rejected, so automation that changes the value fails"
        return _Effect(text, "warning")
    for path in _paths(tree)[:_FIELDS]:
        absent = Reasoner(Facts(frozenset({path})))
        if _was_optional(path, pair) and not absent.results_at_once(tree) & TRUE:
            field = ".".join(("self", *path))
            return _Effect(f": no object without `{field}` fulfils it, which was optional; {consequence}", "error")
    return _Effect(f"; {consequence}", severity)


def _paths(tree: Expr) -> Sequence[FieldPath]:
    """Return the paths of the fields of `self` that a rule names, each one after those above it."""
    paths: dict[FieldPath, None] = {}
    for node in nodes(tree):
        steps_up: list[str] = []
        while isinstance(node, Select):
            steps_up.append(node.field)
            node = node.operand
        if isinstance(node, Ident) and node.name == "self":
            path = tuple(reversed(steps_up))
            paths.update(dict.fromkeys(path[: i + 1] for i in range(len(path))))
    return tuple(paths)


def _was_optional(path: FieldPath, pair: Pair) -> bool:
    """Return whether existing objects may lack a field whose object they have."""
    new, old = list(steps(path, pair.new)), list(steps(path, pair.old))
    if len(new) != len(path) or len(old) != len(path):
        return False
    parent = old[-2] if len(old) > 1 else pair.old
    is_required = any(path[-1] in schema.required for schema in parent)
    return not is_required and all(schema.default is None for schema in new[-1])
