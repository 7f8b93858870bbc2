"""Fixes for the findings of `rules/server/cel_cost.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.fixes.expression_fixes import in_expression
from crdlint.rules.server.cel_cost import CRD_COST, HOSTS, RULE_COST

if TYPE_CHECKING:
    from crdlint.kubecel.cost.suggest import SchemaLimits, Suggestions


def _suggestions(finding: FieldFinding) -> Suggestions:
    from crdlint.kubecel.cost.suggest import Suggestions  # most rules are within their budgets

    return finding.subject_as(Suggestions)


def _limits(finding: FieldFinding) -> SchemaLimits:
    """Return the limits that bring the rule of a finding below its budget, as its help names them."""
    return _suggestions(finding).limits.get(str(finding.path.parent), ())


def _limits_of_all(finding: FieldFinding) -> SchemaLimits:
    """Return the limits that bring all rules of the schema below their budgets."""
    return _suggestions(finding).plan.values


def _set(finding: FieldFinding, limits: SchemaLimits) -> Edits:
    for limit, value in limits:
        yield finding.editor.set(
            finding.mapping(limit.schema.path),
            limit.keyword,
            str(value),
            before="type",
        )


_WITH_LIMITS: Final = HOSTS.format("", ", maxLength: 5000").replace("}}\n", "}, maxItems: 1024}\n")


@Fixer("Set the limits that bring the rule below its budget", "unsafe", shared_by=_limits).example(
    good=_WITH_LIMITS
)
def _limit_rule(finding: FieldFinding) -> Edits:
    return _set(finding, _limits(finding))


@Fixer(
    "Set the limits that bring the rules below their budgets", "unsafe", shared_by=_limits_of_all
).example(good=_WITH_LIMITS)
def _limit_all(finding: FieldFinding) -> Edits:
    return _set(finding, _limits_of_all(finding))


_FILTERED = """\
type: object
properties:
  ports: {{type: array, maxItems: 64, items: {{type: object, properties: {{name: {{type: string, maxLength: 63}}}}}}}}
x-kubernetes-validations:
- rule: "!has(self.ports) || {}"
"""


@Fixer("Write the condition of filter() into the macro", "unsafe").example(
    bad=_FILTERED.format("self.ports.filter(x, has(x.name)).all(y, y.name.matches('^[a-z]+$'))"),
    good=_FILTERED.format("self.ports.all(x, !(has(x.name)) || x.name.matches('^[a-z]+$'))"),
)
def _without_filter(finding: FieldFinding) -> Edits:
    edit = _suggestions(finding).unfiltered.get(str(finding.path.parent))
    if edit is not None:
        yield from in_expression(finding, finding.scalar(), [edit])


FIXES: Final = FixesOf(
    FieldFinding,
    {
        RULE_COST.id: (_without_filter, _limit_rule),
        CRD_COST.id: (_limit_all,),
    },
)
