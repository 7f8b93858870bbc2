"""What the rules of the page cost, as `crdlint cost` shows it: JSON in, JSON out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from crdlint.kubecel.cost import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.kubecel.cost.explain import shown_cost, value_path
from crdlint.kubecel.cost.suggest import Suggestions
from crdlint.linting.result import by_schema
from crdlint.safety.work import Effort
from playground import linted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.linting.result import FoundRule

_MOST: Final = 50  # rules that are shown


def costs(request: str) -> str:
    """Return the dearest rules with their costs, their number in all, and the sum of each schema."""
    given: dict[str, str] = json.loads(request)
    result = linted(given["crd"], given["old"], given["version"])
    rules = [rule for rule in result.rules if rule.estimated.compiled.rule.error is None]
    dearest = sorted(rules, key=lambda rule: rule.estimated.total_cost, reverse=True)[:_MOST]
    helps = dict(_helps(dearest, result.rules))
    answer = {
        "count": len(result.rules),
        "rules": [_row(rule, helps.get(id(rule), "")) for rule in dearest],
        "schemas": [_sum(group) for group in by_schema(result.rules)],
    }
    return json.dumps(answer)


def _helps(shown: Sequence[FoundRule], rules: Sequence[FoundRule]) -> Iterator[tuple[int, str]]:
    """Yield how to lower the cost of each shown rule that is over its budget."""
    effort = Effort()
    suggestions: dict[int, Suggestions] = {}
    for group in by_schema(rules):
        suggested = Suggestions([rule.estimated for rule in group], effort)
        suggestions |= {id(rule): suggested for rule in group}
    for rule in shown:
        if rule.estimated.total_cost > RULE_COST_LIMIT:
            yield id(rule), suggestions[id(rule)].on_rule(rule.estimated, of_message=False) or ""


def _row(rule: FoundRule, help_: str) -> dict[str, Any]:
    estimated, span = rule.estimated, rule.span
    return {
        "rule": estimated.compiled.rule.text,
        "version": rule.version,
        "path": value_path(estimated.node.schema),
        "line": span.line,
        "column": span.column,
        "cost": shown_cost(estimated.total_cost),
        "share": estimated.total_cost / RULE_COST_LIMIT,
        "limit": shown_cost(RULE_COST_LIMIT),
        "help": help_,
    }


def _sum(group: Sequence[FoundRule]) -> dict[str, Any]:
    """Return what the rules of a schema cost together."""
    total = sum(rule.estimated.total_cost + rule.estimated.message_cost for rule in group)
    return {
        "version": group[0].version,
        "cost": shown_cost(total),
        "share": total / CRD_COST_LIMIT,
        "limit": shown_cost(CRD_COST_LIMIT),
    }
