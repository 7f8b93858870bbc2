"""No decision depends on the wording of crdlint's own sentences: errors carry codes and arguments for that."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

import pytest
from sources import sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

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
# What variables are called that have such a text. Marks such as backticks may be sought in it, but no words.
NAMES_OF_SENTENCES = {"headline", "help_", "notice", "rule_help", "sentence", "title"}
# libyaml reports what is wrong as a sentence only, and the message of a rule is its author's.
ABOUT_OTHERS = {
    "config/from_yaml.py",
    "rules/advice/unguarded_fields.py",
    "yaml/causes.py",
    "yaml/layout_causes.py",
    "yaml/flow_causes.py",
    "yaml/value_causes.py",
    "yaml/pasted_causes.py",
}


def is_sentence(node: ast.AST, names: AbstractSet[str] = frozenset()) -> bool:
    """Return whether an expression is the text of an error or a finding, or that text if there is one.

    `names` are the local variables with such a text.
    """
    if isinstance(node, ast.BoolOp):
        return any(is_sentence(value, names) for value in node.values)
    if isinstance(node, ast.IfExp):
        return is_sentence(node.body, names) or is_sentence(node.orelse, names)
    if isinstance(node, ast.NamedExpr):
        return is_sentence(node.value, names)
    if isinstance(node, ast.Name):
        return node.id in names
    return isinstance(node, ast.Attribute) and node.attr in SENTENCES


def assignments(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that are assigned to, each with its value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.NamedExpr):
            yield node.target.id, node.value
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value
        if not isinstance(node, ast.Assign):
            continue
        for target in node.targets:
            values = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            targets = target.elts if isinstance(target, ast.Tuple) else [target]
            if len(targets) == len(values):
                pairs = zip(targets, values, strict=True)
                yield from ((name.id, value) for name, value in pairs if isinstance(name, ast.Name))


def sentences_in(function: ast.AST) -> set[str]:
    """Return the local variables of a function that are assigned the text of an error or a finding."""
    names: set[str] = set()
    assigned = list(assignments(function))
    while True:
        more = {name for name, value in assigned if is_sentence(value, names)}
        if more <= names:
            return names
        names |= more


def searches(tree: ast.Module) -> list[int]:
    """Return the lines in which something is searched for in a sentence, or a sentence is taken apart."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    lines = [line for scope in (tree, *functions) for line in searches_in(scope)]
    return sorted({*lines})


def searches_in(scope: ast.AST) -> list[int]:
    """Return the lines in which something is searched for in a sentence, which a local variable may have."""
    names = frozenset() if isinstance(scope, ast.Module) else sentences_in(scope)
    found = []
    for node in ast.walk(scope):
        if isinstance(node, ast.Compare):
            pairs = zip(node.ops, node.comparators, strict=True)
            is_search = any(
                isinstance(op, ast.In | ast.NotIn) and is_sentence(other, names)
                for op, other in pairs
            )
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            is_search = node.func.attr in SEARCHES and any(
                is_sentence(text, names) for text in (node.func.value, *node.args)
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
        ("def f(one):\n    text = one.help\n    return text.startswith('Write')", 1),
        (
            "def f(one):\n    kind, text = one.kind, one.help or ''\n    return PATTERN.search(text)",
            1,
        ),
        (
            "def f(one):\n    text = one.message or one.help\n    again = text\n    return 'x' in again",
            1,
        ),
        ("def f(one):\n    return 'x' in text if (text := one.help) else None", 1),
        ("def f(one):\n    text = one.rule\n    return text.startswith('cel-')", 0),
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


def has_words(sought: ast.AST, patterns: Mapping[str, str]) -> bool:
    """Return whether what is sought is a text with letters, or the name of a pattern with letters."""
    text = patterns.get(sought.id) if isinstance(sought, ast.Name) else None
    if isinstance(sought, ast.Constant) and isinstance(sought.value, str):
        text = sought.value
    return text is not None and re.search("[A-Za-z]", re.sub(r"\\.", "", text)) is not None


def patterns_of(tree: ast.Module) -> dict[str, str]:
    """Return the regular expressions of a module by their names."""
    patterns = {}
    for name, value in assignments(tree):
        first = value.args[0] if isinstance(value, ast.Call) and value.args else None
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            patterns[name] = first.value
    return patterns


def words_sought(tree: ast.Module) -> list[int]:
    """Return the lines in which words are sought in a variable that is called like a sentence."""
    patterns, lines = patterns_of(tree), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            parts = [node.left, *node.comparators]
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in SEARCHES
        ):
            parts = [node.func.value, *node.args]
        else:
            continue
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        if names & NAMES_OF_SENTENCES and any(has_words(part, patterns) for part in parts):
            lines.add(node.lineno)
    return sorted(lines)


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("'Indent' in help_", 1),
        ("notice.startswith('skipped')", 1),
        ("P: Final = regex(r'[Ii]ndent|\\\\b[Mm]ove')\nP.search(help_)", 1),
        ("P = regex(r'(?:Write|Set) `([^`]+)`')\nP.fullmatch(help_) is not None", 1),
        ("P = regex(r'`([^`]+)`')\nP.findall(help_)", 0),
        ("'`' in headline", 0),
        (r"P = regex(r'\s\d')" "\nP.search(title)", 0),
        ("'Indent' in line", 0),
    ],
)
def test_words_that_are_sought_are_found(text: str, count: int) -> None:
    assert len(words_sought(ast.parse(text))) == count


def test_nothing_seeks_words_in_a_sentence() -> None:
    found = {
        name: lines for name, source in sources().items() if (lines := words_sought(source.tree))
    }
    assert found == {}
