"""Fixes for the findings of `rules/server/cel_cost.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.finding import Edits, Finding, Fixer, FixesOfRules, require
from crdlint.rules.server.cel_cost import CRD_COST, HOSTS, RULE_COST


@Fixer("Set the limits that bring the rules below their budgets", "unsafe").example(
    good=HOSTS.format("", ", maxLength: 5000").replace("}}\n", "}, maxItems: 1024}\n")
)
def _limits(finding: Finding) -> Edits:
    for limit, value in require(finding.subject).plan.values:
        yield finding.editor.set(
            finding.mapping(limit.schema.path), limit.keyword, str(value), before="type"
        )


FIXES: Final[FixesOfRules] = {
    RULE_COST.id: (_limits,),
    CRD_COST.id: (_limits,),
}
