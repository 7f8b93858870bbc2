"""What every test here keeps to: assertions that say one thing, work that is counted rather than timed, unique names."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
FILES = sorted(TESTS.rglob("*.py"))
CLOCKS = {"monotonic", "perf_counter", "process_time", "sleep", "thread_time", "time"}
# The worker of the fuzzer reports the CPU time of each input; nothing is asserted of it.
WITH_CLOCK = {"fuzz/worker.py"}


def name(path: Path) -> str:
    return str(path.relative_to(TESTS))


def faults(tree: ast.Module, *, may_time: bool) -> list[str]:
    """Return what a module does that a test must not do, by line."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert):
            parts = [node.test, *ast.walk(node.test)]
            if any(isinstance(part, ast.BoolOp) and isinstance(part.op, ast.Or) for part in parts):
                found.append(
                    f"line {node.lineno}: an assertion with `or` holds in two cases: assert the one that is meant"
                )
        elif isinstance(node, ast.Import | ast.ImportFrom) and not may_time:
            names = {one.name for one in node.names}
            is_clock = "time" in names if isinstance(node, ast.Import) else node.module == "time" and names & CLOCKS
            if is_clock:
                found.append(f"line {node.lineno}: a test neither sleeps nor measures time: count work (counting.py)")
    return found


@pytest.mark.parametrize("path", FILES, ids=name)
def test_assertions_and_clocks(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert faults(tree, may_time=name(path) in WITH_CLOCK) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("assert a or b", 1),
        ("assert f(a or b) == c", 1),
        ("assert a\nassert b if c else d", 0),
        ("x = a or b\nassert x", 0),
        ("import time", 1),
        ("def f():\n    from time import sleep", 1),
        ("from datetime import datetime", 0),
    ],
)
def test_faults_are_found(text: str, count: int) -> None:
    assert len(faults(ast.parse(text), may_time=False)) == count


def test_modules_have_names_of_their_own() -> None:
    """Pytest imports test modules by their names alone."""
    names = Counter(path.name for path in FILES if path.name not in {"conftest.py", "__init__.py"})
    assert [one for one, count in names.items() if count > 1] == []
