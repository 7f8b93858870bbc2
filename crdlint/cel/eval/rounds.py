"""Whether the rounds of a comprehension leave nothing behind that could change what later rounds cost.

cel-go finds a call's arguments on a stack by expression id (see `frame`). Where a round leaves the value of a name there,
the same name in the next round removes all above it, arguments of calls that still wait among them, whose cost is then
not counted. The steps of all macros but those with a filter begin with the accumulator, and end by removing all above
it. In a filter, what is left below arguments that wait goes with them, unless an error makes the call stop before its
last argument; so only filters with such calls and literals need a stack.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel import ast

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.functions import Resolved

_FROM_ACCUMULATOR: Final = frozenset({"_&&_", "_||_", "_+_", "@mapInsert", "cel.@mapInsert"})
_TWO: Final = 2


def iterations_independent(fold: ast.Comprehension, resolve: Callable[[ast.Call], Resolved | None]) -> bool:
    """Whether the cost of a comprehension's rounds can be counted without a stack; `resolve` says what a call runs."""
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
    """Whether a condition is a constant, or only looks at the accumulator."""
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
            if len(expr.elements) >= _TWO:
                return False
            pending.extend(expr.elements)
        elif type(expr) is not ast.Ident and type(expr) is not ast.Literal:
            return False
    return True


def _call_leaves_nothing(call: ast.Call, count: int, resolve: Callable[[ast.Call], Resolved | None]) -> bool:
    if count < _TWO or call.function == "_?_:_":
        return True
    resolved = resolve(call)
    return count == _TWO and not (resolved is not None and resolved.variadic)
