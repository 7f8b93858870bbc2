"""The values that a schema permits in objects, for the reasoner."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.changes import patterns
from crdlint.changes.conjunction import Conjunction, steps
from crdlint.changes.constraints import Bound, Constraints, constraints
from crdlint.kubecel.reasoning.domains import FAILED, PRESENT, SIZES, Domain, Just, Numbers, Others, Piece
from crdlint.kubecel.reasoning.reasoner import ITEM, Facts, FieldPath
from crdlint.kubecel.syntax_trees import rule_key

if TYPE_CHECKING:
    from crdlint.kubernetes.servers import Server

_SIZES: Final = {"string": "length", "array": "items", "object": "properties"}
_VALUES: Final[dict[str, Domain]] = {
    "boolean": (Just(value=True), Just(value=False)), "array": (Piece.LIST,), "object": (Piece.OBJECT,),
    "int-or-string": (Numbers(is_whole=True), Others()),
}  # fmt: skip


class SchemaFacts(Facts):
    """The facts about the objects that a schema accepts; ``is_new`` returns whether none of them has a field."""

    def __init__(self, node: Conjunction, server: Server, is_new: Callable[[FieldPath], bool] | None = None) -> None:
        super().__init__()
        self._server = server
        self._is_new = is_new
        self._nodes: dict[FieldPath, Conjunction] = {(): node}
        self._values: dict[FieldPath, Domain] = {}

    def values(self, path: FieldPath) -> Domain:
        """Return the values at a path; the field of an object, or the item of a list, that is there."""
        if path not in self._values:
            self._values[path] = self._domain(path)
        return self._values[path]

    def _domain(self, path: FieldPath) -> Domain:
        node = self._node(path)
        if path and path[-1] != ITEM and self._is_new is not None and self._is_new(path):
            return FAILED
        if not node:
            return super().values(path)
        is_there = not path or path[-1] == ITEM or any(path[-1] in schema.required for schema in self._node(path[:-1]))
        domain = _values(constraints(node, self._server))
        if node[0].nullable:
            domain = (*domain, Just(None))
        return domain if is_there or any(schema.default is not None for schema in node) else (*FAILED, *domain)

    def sizes(self, path: FieldPath) -> Domain:
        """Return the sizes of the texts, lists or objects at a path."""
        folded = self._folded(path)
        suffix = None if folded is None or "byte" in folded.formats else _SIZES.get(folded.type)
        if folded is None or suffix is None:
            return SIZES
        low, high = (folded.bounds.get(f"{end}_{suffix}") for end in ("min", "max"))
        return _numbers(low or Bound(0), high, is_whole=True)

    def match(self, path: FieldPath, pattern: str) -> bool:
        """Return whether all texts at a path match a pattern."""
        folded = self._folded(path)
        known = folded.patterns if folded else ()
        return any(patterns.relation(each, pattern).is_covered for each in known)

    def covers(self, pattern: str, other: str) -> bool:
        """Return whether all texts that match a pattern match another one."""
        return patterns.relation(pattern, other).is_covered

    def _folded(self, path: FieldPath) -> Constraints | None:
        node = self._node(path)
        return constraints(node, self._server) if node else None

    def _node(self, path: FieldPath) -> Conjunction:
        if path not in self._nodes:
            self._nodes[path] = next(steps(path[-1:], self._node(path[:-1])), ())
        return self._nodes[path]


def _values(folded: Constraints) -> Domain:
    if folded.enum is not None:
        return tuple(
            Piece.LIST if isinstance(value, list) else Piece.OBJECT if isinstance(value, dict) else Just(value)
            for value in folded.enum.values()
        )
    if folded.type in {"integer", "number"}:
        low, high = folded.bounds.get("minimum"), folded.bounds.get("maximum")
        return _numbers(low, high, is_whole=folded.type == "integer")
    if folded.type == "string":
        return (Others(frozenset({(False, "")} if "min_length" in folded.bounds else ())),)
    return _VALUES.get(folded.type, PRESENT)


def _numbers(low: Bound | None, high: Bound | None, *, is_whole: bool) -> Domain:
    low, high = low or Bound(-math.inf), high or Bound(math.inf)
    return Numbers(low.value, high.value, is_whole, low.is_strict, high.is_strict).narrowed()


# Rules for the uniqueness of list items, with {} for the equality of two of them.
_UNIQUE: Final = (
    "self.all(x, self.exists_one(y, {}))",
    "self.all(x, self.filter(y, {}).size() == 1)",
    "self.all(x, self.filter(y, {}).size() <= 1)",
    "self.all(x, size(self.filter(y, {})) == 1)",
    "size(self.filter(x, size(self.filter(y, {})) > 1)) == 0",
    "self.filter(x, self.filter(y, {}).size() > 1).size() == 0",
    "!self.exists(x, self.filter(y, {}).size() > 1)",
)


def repeats_list_type(rule: str, node: Conjunction) -> bool:
    """Return whether a rule only requires that the items of a list are unique, as its type does."""
    keys = {"set": ("",), "map": tuple(f".{name}" for name in node[0].x_list_map_keys)}.get(node[0].x_list_type or "")
    return keys is not None and rule_key(rule) in _unique_by(keys)


@lru_cache(maxsize=64)
def _unique_by(keys: tuple[str, ...]) -> frozenset[str]:
    equalities = [
        " && ".join(f"{variable}{name} == {other}{name}" for name in keys)
        for variable, other in (("x", "y"), ("y", "x"))
    ]
    return frozenset(rule_key(rule.format(equality)) for rule in _UNIQUE for equality in equalities)
