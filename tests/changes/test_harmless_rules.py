"""A rule that is reported as harmless rejects no object that the old CRD accepts."""

from __future__ import annotations

import itertools
import json
import random
from typing import Any

from changes_support import changes, with_spec
from tables import each

import crdlint

OLD = (
    "required: [a, g], properties: {a: {type: integer, minimum: 2, maximum: 4}, d: {type: string}, "
    "g: {type: string, enum: [old, other]}, h: {type: string, enum: [old]}, "
    "l: {type: array, items: {type: object, required: [k], properties: {k: {type: string, enum: [old]}, m: {type: string}}}}}"
)
NEW = (
    "required: [a, g], properties: {a: {type: integer, minimum: 2, maximum: 4}, d: {type: string}, "
    "g: {type: string, enum: [old, other, new]}, h: {type: string, enum: [old, new]}, e: {type: integer}, "
    "f: {type: object, properties: {p: {type: string}}}, "
    "l: {type: array, items: {type: object, required: [k], properties: {k: {type: string, enum: [old, new]}, "
    "m: {type: string}, q: {type: string}}}}}, x-kubernetes-validations: [{rule: %s}]"
)
LISTS = [None, [], [{"k": "old"}], [{"k": "old", "m": "x"}, {"k": "old"}]]
OBJECTS = [
    {name: value for name, value in zip("adghl", values, strict=True) if value is not None}
    for values in itertools.product([2, 4], [None, "x"], ["old", "other"], [None, "old"], LISTS)
]
FIELDS = ["a", "d", "e", "f", "g", "h", "l"]
TESTS = [f"has(self.{name})" for name in FIELDS]
CONDITIONS = [
    *TESTS,
    *TESTS,
    *(
        "has(self.f.p)",
        "self.a > 3",
        "self.a >= 2",
        "self.a + 0 > 2",
        "self.d == 'x'",
        "self.d in ['x', 'z']",
        "self.d.matches('^[xy]$')",
        "self.d.matches('^z')",
        "self.d.endsWith('x')",
        "self.g.matches('^o')",
        "self.e > 3",
    ),
    *(
        f"self.{name} {operator} '{value}'"
        for name in "gh"
        for operator in ("==", "!=")
        for value in ("old", "new")
    ),
    *(
        "self.g in ['old', 'new']",
        "self.h in ['new', 'newer']",
        "self.g in ['other', 'old']",
        "true",
        "false",
    ),
]
ITEMS = [
    "has(x.m)",
    "has(x.q)",
    "x.k == 'new'",
    "x.k == 'old'",
    "x.k in ['old', 'new']",
    "has(self.e)",
    "has(x.k)",
]


def rule(rng: random.Random, atoms: list[str] = CONDITIONS, depth: int = 0) -> str:
    """Return a random condition."""

    def part() -> str:
        return rule(rng, atoms, depth + 1)

    choice = rng.random()
    if depth > 2 or choice < 0.25:
        return rng.choice(atoms)
    if choice < 0.55:
        return f"(({part()}) {rng.choice(['&&', '||', '==', '!='])} ({part()}))"
    if choice < 0.65:
        return f"!({part()})"
    if choice < 0.75:
        return f"({part()} ? {part()} : {part()})"
    if choice < 0.85 and atoms is CONDITIONS:
        return f"self.l.{rng.choice(['all', 'exists'])}(x, {rule(rng, ITEMS, depth + 1)})"
    operator = rng.choice(["==", "<=", ">=", "<", ">", "!="])
    tests = [rng.choice(TESTS) for _ in range(rng.randint(1, 3))]
    if choice < 0.92:
        return f"[{', '.join(tests)}].filter(t, {rng.choice(['t', 't == true'])}).size() {operator} {rng.randint(0, 2)}"
    return f"{' + '.join(f'({test} ? 1 : 0)' for test in tests)} {operator} {rng.randint(0, 2)}"


def with_items(schema: str) -> Any:
    """Return a CRD with a list of objects that have a schema."""
    return with_spec(
        f"properties: {{objects: {{type: array, maxItems: 99, items: {{type: object, {schema}}}}}}}"
    )


def errors(crd: Any) -> list[str]:
    """Return the errors of a resource that has all OBJECTS."""
    resource = {
        "apiVersion": "example.com/v1",
        "kind": crd["spec"]["names"]["kind"],
        "metadata": {"name": "x", "namespace": "x"},
    }
    found = crdlint.validate_resource(
        json.dumps(crd), json.dumps({**resource, "spec": {"objects": OBJECTS}})
    )
    return [one.message for one in found.errors]


@each("seed", range(120))
def test_a_harmless_rule_rejects_no_existing_object(seed: int) -> None:
    text = rule(random.Random(seed))
    new = with_items(NEW % json.dumps(text))
    found = [one for one in changes(with_items(OLD), new) if one.rule == "change-rule-added"]
    if [one.severity for one in found] == ["info"]:
        assert errors(new) == []
