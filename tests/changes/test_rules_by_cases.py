"""Rules that follow from the old ones in all cases, however they are written."""

from __future__ import annotations

import json
import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from changes_support import changes, summary, with_spec
from tables import each, sampled
from test_harmless_rules import NEW, OBJECTS, OLD, rule, with_items

import crdlint

if TYPE_CHECKING:
    from collections.abc import Sequence

PROPERTIES = (
    "properties: {a: {type: string}, i: {type: integer}, j: {type: integer}, mode: {type: string, enum: [NONE, DNS, STATIC]}, "
    "l: {type: array, items: {type: string}}, m: {type: object, additionalProperties: {type: string}}}"
)


def spec(*rules: str) -> Any:
    listed = ", ".join(f"{{rule: {json.dumps(one)}}}" for one in rules)
    return with_spec(f"{PROPERTIES}, x-kubernetes-validations: [{listed}]")


@each(
    ("old", "new"),
    [
        (
            "(!has(self.mode) || self.mode == 'NONE') ? !has(self.l) : true",
            "((has(self.mode) ? self.mode : 'NONE') == 'NONE') ? !has(self.l) : true",
        ),
        (
            "!(has(self.l) && self.l.exists(k, k.contains('/')) && has(self.mode) && self.mode != 'DNS')",
            "!((has(self.l) ? self.l : []).exists(k, k.contains('/')) && !((has(self.mode) ? self.mode : 'DNS') in ['DNS']))",
        ),
        ("!has(self.l) || size(self.l) <= 1", "(has(self.l) ? self.l : []).size() <= 1"),
        ("(has(self.a) && self.a.startsWith('x')) ? has(self.l) : true",
         "(has(self.a) ? self.a : '').startsWith('x') ? has(self.l) : true"),
        ("has(self.a) ? size(self.m) > 0 : true", "!has(self.a) || (has(self.m) ? self.m : {}).size() > 0"),
        ("[has(self.a), has(self.l)].filter(x, x == true).size() == 1", "has(self.a) != has(self.l)"),
        ("(has(self.a) ? 1 : 0) + (has(self.l) ? 1 : 0) <= 1", "!(has(self.a) && has(self.l))"),
        ("has(self.mode) && self.mode in ['NONE', 'DNS']", "self.mode != 'STATIC'"),
    ],
)  # fmt: skip
def test_the_same_rule_in_other_words(old: str, new: str) -> None:
    assert summary(spec(old), spec(new)) == ["info rule-added", "info rule-removed"]


@each(
    ("old", "new"),
    [
        ("!has(self.l) || size(self.l) <= 2", "(has(self.l) ? self.l : []).size() <= 1"),
        ("!has(self.mode) || self.mode == 'NONE'", "self.mode == 'NONE'"),
        ("has(self.mode) && self.mode in ['NONE', 'DNS']", "self.mode != 'DNS'"),
        ("has(self.a) || has(self.l)", "has(self.a) != has(self.l)"),
        ("self.a == 'x' || self.a == 'y'", "self.a.startsWith('x')"),
    ],
)
def test_a_stricter_rule_is_reported(old: str, new: str) -> None:
    assert summary(spec(old), spec(new)) == ["error rule-added", "info rule-removed"]


@each(
    ("old", "new"),
    [
        ("size(self.l) + size(self.a) <= 3", "size(self.l) <= 2"),
        ("double(self.a) == 1.0", "self.a == 'x'"),
    ],
)
def test_a_field_that_the_old_rule_needs_was_not_optional(old: str, new: str) -> None:
    assert sorted(summary(spec(old), spec(new))) == ["info rule-removed", "warning rule-added"]


@each(
    ("old", "new"),
    [
        ("self.i > self.j", "self.i >= self.j"),
        ("self.i == self.j", "self.j <= self.i"),
        ("self.i < self.j", "self.i != self.j"),
        ("self.a != ''", "self.a.size() > 0"),
        ("!has(self.a) || self.a != ''", "!has(self.a) || size(self.a) >= 1"),
        ("self.a.startsWith('ab')", "self.a.startsWith('a')"),
        ("self.a.endsWith('ab')", "self.a.contains('b')"),
        ("self.a.matches('^[a-z]+$')", "self.a.matches('^[a-z0-9]+$')"),
    ],
)
def test_a_looser_rule_breaks_nothing_and_a_stricter_one_does(old: str, new: str) -> None:
    assert not any(
        change.startswith(("error", "warning")) for change in summary(spec(old), spec(new))
    )
    if "size" not in new:  # the same in other words
        assert any(
            change.startswith(("error", "warning")) for change in summary(spec(new), spec(old))
        )


CONDITIONS = [
    *(
        "(has(self.g) ? self.g : 'old') == 'old'",
        "(has(self.h) ? self.h : 'none') == 'old'",
        "self.h == 'old'",
    ),
    *(
        "(has(self.d) ? self.d : '') == 'x'",
        "self.d == 'x'",
        "has(self.d)",
        "has(self.h)",
        "has(self.l)",
    ),
    *(
        "(has(self.l) ? self.l : []).size() <= 1",
        "has(self.l) && size(self.l) < 2",
        "self.l.size() == 1",
    ),
    *(
        "(has(self.l) ? self.l : []).exists(i, has(i.m))",
        "has(self.l) && self.l.exists(i, has(i.m))",
    ),
    *(
        "(has(self.d) ? self.d : '').startsWith('x')",
        "has(self.d) && self.d.startsWith('x')",
        "self.a + 1 > 3",
    ),
]


def with_rules(rules: list[str]) -> Any:
    """Return a CRD with the schema OLD and rules."""
    listed = ", ".join(f"{{rule: {json.dumps(one)}}}" for one in rules)
    return with_items(f"{OLD}, x-kubernetes-validations: [{listed}]")


def rejected(crd: Any) -> set[int]:
    """Return the numbers of the OBJECTS that a CRD rejects."""
    kind = crd["spec"]["names"]["kind"]
    resource = {
        "apiVersion": "example.com/v1",
        "kind": kind,
        "metadata": {"name": "x", "namespace": "x"},
    }
    found = crdlint.validate_resource(
        json.dumps(crd), json.dumps({**resource, "spec": {"objects": OBJECTS}})
    )
    matches = (re.search(r"objects\[(\d+)\]", one.message) for one in found.errors)
    return {int(match[1]) for match in matches if match is not None}


@pytest.mark.parametrize("seeds", sampled(range(80), 3))
def test_what_the_old_rules_imply_rejects_nothing_more(
    seeds: Sequence[int], subtests: pytest.Subtests
) -> None:
    for seed in seeds:
        with subtests.test(seed=seed):
            assert_implied(seed)


def assert_implied(seed: int) -> None:
    rng = random.Random(seed)
    old = [rule(rng, CONDITIONS, 1) for _ in range(rng.randint(1, 2))]
    new = rng.choice(
        [
            rule(rng, CONDITIONS, 1),
            f"!(!({old[0]}))",
            f"({old[-1]}) ? true : ({rule(rng, CONDITIONS, 1)})",
        ]
    )
    before, after = with_rules(old), with_items(NEW % json.dumps(new))
    found = [one for one in changes(before, after) if one.rule == "change-rule-added"]
    if all(one.severity == "info" for one in found):
        assert rejected(after) <= rejected(before)
