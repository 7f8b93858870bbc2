"""Rules in place of others: wider ones are no breaking change, and rules that the schema implies are information."""

from __future__ import annotations

import json

import pytest
from changes_support import changes, summary, with_spec

PROPERTIES = (
    "a: {type: integer, minimum: 2, maximum: 8}, b: {type: string, maxLength: 9, minLength: 1}, "
    "c: {type: array, maxItems: 5, items: {type: string, enum: [s, t]}}, d: {type: string}"
)


def spec(*rules: str, required: str = "a, b, c", properties: str = PROPERTIES) -> str:
    listed = ", ".join(f"{{rule: {json.dumps(rule)}}}" for rule in rules)
    return f"required: [{required}], properties: {{{properties}}}, x-kubernetes-validations: [{listed}]"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.b in ['p', 'q']", "self.b in ['p', 'q', 'r']"),
        ("self.b == 'p'", "self.b in ['p', 'q', 'r']"),
        ("self.a < 5", "self.a <= 5"),
        ("size(self.b) <= 5", "size(self.b) <= 6"),
        ("self.a >= 4", "self.a > 3.0 || self.a >= 4"),
        ("self.c.all(x, x in ['p'])", "self.c.all(x, x in ['p', 'q'])"),
        ("self.c.exists(x, x == 'p')", "self.c.exists(x, x == 'p' || x == 'q')"),
        ("self.b == 'p' ? self.a > 5 : true", "self.b == 'p' && has(self.d) ? self.a > 4 : true"),
        ("!(self.b == 'p' || self.b == 'q')", "!(self.b == 'p')"),
        ("self.b == 'p' && self.a > 5", "self.a > 5"),
        ("self.b == 'p' || self.b == 'q'", "self.b in ['p', 'q'] || self.b == 'r'"),
    ],
)
def test_a_wider_rule_breaks_nothing(old: str, new: str) -> None:
    assert summary(with_spec(spec(old)), with_spec(spec(new))) == ["info rule-removed", "info rule-removed"]
    assert summary(with_spec(spec(new)), with_spec(spec(old))) == ["error rule-added", "info rule-removed"]


@pytest.mark.parametrize(
    "rule",
    [
        "self.a <= 8",
        "self.a < 9 && self.a >= 1",
        "2 <= self.a",
        "size(self.b) <= 9",
        "self.b.size() > 0",
        "self.b != ''",
        "has(self.a)",
        "!has(self.d) || has(self.d)",
        "has(self.d) ? self.a > 1 : true",
        "self.c.all(x, x == 's' || x == 't')",
        "self.c.all(x, x in ['s', 't', 'u'])",
        "self.c.size() <= 5",
    ],
)
def test_a_rule_that_the_schema_implies_is_information(rule: str) -> None:
    [found] = changes(with_spec(spec()), with_spec(spec(rule)))
    assert found.severity == "info"
    assert found.message.endswith("was added, which the schema implies already")


@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("self.d == 'p'", "self.d"),
        ("has(self.d)", "self.d"),
        ("self.a > 3 && self.d.size() > 2", "self.d"),
        ("self.d.startsWith('p') ? self.a > 3 : self.a > 4", "self.d"),
        ("!(self.d == 'p')", "self.d"),
    ],
)
def test_a_rule_that_needs_an_optional_field_names_it(rule: str, field: str) -> None:
    [found] = changes(with_spec(spec()), with_spec(spec(rule)))
    assert found.severity == "error"
    assert f"no object without `{field}` fulfils it, which was optional" in found.message


@pytest.mark.parametrize("rule", ["self.a > 3", "!has(self.d) || self.d == 'p'", "self.?d.orValue('p') == 'p'"])
def test_other_rules_are_about_existing_values(rule: str) -> None:
    [found] = changes(with_spec(spec()), with_spec(spec(rule)))
    assert found.severity == "error"
    assert "every edit below `.spec`" in found.message
    assert "no object without" not in found.message


@pytest.mark.parametrize(
    "rule",
    [
        "!has(self.e) || self.e > 3",
        "has(self.e) ? self.e > self.a : true",
        "!(has(self.e) && has(self.d))",
        "self.l.all(x, !has(x.n) || x.n > 2) && has(self.l)",
    ],
)
def test_a_rule_about_new_fields_breaks_no_object(rule: str) -> None:
    listed = "l: {{type: array, items: {{type: object, properties: {{{}}}}}}}"
    old = f"{PROPERTIES}, {listed.format('m: {type: integer}')}"
    new = f"{PROPERTIES}, e: {{type: integer}}, {listed.format('m: {type: integer}, n: {type: integer}')}"
    before, after = spec(required="a, b, c, l", properties=old), spec(rule, required="a, b, c, l", properties=new)
    found = [one for one in changes(with_spec(before), with_spec(after)) if one.rule == "change-rule-added"]
    severities = [one.severity for one in found]
    assert severities == (["error"] if "self.l" in rule else ["info"])


@pytest.mark.parametrize(
    ("rule", "rejected"),
    [
        ('rule: "self == oldSelf || self < 9"', "updates"),
        (
            'optionalOldSelf: true, rule: "oldSelf.orValue(self) == self || self < 9"',
            "new objects and updates",
        ),
    ],
)
def test_a_rule_about_the_old_value_rejects_new_objects_only_if_it_is_optional(rule: str, rejected: str) -> None:
    new = with_spec(f"properties: {{a: {{type: integer, x-kubernetes-validations: [{{{rule}}}]}}}}")
    (change,) = changes(with_spec("properties: {a: {type: integer}}"), new)
    assert change.message.endswith(
        f" was added: {rejected} that break it are rejected, so automation that changes the value fails"
    )
