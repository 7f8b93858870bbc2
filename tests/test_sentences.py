"""No decision depends on the wording of crdlint's own sentences: errors carry codes and arguments for that."""

from __future__ import annotations

import ast

import pytest
from sources import sources

SENTENCES = {"detail", "help", "message"}
SEARCHES = {
    "count",
    "endswith",
    "find",
    "findall",
    "finditer",
    "fullmatch",
    "index",
    "match",
    "partition",
    "removeprefix",
}
SEARCHES |= {
    "removesuffix",
    "rfind",
    "rindex",
    "rpartition",
    "rsplit",
    "search",
    "split",
    "splitlines",
    "startswith",
}
# libyaml reports what is wrong as a sentence only.
ABOUT_OTHERS = {
    "yaml/causes.py",
    "yaml/layout_causes.py",
    "yaml/value_causes.py",
    "yaml/pasted_causes.py",
}


def is_sentence(node: ast.AST) -> bool:
    """Return whether an expression is the text of an error or a finding, or that text if there is one."""
    if isinstance(node, ast.BoolOp):
        return any(map(is_sentence, node.values))
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


def searches(tree: ast.Module) -> list[int]:
    """Return the lines in which something is searched for in a sentence, or a sentence is taken apart."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            is_search = any(
                isinstance(op, ast.In | ast.NotIn) and is_sentence(other) for op, other in pairs
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_search = node.func.attr in SEARCHES and any(
                map(is_sentence, [node.func.value, *node.args])
            )
        else:
            continue
        if is_search:
            found.append(node.lineno)
    return found


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("'strategy' in finding.detail", 1),
        ("'Close' not in (about.help or '')", 1),
        ("re.search('x', about.message)", 1),
        ("one.detail.endswith('under .spec')", 1),
        ("finding.detail.rpartition(' ')[2]", 1),
        ("one.message in known", 0),
        ("shown(one.message)", 0),
    ],
)
def test_searches_are_found(text: str, count: int) -> None:
    assert len(searches(ast.parse(text))) == count


def test_nothing_searches_a_sentence() -> None:
    found = {
        name: lines
        for name, source in sources().items()
        if name not in ABOUT_OTHERS and (lines := searches(source.tree))
    }
    assert found == {}
