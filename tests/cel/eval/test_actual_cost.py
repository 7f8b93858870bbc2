"""Costs as cel-go counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tables import each

from crdlint.cel.decls import CallCost
from crdlint.cel.eval import steps
from crdlint.cel.eval.cost import CostModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crdlint.cel.decls import FunctionTracker
    from crdlint.cel.eval.program import Program

VARIABLES = {"x": 3, "self": {"a": {"b": "c"}, "l": [1, 2], "s": "a" * 500, "t": "t", "e": []}}

# Expression, cost without folding, cost with it.
COSTS = [
    ("'Hello'", 0),
    ("self", 1),
    ("self.a.b", 3),
    ("self['a' + '']", 3),
    ("self[self.t]", 3),
    ("has(self.a.b)", 2),
    ("has(self.a.b) && has(self.z)", 3),
    ("self.?a.?z", 2),
    ("[1, 2, 3]", 0),
    ("{'a': 1}", 0),
    ("2 in [1, 2, 3]", 0),
    ("x in [1, 2, 3]", 1),
    ("x in [x]", 13),
    # Where several overloads fit, the call costs 1.
    ("x in self.l", 4),
    ("self.s + self.s", 5),
    ("1 < 2", 1),
    ("true ? 1 : 2", 0),
    ("x > 2 ? self.a : self.l", 3),
    ("self.s.matches('[0-9]')", 104),
    ("self.s == self.s", 54),
    ("self.s + 'a'", 53),
    ("self.s.contains(self.s)", 2504),
    ("self.s.startsWith('a')", 52),
    ("bytes('aaaaaaaaaaaa')", 0),
    ("string(1)", 0),
    ("self.z == 1 || true", 3),
    ("1 / 0 == 1 || true", 2),
    ("true || self.z == 1", 0),
    ("[1, 2, 3].all(i, true)", 10),
    ("self.e.all(i, self.z)", 3),
    ("[1, 2, 3, 4, 5].filter(i, i % 2 == 0)", 42),
    ("[1, 2, 3, 4, 5].map(i, [i, i]).all(y, y.all(y, y == 1))", 151),
    ("[1, 2, 3].all(i, i in [1, 2, 3].map(j, j + j))", 56),
    # The accumulator is not made where nothing asks for it.
    ("optional.of(1).optMap(v, 2)", 3),
    ("optional.of(self.e.size() / 0).optMap(v, 2)", 6),
]


@each(("text", "cost"), COSTS)
def test_costs(program: Callable[..., Program], text: str, cost: int) -> None:
    assert program(text).evaluate(VARIABLES).cost == cost


def test_limit(program: Callable[..., Program]) -> None:
    made = program("self.s.contains(self.s)")
    assert made.evaluate(VARIABLES, cost_limit=2504).value is True
    assert (
        made.evaluate(VARIABLES, cost_limit=2503).error
        == "operation cancelled: actual cost limit exceeded"
    )
    assert program("self.s == self.s").evaluate(VARIABLES, cost_limit=54).value is True
    assert program("self.a.b").evaluate(VARIABLES, cost_limit=3).value == "c"
    absorbed = program("self.s.contains(self.s) || true")
    assert (
        absorbed.evaluate(VARIABLES, cost_limit=3).error
        == "operation cancelled: actual cost limit exceeded"
    )


def tracked(track: FunctionTracker) -> CallCost:
    return CallCost(lambda *_: None, track)


def test_own_costs(program: Callable[..., Program]) -> None:
    def seven(values: Sequence[object], result: object) -> int:
        assert (list(values), result) == ([3, 1], 4)
        return 7

    functions = {"_+_": tracked(seven)}
    assert program("x + 1", costs=CostModel(functions=functions)).evaluate(VARIABLES).cost == 8
    costs = CostModel(
        overloads={"add_int64": tracked(lambda _values, _result: 5)}, functions=functions
    )
    assert program("x + 1", costs=costs).evaluate(VARIABLES).cost == 6
    undecided = {"add_int64": tracked(lambda _values, _result: None)}
    assert (
        program("x + 1", costs=CostModel(overloads=undecided, functions=functions))
        .evaluate(VARIABLES)
        .cost
        == 8
    )
    assert program("x + 1", costs=CostModel(overloads=undecided)).evaluate(VARIABLES).cost == 2


# In a round that follows one with an error, cel-go finds the argument of an earlier round: 66, not 62.
STALE = "[50000, 0, 1].filter(y, three(self.t + string(y), three(y, self.l[y], 1), y))"


def test_arguments_of_an_earlier_round(
    program: Callable[..., Program], monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = CostModel(functions={"three": tracked(lambda values, _result: len(str(values[0])))})
    assert program(STALE, costs=costs).evaluate(VARIABLES).cost == 66
    monkeypatch.setattr(steps, "is_filter", lambda _: False)
    assert program(STALE, costs=costs).evaluate(VARIABLES).cost == 62


LOOPS = [
    "self.l.all(i, i > 0 && self.a.b == 'c')",
    "self.l.filter(i, i in [1, 2] && size([i]) == 1)",
    "self.l.map(i, [i, i + 1]).filter(i, i[0] == 1 || i[5] == 2)",
    "self.l.filter(i, self.?z.orValue(i) == i).map(i, self.l.exists(j, j / (i - 1) == 1))",
    "self.l.exists_one(i, self.l.all(j, j <= i) ? true : i > self.z)",
    "{'a': 1, 'b': 2}.transformMap(k, v, v > 1, [v, self.l[v]])",
]


@pytest.mark.parametrize("text", LOOPS)
def test_rounds_cost_the_same_with_and_without_a_stack(
    program: Callable[..., Program], text: str
) -> None:
    planned = program(text)
    with_stack, _ = planned.trace(VARIABLES)
    assert planned.evaluate(VARIABLES).cost == with_stack.cost
