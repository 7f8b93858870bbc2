"""Rules compared by their results for all cases that they distinguish: fields that are set or not, and their values.

Parts of a rule that are not understood are cases of their own: true, false or an error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.ast import Call, Comprehension, Ident, ListExpr, Literal, MapExpr, Select, nodes
from crdlint.changes.outcomes import field_path
from crdlint.changes.simplification import keeps_true
from crdlint.changes.syntax_trees import key
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from crdlint.cel.ast import Expr
    from crdlint.changes.conjunction import FieldPath
    from crdlint.changes.implications import Objects

_MOST_CASES: Final = 3000
_DEEPEST: Final = 60
_ERROR: Final = object()
_ABSENT: Final = object()
_OTHER: Final = object()  # a value that no rule compares with
_SELF: Final = {"self": ()}
_ORDER: Final = {"_<_": (-1,), "_<=_": (-1, 0), "_>_": (1,), "_>=_": (1, 0)}


def follows_in_all_cases(new: Expr, known: Sequence[Expr], objects: Objects) -> bool:
    """Return whether a rule is true in each case in which the ``known`` rules are."""
    names = _named(new)
    related = [one for one in known if names & _named(one)]
    return bool(related) and _Cases(new, related, objects).decide()


def _named(tree: Expr) -> set[str]:
    """Return the fields of `self` that a rule names."""
    return {node.field for node in nodes(tree) if isinstance(node, Select)}


class _OpenError(Exception):
    """A rule depends on something that a case does not decide yet."""

    def __init__(self, variable: str, values: Iterable[Any]) -> None:
        super().__init__()
        self.variable = variable
        self.values = tuple(values)


class _UnknownError(Exception):
    """The value of an expression is not understood."""


class _Cases:
    def __init__(self, new: Expr, known: Sequence[Expr], objects: Objects) -> None:
        self._new = new
        self._known = known
        self._objects = objects
        self._left = _MOST_CASES
        self._literals = _compared((new, *known))
        self._size = sum(1 for tree in (new, *known) for _ in nodes(tree))

    def decide(self) -> bool:
        """Return whether the new rule is true in each case in which the known ones are."""
        pending: list[Mapping[str, Any]] = [{}]
        while pending:
            case = pending.pop()
            self._left -= 1
            if self._left < 0:
                return False
            evaluation = _Evaluation(case, self._objects, self._literals)
            try:
                work.spend(self._size)
                applies = all(evaluation.result(one, 0) is True for one in self._known)
                if applies and evaluation.result(self._new, 0) is not True:
                    return False
            except work.WorkLimitError:
                return False
            except _OpenError as error:
                pending += [{**case, error.variable: value} for value in error.values]
        return True


def _compared(trees: Iterable[Expr]) -> dict[str, set[Any]]:
    """Return the literals that fields, and sizes of fields, are compared with, by the key of the field."""
    found: dict[str, set[Any]] = {}
    for tree in trees:
        for node in nodes(tree):
            if isinstance(node, Call) and node.function in {"_==_", "_!=_", "@in", *_ORDER}:
                inner = list(nodes(node))
                literals = {
                    one.value for one in inner if isinstance(one, Literal) and isinstance(one.value, (str, int))
                }
                for one in inner:
                    if isinstance(one, Select) and not one.test_only:
                        found.setdefault(key(one), set()).update(literals)
    return found


class _Evaluation:
    """Evaluates rules in one case."""

    def __init__(self, case: Mapping[str, Any], objects: Objects, literals: Mapping[str, set[Any]]) -> None:
        self._case = case
        self._objects = objects
        self._literals = literals

    def result(self, node: Expr, depth: int) -> Any:
        """Return True, False or _ERROR; raise _OpenError."""
        if depth > _DEEPEST:
            return self._opaque(node)
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Select) and node.test_only:
            path = field_path(node, _SELF)
            return self._opaque(node) if path is None else self._has(path)
        if isinstance(node, Call):
            if node.function in {"_&&_", "_||_"}:
                return self._logical(node, depth)
            if node.function == "!_":
                inner = self.result(node.args[0], depth + 1)
                return _ERROR if inner is _ERROR else not inner
            if node.function == "_?_:_":
                condition = self.result(node.args[0], depth + 1)
                return _ERROR if condition is _ERROR else self.result(node.args[1 if condition else 2], depth + 1)
        try:
            return self._comparison(node, depth)
        except _UnknownError:
            return self._opaque(self._resolved(node, depth))

    def _logical(self, node: Call, depth: int) -> Any:
        decisive = node.function == "_||_"
        first = self.result(node.args[0], depth + 1)
        if first is decisive:
            return decisive
        second = self.result(node.args[1], depth + 1)
        if second is decisive:
            return decisive
        return _ERROR if first is _ERROR or second is _ERROR else not decisive

    def _opaque(self, node: Expr) -> Any:
        if isinstance(node, Literal):
            return node.value
        return self._decided(key(node), (True, False, _ERROR))

    def _decided(self, variable: str, values: Iterable[Any]) -> Any:
        if variable not in self._case:
            raise _OpenError(variable, values)
        return self._case[variable]

    def _has(self, path: FieldPath) -> Any:
        value = self._value_at(path)
        return _ERROR if value is _ERROR else value is not _ABSENT

    def _value_at(self, path: FieldPath) -> Any:
        """Return the value of a field, _ABSENT without one, _ERROR without the object around it."""
        if len(path) > 1 and any(self._value_at(path[:-1]) is one for one in (_ABSENT, _ERROR)):
            return _ERROR
        values: list[Any] = [_OTHER, *sorted(self._literals.get(_key_of(path), ()), key=repr)]
        folded = self._objects.constraints_at(path, frozenset(path[: i + 1] for i in range(len(path))))
        if folded is not None and folded.enum is not None:
            allowed = list(folded.enum.values())
            values = [one for one in values if one is not _OTHER and one in allowed]
            values += [_OTHER] if len(values) < len(allowed) else []
        if self._objects.schemas(path, frozenset(path[: i + 1] for i in range(len(path) - 1))) is None:
            values.append(_ABSENT)
        return self._decided(_key_of(path), values)

    def _comparison(self, node: Expr, depth: int) -> Any:
        if not isinstance(node, Call) or len(node.args) != 2 or node.target is not None:
            raise _UnknownError
        if node.function == "@in" and isinstance(node.args[1], ListExpr):
            left = self._value(node.args[0], depth + 1)
            values = [self._value(one, depth + 1) for one in node.args[1].elements if isinstance(one, Literal)]
            if len(values) < len(node.args[1].elements):
                raise _UnknownError
            return _ERROR if left is _ERROR else any(_equal(left, one) for one in values)
        if node.function not in {"_==_", "_!=_", *_ORDER}:
            raise _UnknownError
        left, right = (
            self._size_of_field(one, depth + 1)
            if _is_size(one) and isinstance(other, Literal)
            else self._value(one, depth + 1)
            for one, other in (node.args, reversed(node.args))
        )
        if left is _ERROR or right is _ERROR:
            return _ERROR
        if left is _OTHER and right is _OTHER:
            raise _UnknownError
        if node.function in _ORDER:
            if type(left) is not int or type(right) is not int:
                raise _UnknownError
            return (left > right) - (left < right) in _ORDER[node.function]
        return _equal(left, right) is (node.function == "_==_")

    def _value(self, node: Expr, depth: int) -> Any:
        """Return the value of an expression, _OTHER or _ERROR; raise _UnknownError and _OpenError."""
        if depth > _DEEPEST:
            raise _UnknownError
        if isinstance(node, Literal) and isinstance(node.value, (str, int)):
            return node.value
        if isinstance(node, Select):
            path = field_path(node, _SELF)
            if path is None:
                raise _UnknownError
            if node.test_only:
                return self._has(path)
            value = self._value_at(path)
            return _ERROR if value is _ABSENT else value
        if not isinstance(node, Call):
            raise _UnknownError
        if node.function == "_?_:_":
            condition = self.result(node.args[0], depth + 1)
            return _ERROR if condition is _ERROR else self._value(node.args[1 if condition else 2], depth + 1)
        if node.function in {"_&&_", "_||_", "!_", "_==_", "_!=_", "@in", *_ORDER}:
            return self.result(node, depth + 1)
        if node.function == "_+_":
            first, second = (self._value(one, depth + 1) for one in node.args)
            if first is _ERROR or second is _ERROR:
                return _ERROR
            if type(first) is int and type(second) is int:
                return first + second
        if node.function == "size":
            return self._size(node, depth)
        raise _UnknownError

    def _size_of_field(self, call: Expr, depth: int) -> Any:
        """Return a size that is compared with a literal: one of those that comparisons distinguish."""
        node = self._measured(call, depth)
        path = field_path(node, _SELF) if isinstance(node, Select) and not node.test_only else None
        if path is None:
            return self._value(call, depth)
        value = self._value_at(path)
        if value is _ABSENT or value is _ERROR:
            return _ERROR
        literals = [one for one in self._literals.get(key(node), ()) if type(one) is int]
        sizes = {0, *(max(one + i, 0) for one in literals for i in (-1, 0, 1))}
        return self._decided(f"size {key(node)}", sorted(sizes))

    def _measured(self, call: Expr, depth: int) -> Expr:
        if not isinstance(call, Call):
            raise _UnknownError
        return self._resolved(call.target if call.target is not None else call.args[0], depth)

    def _size(self, call: Expr, depth: int) -> Any:
        """Return the size of an empty list or map, or how many conditions of a list are true."""
        node = self._measured(call, depth)
        if (isinstance(node, ListExpr) and not node.elements) or (isinstance(node, MapExpr) and not node.entries):
            return 0
        if isinstance(node, Comprehension) and isinstance(node.iter_range, ListExpr) and keeps_true(node):
            results = [self.result(one, depth + 1) for one in node.iter_range.elements]
            return _ERROR if any(one is _ERROR for one in results) else sum(results)
        raise _UnknownError

    def _resolved(self, node: Expr, depth: int) -> Expr:
        """Return an expression with the operands that its conditions select in this case."""
        if depth > _DEEPEST:
            return node
        if isinstance(node, Call) and node.function == "_?_:_":
            condition = self.result(node.args[0], depth + 1)
            return node if condition is _ERROR else self._resolved(node.args[1 if condition else 2], depth + 1)
        if isinstance(node, Comprehension):
            range_ = self._resolved(node.iter_range, depth + 1)
            if isinstance(range_, ListExpr) and not range_.elements and isinstance(node.result, Ident):
                return node.accu_init
            return Comprehension(
                node.id, range_, node.iter_var, node.iter_var2, node.accu_var, node.accu_init, node.loop_condition,
                node.loop_step, node.result,
            )  # fmt: skip
        if isinstance(node, Call) and node.target is not None:
            target = self._resolved(node.target, depth + 1)
            if node.function == "startsWith" and isinstance(target, Literal) and isinstance(node.args[0], Literal):
                return Literal(node.id, str(target.value).startswith(str(node.args[0].value)))
            return Call(node.id, node.function, target, node.args)
        return node


def _is_size(node: Expr) -> bool:
    return isinstance(node, Call) and node.function == "size"


def _key_of(path: FieldPath) -> str:
    node: Expr = Ident(0, "self")
    for step in path:
        node = Select(0, node, step)
    return key(node)


def _equal(first: object, second: object) -> bool:
    return first is second or (type(first) is type(second) and first == second)
