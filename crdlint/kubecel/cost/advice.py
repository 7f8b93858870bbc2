"""One-sentence helps for rules above their budget."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Select, nodes
from crdlint.cel.builder import RESERVED
from crdlint.kubecel.cost.explain import most_expensive_part, shown_cost, value_path
from crdlint.kubecel.cost.suggest import Plan
from crdlint.kubecel.limits import RULE_COST_LIMIT

if TYPE_CHECKING:
    from collections.abc import Sequence as SequenceOf

    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.cost.explain import Limit
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.safety.work import Effort

# The maximum number of limits that a help lists, and of characters of an expression that it quotes.
_LISTED: Final = 16
_QUOTED: Final = 120
# The effort of finding the expensive part of an expression, per node.
_STEPS_TO_QUOTE: Final = 4


class Advice:
    """The helps for the rules of one schema; limits are searched for once, with the first help."""

    def __init__(self, rules: SequenceOf[EstimatedRule], effort: Effort) -> None:
        self._rules = rules
        self._effort = effort

    @cached_property
    def plan(self) -> Plan:
        """The limits to set."""
        return Plan(self._rules, self._effort)

    def on_rule(self, rule: EstimatedRule, *, of_message: bool = False) -> str | None:
        """Return how to reduce the cost of a rule or of its message expression, or None if the search takes too long."""
        solution = self.plan.of(rule)
        if solution is not None and solution.values:
            cost = solution.message_cost if of_message else solution.cost
            return f"Set {shown(solution.values)}: the estimate is then {shown_cost(cost)} of {RULE_COST_LIMIT:,}"
        expression = rule.compiled.message if of_message else rule.compiled.rule
        if expression is None or id(rule) not in self.plan.hopeless:
            return None
        return self._on_hopeless(expression)

    def on_all(self) -> str | None:
        """Return how to reduce the total cost of all rules, or None if the search takes too long."""
        plan = self.plan
        if not plan.complete:
            return None
        rules = f"{len(plan.hopeless):,} rules" if len(plan.hopeless) > 1 else "the rule"
        parts = [f"set {shown(plan.values)}"] if plan.values else []
        if plan.hopeless:
            parts.append(f"simplify {rules} that no limit brings below the budget")
        text = " and ".join(parts)
        return text[:1].upper() + text[1:] or None

    def _on_hopeless(self, expression: Expression) -> str | None:
        below = list(nodes(expression.compiled.expr))
        words = {node.field for node in below if isinstance(node, Select)} & RESERVED
        if words:
            word = min(words)
            return (
                f"Write `__{word}__` instead of `{word}`: the estimator ignores the limits of a field"
                " whose name is a reserved word"
            )
        steps = _STEPS_TO_QUOTE * len(below)
        if not self._effort.affords(steps):
            return None
        self._effort.spend(steps)
        part = most_expensive_part(expression, RULE_COST_LIMIT)
        inner = f"`{part}`" if len(part) <= _QUOTED else f"`{part[:_QUOTED]}...`"
        return f"Remove or simplify {inner}: the estimator knows no bound for its values, so no limit reduces the cost"


def shown(values: SequenceOf[tuple[Limit, int]]) -> str:
    """Return limits as text, such as `maxItems: 64` on `spec.hosts`, at most a few."""
    parts = [f"`{limit.keyword}: {value}` on `{value_path(limit.schema)}`" for limit, value in values[:_LISTED]]
    if len(values) > _LISTED:
        more = len(values) - _LISTED
        return f"{', '.join(parts)} and {more:,} more (`crdlint cost --suggest` prints all of them)"
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
