"""No regular expression of crdlint takes more than linear time, on whatever text."""

from __future__ import annotations

import ast
import importlib
import re
from collections import defaultdict
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import backtracking
from backtracking import with_deep_stack, worst
from sources import sources
from tables import each

from crdlint import light

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

# Verdicts of earlier runs: a digest a line of each pattern that is linear (written anew with --update-expected).
LINEAR = Path(__file__).with_name("linear_patterns.txt")
LEFT_OUT = ("__main__.py",)


def trees() -> dict[str, ast.Module]:
    """Return the syntax trees of the modules, by the name that imports them."""
    return {
        ".".join(["crdlint", *name.removesuffix(".py").removesuffix("__init__").split("/")]).rstrip(
            "."
        ): source.tree
        for name, source in sources().items()
        if name not in LEFT_OUT
    }


def patterns_in(value: Any, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern | light.regex):
        if isinstance(value.pattern, str):
            yield re.compile(value.pattern, value.flags)
    elif depth and isinstance(value, (tuple, list, set, frozenset)):
        for one in value:
            yield from patterns_in(one, depth - 1)
    elif depth and isinstance(value, dict):
        for one in value.values():
            yield from patterns_in(one, depth - 1)
    elif (
        depth
        and type(value).__module__.startswith("crdlint.")
        and hasattr(type(value), "__slots__")
    ):
        for name in type(value).__slots__:
            yield from patterns_in(getattr(value, name, None), depth - 1)


def methods() -> dict[tuple[str, str], set[str]]:
    """Return how each pattern with a name is used, by module and name; public names are shared by all modules."""
    used: dict[tuple[str, str], set[str]] = defaultdict(set)
    for module, tree in trees().items():
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        at_a_place = {id(node.func) for node in calls if len(node.args) > 1}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                name = node.value.id
                key = (module if name.startswith("_") else "", name)
                used[key].add(node.attr + (" at a place" if id(node) in at_a_place else ""))
    return used


def inline() -> Iterator[tuple[str, re.Pattern[str], bool]]:
    """Yield the patterns that are written where they are used: `re.sub(r"...", ...)`."""
    for name, tree in trees().items():
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        inside = {id(part): function.name for function in functions for part in ast.walk(function)}
        for node in ast.walk(tree):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "re"
                and node.args
                and isinstance(node.args[0], ast.Constant)
                and isinstance(node.args[0].value, str)
            ):
                by_position = [] if node.func.attr in {"split", "sub", "subn"} else node.args[2:3]
                flags = [one.value for one in node.keywords if one.arg == "flags"] or by_position
                flag = (
                    getattr(re, flags[0].attr)
                    if flags and isinstance(flags[0], ast.Attribute)
                    else 0
                )
                pattern = re.compile(node.args[0].value, flag)
                yield (
                    f"{name}.{inside.get(id(node), '')}",
                    pattern,
                    node.func.attr not in ("match", "fullmatch", "compile"),
                )


@cache
def all_patterns() -> dict[str, tuple[re.Pattern[str], bool]]:
    """Return the patterns by a name, each with whether it is tried at more than one place of a text."""
    used = methods()
    found: dict[str, tuple[str, re.Pattern[str], bool]] = {}
    for module in trees():
        for name, value in vars(importlib.import_module(module)).items():
            for i, pattern in enumerate(patterns_in(value)):
                ways = (
                    used[module if name.startswith("_") else "", name]
                    if isinstance(value, re.Pattern | light.regex)
                    else {"unknown"}
                )
                found.setdefault(
                    f"{pattern.pattern}/{pattern.flags}",
                    (f"{module}.{name}[{i}]", pattern, not ways <= AT_START),
                )
    named = {label: (pattern, everywhere) for label, pattern, everywhere in found.values()}
    seen = {pattern.pattern for pattern, _ in named.values()}
    return named | {
        label: (pattern, where) for label, pattern, where in inline() if pattern.pattern not in seen
    }


AT_START = {"match", "fullmatch", "pattern"}
# Patterns that are superlinear on some texts, and why those texts never meet them.
BOUNDED = {
    "crdlint.yaml.json_events._TOKEN[0]": "only in JSON that is valid, whose strings are closed",
    "crdlint.cel.lexer._TOKEN[0]": "a text is left at the first character that begins no token",
    "crdlint.sources.helm.masking._TEXTS[0]": "a directive is left at the first quote that is not closed",
    "crdlint.sources.helm.masking._TEXTS[1]": "a directive is left at the first quote that is not closed",
    "crdlint.kubernetes.constraints._ONE[0]": "only texts of at most 1,000 characters",
    "crdlint.kubernetes.constraints._SPAN[0]": "only texts of at most 1,000 characters",
    "crdlint.sources.helm.masking._AFTER[0]": "what follows one directive follows no other",
    "crdlint.report.changes_text._RUN[0]": "a run of up to 63 equal characters is tried at each of them",
    "crdlint.config.comments._ALIAS_ITEM[0]": "tried once for each entry",
    "crdlint.config.from_toml._TOKEN[0]": "only in TOML that is valid, whose strings are closed",
    "crdlint.golang.regexp_repair._TOKEN[0]": "left at the first `)` too many, before which all classes are closed",
    "crdlint.golang.times._PART[0]": "only texts that match as a whole are taken apart",
    "crdlint.rules.advice.unsatisfiable.NUMBERS[0]": "only tried at the start of a text",
    "crdlint.rules.advice.unsatisfiable.NUMBERS[1]": "only tried at the start of a text",
    "crdlint.yaml.value_causes._BAD_STARTS[0]": "only tried at the start of a text",
    "crdlint.report.text._QUOTED[0]": "each value begins with a quote, which closes the one before it",
}


def digest(pattern: re.Pattern[str], *, everywhere: bool) -> str:
    """Return what stands for a pattern, and for how it is analysed."""
    analysis = Path(backtracking.__file__).read_text(encoding="utf-8")
    text = f"{pattern.pattern}/{pattern.flags}/{everywhere}/{analysis}"
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_linear(pattern: re.Pattern[str], *, everywhere: bool) -> bool:
    return with_deep_stack(lambda: worst(pattern, everywhere=everywhere)) is None


def test_patterns_are_linear(request: pytest.FixtureRequest) -> None:
    """A pattern that is known to be linear is not analysed again."""
    patterns = {name: one for name, one in all_patterns().items() if name not in BOUNDED}
    digests = {
        name: digest(pattern, everywhere=everywhere)
        for name, (pattern, everywhere) in patterns.items()
    }
    known = set(LINEAR.read_text("ascii").split())
    faults = {
        name: pattern.pattern
        for name, (pattern, everywhere) in patterns.items()
        if digests[name] not in known and not is_linear(pattern, everywhere=everywhere)
    }
    if request.config.getoption("--update-expected"):
        linear = sorted(digests[name] for name in patterns if name not in faults)
        LINEAR.write_text("".join(f"{one}\n" for one in linear), "ascii")
    assert faults == {}


def test_the_reasons_are_about_patterns() -> None:
    assert BOUNDED.keys() <= all_patterns().keys()


@each(
    ("pattern", "everywhere", "linear"),
    [
        ("(a*)*b", False, False),
        ("(a|a)*b", False, False),
        ("a*a*b", False, False),
        (r"\s*\Z", True, False),
        (r"\s*\Z", False, True),
        ("x.*y.*z", False, False),
        ("[a-z]+[0-9]+", False, True),
        ("a+b", True, False),
        ("(?<![a-z])[a-z]+!", True, True),
        (r"'(?:[^'\\]|\\.)*'", False, True),
        (r"(\w+)\s\1", False, True),
        (r"/\*.*?\*/", True, False),
        (r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*%", False, False),
        (r"(?:[ \t]*(?:#[^\n]*|\r)?\n)*%", False, True),
    ],
)
def test_what_is_found(pattern: str, everywhere: bool, linear: bool) -> None:
    compiled = re.compile(pattern, re.DOTALL)
    assert is_linear(compiled, everywhere=everywhere) is linear
