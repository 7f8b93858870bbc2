"""What the program prints, its documentation, its docstrings and its names contain none of the words in plain_english.py."""

from __future__ import annotations

import ast
import io
import tokenize
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from plain_english import VAGUE_NAMES, avoided

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT: Final = Path(__file__).parents[1]
PACKAGE: Final = ROOT / "crdlint"
PAGES: Final = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]
# Generated code, and a page whose strings are CSS and JavaScript.
LEFT_OUT: Final = {"CELLexer.py", "CELParser.py", "cost_html.py"}
MODULES: Final = sorted(path for path in PACKAGE.rglob("*.py") if path.name not in LEFT_OUT)


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the string constants of a module, without docstrings and without rule ids and other names."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            value = node.value
            if isinstance(value, str) and " " in value:
                yield value


# `at` is a keyword of field errors: `invalid(..., at=path)`.
ACCEPTED: Final = {"crd/errors.py": {"at"}}
# The packages whose names are checked.
REVISED: Final = (
    "cel",
    "cli",
    "config",
    "crd",
    "diagnostics",
    "golang",
    "inputs",
    "kubecel",
    "kubernetes",
    "linting",
    "report",
    "resources",
    "runner",
    "safety",
    "schema",
    "suites",
    "yaml",
)
SOURCES: Final = [path for package in REVISED for path in sorted((PACKAGE / package).rglob("*.py")) if path in MODULES]


def docstrings_and_comments(source: str) -> Iterator[str]:
    """Yield the docstrings and the comments of a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def bound_names(source: str) -> Iterator[str]:
    """Yield the names that a module binds: variables, parameters, functions and classes."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_docstrings_and_comments_are_plain_english(module: Path) -> None:
    texts = docstrings_and_comments(module.read_text(encoding="utf-8"))
    assert [word for text in texts for word in avoided(text)] == []


@pytest.mark.parametrize("module", SOURCES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_names_say_what_they_refer_to(module: Path) -> None:
    vague = VAGUE_NAMES - ACCEPTED.get(module.relative_to(PACKAGE).as_posix(), set())
    assert [name for name in bound_names(module.read_text(encoding="utf-8")) if name.strip("_") in vague] == []


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_the_sentences_of_a_module_are_plain_english(module: Path) -> None:
    found = strings(ast.parse(module.read_text(encoding="utf-8")))
    assert [word for text in found for word in avoided(text)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_page_is_plain_english(page: Path) -> None:
    assert avoided(page.read_text(encoding="utf-8")) == []


def test_the_table_finds_words_and_constructions_in_prose_only() -> None:
    assert avoided("Mend it: a type that there is not") == [
        "Mend -> fix",
        "that there is not -> name the field, list, rule or file",
    ]
    assert avoided("`tell` is a name, and ```\nsay\n``` is code") == []
