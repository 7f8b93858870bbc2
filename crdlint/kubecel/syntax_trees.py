"""Expressions of CEL as values to compare.

They are equal for texts that differ only in spaces, parentheses, quotes and the names of iteration variables.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from crdlint.cel.ast import (
    Call,
    Comprehension,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    StructExpr,
    children,
)
from crdlint.cel.parser import parse
from crdlint.kubecel.environment import stored_expressions
from crdlint.kubernetes.servers import NEWEST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from crdlint.cel.ast import Expr


@lru_cache(maxsize=1024)
def parsed(text: str) -> Expr | None:
    """Return the syntax tree of an expression, None if it has errors; iteration variables are named by their depth."""
    result = parse(text, options=stored_expressions(NEWEST).parser)
    if result.errors:
        return None
    _rename(result.expr)
    return result.expr


def _rename(tree: Expr) -> None:
    """Rename the iteration variables of a tree that nothing else uses."""
    stack: list[tuple[Expr, Mapping[str, str]]] = [(tree, {})]
    while stack:
        node, names = stack.pop()
        if isinstance(node, Ident):
            node.name = names.get(node.name, node.name)
        if not isinstance(node, Comprehension):
            stack.extend((child, names) for child in children(node))
            continue
        range_, *inside = children(node)
        depth = len(names)
        inner = {**names, node.iter_var: f"item {depth}"}
        if node.iter_var2:
            inner[node.iter_var2] = f"value {depth}"
            node.iter_var2 = inner[node.iter_var2]
        node.iter_var = inner[node.iter_var]
        stack.extend((child, inner) for child in inside)
        stack.append((range_, names))


@lru_cache(maxsize=4096)
def rule_key(text: str) -> str:
    """Return what is equal for two expressions with the same syntax tree; the text itself if it has errors."""
    tree = parsed(text)
    return text if tree is None else key(tree)


def key(tree: Expr) -> str:
    """Return a text that is equal for equal trees: each node in prefix order with the number of its children."""
    parts: list[str] = []
    stack = [tree]
    while stack:
        node = stack.pop()
        below = children(node)
        parts.append(f"{label(node)}/{len(below)}")
        stack.extend(reversed(below))
    return " ".join(parts)


def label(node: Expr) -> str:
    """Return what a node is besides its children."""
    if isinstance(node, Literal):
        return f"{type(node.value).__name__} {node.value!r}"
    if isinstance(node, Ident):
        return f"name {node.name}"
    if isinstance(node, Select):
        return f"{'has' if node.test_only else 'field'} {node.field}"
    if isinstance(node, Call):
        return f"{'call' if node.target is None else 'method'} {node.function}"
    if isinstance(node, Comprehension):
        return f"fold {node.iter_var} {node.iter_var2} {node.accu_var}"
    if isinstance(node, ListExpr):
        return f"list {node.optional_indices}"
    if isinstance(node, MapExpr):
        return f"map {[entry.optional for entry in node.entries]}"
    if isinstance(node, StructExpr):
        return f"struct {node.type_name} {[(field.field, field.optional) for field in node.fields]}"
    return "nothing"
