"""What to do about a cost, in a sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.ast import Select
from crdlint.cel.builder import RESERVED
from crdlint.cel.traversal import nodes
from crdlint.costs.explain import culprit, shown_cost
from crdlint.costs.limits import value_path
from crdlint.costs.suggest import suggest, suggest_all
from crdlint.kubecel.limits import RULE_COST_LIMIT

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Sequence as SequenceOf

    from crdlint.costs.limits import Limit
    from crdlint.kubecel.compilation import Expression
    from crdlint.rules.cel import JudgedRule


def way_out(judged: JudgedRule, *, of_message: bool = False) -> str:
    """Say how a rule, or its message expression, gets below its budget."""
    found = suggest(judged, of_message=of_message)
    if found is not None:
        return f"set {shown(found.values)}: the estimate is then {shown_cost(found.cost)} of {RULE_COST_LIMIT:,}"
    expression = judged.compiled.message if of_message else judged.compiled.rule
    return "" if expression is None else _hopeless(expression)


def way_out_together(rules: SequenceOf[JudgedRule]) -> str:
    """Say how all rules of a schema get below its budget."""
    found = suggest_all(rules)
    rest = f"mend {_count(len(found.hopeless))} that no limits bring down" if found.hopeless else ""
    return " and ".join(part for part in (f"set {shown(found.values)}" if found.values else "", rest) if part)


def _count(rules: int) -> str:
    return "the rule" if rules == 1 else f"the {rules} rules"


def shown(values: Iterable[tuple[Limit, int]]) -> str:
    """Return limits as `maxItems: 64` on `spec.hosts` and so on."""
    parts = [f"`{limit.keyword}: {value}` on `{value_path(limit.schema)}`" for limit, value in values]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _hopeless(expression: Expression) -> str:
    part = culprit(expression, RULE_COST_LIMIT)
    words = {node.field for node in nodes(expression.compiled.expr) if isinstance(node, Select)} & RESERVED
    if words:
        word = min(words)
        return f"write `__{word}__` for `{word}`: the estimator does not see the limits of a field named by a reserved word"
    inner = f"`{part}`" if len(part) <= 120 else f"`{part[:120]}...`"
    return f"no limits would do: the server sees no bound for what {inner} goes through; take it out, or compare less"
