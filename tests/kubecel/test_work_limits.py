"""Rules whose cost is within the server's limits, and whose work is not: shared where it can be, else limited."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from counting import recording
from crds import crd_in_json, schema_with_spec
from tables import each

from crdlint import validate_resource
from crdlint.kubecel import values
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.resources.pipeline import ResourceReport

TEXT = {"type": "string"}
INTS = {"type": "array", "items": {"type": "integer"}}
TEXTS = {"type": "array", "items": TEXT}
MAP = {"type": "object", "additionalProperties": {"type": "integer"}}
KEYED = {
    "type": "array",
    "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "integer"}}},
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
}
FIELDS = {
    "s": TEXT,
    "t": TEXT,
    "n": INTS,
    "m": MAP,
    "maps": {"type": "array", "items": {"type": "object", "properties": {"m": MAP}}},
    "set": {**INTS, "x-kubernetes-list-type": "set"},
    "keyed": KEYED,
    "words": TEXTS,
    "bytes": {**TEXT, "format": "byte"},
    "any": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
}


def evaluated(rule: str, spec: dict[str, Any]) -> ResourceReport:
    """Return what is reported of an object with a rule."""
    return validated(FIELDS, [{"rule": rule}], spec)


def validated(
    fields: dict[str, Any], rules: list[dict[str, str]], spec: dict[str, Any]
) -> ResourceReport:
    schema = {"type": "object", "properties": fields, "x-kubernetes-validations": rules}
    crd = crd_in_json(schema_with_spec(schema), scope="Cluster")
    foo = {"apiVersion": "example.com/v1", "kind": "Foo", "metadata": {"name": "x"}, "spec": spec}
    return validate_resource(crd, json.dumps(foo))


def steps(rule: str, spec: dict[str, Any]) -> int:
    """Return the steps that a rule takes; it has to hold."""
    with work.limited():
        report = evaluated(rule, spec)
        budget = work.current()
    assert report.errors == []
    assert budget is not None
    return work.LIMIT - budget.left


def numbers(count: int) -> list[int]:
    return list(range(count))


MAP_OF_TWO = "{'a': x, 'b': x}"


def twice(times: int, part: str = "x + x") -> str:
    return f".map(x, {part})" * times


@pytest.mark.parametrize(
    ("rule", "spec"),
    [
        ("self.n.map(x, self.n + self.n).size() > 0", lambda n: {"n": numbers(n)}),
        ("self.n.map(x, self.n + self.n).all(l, l[0] == 0)", lambda n: {"n": numbers(n)}),
        ("self.n.map(x, [x] + self.n).all(l, l[l.size() - 1] >= 0)", lambda n: {"n": numbers(n)}),
        (
            "self.n.all(x, self.m == self.m)",
            lambda n: {"n": numbers(n), "m": {f"k{i}": i for i in range(n)}},
        ),
        (
            "self.n.all(x, self.m.exists(k, v, true))",
            lambda n: {"n": numbers(n), "m": {f"k{i}": i for i in range(n)}},
        ),
        ("self.n.all(x, self.bytes != b'')", lambda n: {"n": numbers(n), "bytes": "QUJD" * n}),
        ("self.s.matches(self.s)", lambda n: {"s": "a" * n}),
        ("self.s.lastIndexOf(self.t) < 0", lambda n: {"s": "a" * n, "t": "ab" + "a" * (n // 2)}),
    ],
)
def test_work_is_shared(
    rule: str, spec: Callable[[int], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    converted: list[object] = []
    monkeypatch.setattr(values, "to_value", recording(converted, values.to_value, "a value"))
    taken = []
    for n in (100, 200, 400):
        converted.clear()
        taken.append(steps(rule, spec(n)) + len(converted))
    assert taken[1] < 2.3 * taken[0]
    assert taken[2] < 2.3 * taken[1]


@each(
    "rule",
    [
        f"[[1]]{twice(20)}.all(x, x == x)",
        f"[[1]]{twice(40, '[x, x]')}.all(x, x == x)",
        f"[{{'a': 1}}]{twice(40, MAP_OF_TWO)}.all(x, x == x)",
        f"[[1]]{twice(40)}.all(x, x[1000000] == 1)",
        f"[self.n]{twice(20)}.all(x, x[700000] == 1)",
        f"[[1]]{twice(40)}.all(x, x.exists(y, y == 1))",
        f"[[1]]{twice(62)}.all(x, x.size() > 0)",
    ],
)
def test_nested_values_are_not_written_out(rule: str) -> None:
    assert steps(rule, {"n": [1]}) < 10_000


LIMITED: list[tuple[str, dict[str, Any]]] = [
    (f"[[1]]{twice(70)}.all(x, x.size() > 0)", {}),
    (f"[[[1]]]{twice(30)}.all(x, x.flatten().size() > 0)", {}),
    (f"[[1]]{twice(25, '[x, x]')}.all(x, '%s'.format([x]) != '')", {}),
    (f"[['']]{twice(25)}.all(x, x.join() == '')", {}),
    (f"[['']]{twice(25)}.all(x, x.indexOf('b') < 0)", {}),
    (f"[['']]{twice(25)}.all(x, x.min() == '')", {}),
    ("self.set.map(x, self.set + self.set).size() > 0", {"set": numbers(2000)}),
    (
        "self.keyed.map(x, self.keyed + self.keyed).size() > 0",
        {"keyed": [{"k": i} for i in range(2000)]},
    ),
    (
        "self.maps.all(x, self.maps.all(y, x == y))",
        {"maps": [{"m": {f"k{i}": i for i in range(200)}}] * 150},
    ),
    ("self.n.map(i, self.s.replace('', self.s)).size() > 0", {"s": "x" * 10_000, "n": numbers(50)}),
    ("self.s.findAll('a*b|a').size() > 0", {"s": "a" * 300_000}),
    ("self.n.all(x, self.s.findAll('a*b|a').size() > 0)", {"s": "a" * 3000, "n": numbers(500)}),
    ("self.s.matches(self.s)", {"s": "a." * 50_000}),
    (
        "self.words.all(x, self.s.matches(x))",
        {"s": "é" * 999, "words": [rf"\pL{{{i}}}" for i in range(900, 999)]},
    ),
    (
        "[url(self.s)].all(u, self.n.all(x, u.getEscapedPath() != ''))",
        {"s": f"http://h/{'a%20' * 25_000}", "n": numbers(500)},
    ),
    (
        "[semver(self.s)].all(v, self.n.all(x, v.compareTo(v) == 0))",
        {"s": f"1.2.3-{'a.' * 50_000}a", "n": numbers(500)},
    ),
    ("self.n.all(x, double(self.s) > 0.0)", {"s": f"1.{'1' * 500_000}", "n": numbers(800)}),
    (
        "self.n.all(x, duration(self.s) > duration('1s') || true)",
        {"s": "1h" * 50_000, "n": numbers(500)},
    ),
    ("quantity(self.s).isGreaterThan(quantity('1'))", {"s": "1" * 200_000}),
    ("self.n.all(x, google.protobuf.ListValue{values: self.n}.size() > 0)", {"n": numbers(2000)}),
]


@each(("rule", "spec"), LIMITED, ids=range(len(LIMITED)))
def test_work_is_limited_and_reported(rule: str, spec: dict[str, Any]) -> None:
    with work.limited(200_000):  # a tenth, for speed
        report = evaluated(rule, spec)
    (error,) = report.errors
    assert (error.rule, error.origin, error.kind, error.severity) == (
        "evaluation-limit",
        "crdlint",
        "advice",
        "error",
    )
    assert error.message.startswith("spec: Not evaluated: crdlint ")
    assert error.error_type is None


def test_nothing_absorbs_the_limit() -> None:
    (error,) = evaluated(f"[['']]{twice(25)}.all(x, x.join() == '') || true", {}).errors
    assert error.rule == "evaluation-limit"


def test_the_limit_is_reported_once() -> None:
    texts = {f"p{i}": {"type": "string", "pattern": rf"^\pL{{{i}}}$"} for i in range(20, 60)}
    rules = [{"rule": "self.n.map(x, x * 2).size() > 0"}]
    with work.limited(50_000):
        report = validated(
            {**FIELDS, **texts}, rules, {**dict.fromkeys(texts, "é" * 60), "n": numbers(10)}
        )
    assert [error.rule for error in report.errors][-1] == "evaluation-limit"
    assert len({error.message for error in report.errors if error.rule == "evaluation-limit"}) == 1


SERVERS = [
    # What costs more than the limit is the server's to report, whatever work it would be.
    (f"[[1]]{twice(24)}.all(x, x == x)", "actual cost limit exceeded"),
    (f"[[1]]{twice(23)}.all(x, 2 in x)", "actual cost limit exceeded"),
    (f"[[1]]{twice(40)}.all(x, x == x)", "running out of cost budget"),
]


@each(("rule", "message"), SERVERS)
def test_the_servers_limit_comes_first(rule: str, message: str) -> None:
    (error,) = evaluated(rule, {}).errors
    assert (error.rule, error.kind) == ("resource-rule", "field")
    assert message in error.detail


JOINED = [
    ("(self.n + [3]) == [1, 2, 3]", True),
    ("([3] + self.n) == [3, 1, 2]", True),
    ("(self.n + self.n)[2] == 1 && (self.n + self.n)[3] == 2", True),
    ("((self.n + self.n) + (self.n + self.n)).size() == 8", True),
    (
        "2 in (self.n + [5]) && 5 in (self.n + [5]) && 2 in ([5] + self.n) && !(7 in ([5] + self.n))",
        True,
    ),
    ("(self.n + self.n).map(x, x) == [1, 2, 1, 2]", True),
    ("(self.n + self.n).slice(1, 3) == [2, 1]", True),
    ("(self.n + self.n).reverse() == [2, 1, 2, 1]", True),
    ("(self.set + [2, 3]) == [1, 2, 3] && (self.set + self.set).size() == 2", True),
    ("(self.keyed + self.keyed).size() == 2", True),
    ("[self.n + self.n] == [self.n + self.n]", True),
    (f"[self.n]{twice(12)}.all(x, x.size() == 8192 && x[8191] == 2 && x[1] == 2)", True),
]


@each(("rule", "holds"), JOINED)
def test_joined_lists(rule: str, holds: bool) -> None:
    report = evaluated(rule, {"n": [1, 2], "set": [1, 2], "keyed": [{"k": 1}, {"k": 2}]})
    assert ([error.detail for error in report.errors] == []) is holds
