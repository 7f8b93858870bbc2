"""What claims to be immutable is: its fields have no type that can be changed, and tables of modules are not changed."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from sources import sources

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTAINER = re.compile(r"\b(?:dict|list|set|deque|defaultdict)\[")
OBJECT = "dict[str, Any]"  # a JSON object, which belongs to whoever holds the value
# The results of the Python API, which are lists of the caller.
EXCEPTIONS = {
    "resources/pipeline.py: ResourceReport.errors",
    "resources/pipeline.py: ResourceReport.warnings",
    "resources/pipeline.py: ResourceReport.unknown_fields",
    "resources/pipeline.py: ResourceReport.crd_errors",
    "resources/pipeline.py: ResourceReport.duplicate_keys",
}
MUTABLE = {"defaultdict", "deque", "dict", "field", "list", "set"}
CHANGING = {
    "append",
    "extend",
    "add",
    "update",
    "pop",
    "popitem",
    "clear",
    "insert",
    "remove",
    "discard",
    "setdefault",
}
# Tables that collect what is declared, known, or read already.
COLLECTED = {
    ("crd/gotypes.py", "_types"),
    ("crd/record.py", "RECORDS"),
    ("yaml/parse.py", "_known_names"),
    ("yaml/rereading.py", "READINGS"),
}


def is_immutable(node: ast.ClassDef) -> bool:
    declared = [ast.unparse(part) for part in (*node.bases, *node.decorator_list)]
    return any("NamedTuple" in text or "frozen=True" in text for text in declared)


def fields() -> Iterator[tuple[str, str, ast.AnnAssign]]:
    for module, (_, tree) in sources().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and is_immutable(node):
                for statement in node.body:
                    if isinstance(statement, ast.AnnAssign):
                        yield module, node.name, statement


def test_fields_of_immutable_classes_cannot_be_changed() -> None:
    found = {
        f"{module}: {name}.{ast.unparse(field.target)}"
        for module, name, field in fields()
        if not ast.unparse(field.target).startswith("_")  # what an object remembers for itself
        and CONTAINER.search(ast.unparse(field.annotation).replace(OBJECT, ""))
    }
    assert found == EXCEPTIONS


def is_mutable(value: ast.expr | None) -> bool:
    is_call = isinstance(value, ast.Call) and ast.unparse(value.func) in MUTABLE
    return is_call or isinstance(value, ast.Dict | ast.List | ast.Set)


def test_defaults_of_named_tuples_are_values() -> None:
    """A named tuple takes `field(default_factory=...)` for the default itself."""
    found = [
        f"{module}: {node.name}.{ast.unparse(statement.target)}"
        for module, (_, tree) in sources().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any("NamedTuple" in ast.unparse(base) for base in node.bases)
        for statement in node.body
        if isinstance(statement, ast.AnnAssign) and is_mutable(statement.value)
    ]
    assert found == []


def tables(tree: ast.Module) -> set[str]:
    """Return the names of the lists, dictionaries and sets of a module."""
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.AnnAssign, ast.Assign)):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name) and isinstance(
                node.value, (ast.Dict, ast.List, ast.Set, ast.DictComp)
            ):
                names.add(target.id)
    return names


def changed(node: ast.AST) -> Iterator[ast.expr]:
    """Yield what a node changes in place."""
    if (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in CHANGING
    ):
        yield node.func.value
    for target in node.targets if isinstance(node, (ast.Assign, ast.Delete)) else ():
        if isinstance(target, ast.Subscript):
            yield target.value
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Subscript):
        yield node.target.value


def test_tables_of_modules_are_not_changed() -> None:
    found = {
        (module, name.id)
        for module, (_, tree) in sources().items()
        for names in [tables(tree)]
        for node in ast.walk(tree)
        for name in changed(node)
        if isinstance(name, ast.Name) and name.id in names
    }
    assert found == COLLECTED
