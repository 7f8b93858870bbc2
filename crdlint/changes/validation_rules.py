"""Changes of x-kubernetes-validations: rules are compared by their syntax trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Comprehension, Ident, Literal, Select, nodes
from crdlint.changes.case_analysis import follows_in_all_cases
from crdlint.changes.conjunction import ITEM, is_new, steps, type_of
from crdlint.changes.implications import Objects, follows_from
from crdlint.changes.outcomes import TRUE, Fields, field_path, outcomes
from crdlint.changes.simplification import simplified
from crdlint.changes.syntax_trees import key, parsed, rule_key
from crdlint.rules import changes as rules

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.ast import Expr
    from crdlint.changes.collector import Collector, Pair
    from crdlint.changes.conjunction import FieldPath
    from crdlint.crd.model import ValidationRule
    from crdlint.diagnostics.diagnostic import Severity
    from crdlint.kubernetes.servers import Server

_SHOWN: Final = 100  # characters of a rule in a text
_FIELDS: Final = 32  # fields of a rule that are assumed to be absent, one after the other


def compare_rules(pair: Pair, found: Collector) -> None:
    """Report the rules of a value that were added or removed."""
    before = {rule_key(rule.rule): rule for one in pair.old for rule in one.x_validations}
    after = {rule_key(rule.rule): (rule, i, one) for one in pair.new for i, rule in enumerate(one.x_validations)}
    if not before and not after:
        return
    paths = pair.paths("x_validations", "x-kubernetes-validations")
    known = [tree for rule in before.values() if (tree := parsed(rule.rule)) is not None]
    existing = _Existing(pair, known, found.server)
    for text_key, (rule, i, schema) in after.items():
        if text_key in before:
            continue
        path = schema.path.child("x-kubernetes-validations").index(i).child("rule")
        tree = parsed(rule.rule)
        if tree is not None and follows_from(tree, known):
            text = f"{pair.place.shown}: rule `{_shown(rule)}` replaces a stricter one"
            found.add(rules.RULE_REMOVED, text, path, paths[1], place=pair.place)
            continue
        effect = _effect(rule, tree, pair, existing, found.server)
        text = f"{pair.place.shown}: rule `{_shown(rule)}` was added{effect.text}"
        found.add(rules.RULE_ADDED, text, path, paths[1], place=pair.place, severity=effect.severity)
    for text_key, rule in before.items():
        if text_key not in after:
            text = f"{pair.place.shown}: rule `{_shown(rule)}` was removed"
            found.add(rules.RULE_REMOVED, text, *paths, place=pair.place)


def _shown(rule: ValidationRule) -> str:
    text = " ".join(rule.rule.split())
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"


class _Existing:
    """The objects that the old schema and its rules accept."""

    def __init__(self, pair: Pair, known: Sequence[Expr], server: Server) -> None:
        self._pair = pair
        self._known = known
        self.objects = Objects(pair.old, server)

    def fulfil_without_new_values(self, tree: Expr) -> bool:
        """Return whether a rule is true for all objects without new fields and values, because it is about these."""
        rest = self._simplified(tree)
        if key(rest) == key(tree):
            return False
        if isinstance(rest, Literal):
            return rest.value is True
        return self.objects.fulfil(rest) or follows_from(rest, self._simplified_rules)

    def fulfil_by_rules(self, tree: Expr) -> bool:
        """Return whether a rule is true for all objects without new fields and values for which the old rules are."""
        return follows_in_all_cases(self._simplified(tree), self._simplified_rules, self.objects)

    @cached_property
    def _simplified_rules(self) -> Sequence[Expr]:
        return [self._simplified(tree) for tree in self._known]

    def _simplified(self, tree: Expr) -> Expr:
        return simplified(tree, self.objects, lambda path: is_new(path, self._pair.old, self._pair.new))


@dataclass(frozen=True, slots=True)
class _Effect:
    """What an added rule means for existing objects, as the end of a sentence."""

    text: str
    severity: Severity


def _effect(rule: ValidationRule, tree: Expr | None, pair: Pair, existing: _Existing, server: Server) -> _Effect:
    is_container = type_of(pair.new) in {"object", "array"}
    consequence = pair.place.consequence(is_container=is_container)
    severity: Severity = "error" if is_container else "warning"
    if tree is None:
        return _Effect(f"; {consequence}", severity)
    if Objects(pair.new, server).fulfil(tree):
        return _Effect(", which the schema implies already", "info")
    if existing.objects.fulfil(tree):
        return _Effect(", which the old schema implied", "info")
    if existing.fulfil_without_new_values(tree):
        return _Effect(", which is true for all objects without new fields and values", "info")
    if existing.fulfil_by_rules(tree):
        return _Effect(", which the old rules implied", "info")
    if any(isinstance(node, Ident) and node.name == "oldSelf" for node in nodes(tree)):
        rejected = "new objects and updates" if rule.optional_old_self else "updates"
        text = f": {rejected} that break it are rejected, so automation that changes the value fails"
        return _Effect(text, "warning")
    paths = _paths(tree)
    new = frozenset(path for path in paths if is_new(path, pair.old, pair.new))
    if new and outcomes(tree, _fields(new, pair)) == TRUE:
        return _Effect(", which is true for all objects without new fields and values", "info")
    for path in paths[:_FIELDS]:
        if path not in new and _was_optional(path, pair) and not outcomes(tree, _fields({path}, pair)) & TRUE:
            field = "self" + "".join(step if step == ITEM else f".{step}" for step in path)
            return _Effect(f": no object without `{field}` fulfils it, which was optional; {consequence}", "error")
    return _Effect(f"; {consequence}", severity)


def _fields(absent: frozenset[FieldPath] | set[FieldPath], pair: Pair) -> Fields:
    return Fields(lambda path: path in absent, lambda path: _is_list(path, pair))


def _paths(tree: Expr) -> Sequence[FieldPath]:
    """Return the paths of the fields that a rule names, each one after those above it."""
    variables: dict[str, FieldPath] = {"self": ()}
    found: dict[FieldPath, None] = {}
    for node in nodes(tree):
        if isinstance(node, Comprehension):
            path = field_path(node.iter_range, variables)
            if path is not None:
                variables[node.iter_var] = (*path, ITEM)
        elif isinstance(node, Select):
            path = field_path(node, variables)
            if path is not None:
                found.update(dict.fromkeys(path[:i] for i in range(1, len(path) + 1) if path[i - 1] != ITEM))
    return tuple(found)


def _is_list(path: FieldPath, pair: Pair) -> bool:
    way = list(steps(path, pair.new))
    return type_of(way[-1] if way else pair.new) == "array" and len(way) == len(path)


def _was_optional(path: FieldPath, pair: Pair) -> bool:
    """Return whether existing objects may lack a field whose object they have."""
    new, old = list(steps(path, pair.new)), list(steps(path, pair.old))
    if ITEM in path or len(new) != len(path) or len(old) != len(path):
        return False
    above = old[-2] if len(old) > 1 else pair.old
    is_required = any(path[-1] in one.required for one in above)
    return not is_required and all(one.default is None for one in new[-1])
