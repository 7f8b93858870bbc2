"""Rules by their syntax trees: keys to compare them, the parts of an object that they read, and some common shapes.

Keys are equal for texts that differ only in spaces, parentheses, quotes and the names of iteration variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, Final

from crdlint.cel import ast
from crdlint.cel.ast import (
    Call,
    Comprehension,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapExpr,
    Select,
    children,
    nodes,
)
from crdlint.cel.builder import RESERVED
from crdlint.cel.parser import parse
from crdlint.kubecel.compilation import OLD_SELF, SELF
from crdlint.kubecel.declarations import unescape
from crdlint.kubecel.environment import stored_expressions
from crdlint.kubernetes.servers import NEWEST


@lru_cache(maxsize=1024)
def parsed(text: str) -> Expr | None:
    """Return the syntax tree of an expression, None if it has errors; iteration variables are named by their depth."""
    result = parse(text, options=stored_expressions(NEWEST).parser)
    if result.errors:
        return None
    _rename(result.expr)
    return result.expr


def nodes_of(text: str) -> Iterator[Expr]:
    """Yield the nodes of an expression, parents before children; none if it has errors."""
    tree = parsed(text)
    if tree is not None:
        yield from nodes(tree)


def _rename(tree: Expr) -> None:
    """Rename the iteration variables of a tree that nothing else uses, and write fields and tests of them in one way."""
    stack: list[tuple[Expr, Mapping[str, str]]] = [(tree, {})]
    while stack:
        node, names = stack.pop()
        if isinstance(node, Comprehension):
            inner = _renamed_variables(node, names)
            range_, *inside = children(node)
            stack.extend((child, inner) for child in inside)
            stack.append((range_, names))
            continue
        if isinstance(node, Ident):
            node.name = names.get(node.name, node.name)
        elif isinstance(node, Select) and node.field in RESERVED:
            node.field = f"__{node.field}__"
        elif isinstance(node, Call) and node.function in _TESTS and node.target is not None:
            _write_tests(node, node.target)
        stack.extend((child, names) for child in children(node))


_TESTS: Final = frozenset({"orValue", "hasValue"})


def _renamed_variables(node: Comprehension, names: Mapping[str, str]) -> Mapping[str, str]:
    """Name the variables of a comprehension by its depth, and return the new names inside of it."""
    depth = len(names)
    inner = {**names, node.iter_var: f"item {depth}"}
    if node.iter_var2:
        inner[node.iter_var2] = f"value {depth}"
        node.iter_var2 = inner[node.iter_var2]
    node.iter_var = inner[node.iter_var]
    return inner


def _write_tests(call: Call, target: Expr) -> None:
    """Write `a.?b.orValue(c)` as `has(a.b) ? a.b : c`, and `a.?b.hasValue()` likewise."""
    tests, field = _optional_field(target)
    if not tests:
        return
    condition = reduce(lambda left, right: Call(call.id, "_&&_", None, [left, right]), tests)
    values = [field, *call.args]
    if call.function == "hasValue":
        values = [Literal(call.id, value=True), Literal(call.id, value=False)]
    call.function, call.target, call.args = "_?_:_", None, [condition, *values]


def _optional_field(node: Expr) -> tuple[list[Expr], Expr]:
    """Return the tests of the optional fields on the way from a variable to a field, and that field without them."""
    selection = _selection(node)
    if selection is None:
        return [], node
    owner, name, is_optional = selection
    tests, operand = _optional_field(owner)
    if not isinstance(operand, (Ident, Select)):
        return [], node
    selected = Select(node.id, operand, name)
    if tests or is_optional:
        tests = [*tests, Select(node.id, operand, name, test_only=True)]
    return tests, selected


def _selection(node: Expr) -> tuple[Expr, str, bool] | None:
    """Return what a field is selected from, its name, and whether by `.?`; None for other expressions."""
    if isinstance(node, Select):
        return node.operand, node.field, False
    if isinstance(node, Call) and node.function == "_?._":
        owner, name = node.args
        if isinstance(name, Literal):
            return owner, str(name.value), True
    return None


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
    write = _LABELS.get(type(node))
    return "nothing" if write is None else write(node)


_LABELS: Final[Mapping[type, Callable[[Any], str]]] = {
    Literal: lambda node: f"{type(node.value).__name__} {node.value!r}",
    Ident: lambda node: f"name {node.name}",
    Select: lambda node: f"{'has' if node.test_only else 'field'} {node.field}",
    Call: lambda node: f"{'call' if node.target is None else 'method'} {node.function}",
    Comprehension: lambda node: f"fold {node.iter_var} {node.iter_var2} {node.accu_var}",
    ListExpr: lambda node: f"list {node.optional_indices}",
    MapExpr: lambda node: f"map {[entry.optional for entry in node.entries]}",
    ast.StructExpr: lambda node: (
        f"struct {node.type_name} {[(field.field, field.optional) for field in node.fields]}"
    ),
}
_OBJECTS: Final = frozenset({"self", "oldSelf"})
_SELECTIONS: Final = frozenset({"_?._", "_[_]", "_[?_]"})


def paths_read(expr: Expr) -> frozenset[tuple[str, ...]]:
    """Return the paths below `self` and `oldSelf` that an expression reads; each path includes everything below it."""
    paths: set[tuple[str, ...]] = set()
    stack = [expr]
    while stack:
        node = stack.pop()
        path = _path(node)
        if path is None:
            stack.extend(children(node))
        else:
            paths.add(path)
    return frozenset(paths)


def is_read(path: Sequence[str | int], paths: frozenset[tuple[str, ...]]) -> bool:
    """Return whether a value at a path below `self` is part of, or contains, one of the paths that are read."""
    return any(_starts_alike(path, other) for other in paths)


def _starts_alike(path: Sequence[str | int], other: Sequence[str | int]) -> bool:
    return all(left == right for left, right in zip(path, other, strict=False))


def _path(node: Expr) -> tuple[str, ...] | None:
    """Return the names of a chain of fields of an object, or None for other expressions."""
    names: list[str] = []
    while not isinstance(node, Ident):
        if isinstance(node, Select):
            name, node = node.field, node.operand
        elif isinstance(node, Call) and node.function in _SELECTIONS:
            node, index = node.args
            if not isinstance(index, Literal) or not isinstance(index.value, str):
                return None
            name = index.value
        else:
            return None
        names.append(unescape(name) or name)
    return tuple(reversed(names)) if node.name in _OBJECTS else None


def keeps_value(expr: Expr) -> bool:
    """Return whether an expression is `self == oldSelf`, in either order."""
    if not isinstance(expr, Call) or expr.function != "_==_":
        return False
    return {arg.name for arg in expr.args if isinstance(arg, Ident)} == {SELF, OLD_SELF}


def fields_beside_old_self(expr: Expr) -> frozenset[str]:
    """Return the fields that an expression selects or tests, in CEL's spelling; none if it does not mention oldSelf."""
    all_nodes = list(nodes(expr))
    if not any(isinstance(node, Ident) and node.name == OLD_SELF for node in all_nodes):
        return frozenset()
    return frozenset(node.field for node in all_nodes if isinstance(node, Select))
