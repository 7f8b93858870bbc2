"""Rules that follow from a schema, or from other rules, so that adding them rejects nothing."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Call, Comprehension, Ident, ListExpr, Literal, Select, children
from crdlint.changes import patterns
from crdlint.changes.conjunction import ITEM, items, properties, type_of
from crdlint.changes.constraints import Bound, constraints
from crdlint.changes.outcomes import field_path
from crdlint.changes.syntax_trees import key, rule_key
from crdlint.schema.values import equality_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from crdlint.cel.ast import Expr
    from crdlint.changes.conjunction import Conjunction, FieldPath
    from crdlint.changes.constraints import Constraints
    from crdlint.kubernetes.servers import Server

_DEEPEST: Final = 40
_COMPARISONS: Final = 2000  # of two conditions for one rule
_OPERANDS: Final = 2
_UPPER: Final = {"_<=_": False, "_<_": True}  # comparisons, and whether they exclude the bound
_LOWER: Final = {"_>=_": False, "_>_": True}
_MIRRORED: Final = {"_<=_": "_>=_", "_<_": "_>_", "_>=_": "_<=_", "_>_": "_<_", "_==_": "_==_", "_!=_": "_!=_"}
_WITHOUT_ERRORS: Final = frozenset({"_&&_", "_||_", "!_", "_?_:_", "_==_", "_!=_"})
_SIZES: Final = {"string": "length", "array": "items", "object": "properties"}


def parts(tree: Expr, operator: str) -> list[Expr]:
    """Return the operands of nested calls of `&&` or `||`."""
    found: list[Expr] = []
    pending = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, Call) and node.function == operator:
            pending.extend(reversed(node.args))
        else:
            found.append(node)
    return found


def follows_from(tree: Expr, others: Iterable[Expr]) -> bool:
    """Return whether a rule is true wherever other rules are: each of its conditions follows from one of theirs."""
    known = [condition for other in others for condition in parts(other, "_&&_")]
    comparison = _Comparison()
    return all(any(comparison.implies(one, condition, 0) for one in known) for condition in parts(tree, "_&&_"))


class _Comparison:
    """Compares conditions by their structure; the number of comparisons is limited."""

    def __init__(self) -> None:
        self._left = _COMPARISONS

    def implies(self, old: Expr, new: Expr, depth: int) -> bool:
        """Return whether a condition is certainly true where another one is."""
        self._left -= 1
        if depth > _DEEPEST or self._left < 0:
            return False
        if key(old) == key(new):
            return True
        old, new = _without_conditional(old), _without_conditional(new)
        if isinstance(new, Comprehension) or isinstance(old, Comprehension):
            return self._folds(old, new, depth)
        if not isinstance(new, Call) or not isinstance(old, Call):
            return self._parts(old, new, depth)
        if old.function == new.function == "!_":
            return self.implies(new.args[0], old.args[0], depth + 1)
        return self._parts(old, new, depth) or _is_wider(old, new)

    def _parts(self, old: Expr, new: Expr, depth: int) -> bool:
        alternatives = parts(old, "_||_")
        if len(alternatives) > 1:
            return all(self.implies(one, new, depth + 1) for one in alternatives)
        wanted = parts(new, "_&&_")
        if len(wanted) > 1:
            return all(self.implies(old, one, depth + 1) for one in wanted)
        return any(self.implies(one, new, depth + 1) for one in parts(old, "_&&_") if one is not old) or any(
            self.implies(old, one, depth + 1) for one in parts(new, "_||_") if one is not new
        )

    def _folds(self, old: Expr, new: Expr, depth: int) -> bool:
        """Compare two folds over the same list, such as of `all`, whose result grows with the condition of an item."""
        if not (isinstance(old, Comprehension) and isinstance(new, Comprehension)):
            return self._parts(old, new, depth)
        before, after = old.loop_step, new.loop_step
        if not (isinstance(before, Call) and isinstance(after, Call) and before.function == after.function):
            return False
        same = [(old.iter_range, new.iter_range), (old.accu_init, new.accu_init), (old.result, new.result)]
        names = (old.iter_var, old.iter_var2, old.accu_var) == (new.iter_var, new.iter_var2, new.accu_var)
        if before.function not in {"_&&_", "_||_"} or not names or any(key(one) != key(other) for one, other in same):
            return False
        return self.implies(before.args[1], after.args[1], depth + 1)


def _without_conditional(tree: Expr) -> Expr:
    """Return `c ? t : true` as `!c || t`, anything else as it is."""
    if isinstance(tree, Call) and tree.function == "_?_:_":
        condition, first, second = tree.args
        if isinstance(second, Literal) and second.value is True:
            return Call(tree.id, "_||_", None, [Call(tree.id, "!_", None, [condition]), first])
    return tree


def _is_wider(old: Call, new: Call) -> bool:
    """Return whether a comparison with literals accepts all values that another one of the same value accepts."""
    if len(old.args) != _OPERANDS or len(new.args) != _OPERANDS or key(old.args[0]) != key(new.args[0]):
        return False
    before, after = old.args[1], new.args[1]
    if new.function == "@in" and isinstance(after, ListExpr):
        values = before.elements if old.function == "@in" and isinstance(before, ListExpr) else [before]
        is_list = old.function in {"@in", "_==_"}
        return is_list and {key(one) for one in values} <= {key(one) for one in after.elements}
    if not (isinstance(before, Literal) and isinstance(after, Literal)):
        return False
    was, now = before.value, after.value
    if type(was) is not type(now) or not isinstance(was, (int, float)) or not isinstance(now, (int, float)):
        return False
    for functions, is_upper in ((_UPPER, True), (_LOWER, False)):
        if old.function in functions and new.function in functions:
            known, wanted = Bound(was, functions[old.function]), Bound(now, functions[new.function])
            return not wanted.tighter_than(known, is_upper=is_upper)
    return False


class Objects:
    """What is known of the values of `self` that a schema accepts."""

    def __init__(self, node: Conjunction, server: Server) -> None:
        self._node = node
        self._server = server

    def fulfil(self, tree: Expr) -> bool:
        """Return whether a rule is true for each of them."""
        return self._implies(tree, {"self": ()}, frozenset(), 0) or key(tree) in _unique(self._node)

    def _implies(
        self, tree: Expr, variables: Mapping[str, FieldPath], present: frozenset[FieldPath], depth: int
    ) -> bool:
        """Return whether a condition is certainly true; ``present`` are optional fields that the value has."""
        if depth > _DEEPEST:
            return False
        if isinstance(tree, Literal):
            return tree.value is True
        if isinstance(tree, Select):
            path = field_path(tree, variables) if tree.test_only else None
            return path is not None and self._has(path, present)
        if isinstance(tree, Comprehension):
            return self._implies_all(tree, variables, present, depth)
        if not isinstance(tree, Call):
            return False
        if tree.function == "_&&_":
            return all(self._implies(one, variables, present, depth + 1) for one in tree.args)
        if tree.function == "_||_":
            alternatives = parts(tree, "_||_")
            guards = {path for one in alternatives if (path := _absent(one, variables)) is not None}
            return any(self._implies(one, variables, present | guards, depth + 1) for one in alternatives) or (
                self._has_values(alternatives, variables, present | guards)
            )
        if tree.function == "_?_:_":
            condition, first, second = tree.args
            guard = field_path(condition, variables) if isinstance(condition, Select) and condition.test_only else None
            known = present if guard is None else present | {guard}
            return (
                self.evaluates(condition, variables, present)
                and self._implies(first, variables, known, depth + 1)
                and self._implies(second, variables, present, depth + 1)
            )
        return self._compares(tree, variables, present)

    def _implies_all(
        self, tree: Comprehension, variables: Mapping[str, FieldPath], present: frozenset[FieldPath], depth: int
    ) -> bool:
        """Return whether `list.all(x, condition)` is certainly true."""
        path = field_path(tree.iter_range, variables)
        step = tree.loop_step
        is_all = (
            isinstance(tree.accu_init, Literal)
            and tree.accu_init.value is True
            and isinstance(step, Call)
            and step.function == "_&&_"
            and isinstance(tree.result, Ident)
        )
        schemas = None if path is None else self.schemas(path, present)
        if not is_all or path is None or schemas is None or type_of(schemas) != "array" or tree.iter_var2:
            return False
        assert isinstance(step, Call)  # noqa: S101  is_all checks it
        inner = {**variables, tree.iter_var: (*path, ITEM)}
        return self._implies(step.args[1], inner, present, depth + 1)

    def _compares(self, tree: Call, variables: Mapping[str, FieldPath], present: frozenset[FieldPath]) -> bool:
        if tree.function == "matches" and tree.target is not None and isinstance(tree.args[0], Literal):
            folded = self.constraints(tree.target, variables, present)
            wanted = str(tree.args[0].value)
            return folded is not None and any(patterns.relation(one, wanted).is_covered for one in folded.patterns)
        if tree.function == "@in" and isinstance(tree.args[1], ListExpr):
            return self._is_among(tree.args[0], tree.args[1].elements, variables, present)
        if tree.function not in _MIRRORED or len(tree.args) != 2:
            return False
        left, right = tree.args
        function = tree.function
        if isinstance(left, Literal):
            left, right, function = right, left, _MIRRORED[function]
        if not isinstance(right, Literal):
            return False
        if function == "_==_":
            return self._is_among(left, [right], variables, present)
        if function == "_!=_":
            folded = self.constraints(left, variables, present)
            is_filled = folded is not None and folded.bounds.get("min_length", Bound(0)).value > 0
            return right.value == "" and is_filled
        return self._is_bounded(left, function, right.value, variables, present)

    def _is_bounded(
        self,
        left: Expr,
        function: str,
        value: object,
        variables: Mapping[str, FieldPath],
        present: frozenset[FieldPath],
    ) -> bool:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            return False
        is_upper = function in _UPPER
        wanted = Bound(value, (_UPPER if is_upper else _LOWER)[function])
        measured = _measured(left)
        folded = self.constraints(measured or left, variables, present)
        if folded is None:
            return False
        suffix = _SIZES.get(folded.type) if measured is not None else "imum"
        if suffix is None or (measured is None and folded.type not in {"integer", "number"}):
            return False
        name = ("max" if is_upper else "min") + (suffix if suffix == "imum" else f"_{suffix}")
        bound = folded.bounds.get(name)
        return bound is not None and not wanted.tighter_than(bound, is_upper=is_upper)

    def _is_among(
        self,
        left: Expr,
        literals: Iterable[Expr],
        variables: Mapping[str, FieldPath],
        present: frozenset[FieldPath],
    ) -> bool:
        folded = self.constraints(left, variables, present)
        if folded is None or folded.enum is None:
            return False
        allowed = {equality_key(one.value) for one in literals if isinstance(one, Literal)}
        return set(folded.enum) <= allowed

    def _has_values(
        self, alternatives: Iterable[Expr], variables: Mapping[str, FieldPath], present: frozenset[FieldPath]
    ) -> bool:
        """Return whether `x == 'a' || x == 'b'` has all values of the enumeration of `x`."""
        by_subject: dict[str, tuple[Expr, list[Expr]]] = {}
        for one in alternatives:
            if isinstance(one, Call) and one.function == "_==_" and isinstance(one.args[1], Literal):
                by_subject.setdefault(key(one.args[0]), (one.args[0], []))[1].append(one.args[1])
        return any(self._is_among(left, values, variables, present) for left, values in by_subject.values())

    def constraints(
        self, value: Expr, variables: Mapping[str, FieldPath], present: frozenset[FieldPath]
    ) -> Constraints | None:
        """Return the constraints of an expression that names a value which each object has, None for others."""
        path = field_path(value, variables)
        if path is None or (isinstance(value, Select) and value.test_only):
            return None
        return self.constraints_at(path, present)

    def constraints_at(self, path: FieldPath, present: frozenset[FieldPath]) -> Constraints | None:
        """Return the constraints of a value that each object has, None for others."""
        schemas = self.schemas(path, present)
        return None if schemas is None else constraints(schemas, self._server)

    def evaluates(self, tree: Expr, variables: Mapping[str, FieldPath], present: frozenset[FieldPath]) -> bool:
        """Return whether a condition certainly has no error."""
        pending = [tree]
        while pending:
            node = pending.pop()
            if isinstance(node, Select):
                path = field_path(node, variables)
                if path is None or self.schemas(path[:-1] if node.test_only else path, present) is None:
                    return False
            elif isinstance(node, Call) and node.function in _WITHOUT_ERRORS:
                pending += children(node)
            elif not isinstance(node, Literal):
                return False
        return True

    def is_list(self, path: FieldPath, present: frozenset[FieldPath]) -> bool:
        """Return whether each object has a list at a path."""
        schemas = self.schemas(path, present)
        return schemas is not None and type_of(schemas) == "array" and not schemas[0].nullable

    def _has(self, path: FieldPath, present: frozenset[FieldPath]) -> bool:
        return bool(path) and self.schemas(path, present) is not None

    def schemas(self, path: FieldPath, present: frozenset[FieldPath]) -> Conjunction | None:
        """Return the schemas of a value that each object has, None for others."""
        node = self._node
        for i, step in enumerate(path):
            if step == ITEM:
                node = items(node)
                if not node:
                    return None
                continue
            below = properties(node).get(step)
            if below is None:
                return None
            is_required = any(step in one.required for one in node) or any(one.default is not None for one in below)
            if not is_required and path[: i + 1] not in present:
                return None
            node = below
        return node


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


def _unique(node: Conjunction) -> frozenset[str]:
    """Return the rules that only repeat that the items of a list are unique, as values of `key`."""
    first = node[0]
    if first.x_list_type == "set":
        return _unique_by(("",))
    return (
        _unique_by(tuple(f".{name}" for name in first.x_list_map_keys)) if first.x_list_type == "map" else frozenset()
    )


@lru_cache(maxsize=64)
def _unique_by(keys: tuple[str, ...]) -> frozenset[str]:
    equalities = [
        " && ".join(f"{one}{name} == {other}{name}" for name in keys) for one, other in (("x", "y"), ("y", "x"))
    ]
    return frozenset(rule_key(rule.format(equality)) for rule in _UNIQUE for equality in equalities)


def _absent(tree: Expr, variables: Mapping[str, FieldPath]) -> FieldPath | None:
    """Return the field of a condition `!has(field)`, None for any other condition."""
    if isinstance(tree, Call) and tree.function == "!_":
        inner = tree.args[0]
        if isinstance(inner, Select) and inner.test_only:
            return field_path(inner, variables)
    return None


def _measured(tree: Expr) -> Expr | None:
    """Return the value whose size is taken, None for anything else."""
    if isinstance(tree, Call) and tree.function == "size":
        return tree.target if tree.target is not None else tree.args[0]
    return None
