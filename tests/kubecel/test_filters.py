"""Macros over filtered lists, written without filter(), whose result the estimator knows no bounds of."""

from __future__ import annotations

from kubecel_support import compile_rule
from tables import each

from crdlint.kubecel.repair.filters import without_filter

FIELDS = (
    "{list: {type: array, maxItems: 9, items: {type: object, properties:"
    " {name: {type: string, maxLength: 9}, size: {type: integer}}}}}"
)
UNFILTERED = {
    "self.list.filter(x, x.name == 'a').all(y, y.size > 1)": (
        "self.list.all(x, x.name != 'a' || x.size > 1)"
    ),
    "self.list.filter(x, has(x.name) && x.size > 0).all(x, x.name.contains('a'))": (
        "self.list.all(x, !(has(x.name) && x.size > 0) || x.name.contains('a'))"
    ),
    "self.list.filter(x, has(x.size)).exists(y, y.size > 1)": (
        "self.list.exists(x, (has(x.size)) && (y.size > 1))".replace("y.", "x.")
    ),
    "self.list.filter(i, i.size > 1).exists_one(j, j.name == 'j')": (
        "self.list.exists_one(i, (i.size > 1) && (i.name == 'j'))"
    ),
    "has(self.list) && self.list.filter(x, has(x.size)).all(y, y.size > 1 ? true : has(y.name))": (
        "has(self.list) && self.list.all(x, !(has(x.size)) || (x.size > 1 ? true : has(x.name)))"
    ),
}
LEFT = ("self.list.all(x, x.size > 1)", "self.list.filter(x, x.size > 1).size() > 1")


@each("rule, expected", UNFILTERED.items(), ids=UNFILTERED)
def test_condition_of_a_filter_is_written_into_the_macro(rule: str, expected: str) -> None:
    expression = compile_rule(rule, FIELDS).rule
    unfiltered = without_filter(expression)
    assert unfiltered is not None
    assert unfiltered.expression.text == expected
    assert unfiltered.expression.highest_cost < expression.highest_cost


@each("rule", LEFT)
def test_other_expressions_are_left(rule: str) -> None:
    assert without_filter(compile_rule(rule, FIELDS).rule) is None
