"""Expressions that are deep, or that make much of little."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.cel.errors import PlanError

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.program import Program


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


@each(("text", "value"), DEEP, ids=range(len(DEEP)))
def test_deep_expressions(program: Callable[..., Program], text: str, value: object) -> None:
    data: dict[str, object] = {"b": True}
    inner: object = 5
    for _ in range(240):
        inner = {"a": inner}
    data["a"] = inner["a"] if isinstance(inner, dict) else None
    limit = sys.getrecursionlimit()
    result = program(text).evaluate({"self": data})
    assert result.value == value
    assert sys.getrecursionlimit() == limit


@each(
    ("text", "error"),
    [
        (
            "duration(self) > duration('1h')",
            "type conversion error from 'string' to 'google.protobuf.Duration'",
        ),
        ("double(self) > 1.0", "type conversion error from 'string' to 'double'"),
        ("int(self) > 1", "type conversion error from 'string' to 'int'"),
        (
            "timestamp(self) > timestamp(0)",
            "type conversion error from 'string' to 'google.protobuf.Timestamp'",
        ),
    ],
)
@each("long", ["1" * 200_000 + "x", "0x" + "1_" * 100_000, "1e" + "1" * 200_000], ids=range(3))
def test_long_texts_that_say_nothing(
    program: Callable[..., Program], text: str, error: str, long: str
) -> None:
    assert program(text).evaluate({"self": long}).error == error


def test_a_panic_of_planning_refuses_the_program(program: Callable[..., Program]) -> None:
    with pytest.raises(PlanError, match=r"hash of unhashable type types.Bytes"):
        program("{b'x': 1}.size() == 1")


def test_lists_grow_in_place(program: Callable[..., Program]) -> None:
    result = program("self.map(i, i).filter(i, i >= 0).size()").evaluate(
        {"self": list(range(100_000))}
    )
    assert result.value == 100_000
