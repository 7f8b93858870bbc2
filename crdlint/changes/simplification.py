"""Rules as they are for existing objects, which have no new fields and no new values."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Call, Comprehension, Ident, ListExpr, Literal, Select
from crdlint.changes.conjunction import ITEM
from crdlint.changes.implications import parts
from crdlint.changes.outcomes import field_path
from crdlint.schema.values import equality_key

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from crdlint.cel.ast import Expr
    from crdlint.changes.conjunction import FieldPath
    from crdlint.changes.implications import Objects

_DEEPEST: Final = 60  # nodes from the root; deeper ones are kept
_OPERANDS: Final = 2
_OLD: Final = "oldSelf"  # the first step of paths in the old object, which may have other fields
_COMPARISONS: Final = {
    "_==_": operator.eq, "_!=_": operator.ne, "_<_": operator.lt, "_<=_": operator.le, "_>_": operator.gt,
    "_>=_": operator.ge,
}  # fmt: skip
_Interval = tuple[int, int]  # the smallest and the largest value


def simplified(tree: Expr, objects: Objects, is_new: Callable[[FieldPath], bool]) -> Expr:
    """Return a rule that has the same result for all objects of the old schema, and errors where the rule has some.

    ``objects`` is what is known of them, ``is_new`` returns whether none of them has a field.
    """
    return _Simplification(objects, is_new).of(tree, {"self": (), "oldSelf": (_OLD,)}, frozenset(), 0)


class _Simplification:
    def __init__(self, objects: Objects, is_new: Callable[[FieldPath], bool]) -> None:
        self._objects = objects
        self._is_new = is_new

    def of(self, node: Expr, variables: Mapping[str, FieldPath], present: frozenset[FieldPath], depth: int) -> Expr:
        """Return a simpler form of a node; ``present`` are optional fields that the value has."""
        if depth > _DEEPEST:
            return node
        if isinstance(node, Select) and node.test_only:
            return self._presence(node, variables, present)
        if isinstance(node, ListExpr) and not node.optional_indices:
            elements = [self.of(one, variables, present, depth + 1) for one in node.elements]
            return ListExpr(node.id, elements, [])
        if isinstance(node, Comprehension):
            return self._fold(node, variables, present, depth)
        if not isinstance(node, Call):
            return node
        if node.function in {"_&&_", "_||_"}:
            return self._logical(node, variables, present, depth)
        if node.function == "_?_:_":
            return self._conditional(node, variables, present, depth)
        args = [self.of(one, variables, present, depth + 1) for one in node.args]
        target = None if node.target is None else self.of(node.target, variables, present, depth + 1)
        call = Call(node.id, node.function, target, args)
        if node.function == "!_":
            return _negated(call)
        if node.function == "_+_":
            return _sum(call)
        if node.function == "@in" and isinstance(args[1], ListExpr):
            return self._membership(call, args[1], variables, present)
        if node.function in _COMPARISONS and len(args) == _OPERANDS:
            return self._comparison(call, variables, present)
        return call

    def _presence(self, node: Select, variables: Mapping[str, FieldPath], present: frozenset[FieldPath]) -> Expr:
        path = field_path(node, variables)
        if path is None or not self._exists(path[:-1], present):
            return node
        if self._is_new(_in_object(path)):
            return Literal(node.id, False)
        return Literal(node.id, True) if self._exists(path, present) else node

    def _exists(self, path: FieldPath, present: frozenset[FieldPath]) -> bool:
        """Return whether each existing object has a value."""
        return self._objects.schemas(_in_object(path), _of_same_object(path, present)) is not None

    def _logical(
        self, node: Call, variables: Mapping[str, FieldPath], present: frozenset[FieldPath], depth: int
    ) -> Expr:
        """Simplify `&&` or `||`; an operand is evaluated with the fields that those before it require."""
        decides = node.function == "_||_"
        known = present
        kept: list[Expr] = []
        for one in parts(node, node.function):
            operand = self.of(one, variables, known, depth + 1)
            known |= _tested(one, variables, expected=not decides)
            if not isinstance(operand, Literal):
                kept.append(operand)
            elif operand.value is decides:
                return operand
        if not kept:
            return Literal(node.id, not decides)
        result = kept[0]
        for one in kept[1:]:
            result = Call(node.id, node.function, None, [result, one])
        return result

    def _conditional(
        self, node: Call, variables: Mapping[str, FieldPath], present: frozenset[FieldPath], depth: int
    ) -> Expr:
        condition = self.of(node.args[0], variables, present, depth + 1)
        first = self.of(node.args[1], variables, present | _tested(node.args[0], variables, expected=True), depth + 1)
        second = self.of(node.args[2], variables, present | _tested(node.args[0], variables, expected=False), depth + 1)
        if isinstance(condition, Literal):
            return first if condition.value is True else second
        return Call(node.id, node.function, None, [condition, first, second])

    def _fold(
        self, node: Comprehension, variables: Mapping[str, FieldPath], present: frozenset[FieldPath], depth: int
    ) -> Expr:
        range_ = self.of(node.iter_range, variables, present, depth + 1)
        path = field_path(node.iter_range, variables)
        inner = {name: value for name, value in variables.items() if name not in {node.iter_var, node.iter_var2}}
        is_known = path is not None and self._objects.is_list(_in_object(path), _of_same_object(path, present))
        if path is not None and is_known and not node.iter_var2:
            inner[node.iter_var] = (*path, ITEM)
        step = self.of(node.loop_step, inner, present, depth + 1)
        if isinstance(range_, ListExpr) and keeps_true(node):
            range_ = ListExpr(range_.id, [one for one in range_.elements if not _is(one, value=False)], [])
        if is_known and isinstance(step, Ident) and step.name == node.accu_var and isinstance(node.result, Ident):
            return node.accu_init
        return Comprehension(
            node.id, range_, node.iter_var, node.iter_var2, node.accu_var, node.accu_init, node.loop_condition, step,
            node.result,
        )  # fmt: skip

    def _membership(
        self, call: Call, values: ListExpr, variables: Mapping[str, FieldPath], present: frozenset[FieldPath]
    ) -> Expr:
        """Leave out the members that the old enumeration does not have."""
        allowed = self._values(call.args[0], variables, present)
        if allowed is None:
            return call
        kept = [one for one in values.elements if not isinstance(one, Literal) or equality_key(one.value) in allowed]
        if not kept:
            return Literal(call.id, False)
        return Call(call.id, call.function, None, [call.args[0], ListExpr(values.id, kept, [])])

    def _values(
        self, value: Expr, variables: Mapping[str, FieldPath], present: frozenset[FieldPath]
    ) -> frozenset[object] | None:
        """Return the enumeration of a value that each existing object has, None without one."""
        path = field_path(value, variables)
        if path is None or (isinstance(value, Select) and value.test_only):
            return None
        folded = self._objects.constraints_at(_in_object(path), _of_same_object(path, present))
        return None if folded is None or folded.enum is None else frozenset(folded.enum)

    def _comparison(self, call: Call, variables: Mapping[str, FieldPath], present: frozenset[FieldPath]) -> Expr:
        left, right = call.args
        if call.function in {"_==_", "_!=_"}:
            for value, other in ((left, right), (right, left)):
                if isinstance(other, Literal) and isinstance(other.value, bool) and _is_boolean(value):
                    is_same = other.value is (call.function == "_==_")
                    return value if is_same else _negated(Call(call.id, "!_", None, [value]))
                if isinstance(other, Literal):
                    allowed = self._values(value, variables, present)
                    if allowed is not None and equality_key(other.value) not in allowed:
                        return Literal(call.id, call.function == "_!=_")
        if isinstance(left, Literal) and isinstance(right, Literal) and type(left.value) is type(right.value) is bool:
            return Literal(call.id, (left.value is right.value) is (call.function == "_==_"))
        decided = _decided(call.function, self._interval(left, variables), self._interval(right, variables))
        return call if decided is None else Literal(call.id, decided)

    def _interval(self, node: Expr, variables: Mapping[str, FieldPath]) -> _Interval | None:
        """Return the values of an integer expression that has no errors, None if they are not known."""
        if isinstance(node, Literal):
            return (node.value, node.value) if type(node.value) is int else None
        if not isinstance(node, Call):
            return None
        if node.function == "size":
            return self._count(node.target if node.target is not None else node.args[0], variables)
        if node.function == "_+_":
            first, second = (self._interval(one, variables) for one in node.args)
        elif node.function == "_?_:_" and self._objects.evaluates(node.args[0], variables, frozenset()):
            first, second = (self._interval(one, variables) for one in node.args[1:])
        else:
            return None
        if first is None or second is None:
            return None
        if node.function == "_+_":
            return first[0] + second[0], first[1] + second[1]
        return min(first[0], second[0]), max(first[1], second[1])

    def _count(self, node: Expr, variables: Mapping[str, FieldPath]) -> _Interval | None:
        """Return how many conditions of a list literal are true, for `[...].filter(x, x)`."""
        if not (isinstance(node, Comprehension) and isinstance(node.iter_range, ListExpr) and keeps_true(node)):
            return None
        conditions = node.iter_range.elements
        if not all(self._objects.evaluates(one, variables, frozenset()) for one in conditions):
            return None
        return sum(_is(one, value=True) for one in conditions), len(conditions)


def _in_object(path: FieldPath) -> FieldPath:
    """Return a path without the step that marks the old object."""
    return path[1:] if path[:1] == (_OLD,) else path


def _of_same_object(path: FieldPath, present: frozenset[FieldPath]) -> frozenset[FieldPath]:
    """Return the fields that are known of the object to which a path belongs."""
    is_old = path[:1] == (_OLD,)
    return frozenset(_in_object(one) for one in present if (one[:1] == (_OLD,)) is is_old)


def _tested(condition: Expr, variables: Mapping[str, FieldPath], *, expected: bool) -> frozenset[FieldPath]:
    """Return the fields that a value certainly has if a condition has the expected result."""
    found: set[FieldPath] = set()
    for one in parts(condition, "_&&_" if expected else "_||_"):
        is_negated = isinstance(one, Call) and one.function == "!_"
        test = one.args[0] if isinstance(one, Call) and is_negated else one
        path = field_path(test, variables) if isinstance(test, Select) and test.test_only else None
        if path is not None and is_negated is not expected:
            found.add(path)
    return frozenset(found)


def _negated(call: Call) -> Expr:
    inner = call.args[0]
    if isinstance(inner, Literal) and isinstance(inner.value, bool):
        return Literal(call.id, not inner.value)
    if isinstance(inner, Call) and inner.function == "!_" and _is_boolean(inner.args[0]):
        return inner.args[0]
    return call


def _sum(call: Call) -> Expr:
    """Return a sum without zeros."""
    left, right = call.args
    if _is_zero(left):
        return right
    return left if _is_zero(right) else call


def _is_zero(node: Expr) -> bool:
    return isinstance(node, Literal) and type(node.value) is int and node.value == 0


def _is(node: Expr, *, value: bool) -> bool:
    return isinstance(node, Literal) and node.value is value


def _is_boolean(node: Expr) -> bool:
    """Return whether a node certainly evaluates to a boolean."""
    if isinstance(node, Literal):
        return isinstance(node.value, bool)
    if isinstance(node, Select):
        return node.test_only
    return isinstance(node, Call) and node.function in {*_COMPARISONS, "_&&_", "_||_", "!_", "@in"}


def keeps_true(node: Comprehension) -> bool:
    """Return whether a fold is `filter(x, x)` or `filter(x, x == true)`."""
    step = node.loop_step
    if not (isinstance(step, Call) and step.function == "_?_:_" and isinstance(node.accu_init, ListExpr)):
        return False
    condition, added, kept = step.args
    if isinstance(condition, Call) and condition.function == "_==_":
        condition = next((one for one in condition.args if not _is(one, value=True)), condition)
    return (
        isinstance(condition, Ident)
        and condition.name == node.iter_var
        and isinstance(added, Call)
        and added.function == "_+_"
        and isinstance(kept, Ident)
        and kept.name == node.accu_var
    )


def _decided(function: str, first: _Interval | None, second: _Interval | None) -> bool | None:
    """Return the result of a comparison that is the same for all values of two intervals, None if it is not."""
    if first is None or second is None:
        return None
    compare = _COMPARISONS[function]
    ends = {bool(compare(one, other)) for one in first for other in second}
    if len(ends) > 1:
        return None
    result = ends.pop()
    if function in {"_==_", "_!=_"} and first[0] <= second[1] and second[0] <= first[1]:
        return result if first[0] == first[1] == second[0] == second[1] else None
    return result
