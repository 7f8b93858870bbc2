"""Estimates of cost: their arithmetic, each kind of node, sizes carried through locals, depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tables import each

from crdlint.cel import ast
from crdlint.cel.builder import ParserOptions
from crdlint.cel.checker import CheckResult, Reference
from crdlint.cel.compiler import compile_text
from crdlint.cel.decls import CallCost, Env, Variable, WellKnownTypes
from crdlint.cel.dialect import CELDialect
from crdlint.cel.estimates import ONE, UINT64_MAX, UNKNOWN, ASTNode, CallEstimate, Estimate, fixed
from crdlint.cel.estimator import CostEstimate, estimate
from crdlint.cel.library import stdlib
from crdlint.cel.macros import STANDARD_MACROS, TWO_VARIABLE_MACROS
from crdlint.cel.types import BOOL, BYTES, INT, STRING, TIMESTAMP, list_type, map_type

if TYPE_CHECKING:
    from collections.abc import Sequence

VARIABLES = {
    "b": BOOL,
    "n": INT,
    "s": STRING,
    "y": BYTES,
    "t": TIMESTAMP,
    "words": list_type(STRING),
    "numbers": list_type(INT),
    "table": list_type(list_type(STRING)),
    "labels": map_type(STRING, STRING),
}
SIZES = {
    "s": 100,
    "y": 40,
    "words": 10,
    "words.@items": 30,
    "numbers": 4,
    "table": 3,
    "table.@items": 5,
    "table.@items.@items": 20,
    "labels": 6,
    "labels.@keys": 50,
    "labels.@values": 70,
}
ENV = (
    Env()
    .extend(stdlib.TYPES)
    .with_functions(stdlib.FUNCTIONS)
    .extend(
        idents=[Variable(name, type_) for name, type_ in VARIABLES.items()],
        provider=WellKnownTypes(),
    )
)
PARSER = ParserOptions(macros=STANDARD_MACROS | TWO_VARIABLE_MACROS)


class Sizes:
    """Knows the sizes in a table by path, and what `getFullYear` costs."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def estimate_size(self, node: ASTNode) -> Estimate | None:
        self.asked.append(tuple(node.path))
        most = SIZES.get(".".join(node.path))
        return None if most is None else Estimate(0, most)

    def estimate_call(self, function: str, _nodes: Sequence[ASTNode]) -> CallEstimate | None:
        return CallEstimate(fixed(7)) if function == "getFullYear" else None


# Presence tests cost one unit, as cel-go has it by default.
COUNTED = CELDialect(presence_test_has_cost=True)


def cost(text: str, **options: Any) -> CostEstimate:
    compiled = compile_text(text, ENV, PARSER)
    assert not compiled.errors, compiled.display()
    return estimate(
        compiled.expr,
        compiled.result,
        Sizes(),
        options.pop("overloads", {}),
        options.pop("dialect", COUNTED),
    )


@each(
    ("value", "factor", "scaled"),
    [
        (0, 0.1, 0),
        (1, 0.1, 1),
        (10, 0.1, 1),
        (11, 0.1, 2),
        (30, 0.1, 3),
        (7, 1, 7),
        (UINT64_MAX, 0.1, 1844674407370955264),
        (UINT64_MAX, 1, UINT64_MAX),
        (UINT64_MAX, 2.0, UINT64_MAX),
        (2**53 + 1, 1, 2**53),
        (1 << 63, 2.0, UINT64_MAX),
        (0, float(UINT64_MAX), 0),
        (5, 0.0, 0),
    ],
)
def test_scaling_goes_by_way_of_doubles(value: int, factor: float, scaled: int) -> None:
    assert fixed(value).scaled(factor) == fixed(scaled)


def test_sums_and_products_stop_at_the_largest_number() -> None:
    assert UNKNOWN.plus(ONE) == Estimate(1, UINT64_MAX)
    assert Estimate(2, 1 << 63).times(Estimate(3, 2)) == Estimate(6, UINT64_MAX)
    assert Estimate(2, 3).union(Estimate(1, 9)) == Estimate(1, 9)


@each(
    ("text", "expected"),
    [
        # Leaves, selections, literals of containers.
        ("'abc'", (0, 0)),
        ("n", (1, 1)),
        ("labels.a", (2, 2)),
        ("labels['a']", (2, 2)),
        ("[n, n]", (12, 12)),
        ("{'a': n, 'b': 2}", (31, 31)),
        ("google.protobuf.StringValue{value: s}", (41, 41)),
        # Calls of a fixed cost, and those that short circuit.
        ("n + 1", (2, 2)),
        ("b || b || b", (1, 3)),
        ("b && n == 1", (1, 3)),
        ("b ? n : n + n", (2, 4)),
        ("t.getFullYear()", (8, 8)),
        ("dyn(n) == 1", (3, 3)),
        # Calls that look at every character.
        ("s == 'abcdefghijklmnopqrstuvw'", (2, 4)),
        ("s == ''", (1, 1)),
        ("s < s", (3, 12)),
        ("s.startsWith('abcdefghijk')", (3, 3)),
        ("s.contains('abcdefghijk')", (1, 21)),
        ("s.matches('abcdefgh')", (3, 23)),
        ("''.matches('abcdefgh')", (2, 2)),
        ("bytes(s) == y", (3, 16)),
        ("string(y) == s", (3, 10)),
        ("s + s == s", (4, 33)),
        ("'a' in words", (1, 11)),
        # Conversions of what has no size make none.
        ("string(n).contains('a')", (2, 1844674407370955266)),
        # Comprehensions: each round costs its condition and step.
        ("words.all(w, true)", (2, 32)),
        ("words.all(w, w == 'x')", (2, 52)),
        ("words.exists(w, w.contains(s))", (2, 362)),
        ("numbers.map(k, k).size() == 4", (14, 66)),
        ("numbers.filter(k, k > 1) == []", (22, 82)),
        ("table.all(row, row.all(w, w.startsWith(w)))", (2, 122)),
        ("labels.all(k, k.contains(k))", (2, 182)),
        ("labels.all(k, v, v.contains(v))", (2, 326)),
        ("[words, words].all(l, l.all(w, w == 'x'))", (19, 123)),
        ("words.map(w, w + w).all(w, w == 'abcdefghijk')", (13, 273)),
        ("(b ? words : words).all(w, w == 'x')", (3, 53)),
        ("words[0] == 'x'", (3, 3)),
        ("labels['a'].contains(labels['b'])", (4, 53)),
        # A leading dot leads to the same variable; one that hides its range hides it from the second one too.
        (".words.all(w, w.contains(w))", (2, 142)),
        ("labels.all(labels, v, v.contains(v))", (2, UINT64_MAX)),
        ("words.all(w, words.all(w, w == 'x') && w == 'x')", (2, 572)),
    ],
)
def test_cost_of_an_expression(text: str, expected: tuple[int, int]) -> None:
    assert tuple(cost(text).total) == expected


def test_presence_tests_may_be_free() -> None:
    assert cost("has(labels.a)").total == fixed(2)
    assert cost("has(labels.a)", dialect=CELDialect()).total == ONE


def test_estimators_of_overloads_come_first_unless_they_decline() -> None:
    text = "s.contains('a')"
    assert cost(
        text,
        overloads={"contains_string": CallCost(lambda *_: CallEstimate(fixed(5)), lambda *_: None)},
    ).total == fixed(6)
    assert (
        cost(text, overloads={"contains_string": CallCost(lambda *_: None, lambda *_: None)}).total
        == cost(text).total
    )


def test_every_part_has_its_cost() -> None:
    compiled = compile_text("s == 'abc' && words.all(w, w == s)", ENV, PARSER)
    found = estimate(compiled.expr, compiled.result, Sizes(), {}, COUNTED)
    assert found.parts[compiled.expr.id] == found.total
    assert isinstance(compiled.expr, ast.Call)
    left, right = compiled.expr.args
    assert found.parts[left.id] == Estimate(2, 2)
    assert isinstance(right, ast.Comprehension)
    assert found.parts[right.iter_range.id] == ONE
    assert found.total.max == found.parts[left.id].max + found.parts[right.id].max


@each(
    ("text", "path"),
    [
        ("table.all(row, row.all(w, w == 'x'))", ("table", "@items", "@items")),
        ("labels.all(k, k == 'x')", ("labels", "@keys")),
        ("labels.all(k, labels[k] == 'x')", ("labels", "@values")),
        ("words.all(i, w, i < 3 && w == 'x')", ("words", "@indices")),
        ("labels.a == 'x'", ("labels", "a")),
    ],
)
def test_paths_that_sizes_are_asked_for(text: str, path: tuple[str, ...]) -> None:
    compiled = compile_text(text, ENV, PARSER)
    sizes = Sizes()
    estimate(compiled.expr, compiled.result, sizes, {}, COUNTED)
    assert path in sizes.asked


def test_depth_is_no_matter() -> None:
    depth = 30_000
    result = CheckResult(type_map={0: INT})
    expr: ast.Expr = ast.Ident(0, "n")
    for id_ in range(1, depth + 1):
        expr = ast.Call(id_, "-_", None, [expr])
        result.type_map[id_] = INT
        result.reference_map[id_] = Reference(overload_ids=("negate_int64",))
    assert estimate(expr, result, Sizes(), {}, COUNTED).total == fixed(depth + 1)
