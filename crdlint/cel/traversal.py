"""Traversal of the tree of an expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel import ast

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.cel.ast import Expr


def children(expr: Expr) -> list[Expr]:
    """Return the child nodes in the order of the text."""
    if isinstance(expr, ast.Call):
        return expr.args if expr.target is None else [expr.target, *expr.args]
    if isinstance(expr, ast.Select):
        return [expr.operand]
    if isinstance(expr, ast.ListExpr):
        return expr.elements
    if isinstance(expr, ast.MapExpr):
        return [part for entry in expr.entries for part in (entry.key, entry.value)]
    if isinstance(expr, ast.StructExpr):
        return [field.value for field in expr.fields]
    if isinstance(expr, ast.Comprehension):
        return [expr.iter_range, expr.accu_init, expr.loop_condition, expr.loop_step, expr.result]
    return []


def nodes(root: Expr) -> Iterator[Expr]:
    """Yield every node, parents before children."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))
