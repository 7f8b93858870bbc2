"""ARCHITECTURE.md names modules and definitions that exist."""

from __future__ import annotations

import ast
import re

from sources import ROOT, sources

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def defined(tree: ast.Module) -> set[str]:
    """Return the names of functions, classes, methods and variables of a module and its classes."""
    names = {
        node.name for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    return names | {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }


def test_each_decision_is_where_the_table_has_it() -> None:
    table = PAGE.partition("## Where it is decided")[2].partition("## The way of a file")[0]
    rows = [row.split("|")[2] for row in table.splitlines() if row.startswith("| ")][2:]
    assert len(rows) > 20
    for row in rows:
        for module, names in re.findall(r"`([\w/]+\.py)`:((?: `\w+`,?)+)", row):
            assert set(re.findall(r"\w+", names)) <= defined(sources()[module].tree), row


def test_each_module_exists() -> None:
    for path in re.findall(r"`((?:\w+/)*\w+\.py)`", PAGE):
        assert (
            any(f"/{name}".endswith(f"/{path}") for name in sources()) or (ROOT / path).exists()
        ), path
