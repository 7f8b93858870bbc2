"""Costs of rules, why they are what they are, and the limits that bring them down."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from counting import recording
from crds import crd_with_spec
from present import present
from tables import each

import crdlint
from crdlint.config.model import Config
from crdlint.kubecel.compilation import Expression
from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT, suggest
from crdlint.kubecel.cost.explain import explain, most_expensive_part, shown_cost, value_path
from crdlint.kubecel.cost.suggest import LimitPlan, Model, Solution, Suggestions
from crdlint.linting.cost_entries import entries
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.rules.server.cel_cost import OVER_BUDGET
from crdlint.runner.fixes import fix
from crdlint.safety.work import Effort

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from crdlint.cel.ast import Comprehension
    from crdlint.cel.estimator import CostEstimate
    from crdlint.kubecel.compilation import KubernetesEstimator
    from crdlint.kubecel.cost import EstimatedRule


def rules(spec: str) -> list[EstimatedRule]:
    return [
        found.estimated
        for found in lint_file(crd_with_spec(spec), "x", CheckRequest(keep=True)).rules
    ]


def solved(estimated: EstimatedRule) -> Solution | None:
    return LimitPlan([estimated], Effort()).of(estimated)


def flat(fields: str, rule: str) -> str:
    return f"{{type: object, properties: {fields}, x-kubernetes-validations: [{{rule: {rule!r}}}]}}"


def test_limits_are_searched_once_for_equal_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    one = flat(
        "{l: {type: array, items: {type: string}}}", "self.l.all(x, self.l.all(y, x.contains(y)))"
    )
    equal = rules(re.sub(r"(\{rule.*\})\]", lambda found: ", ".join([found[1]] * 20) + "]", one))
    made: list[Any] = []
    monkeypatch.setattr(suggest, "Model", recording(made, Model))
    plan = LimitPlan(equal, Effort())
    assert (len(equal), len(made)) == (20, 1)
    assert sum(present(plan.of(rule)).cost for rule in equal) <= CRD_COST_LIMIT


LIST = "{l: {type: array, maxItems: 10, items: {type: string, maxLength: 10}}, s: {type: string, maxLength: 20}}"


@each(
    ("fields", "rule", "cost"),
    [
        ("{s: {type: string}}", "true", 0),
        ("{s: {type: string, maxLength: 20}}", "self.s == 'abc'", 3),
        ("{s: {type: string, maxLength: 20}}", "self.s.startsWith('abc')", 3),
        ("{s: {type: string, maxLength: 20}}", "self.s.contains('abcdefghijk')", 2 + 8 * 2),
        ("{s: {type: string, maxLength: 20}}", "self.s.matches('^[a-z]{2,3}$')", 2 + 9 * 3),
        ("{s: {type: string, enum: [abcdefghijk, b]}}", "self.s + 'a' == self.s", 2 + 2 + 2 + 2),
        (LIST, "self.l.all(x, x == 'a')", 2 + 10 * (2 + 3) + 1),
        (
            LIST,
            "self.l.all(x, self.l.exists_one(y, x == y))",
            2 + 10 * (1 + 2 + 1 + 10 * 8 + 3) + 1,
        ),
        (LIST, "self.s in self.l", 4 + 10),
        (LIST, "self.l.map(x, x + self.s).size() > 0", None),
        (
            "{m: {type: object, maxProperties: 5, additionalProperties: {type: integer}}}",
            "self.m.all(k, self.m[k] > 0)",
            None,
        ),
        ("{s: {type: string}}", "has(self.s)", 1),
        ("{s: {type: string}}", "!has(self.s) || self.s == ''", None),
        ("{s: {type: string, maxLength: 10}}", "isQuantity(self.s)", 2 + 4),
        ("{s: {type: string, maxLength: 10}}", "ip(self.s).family() == 4", None),
        (LIST, "sets.contains(self.l, self.l)", 4 + 100 + 1),
        (
            "{s: {type: string, maxLength: 20}}",
            "strings.quote(self.s).contains('abcdefghijk')",
            2 + 8 + 17 * 2,
        ),
        (LIST, "self.l.sortBy(x, x.size()).size() == 1", None),
    ],
)
def test_cost_of_one_evaluation(fields: str, rule: str, cost: int | None) -> None:
    (estimated,) = rules(flat(fields, rule))
    assert estimated.compiled.rule.error is None
    if cost is not None:
        assert estimated.cost == cost
    tree = explain(estimated.compiled.rule)
    assert tree.cost == estimated.cost
    assert tree.text == rule


def test_cardinality_multiplies() -> None:
    (estimated,) = rules("""
        type: array
        maxItems: 10
        items:
          type: object
          additionalProperties: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: "self != ''"}]}
          maxProperties: 3
    """)
    assert (estimated.cost, estimated.cardinality, estimated.total_cost) == (1, 30, 30)


def test_unbounded_lists_count_by_what_a_request_holds() -> None:
    (estimated,) = rules(
        "{type: array, items: {type: string, maxLength: 5, x-kubernetes-validations: [{rule: self != ''}]}}"
    )
    assert estimated.cardinality is None
    assert estimated.min_size_cardinality == 3 * 1024 * 1024 // 3
    assert estimated.total_cost == estimated.min_size_cardinality


def test_a_message_costs_once() -> None:
    text = crd_with_spec("""
        type: array
        items:
          type: string
          x-kubernetes-validations: [{rule: "true", messageExpression: "self + self"}]
    """)
    (cost,) = crdlint.estimate_costs(text)
    assert cost.max_cost == 0
    assert cost.message_expression == "self + self"
    assert cost.message_max_cost == 2 + 629146
    assert (cost.line, cost.max_cardinality, cost.uses_old_self) == (21, None, False)


def test_the_help_of_a_message_counts_the_message() -> None:
    text = crd_with_spec(
        "{type: string, x-kubernetes-validations: [{rule: 'true', messageExpression: string(self.matches(self))}]}"
    )
    (found,) = (one for one in crdlint.lint_text(text) if one.rule == "cel-rule-cost")
    # 12,000 bytes: a tenth of 12,001 times a quarter of 12,000, two identifiers and a conversion.
    assert present(found.help).endswith(f" the estimate is then {1201 * 3000 + 3:,} of 10,000,000")


def test_a_refused_rule_costs_nothing() -> None:
    (cost,) = crdlint.estimate_costs(
        crd_with_spec("{type: object, x-kubernetes-validations: [{rule: self.nope}]}")
    )
    assert (cost.max_cost, cost.expression_cost) == (0, 0)
    assert cost.error is not None
    assert cost.error.startswith("compilation failed: ")


QUADRATIC = flat(
    "{l: {type: array, items: {type: string}}}", "self.l.all(x, self.l.exists_one(y, x == y))"
)  # fmt: skip


@each(
    ("spec", "keywords"),
    [
        (QUADRATIC, {("spec.l", "maxItems"), ("spec.l[*]", "maxLength")}),
        (flat("{s: {type: string}}", "self.s.matches(self.s)"), {("spec.s", "maxLength")}),
        (
            flat(
                "{m: {type: object, additionalProperties: {type: string}}}",
                "self.m.all(k, self.m.exists(j, j > k))",
            ),
            {("spec.m", "maxProperties")},
        ),
        (
            flat(
                "{l: {type: array, maxItems: 5000, items: {type: integer}}}",
                "self.l.all(x, self.l.exists(y, x == y))",
            ),
            {("spec.l", "maxItems")},
        ),
    ],
)
def test_suggestions_pass_when_estimated_again(spec: str, keywords: set[tuple[str, str]]) -> None:
    (estimated,) = rules(spec)
    assert estimated.total_cost > RULE_COST_LIMIT
    found = solved(estimated)
    assert found is not None
    assert {(value_path(limit.schema), limit.keyword) for limit, _ in found.values} == keywords
    assert found.cost <= RULE_COST_LIMIT
    for limit, value in found.values:
        if limit.bound is not None:
            assert value < limit.bound
    for limit, value in found.values:
        setattr(limit.schema, _ATTRIBUTES[limit.keyword], value)
    assert [
        d.rule for d in crdlint.lint_text(with_limits(crd_with_spec(spec))) if d.severity == "error"
    ] == []


_ATTRIBUTES = {
    "maxItems": "max_items",
    "maxProperties": "max_properties",
    "maxLength": "max_length",
}


def with_limits(text: str) -> str:
    """Return a text with the limits set that bring its rules below their budgets."""

    def check(given: Any) -> Any:
        return lint_file(given, "x", CheckRequest(fixes=True))

    return fix(check(text), check, unsafe=True, config=Config(select=tuple(OVER_BUDGET))).text


def test_a_larger_round_value_would_not_pass() -> None:
    (estimated,) = rules(flat("{s: {type: string}}", "self.s.matches('^a+$')"))
    judged_cost = estimated.total_cost
    assert judged_cost <= RULE_COST_LIMIT
    (estimated,) = rules(
        flat(
            "{l: {type: array, items: {type: integer}}}", "self.l.all(x, self.l.exists(y, x == y))"
        )
    )
    found = solved(estimated)
    assert found is not None
    ((_, value),) = found.values
    more = flat(
        f"{{l: {{type: array, maxItems: {value * 2}, items: {{type: integer}}}}}}",
        estimated.rule.rule,
    )
    assert rules(more)[0].total_cost > RULE_COST_LIMIT


def test_all_rules_together() -> None:
    each = "{{type: array, maxItems: 1200, items: {{type: integer}}, x-kubernetes-validations: [{{rule: '{}'}}]}}"
    rule = "self.all(x, self.exists(y, x == y))"
    fields = ", ".join(f"l{i}: {each.format(rule)}" for i in range(15))
    estimated = rules(f"{{type: object, properties: {{{fields}}}}}")
    assert all(one.total_cost <= RULE_COST_LIMIT for one in estimated)
    assert sum(one.total_cost for one in estimated) > CRD_COST_LIMIT
    text = crd_with_spec(f"{{type: object, properties: {{{fields}}}}}")
    assert {d.rule for d in crdlint.lint_text(text) if d.severity == "error"} == {"cel-schema-cost"}
    assert not LimitPlan(estimated, Effort()).hopeless
    assert [
        d
        for d in crdlint.lint_text(
            with_limits(crd_with_spec(f"{{type: object, properties: {{{fields}}}}}"))
        )
        if d.severity == "error"
    ] == []


def test_where_no_limits_would_do() -> None:
    (estimated,) = rules(
        flat(
            "{s: {type: string}}",
            "'abc'.charAt(1).matches('a') || quantity(self.s.charAt(2)).isInteger()",
        )
    )
    assert solved(estimated) is None
    assert "no limit reduces the cost" in present(
        Suggestions([estimated], Effort()).on_rule(estimated)
    )
    assert most_expensive_part(estimated.compiled.rule, RULE_COST_LIMIT) in estimated.rule.rule


def test_a_reserved_word_hides_limits() -> None:
    (estimated,) = rules(
        flat(
            "{namespace: {type: array, maxItems: 3, items: {type: string}}}",
            "self.namespace.all(x, x != '')",
        )
    )
    assert present(Suggestions([estimated], Effort()).on_rule(estimated)).startswith(
        "Write `__namespace__` instead of `namespace`"
    )


def test_explanation() -> None:
    (entry,) = entries(lint_file(crd_with_spec(QUADRATIC), "x", CheckRequest(keep=True)))
    assert entry.value_path == "spec"
    assert entry.times == "once in an object"
    assert entry.tree is not None
    assert entry.tree.bound == "spec.l has no maxItems: 1,048,575 assumed"
    inner = entry.tree.parts[-1]
    assert inner.text == "self.l.exists_one(y, x == y)"
    assert inner.parts[-1].bound == "spec.l[*] has no maxLength: 3,145,726 bytes assumed"
    assert entry.help.startswith("Set `max")


def test_limits_that_bear_on_a_rule() -> None:
    (estimated,) = rules("""
        type: array
        items: {type: string, enum: [a, b], x-kubernetes-validations: [{rule: "self == 'a'"}]}
    """)
    assert [
        (value_path(limit.schema), limit.keyword)
        for limit in Model(estimated, Effort()).limits.values()
    ] == [("spec", "maxItems")]


@each(
    ("cost", "text"),
    [
        (0, "0"),
        (12345, "12,345"),
        (2**64 - 1, "unbounded"),
        (3 * 10**15, "3.0 quadrillion"),
        (33 * 10**12, "33 trillion"),
        (10**9 - 1, "999,999,999"),
        (99_600_000_000, "100 billion"),
    ],
)
def test_shown_cost(cost: int, text: str) -> None:
    assert shown_cost(cost) == text


def test_ten_thousand_terms() -> None:
    rule = " && ".join(["self.s == 'a'"] * 3000)
    (estimated,) = rules(flat("{s: {type: string, maxLength: 3}}", rule))
    assert estimated.cost == 3000 * 3
    assert explain(estimated.compiled.rule).cost == estimated.cost


def visits(text: str) -> int:
    """Return how many nodes of expressions are estimated while a text is linted."""
    count = 0
    cost = Expression.cost

    def counted(
        self: Expression,
        estimator: KubernetesEstimator | None = None,
        part: Comprehension | None = None,
    ) -> CostEstimate:
        nonlocal count
        estimate = cost(self, estimator, part)
        count += len(estimate.parts)
        return estimate

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Expression, "cost", counted)
        assert lint_file(text, filename="x").diagnostics
    return count


def lists(n: int) -> str:
    fields = ", ".join(f"l{i}: {{type: array, items: {{type: string}}}}" for i in range(n))
    return crd_with_spec(
        flat(
            f"{{{fields}}}",
            " && ".join(f"self.l{i}.all(a, self.l{i}.all(b, a == b))" for i in range(n)),
        )
    )


def joined_lists(n: int) -> str:
    fields = ", ".join(f"l{i}: {{type: array, items: {{type: string}}}}" for i in range(n))
    joined = " + ".join(f"self.l{i}" for i in range(n))
    return crd_with_spec(flat(f"{{{fields}}}", f"({joined}).all(a, ({joined}).all(b, a == b))"))


def nested_lists(n: int) -> str:
    schema, rule = "{type: string}", f"x{n - 1} == ''"
    for i in reversed(range(n)):
        schema = f"{{type: array, items: {schema}}}"
        rule = f"{f'x{i - 1}' if i else 'self.l'}.all(x{i}, {rule})"
    return crd_with_spec(flat(f"{{l: {schema}}}", rule))


def expensive_rules(n: int) -> str:
    rules = ", ".join(
        f'{{rule: "self.l.all(a, self.l.all(b, a == b)) || {i} > 0"}}' for i in range(n)
    )
    return crd_with_spec(
        f"{{type: object, properties: {{l: {{type: array, items: {{type: string}}}}}}, x-kubernetes-validations: [{rules}]}}"
    )


def lists_with_rules(n: int) -> str:
    rule = "self.all(a, self.all(b, a == b))"
    fields = ", ".join(
        f"l{i}: {{type: array, items: {{type: string}}, x-kubernetes-validations: [{{rule: '{rule} || {i} > 0'}}]}}"
        for i in range(n)
    )
    return crd_with_spec(f"{{type: object, properties: {{{fields}}}}}")


@each(
    ("text", "size"),
    [
        (lists, 5),
        (joined_lists, 32),
        (nested_lists, 20),
        (expensive_rules, 38),
        (lists_with_rules, 50),
    ],
)
def test_the_search_for_limits_is_linear(text: Callable[..., Any], size: int) -> None:
    few = visits(text(size))
    assert visits(text(2 * size)) < 2.3 * few


@each("text", [lists(20), joined_lists(20), nested_lists(12), expensive_rules(40)])
def test_suggestions_for_large_rules_pass(text: str) -> None:
    assert [d.message for d in crdlint.lint_text(with_limits(text)) if d.severity == "error"] == []


def test_suggested_limits_leave_room() -> None:
    """The cost with the limits is below half of the budget, above which it would be reported as near the limit."""
    found = crdlint.lint_text(with_limits(lists(1)))
    assert [d.rule for d in found if d.rule.startswith("cel-rule-cost")] == []


def test_helps_of_a_schema_agree() -> None:
    helps = {
        present(d.help).partition(":")[0]
        for d in crdlint.lint_text(expensive_rules(9))
        if d.rule == "cel-rule-cost"
    }
    assert len(helps) == 1


def test_helps_list_a_few_limits() -> None:
    longest = max(len(d.help or "") for d in crdlint.lint_text(lists(80)))
    assert longest < 1000
