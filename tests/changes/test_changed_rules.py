"""Rules in place of others: wider ones are no breaking change, and rules that the schema implies are information."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest
from changes_support import changes, summary, with_spec
from tables import each

from crdlint.changes.conjunction import ComparedField, Conjunction
from crdlint.changes.examples import Examples, Pair
from crdlint.crd.model import JSONSchemaProps, ValidationRule
from crdlint.kubernetes.servers import NEWEST

PROPERTIES = (
    "a: {type: integer, minimum: 2, maximum: 8}, b: {type: string, maxLength: 9, minLength: 1}, "
    "c: {type: array, maxItems: 5, items: {type: string, enum: [s, t]}}, d: {type: string}"
)


def spec(*rules: str, required: str = "a, b, c", properties: str = PROPERTIES) -> str:
    listed = ", ".join(f"{{rule: {json.dumps(rule)}}}" for rule in rules)
    return f"required: [{required}], properties: {{{properties}}}, x-kubernetes-validations: [{listed}]"


@each(
    ("old", "new"),
    [
        ("self.b in ['p', 'q']", "self.b in ['p', 'q', 'r']"),
        ("self.b == 'p'", "self.b in ['p', 'q', 'r']"),
        ("self.a < 5", "self.a <= 5"),
        ("size(self.b) <= 5", "size(self.b) <= 6"),
        ("self.a >= 4", "self.a > 2.5 || self.a >= 4"),
        ("self.c.all(x, x in ['s'])", "self.c.all(y, y in ['s', 't'])"),
        ("self.c.exists(x, x == 's')", "self.c.exists(x, x == 's' || x == 't')"),
        ("self.b == 'p' ? self.a > 5 : true", "self.b == 'p' && has(self.d) ? self.a > 4 : true"),
        ("!(self.b == 'p' || self.b == 'q')", "!(self.b == 'p')"),
        ("self.b == 'p' && self.a > 5", "self.a > 5"),
        ("self.c.all(x, x == 's')", "!self.c.exists(x, x == 't')  || self.a > 5"),
        ("self.b == 'p'", "['p', 'q'].exists(x, x == self.b)"),
        ("self.a > 5", "self.a > 5 || self.c.exists(x, x == 's')"),
        ("self.b == 'p' || self.b == 'q'", "self.b in ['p', 'q'] || self.b == 'r'"),
    ],
)
def test_a_wider_rule_breaks_nothing(old: str, new: str) -> None:
    assert summary(with_spec(spec(old)), with_spec(spec(new))) == [
        "info rule-removed",
        "info rule-removed",
    ]
    assert summary(with_spec(spec(new)), with_spec(spec(old))) == [
        "error rule-added",
        "info rule-removed",
    ]


@each(
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
    assert found.message.endswith("`, which the schema implies already")


@each(
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


@each("rule", ["self.a > 3", "!has(self.d) || self.d == 'p'", "self.?d.orValue('p') == 'p'"])
def test_other_rules_are_about_existing_values(rule: str) -> None:
    [found] = changes(with_spec(spec()), with_spec(spec(rule)))
    assert found.severity == "error"
    assert "every edit below `.spec`" in found.message
    assert "no object without" not in found.message


@each(
    "rule",
    [
        "!has(self.e) || self.e > 3",
        "has(self.e) ? self.e > self.a : true",
        "!(has(self.e) && has(self.d))",
        "has(self.e) == has(self.f)",
        "has(self.a) != has(self.e)",
        "(has(self.a) && !has(self.e)) || (!has(self.a) && has(self.e))",
        "(has(self.d) ? 1 : 0) + (has(self.e) ? 1 : 0) + (has(self.f) ? 1 : 0) <= 1",
        "[has(self.a), has(self.e)].filter(x, x == true).size() == 1",
        "!has(oldSelf.e) || has(self.e)",
        "self.g == 'new' ? self.a > 3 : true",
        "!(self.g in ['new', 'newer']) || self.a > 3",
        "self.c.all(x, x != 'new' || self.a > 3)",
        "self.l.all(x, !has(x.p) || x.p > 2) && has(self.l)",
    ],
)
def test_a_rule_about_new_fields_breaks_no_object(rule: str) -> None:
    listed = "l: {{type: array, items: {{type: object, properties: {{{}}}}}}}"
    old = f"{PROPERTIES}, g: {{type: string, enum: [old]}}, {listed.format('m: {type: integer}')}"
    new = f"{PROPERTIES}, e: {{type: integer}}, f: {{type: integer}}, g: {{type: string, enum: [old, new, newer]}}, "
    new += listed.format("m: {type: integer}, p: {type: integer}")
    required = "a, b, c, g, l"
    before, after = (
        spec(required=required, properties=old),
        spec(rule, required=required, properties=new),
    )
    found = [
        one
        for one in changes(with_spec(before), with_spec(after))
        if one.rule == "change-rule-added"
    ]
    severities = [one.severity for one in found]
    assert severities == ["info"]


@each(
    "rule",
    [
        "has(self.d) == has(self.e)",
        "has(self.a) == has(self.e)",
        "(has(self.a) ? 1 : 0) + (has(self.e) ? 1 : 0) > 1",
        "[has(self.d), has(self.e)].filter(x, x == true).size() == 1",
        "self.h == 'new' || self.h != 'new'",
        "self.g == 'new'",
        "has(self.e) && has(self.a)",
        "self.d == 'new' ? self.a > 3 : true",
    ],
)
def test_a_rule_about_new_and_old_fields_may_reject_objects(rule: str) -> None:
    old = f"{PROPERTIES}, g: {{type: string, enum: [old]}}, h: {{type: string, enum: [old]}}"
    new = f"{PROPERTIES}, e: {{type: integer}}, g: {{type: string, enum: [old, new]}}, h: {{type: string, enum: [old, new]}}"
    required = "a, b, c, g"
    before, after = (
        spec(required=required, properties=old),
        spec(rule, required=required, properties=new),
    )
    found = [
        one
        for one in changes(with_spec(before), with_spec(after))
        if one.rule == "change-rule-added"
    ]
    assert [one.severity for one in found] == ["error"]


@each(
    ("old", "new"),
    [
        (
            "(has(self.a) ? 1 : 0) + (has(self.d) ? 1 : 0) == 1",
            "(has(self.a) ? 1 : 0) + (has(self.d) ? 1 : 0) + (has(self.e) ? 1 : 0) == 1",
        ),
        (
            "[has(self.d), has(self.b)].filter(x, x).size() <= 1",
            "[has(self.d), has(self.e), has(self.b)].filter(y, y).size() <= 1",
        ),
        ("self.b == 'p' ? self.a > 3 : true", "(self.b == 'p' || has(self.e)) ? self.a > 3 : true"),
        (
            "self.g == 'old' ? self.a > 3 : true",
            "(self.g == 'old' || self.g == 'new') ? self.a > 3 : true",
        ),
        ("!(self.g in ['old']) || self.a > 3", "!(self.g in ['old', 'new']) || self.a > 3"),
    ],
)
def test_a_rule_that_takes_in_new_fields_and_values_breaks_no_object(old: str, new: str) -> None:
    before = f"{PROPERTIES}, g: {{type: string, enum: [old, other]}}"
    after = f"{PROPERTIES}, e: {{type: integer}}, g: {{type: string, enum: [old, other, new]}}"
    required = "b, c, g"
    found = [
        one
        for one in changes(
            with_spec(spec(old, required=required, properties=before)),
            with_spec(spec(new, required=required, properties=after)),
        )
        if one.rule == "change-rule-added"
    ]
    assert [one.severity for one in found] == ["info"]
    assert found[0].message.endswith(
        "`, which is true for all objects without new fields and values"
    )


@each(
    "rule",
    [
        "!has(oldSelf.d) || has(self.d)",
        "!has(self.d) || has(oldSelf.d)",
        "has(self.h) && oldSelf.h == 'new' ? self.a > 3 : true",
    ],
)
def test_what_is_known_of_the_new_object_is_not_known_of_the_old_one(rule: str) -> None:
    old = f"{PROPERTIES}, h: {{type: string, enum: [old]}}"
    new = f"{PROPERTIES}, h: {{type: string, enum: [old, new]}}"
    found = changes(with_spec(spec(properties=old)), with_spec(spec(rule, properties=new)))
    assert [one.severity for one in found if one.rule == "change-rule-added"] == ["warning"]


def test_the_names_of_iteration_variables_do_not_matter() -> None:
    old, new = (
        "self.c.all(x, self.c.exists_one(y, x == y))",
        "self.c.all(one, self.c.exists_one(other, one == other))",
    )
    assert summary(with_spec(spec(old)), with_spec(spec(new))) == []
    swapped = "self.c.all(x, self.c.exists_one(y, y == x))"
    assert summary(with_spec(spec(old)), with_spec(spec(swapped))) == [
        "info rule-added",
        "info rule-removed",
    ]


_UNIQUE: Final = "self.c.all(x, x.k == 'a' ? self.c.exists_one(y, y.k == x.k && y.v == x.v) : true)"
_GUARDED: Final = "self.c.all(x, x.k == 'a' && has(x.v) ? self.c.exists_one(y, y.k == x.k && has(y.v) && y.v == x.v) : true)"
_ROWS: Final = (
    (_UNIQUE, _GUARDED, "info"),
    (_GUARDED, _UNIQUE, "error"),
    (_UNIQUE, _GUARDED.replace("has(y.v) && y.v == x.v", "has(y.v)"), "error"),
    (_UNIQUE, _GUARDED.replace("y.v == x.v", "y.v == y.v"), "error"),
    ("self.c.exists_one(x, x.v == 'b')", "self.c.exists_one(x, has(x.v) && x.v == 'b')", "info"),
    ("self.c.exists_one(x, has(x.v) && x.v == 'b')", "self.c.exists_one(x, x.v == 'b')", "error"),
    ("self.c.exists_one(x, x.v == 'b')", "self.d.exists_one(x, has(x.v) && x.v == 'b')", "error"),
    (
        "self.c.filter(x, x.v == 'b').size() <= 1",
        "self.c.filter(x, has(x.v) && x.v == 'b').size() <= 1",
        "info",
    ),
    (
        "self.c.filter(x, x.v == 'b').size() <= 1",
        "self.c.exists_one(x, has(x.v) && x.v == 'b')",
        "error",
    ),
    (
        "self.c.exists_one(x, x.k == 'a')",
        "self.c.exists_one(x, x.k == 'a' && (!has(x.new) || x.new == ''))",
        "info",
    ),
)


def test_folds_that_select_the_same_items_have_the_same_result() -> None:
    item = "properties: {k: {type: string, default: a}, v: {type: string}, w: {type: string}}"
    lists = ", ".join(f"{name}: {{type: array, items: {{type: object, {item}}}}}" for name in "cd")
    with_new = lists.replace("w: {", "new: {")
    for old, new, severity in _ROWS:
        before = with_spec(spec(old, required="c, d", properties=lists))
        found = changes(before, with_spec(spec(new, required="c, d", properties=with_new)))
        assert {one.severity for one in found if one.rule == "change-rule-added"} <= {severity}, new
        assert any(one.severity == severity and "rule" in one.rule for one in found), new


@each(
    "rule",
    [
        "self.all(x, self.exists_one(y, x == y))",
        "self.all(x, self.filter(y, y == x).size() == 1)",
        "size(self.filter(i, size(self.filter(j, j == i)) > 1)) == 0",
    ],
)
def test_a_rule_about_unique_items_follows_from_the_list_type(rule: str) -> None:
    def strings(list_type: str, rules: str = "") -> Any:
        more = f", x-kubernetes-validations: [{{rule: {json.dumps(rules)}}}]" if rules else ""
        return with_spec(
            f"properties: {{l: {{type: array, x-kubernetes-list-type: {list_type}, items: {{type: string}}{more}}}}}"
        )

    assert summary(strings("set"), strings("set", rule)) == ["info rule-added"]
    assert summary(strings("set"), strings("atomic", rule)) == [
        "info rule-added",
        "warning list-type",
    ]
    assert summary(strings("atomic"), strings("atomic", rule)) == ["error rule-added"]


def test_a_rule_about_unique_keys_follows_from_the_list_type() -> None:
    items = "items: {type: object, required: [k, l], properties: {k: {type: string}, l: {type: string}}}"
    listed = f"properties: {{m: {{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k, l], {items}%s}}}}"
    rule = ', x-kubernetes-validations: [{rule: "self.all(p, self.exists_one(q, p.%s == q.%s))"}]'
    both = ', x-kubernetes-validations: [{rule: "self.all(p, self.exists_one(q, p.k == q.k && p.l == q.l))"}]'
    assert summary(with_spec(listed % ""), with_spec(listed % both)) == ["info rule-added"]
    assert summary(with_spec(listed % ""), with_spec(listed % rule % ("k", "k"))) == [
        "error rule-added"
    ]


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
def test_a_rule_about_the_old_value_rejects_new_objects_only_if_it_is_optional(
    rule: str, rejected: str
) -> None:
    new = with_spec(f"properties: {{a: {{type: integer, x-kubernetes-validations: [{{{rule}}}]}}}}")
    (change,) = changes(with_spec("properties: {a: {type: integer}}"), new)
    assert change.headline.endswith(f"`: {rejected} that break it are rejected")
    assert change.message == f"{change.headline}; automation that changes the value fails"


@each(
    ("rule", "which", "effect"),
    [
        ("oldSelf.hasValue()", ", which no new value fulfils", "every new object with the value is rejected"),
        ("oldSelf.hasValue() && self >= oldSelf.value()", ", which no new value fulfils",
         "every new object with the value is rejected"),
        ("oldSelf.hasValue() || self < 5", ": new objects that break it are rejected",
         "existing objects stay valid, and edits of them succeed"),
        ("!oldSelf.hasValue() || self >= oldSelf.value()", ": updates that break it are rejected",
         "automation that changes the value fails"),
        ("oldSelf.hasValue() ? self == oldSelf.value() : self < 3", ": new objects and updates that break it are rejected",
         "automation that changes the value fails"),
        ("oldSelf.hasValue() && self > oldSelf.value() || self > 9", ", which some unchanged values do not fulfil",
         "updates that keep such a value are rejected, even if they change another field"),
    ],
)  # fmt: skip
def test_whom_a_rule_with_an_optional_old_value_hurts(rule: str, which: str, effect: str) -> None:
    text = f'{{optionalOldSelf: true, rule: "{rule}"}}'
    new = with_spec(f"properties: {{a: {{type: integer, x-kubernetes-validations: [{text}]}}}}")
    (change,) = changes(with_spec("properties: {a: {type: integer}}"), new)
    assert change.headline == f"`.spec.a` has a new rule: `{rule}`{which}"
    assert change.message == f"{change.headline}; {effect}"


@pytest.mark.parametrize(("old_rules", "example"), [([], ""), (["oldSelf.q == self.q"], None)])
def test_a_value_that_no_update_could_keep_before_is_no_example(
    old_rules: list[str], example: str | None
) -> None:
    rule = "oldSelf.q == self.q"
    old, new = (
        Conjunction.of(
            JSONSchemaProps.of(
                type="object",
                properties={"q": JSONSchemaProps.of(type="string")},
                x_validations=[ValidationRule.of(rule=text) for text in rules],
            )
        )
        for rules in (old_rules, [rule])
    )
    examples = Examples({}, NEWEST, explains=False)
    pair = Pair(old, new, ComparedField(".spec"), examples)
    [added] = new[0].x_validations
    assert examples.find(pair, "self.q == self.q", added, is_kept=True) == example
