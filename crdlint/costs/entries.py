"""All that is told of a rule's cost: the figures, the tree behind them, and the way under the budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from crdlint.costs.advice import way_out
from crdlint.costs.explain import describe_cardinality, explain
from crdlint.costs.limits import value_path
from crdlint.costs.rule_cost import rule_cost
from crdlint.kubecel.limits import RULE_COST_LIMIT, UINT64_MAX

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.costs.explain import Part
    from crdlint.costs.rule_cost import RuleCost
    from crdlint.results import FoundRule


class Schema(NamedTuple):
    """A schema with rules: its file and CRD, and its version, empty where all versions share theirs."""

    file: str
    crd: str
    version: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A rule's cost told in full.

    ``place`` is where its values stand in an object (`spec.hosts[*]`), ``times`` how often it is evaluated and why.
    ``tree`` and ``message_tree`` hold the parts of its expressions, None where there is none that compiles. ``way_out``
    says how it gets below its budget, empty where it is.
    """

    cost: RuleCost
    place: str
    times: str
    tree: Part | None
    message_tree: Part | None
    way_out: str


def schema_costs(entries: Iterable[Entry]) -> dict[Schema, int]:
    """Return what the rules of each schema cost with their messages, in the order in which they come."""
    costs: dict[Schema, int] = {}
    for cost in (entry.cost for entry in entries):
        key = Schema(cost.file, cost.crd, cost.version)
        costs[key] = min(costs.get(key, 0) + cost.expression_cost + cost.message_max_cost, UINT64_MAX)
    return costs


def entry(found: FoundRule, file: str) -> Entry:
    """Tell a rule's cost in full."""
    judged = found.judged
    rule, message = judged.compiled.rule, judged.compiled.message
    hints = [
        way_out(judged, of_message=of_message)
        for of_message, cost in ((False, judged.total_cost), (True, judged.message_cost))
        if cost > RULE_COST_LIMIT
    ]
    return Entry(
        cost=rule_cost(found, file),
        place=value_path(judged.node.schema),
        times=describe_cardinality(judged),
        tree=explain(rule) if rule.error is None else None,
        message_tree=explain(message) if message is not None and message.error is None else None,
        way_out=hints[0] if hints else "",
    )
