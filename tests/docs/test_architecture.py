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


def lines_of(module: str, names: list[str]) -> int:
    """Return the number of lines of a module, or of some of its definitions."""
    source = sources()[module]
    if not names:
        return len(source.text.splitlines())
    lines = {
        node.name: (node.end_lineno or 0) - node.lineno + 1
        for node in source.tree.body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }
    return sum(lines[name] for name in names)


def test_a_newcomer_reads_at_most_4000_lines() -> None:
    table = PAGE.partition("## The way of a file")[2].partition("## How to add")[0]
    rows = [row.split("|") for row in table.splitlines() if row.startswith("| `")]
    assert len(rows) > 10
    counts = [
        lines_of(module.strip(" `"), re.findall(r"\w+", names)) for _, module, names, *_ in rows
    ]
    assert sum(counts) <= 4000, counts
