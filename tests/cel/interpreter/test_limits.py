"""Expressions that are deep, or that make much of little."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from crdlint.cel.interpreter.cost import Costs

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.interpreter.program import Program


def _nested(depth: int, template: str, inner: str) -> str:
    for level in range(depth):
        inner = template.replace("@", str(level)).replace("#", inner)
    return inner


DEEP = [
    ("+".join(["1"] * 240), 240),
    ("(" * 200 + "1" + ")" * 200, 1),
    (_nested(200, "[1].all(x@, #)", "true"), True),
    (_nested(110, "(self.b ? # : 2)", "1"), 1),
    (_nested(110, "(self.b == # ? true : false)", "true"), True),
    (_nested(120, "size([#])", "1"), 1),
    (_nested(100, "(1 + #)", "1"), 101),
    ("[1]" + ".map(x, x)" * 200 + "[0]", 1),
    ("self" + ".a" * 240, 5),
    ("[[0]]" + ".map(a, a + a)" * 60 + "[0].size() > 0", True),
]


@pytest.mark.parametrize(("text", "value"), DEEP, ids=range(len(DEEP)))
def test_deep_expressions(program: Callable[..., Program], text: str, value: object) -> None:
    data: dict[str, object] = {"b": True}
    inner: object = 5
    for _ in range(240):
        inner = {"a": inner}
    data["a"] = inner["a"] if isinstance(inner, dict) else None
    limit = sys.getrecursionlimit()
    result = program(text, costs=Costs()).evaluate({"self": data})
    assert result.value == value
    assert sys.getrecursionlimit() == limit


def test_lists_grow_in_place(program: Callable[..., Program]) -> None:
    result = program("self.map(i, i).filter(i, i >= 0).size()").evaluate({"self": list(range(100_000))})
    assert result.value == 100_000
