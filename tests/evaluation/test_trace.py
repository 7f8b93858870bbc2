"""Traces: the values and costs of sub-expressions, and the ones that decide the value of the whole."""

from __future__ import annotations

from typing import Any

from tables import each

from crdlint.cel.eval.values import MISSING
from crdlint.evaluation.evaluate import Workbench
from crdlint.evaluation.field_paths import schema_of
from crdlint.evaluation.source import ExpressionSource
from crdlint.evaluation.trace import TraceStep, deciding, to_json, to_text
from crdlint.kubecel.cost import PER_CALL_LIMIT
from crdlint.kubecel.environment import program_of
from crdlint.kubernetes.servers import NEWEST, SERVERS

VALUE: dict[str, Any] = {
    "replicas": 3,
    "name": "east",
    "zones": ["a", "b"],
    "weights": [1.5, 2.5],
    "ports": [
        {"name": "http", "port": 80},
        {"name": "ssh", "port": 22},
        {"name": "admin", "port": 8080},
    ],
    "labels": {"example.com/a": "x", "b": "y"},
    "nested": {"deep": {"flag": True}},
}
EXPRESSIONS = [
    "self.replicas > size(self.zones)",
    "self.replicas",
    "self",
    "1 + 2 * 3",
    "!has(self.nested.deep.flag) || self.nested.deep.flag",
    "self.ports.all(p, p.port < 65536 && p.name != 'admin')",
    "self.ports.exists(p, p.port == 22)",
    "self.ports.exists_one(p, p.name.startsWith('h'))",
    "self.ports.filter(p, p.port > 50).map(p, p.name)",
    "self.ports.map(p, p.port > 50, p.port * 2)",
    "self.ports.all(p, self.ports.exists_one(q, q.name == p.name))",
    "self.zones.map(z, z + '-x').filter(z, z in ['a-x', 'c-x'])",
    "self.ports[0].name == 'x' ? 1 : self.ports[2].port",
    "(self.replicas > 1 ? self.ports[0] : self.ports[1]).name",
    "self.ports[self.replicas - 1].name",
    "self.ports[9].name",
    "self.zones[self.ports[0].port].size() > 3",
    "self.labels['b'] + self.labels[self.name + '']",
    "self.labels.all(k, k.contains('/') || self.labels[k] == 'y')",
    "self.?nested.deep.?flag.orValue(false)",
    "self.ports.transformList(i, p, i > 0, p.name)",
    "[1, 2, 3].sum() == self.replicas * 2",
    "{'a': self.replicas, 'b': 2}['a'] == 3",
    "[self.replicas, 1].isSorted() || quantity('1Gi').isGreaterThan(quantity(self.name))",
    "self.weights.map(w, w * 2.0)",
    "self.zones.all(z, z.matches('^[a-z]$')) && timestamp('2026-01-01T00:00:00Z').getFullYear() == 2026",
    "self.zones.exists(z, z > 'a' && self.ports.exists(p, p.port / 0 == 1))",
]


def bench(value: Any = None, server: Any = NEWEST) -> Workbench:
    value = VALUE if value is None else value
    return Workbench(ExpressionSource(server, schema_of(value), "the object", value=value))


def tree(text: str) -> TraceStep:
    answer = bench().evaluate(text)
    assert not answer.errors
    assert answer.tree is not None
    return answer.tree


def steps(step: TraceStep) -> list[TraceStep]:
    return [step, *(inner for part in step.parts for inner in steps(part))]


@each("text", EXPRESSIONS)
@each("server", [NEWEST, SERVERS[0]], ids=str)
def test_a_trace_has_the_value_and_the_cost_of_an_evaluation_without_one(
    text: str, server: Any
) -> None:
    here = bench(server=server)
    expression = here.compile(text)
    if expression.error is not None:
        assert server is SERVERS[0]
        return
    plain = program_of(expression.compiled, expression.environment).evaluate(
        here.variables, PER_CALL_LIMIT
    )
    answer = here.evaluate(text)
    assert answer.result is not None
    assert (to_text(answer.result.value), answer.result.cost) == (to_text(plain.value), plain.cost)


def test_each_part_has_type_value_and_cost() -> None:
    root = tree("self.replicas > size(self.zones)")
    assert [(step.text, step.type, to_json(step.value), step.cost) for step in steps(root)] == [
        ("self.replicas > size(self.zones)", "bool", True, 6),
        ("self.replicas", "int", 3, 2),
        ("size(self.zones)", "int", 2, 3),
        ("self.zones", "list(string)", ["a", "b"], 2),
    ]


@each("text", EXPRESSIONS)
def test_no_part_costs_more_than_the_whole(text: str) -> None:
    for step in steps(tree(text)):
        assert sum(part.cost for part in step.parts) <= step.cost


def test_a_part_that_is_skipped_is_not_evaluated() -> None:
    root = tree("self.replicas > 1 || self.zones.all(z, z == 'a')")
    first, second = root.parts
    assert first.evaluated
    assert not second.evaluated
    assert second.value is MISSING
    assert second.cost == 0


def test_iterations_name_their_element() -> None:
    root = tree("self.ports.all(p, p.name != 'ssh')")
    bodies = [part for part in root.parts if part.binding]
    assert [(to_json(part.binding[0][1])["name"], part.value) for part in bodies] == [
        ("http", True),
        ("ssh", False),
    ]


def test_long_loops_show_the_first_iterations_and_the_last() -> None:
    here = bench({"numbers": list(range(100))})
    answer = here.evaluate("self.numbers.all(n, n < 90)")
    assert answer.tree is not None
    bodies = [part for part in answer.tree.parts if part.binding]
    assert [part.binding[0][1] for part in bodies] == [0, 1, 2, 90]
    assert answer.tree.left_out == 87


def test_nested_loops_bind_both_variables() -> None:
    root = tree("self.zones.all(z, self.ports.exists(p, p.name == z))")
    inner = [step for step in steps(root) if step.text == "p.name == z"]
    assert [to_json(step.binding[0][1])["name"] for step in inner] == ["http", "ssh", "admin"]
    assert [step.value for step in inner] == [False, False, False]


@each(
    ("text", "expected"),
    [
        ("self.replicas > 1 && self.name == 'west'", ["self.name == 'west'"]),
        ("self.replicas > 5 || self.name == 'west'", ["self.replicas > 5", "self.name == 'west'"]),
        ("self.replicas > 1 || self.name == 'west'", ["self.replicas > 1"]),
        (
            "!(self.replicas > 1 && self.name == 'east')",
            ["self.replicas > 1", "self.name == 'east'"],
        ),
        ("self.ports.all(p, p.port > 50)", ["p.port > 50"]),
        (
            "self.replicas > 1 ? self.name == 'west' : true",
            ["self.replicas > 1", "self.name == 'west'"],
        ),
        ("self.replicas == 3 && self.ports[7].port > 1", ["self.ports[7]"]),
    ],
)
def test_the_parts_that_decide_a_value(text: str, expected: list[str]) -> None:
    assert [step.text for step in deciding(tree(text))] == expected


def test_the_deciding_iteration_is_named() -> None:
    (step,) = deciding(tree("self.ports.all(p, p.port > 50)"))
    assert [(name, to_json(value)) for name, value in step.binding] == [
        ("p", {"name": "ssh", "port": 22})
    ]
