"""Comprehensions: the accumulator, created on first use, and the iterations. Upstream: evalFold in interpretable.go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from crdlint.cel import ast
from crdlint.cel.eval.attributes import Run, select
from crdlint.cel.eval.cost import Frame
from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.functions import Resolved
from crdlint.cel.eval.values import MISSING, MutableList, MutableMap, Value, element, go_type, kind_of
from crdlint.cel.types import Kind

# The slots of a comprehension: accumulator, whether it grows in place, first and second variable.
SLOTS: Final = 4
_GROWING: Final = frozenset({MutableList, MutableMap})


def accumulator(slot: int, initial: Run) -> Run:
    """Return the function for the accumulator; an initial empty list or map is a mutable one."""

    def run(frame: Frame) -> Value:
        slots = frame.slots
        value = slots[slot]
        if value is MISSING:
            value = initial(frame)
            kind = kind_of(value)
            if kind is Kind.LIST and not len(value):
                value, slots[slot + 1] = MutableList(), True
            elif kind is Kind.MAP and not len(value):
                value, slots[slot + 1] = MutableMap(), True
            slots[slot] = value
        return value

    return run


def variable(slot: int) -> Run:
    """Return the function for an iteration variable."""

    def run(frame: Frame) -> Value:
        return frame.slots[slot]

    return run


def fold(slot: int, range_: Run, loop: Sequence[Run], *, pairs: bool, id_: int, hides_errors: bool) -> Run:
    """Return a comprehension over a range, with one or two variables; see the dialect for `hides_errors`.

    `loop` has its condition, step and result.
    """
    condition, step, result = loop

    def run(frame: Frame) -> Value:
        over = range_(frame)
        if type(over) is Error:
            return _not_a_range(over, pairs=True, id_=id_) if pairs and hides_errors else over
        kind = kind_of(over)
        if kind is not Kind.LIST and kind is not Kind.MAP:
            return _not_a_range(over, pairs=pairs, id_=id_)
        slots = frame.slots
        slots[slot], slots[slot + 1] = MISSING, False
        mark = frame.mark()
        if pairs:
            for slots[slot + 2], slots[slot + 3] in _pairs(over, kind):
                going_on = condition(frame)
                if going_on is not True and type(going_on) is bool:
                    break
                slots[slot] = step(frame)
        else:
            # A list or map that grows in place is iterated over as it was at the start.
            for slots[slot + 2] in list(over) if type(over) in _GROWING else over:
                going_on = condition(frame)
                if going_on is not True and type(going_on) is bool:
                    break
                slots[slot] = step(frame)
        value = result(frame)
        frame.cut(mark)
        if slots[slot + 1] and type(value) is not Error:
            if type(value) is MutableList:
                return list(value)
            if type(value) is MutableMap:
                return value.frozen()
        return value

    return run


def _not_a_range(value: Value, *, pairs: bool, id_: int) -> Error:
    if pairs:
        return Error(f"unsupported comprehension range type: {go_type(value)}", id_)
    return Error(f"got '{go_type(value)}', expected iterable type")


def _pairs(over: Value, kind: Kind) -> Iterator[tuple[Value, Value]]:
    if kind is Kind.MAP:
        keys = list(over) if type(over) in _GROWING else over
        return ((key, select(over, key, test=False)) for key in keys)
    return ((index, element(over, index)) for index in range(len(over)))


_FROM_ACCUMULATOR: Final = frozenset({"_&&_", "_||_", "_+_", "@mapInsert", "cel.@mapInsert"})


def iterations_independent(fold: ast.Comprehension, resolve: Callable[[ast.Call], Resolved | None]) -> bool:
    """Return whether no iteration leaves values on the stack that change the cost of later ones.

    Then the cost can be counted without a stack; `resolve` returns the implementation of a call. cel-go finds the
    arguments of a call on a stack by expression id (see `cost`). If an iteration leaves the value of a name there, the
    same name in the next iteration removes everything above it. That may include arguments of calls that are not
    complete, whose cost is then not counted. The steps of all macros except those with a filter begin with the
    accumulator, and end by removing everything above it. In a filter, the values below pending arguments are removed
    with them, unless an error makes the call stop before its last argument. So only filters with such calls and with
    literals need a stack.
    """
    if type(fold.iter_range) is ast.ListExpr and not fold.iter_range.elements:
        return True
    step = fold.loop_step
    if type(step) is not ast.Call or not _is_plain(fold.loop_condition, fold.accu_var):
        return False
    if step.function in _FROM_ACCUMULATOR:
        return bool(step.args) and _is_name(step.args[0], fold.accu_var)
    return step.function == "_?_:_" and _leaves_nothing(step.args[0], resolve)


def _is_name(expr: ast.Expr, name: str) -> bool:
    return type(expr) is ast.Ident and expr.name == name


def _is_plain(condition: ast.Expr, accu: str) -> bool:
    """Return whether a condition is a constant or reads only the accumulator."""
    while type(condition) is ast.Call and len(condition.args) == 1:
        condition = condition.args[0]
    return type(condition) is ast.Literal or _is_name(condition, accu)


def _leaves_nothing(root: ast.Expr, resolve: Callable[[ast.Call], Resolved | None]) -> bool:
    pending = [root]
    while pending:
        expr = pending.pop()
        if type(expr) is ast.Select:
            pending.append(expr.operand)
        elif type(expr) is ast.Call:
            args = expr.args if expr.target is None else [expr.target, *expr.args]
            if not _call_leaves_nothing(expr, len(args), resolve):
                return False
            pending.extend(args)
        elif type(expr) is ast.ListExpr:
            if len(expr.elements) >= 2:
                return False
            pending.extend(expr.elements)
        elif type(expr) is not ast.Ident and type(expr) is not ast.Literal:
            return False
    return True


def _call_leaves_nothing(call: ast.Call, count: int, resolve: Callable[[ast.Call], Resolved | None]) -> bool:
    if count < 2 or call.function == "_?_:_":
        return True
    resolved = resolve(call)
    return count == 2 and not (resolved is not None and resolved.variadic)
