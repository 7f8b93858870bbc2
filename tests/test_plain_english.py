"""What the program prints, its documentation, its docstrings and its names are plain: none of the words in plain_english.py."""

from __future__ import annotations

import ast
import io
import tokenize
from collections import Counter
from typing import TYPE_CHECKING, Final

from plain_english import VAGUE_NAMES, avoided
from sources import ROOT, sources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sources import Source

PAGES: Final = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").glob("*.md"))]


def strings(tree: ast.AST) -> Iterator[str]:
    """Yield the string constants of a module, without docstrings and without rule ids and other names."""
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings:
            value = node.value
            if isinstance(value, str) and " " in value:
                yield value


# `at` is a keyword of field errors: `invalid(..., at=path)`.
ACCEPTED: Final = {"crd/errors.py": {"at"}}


def docstrings_and_comments(source: Source) -> Iterator[str]:
    """Yield the docstrings and the comments of a module."""
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield ast.get_docstring(node) or ""
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def bound_names(source: Source) -> Iterator[str]:
    """Yield the names that a module binds: variables, parameters, functions and classes."""
    for node in ast.walk(source.tree):
        if isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def by_module(read: Callable[[Source], Iterable[str]]) -> dict[str, list[str]]:
    """Return what `read` yields for the modules, without those for which it yields nothing."""
    results = {name: list(read(source)) for name, source in sources().items()}
    return {name: words for name, words in results.items() if words}


def test_docstrings_and_comments_are_plain_english() -> None:
    assert (
        by_module(
            lambda source: (
                word for text in docstrings_and_comments(source) for word in avoided(text)
            )
        )
        == {}
    )


def test_names_say_what_they_refer_to() -> None:
    vague = by_module(
        lambda source: {name for name in bound_names(source) if name.strip("_") in VAGUE_NAMES}
    )
    assert {
        name: [word for word in words if word not in ACCEPTED.get(name, ())]
        for name, words in vague.items()
        if {*words} - ACCEPTED.get(name, set())
    } == {}


def test_no_two_classes_have_the_same_name() -> None:
    modules: dict[str, list[str]] = {}
    for name, source in sources().items():
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef):
                modules.setdefault(node.name, []).append(name)
    assert {class_: names for class_, names in modules.items() if len(names) > 1} == {}


def test_at_most_two_modules_have_the_same_name() -> None:
    of_families = ("rules/fixes/", "rules/helps/")  # named after the families of the server
    modules = [name for name in sources() if not name.startswith(of_families)]
    names = Counter(name.rpartition("/")[2] for name in modules)
    assert [name for name, count in names.items() if count > 2] == ["__init__.py"]


def test_the_sentences_of_modules_are_plain_english() -> None:
    assert (
        by_module(lambda source: (word for text in strings(source.tree) for word in avoided(text)))
        == {}
    )


def test_pages_are_plain_english() -> None:
    words = {page.name: avoided(page.read_text(encoding="utf-8")) for page in PAGES}
    assert {name: found for name, found in words.items() if found} == {}


def test_the_table_finds_words_and_constructions_in_prose_only() -> None:
    assert avoided("Mend it: a type that there is not") == [
        "Mend -> fix",
        "that there is not -> name the field, list, rule or file",
    ]
    assert avoided("`tell` is a name, and ```\nsay\n``` is code") == []
