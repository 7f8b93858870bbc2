"""Why no existing object breaks a new condition: rules and junctors of the old schema imply it, or the schemas do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Expr, Ident, Select, nodes
from crdlint.changes.conditions import known_conditions, lifted
from crdlint.changes.conjunction import Conjunction, Pair, is_new, steps
from crdlint.changes.facts import SchemaFacts, repeats_list_type
from crdlint.kubecel.escaping import escape
from crdlint.kubecel.reasoning.domains import TRUE
from crdlint.kubecel.reasoning.reasoner import ITEM, Facts, FieldPath, Reasoner
from crdlint.kubecel.syntax_trees import parsed, rule_key

if TYPE_CHECKING:
    from crdlint.changes.change import Collector
    from crdlint.changes.examples import Example
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.kubernetes.servers import Server

_QUICK: Final = 8  # the part of the steps with which a reason is looked for before an example
_ABOVE: Final = 4  # objects and lists above a value whose rules may be about it
# Why an added condition rejects no object.
WIDER: Final = "replaces a stricter one"
BY_SCHEMA: Final = "which the schema implies already"
BY_OLD_SCHEMA: Final = "which the old schema implied"
BY_OLD_RULES: Final = "which the old rules implied"
FOR_EXISTING: Final = "which is true for all objects without new fields and values"


class Reasons:
    """Finds the reason why a new condition on a value rejects no object, by what is known of these."""

    def __init__(self, pair: Pair, server: Server) -> None:
        self._pair: Final = pair
        self._server: Final = server
        self._known: Final = _trees(known_conditions(pair.old))
        self._kept: Final = _trees(known_conditions(pair.new))
        self._anything: Final = Reasoner(Facts())
        self._new: Final = Reasoner(SchemaFacts(pair.new, server))
        self._old: Final = Reasoner(SchemaFacts(pair.old, server))
        self._existing: Final = Reasoner(SchemaFacts(pair.old, server, lambda path: is_new(path, pair.old, pair.new)))

    def effect(
        self, condition: str, part: JSONSchemaProps | ValidationRule, collector: Collector
    ) -> tuple[str | None, Example | None]:
        """Return why a new condition rejects no object, or an example that it rejects, if either is known."""
        self._existing.share = self._new.share = _QUICK
        reason = self.reason(condition)
        self._existing.share = self._new.share = 1
        example = collector.example(self._pair, condition, part) if reason is None else None
        return (reason if reason is not None or example is not None else self.reason(condition)), example

    def reason(self, condition: str) -> str | None:
        """Return why a condition is true for all existing objects, None if it may not be."""
        tree = parsed(condition)
        if tree is None:
            return None
        for node, reason in ((self._pair.new, BY_SCHEMA), (self._pair.old, BY_OLD_SCHEMA)):
            if repeats_list_type(condition, node):
                return reason
        related = _related(tree, {**self._known, **_trees(self._below(tree, self._pair.old))})
        known = list(related.values())
        if self._existing.results(tree, known) != TRUE:
            if self._new.results(tree) == TRUE:
                return BY_SCHEMA
            return BY_OLD_RULES if is_implied_above(self._pair, condition, self._server) else None
        if self._is_wider(
            tree, [expr for name, expr in related.items() if name in self._known and name not in self._kept]
        ):
            return WIDER
        if self._new.results(tree) == TRUE:
            return BY_SCHEMA
        if self._old.results(tree) == TRUE:
            return BY_OLD_SCHEMA
        return BY_OLD_RULES if known and self._new.results(tree, known) == TRUE else FOR_EXISTING

    def remains(self, condition: str) -> bool:
        """Return whether the new schema implies an old condition, so that removing it changes nothing."""
        tree = parsed(condition)
        if tree is None:
            return False
        known = _related(tree, {**self._kept, **_trees(self._below(tree, self._pair.new))})
        return self._new.results(tree, list(known.values())) == TRUE

    def _is_wider(self, tree: Expr, removed: Sequence[Expr]) -> bool:
        """Return whether a rule follows from removed ones, whatever the schema is, and they do not follow from it."""
        if not removed or self._anything.results(tree, removed) != TRUE or self._anything.results(tree) == TRUE:
            return False
        return any(self._new.results(expr, [tree]) != TRUE for expr in removed)

    @staticmethod
    def _below(tree: Expr, node: Conjunction) -> Iterator[str]:
        """Yield what schemas require of the fields that a condition names, as conditions on the whole value."""
        of_items = [(*path, ITEM) for path in ((), *field_paths(tree))]
        for path in (*field_paths(tree), *of_items):
            below = list(steps(path, node))
            if len(below) == len(path):
                known = _related(tree, _trees(known_conditions(below[-1])))
                yield from (
                    lifted(condition, path) for condition in known_conditions(below[-1]) if rule_key(condition) in known
                )


def is_implied(pair: Pair, condition: str, server: Server) -> bool:
    """Return whether the old rules and junctors of a value, or of those above it, imply a condition."""
    return _implies(pair.old, condition, (), server) or is_implied_above(pair, condition, server)


def is_implied_above(pair: Pair, condition: str, server: Server) -> bool:
    """Return whether the old rules and junctors of the objects above a value imply a condition."""
    path: FieldPath = ()
    while pair.parent is not None and pair.step and len(path) < _ABOVE:
        path, pair = (pair.step, *path), pair.parent
        if _implies(pair.old, condition, path, server):
            return True
    return False


def _implies(node: Conjunction, condition: str, path: FieldPath, server: Server) -> bool:
    """Return whether what schemas require implies a condition on the value at a path below."""
    names = {escape(step) or step for step in path} - {ITEM}
    known = [expr for expr in _trees(known_conditions(node)).values() if names <= _named(expr)]
    tree = parsed(lifted(condition, path)) if known else None
    return tree is not None and Reasoner(SchemaFacts(node, server)).results(tree, known) == TRUE


def _trees(conditions: Iterable[str]) -> dict[str, Expr]:
    return {rule_key(text): tree for text in conditions if (tree := parsed(text)) is not None}


def _related(tree: Expr, known: Mapping[str, Expr]) -> dict[str, Expr]:
    """Return the conditions that name a field of another one, or no field as that one."""
    named = _named(tree)
    return {name: expr for name, expr in known.items() if not (named and _named(expr)) or named & _named(expr)}


def _named(tree: Expr) -> AbstractSet[str]:
    return {node.field for node in nodes(tree) if isinstance(node, Select)}


def field_paths(tree: Expr) -> Sequence[FieldPath]:
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
