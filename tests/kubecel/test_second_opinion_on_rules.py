"""Rules evaluated by cel-python as well: agreement, disagreements, known differences, and the work for all of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tables import each

from crdlint import decode_yaml, validate_resource
from crdlint.cel.eval.program import Evaluated
from crdlint.kubecel.evaluation import Evaluation, recorded
from crdlint.kubecel.second_opinion import (
    FAILS,
    KNOWN,
    NotEvaluatedError,
    Steps,
    Tally,
    compare,
    evaluate,
)
from crdlint.rules.engine.examples import small

FIELDS = decode_yaml("""
"n": {type: integer, nullable: true}
d: {type: number}
b: {type: boolean}
i: {x-kubernetes-int-or-string: true}
s: {type: string}
l: {type: array, items: {type: integer}}
set: {type: array, x-kubernetes-list-type: set, items: {type: integer}}
o: {type: object, properties: {if: {type: string}, p: {type: object, properties: {q: {type: integer}}}}}
any: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
t: {type: string, format: date-time}
u: {type: string, format: duration}
raw: {type: string, format: byte}
m: {type: object, additionalProperties: {type: integer}}
""")
SPEC = """{"n": 7, d: 1.5, b: true, i: 80, s: héllo, l: [3, 1, 2], set: [1, 2], o: {if: x}, m: {a: 1},
  any: [{a: 1}, {a: 2}], t: "2020-02-29T12:00:00.123456789Z", u: 90m, raw: aGk=}"""


def evaluations(rule: str, spec: str = SPEC, old: str | None = None) -> list[Evaluation]:
    """Return the evaluations of one rule on an object."""
    root = {"type": "object", "properties": FIELDS, "x-kubernetes-validations": [{"rule": rule}]}
    crd = json.dumps(small({"type": "object", "properties": {"spec": root}}))
    head = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: x, namespace: team}\nspec: "
    with recorded() as found:
        validate_resource(crd, head + spec, old_resource=None if old is None else head + old)
    return found


@each(
    "rule",
    [
        "self.n > 5 && self.l.all(x, x < 9) && self.s.startsWith('h')",
        "self.n < 5",
        "self.l[9] == 1",
        "self.d == 1.5 && self.b",
        "self.i == 80",
        "self.m['a'] == 1 && 'a' in self.m && !('b' in self.m)",
        "self.o.if == 'x' && has(self.o.if) && !has(self.o.p)",
        "self.t > timestamp('2020-01-01T00:00:00Z') && self.t.getHours() == 12",
        "self.u == duration('1h30m')",
        "self.raw == b'hi'",
        "size(self.s) == 5",
    ],
)
def test_both_agree(rule: str) -> None:
    tally = Tally()
    assert list(compare(evaluations(rule), tally)) == []
    assert (tally.agreed, tally.differences, tally.skipped) == (1, {}, {})


def test_old_objects() -> None:
    tally = Tally()
    assert list(compare(evaluations("self.n == oldSelf.n", '{"n": 1}', '{"n": 2}'), tally)) == []
    assert tally.agreed == 1


@pytest.mark.parametrize(
    ("rule", "ours", "theirs"), [("self.n > 5", "false", "true"), ("self.n > 9", "true", "false")]
)
def test_a_disagreement(rule: str, ours: str, theirs: str) -> None:
    [one] = evaluations(rule)
    changed = replace(one, result=Evaluated(not one.result.value, one.result.cost))
    tally = Tally()
    [found] = compare([changed], tally)
    assert (found.ours, found.theirs, found.cause.rule.rule) == (ours, theirs, rule)
    assert (str(found.cause.self_path), tally.agreed, tally.disagreed) == ("spec", 0, 1)
    assert "0 of 1 evaluations of rules agree" in tally.notice()


EXAMPLES = [
    ("self.i == '80' || self.i != 'a'", "it compares values of different types otherwise"),
    (
        "self.d / 0.0 < 0.0 || -self.d / 0.0 < 0.0",
        "it divides by zero, and compares NaN, otherwise",
    ),
    ("string(self.b) == 'true'", "it converts to string otherwise"),
    ("int('0x1' + '0') > 0", "it reads more texts as numbers"),
    ("(self.s + 'x').contains('x')", "it loses the type of a sum or difference"),
    ("self.l[-1] == 2", "a negative index counts from the end of the list"),
    ("has(self.o.p.q)", "has() is false if an object on the way to the field is missing"),
    ("size({'a': self.m['z']}) == 1", "an error inside of a list or map literal is lost"),
    ("{'a': 1, 'a': 3}['a'] == 3", "a map literal must not repeat a key"),
    (
        "self.t > timestamp('2020-02-29T12:00:00.123456788Z')",
        "its durations and timestamps have microseconds and other limits",
    ),
    ("type(self.t) == google.protobuf.Timestamp", "it has other names of types"),
    ("self.set == [2, 1]", "the order of lists of type set or map counts"),
    ("self.any[0] != self.any[1]", "it does not see fields that the schema does not describe"),
]


@each(("rule", "name"), EXAMPLES, ids=[name for _, name in EXAMPLES])
def test_known_differences_are_named_and_not_counted(rule: str, name: str) -> None:
    tally = Tally()
    spec = "{any: [{a: 1}, {a: 2}]}" if "self.any" in rule else SPEC
    assert list(compare(evaluations(rule, spec), tally)) == []
    assert (tally.agreed, tally.disagreed, tally.differences) == (0, 0, {name: 1})
    assert f"known differences: {name} (1)" in tally.notice()


def test_every_known_difference_has_an_example() -> None:
    assert {name for _, name in EXAMPLES} == {known.summary for known in KNOWN}


@each(
    ("rule", "reason"),
    [
        ("isURL(self.s)", "cel-python does not have a function"),
        ("sets.contains(self.l, [1])", "cel-python does not have a function"),
        ("self.?n.orValue(1) == 7", "cel-python has no optional values"),
        ("self.l.all(i, x, i < x || true)", "cel-python has no macros with two variables"),
        (
            "self.l.map(x, x > 1, x).size() == 2",
            "cel-python ends in an exception of its own, ValueError",
        ),
        ("self.s == 'x'" + " || self.s == 'x'" * 700, "the rule is too long for cel-python"),
        (
            "self.l.all(a, self.l.all(b, self.l.all(c, self.l.all(d, self.l.all(e, self.l.all(f, a + b + c > 0))))))",
            "the rule takes cel-python too many steps",
        ),
    ],
)
def test_rules_that_are_not_compared(rule: str, reason: str) -> None:
    tally = Tally()
    assert list(compare(evaluations(rule), tally)) == []
    assert (tally.agreed, tally.skipped) == (0, {reason: 1})
    assert f"not compared: {reason} (1)" in tally.notice()


def test_functions_that_cel_python_does_not_have_are_named() -> None:
    tally = Tally()
    for rule in ("isURL(self.s)", "sets.contains(self.l, [1])"):
        list(compare(evaluations(rule), tally))
    assert tally.notice().endswith("; functions: isURL, sets.contains")


def test_the_rules_of_an_object_share_their_steps() -> None:
    tally = Tally()
    [one] = evaluations("self.l.all(x, x > 0)", f"{{l: {[1] * 1200}}}")
    list(compare([one] * 6, tally))
    assert tally.agreed == 0
    assert tally.skipped == {
        "the rule takes cel-python too many steps": 4,
        "the rules of the object take cel-python too many steps": 2,
    }


@each(
    ("text", "parts"),
    [
        ("l.all(x, true)", 1000),
        ("l.all(x, x in [1, 2, 3])", 500),
        ("l.all(x, size(l) > x)", 10),
        ("l == l && l + l == l + l", 5000),
        ("l.map(x, s + s).size() > 0", 100),
    ],
)
def test_steps_grow_with_the_work(text: str, parts: int) -> None:
    def steps(size: int) -> int:
        counted = Steps(10**7)
        evaluate(text, {"l": list(range(size)), "s": "x" * size}, counted)
        return counted.used

    assert steps(parts) >= parts
    assert steps(2 * parts) <= 4.6 * steps(parts)  # a list within a loop over it: a square


@each(
    "text",
    [
        "l.all(a, l.all(b, l.all(c, l.all(d, a + b + c + d >= 0))))",
        "l.exists(a, l == m && m == l && s + s == s)",
        "l.map(a, l.map(b, l.map(c, [l, l, l]))) == l",
        "s.matches('(a*)*b') && l.all(a, s.matches(s) || s.contains(s))",
        "l.all(a, timestamp(s) == timestamp(s) || duration(s) == duration(s) || int(s) == 1)",
    ],
)
def test_hostile_rules_end_at_the_limit(text: str) -> None:
    steps = Steps(20_000)
    values = list(range(300))
    with pytest.raises(NotEvaluatedError, match="too many steps"):
        evaluate(text, {"l": values, "m": values, "s": "a" * 100_000}, steps)
    assert steps.used < 20_000 + 100_000


@each("text", ["(" * 400 + "1" + ")" * 400, "x.?y", "1 +", "l[0](1)", "a.b.c", "foo(1)"])
def test_no_exception_of_cel_python_gets_out(text: str) -> None:
    try:
        result = evaluate(text, {}, Steps(10_000))
    except NotEvaluatedError as error:
        result = str(error)
    assert result in {
        FAILS,
        "cel-python does not know the syntax of the rule",
        "cel-python ends in an exception of its own, RecursionError",
    }
