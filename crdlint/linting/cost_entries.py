"""The cost of a rule with its explanation: figures, parts, and a help."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from crdlint.cel.estimates import UINT64_MAX
from crdlint.kubecel.cost import RULE_COST_LIMIT
from crdlint.kubecel.cost.explain import (
    CostPart,
    CostsByServer,
    ServerCost,
    describe_cardinality,
    explain,
    value_path,
)
from crdlint.kubecel.cost.suggest import Suggestions
from crdlint.kubernetes.servers import NEWEST_ALONE, SERVERS, Range
from crdlint.light import NamedTuple, dataclass
from crdlint.linting.result import FileResult, FoundRule, RuleCost, by_schema
from crdlint.safety.work import Effort

# The help if the search for limits takes too long.
_GENERAL: Final = "Set `maxItems`, `maxProperties` and `maxLength` on the lists, maps and strings that the rule reads"


class Schema(NamedTuple):
    """A schema with rules: its file and CRD, and its version, empty if all versions share the schema."""

    file: str
    crd: str
    version: str


@dataclass(frozen=True, slots=True)
class CostEntry:
    """The cost of a rule, with its explanation.

    `value_path` is the path of its values in an object (`spec.hosts[*]`), `times` how often it is evaluated and why. `tree`
    and `message_tree` are the parts of its expressions, None for an expression that does not compile. `help` is how to
    reduce the cost, empty if it is within the budget. `by_version` contains the costs on servers of other Kubernetes
    versions whose estimate differs.
    """

    cost: RuleCost
    value_path: str
    times: str
    tree: CostPart | None
    message_tree: CostPart | None
    help: str
    by_version: Mapping[str, ServerCost]

    @property
    def schema(self) -> Schema:
        """The schema that contains the rule."""
        return Schema(self.cost.file, self.cost.crd, self.cost.version)


def schema_costs(entries: Iterable[CostEntry]) -> dict[Schema, int]:
    """Return the total cost of the rules and messages of each schema, in order of their first occurrence."""
    costs: dict[Schema, int] = {}
    for entry in entries:
        key = entry.schema
        costs[key] = min(
            costs.get(key, 0) + entry.cost.expression_cost + entry.cost.message_max_cost, UINT64_MAX
        )
    return costs


def entries(result: FileResult, versions: Range = NEWEST_ALONE) -> list[CostEntry]:
    """Return the costs of all rules of a file that was checked with `keep`, in document order.

    The costs of other servers are those of the range, or of all servers if `versions` is a single version.
    """
    servers = versions.servers if len(versions.servers) > 1 else SERVERS
    effort = Effort()
    by_server = CostsByServer()
    advice: dict[int, Suggestions] = {}
    for rules in by_schema(result.rules):
        advice |= dict.fromkeys(
            map(id, rules), Suggestions([rule.estimated for rule in rules], effort)
        )
    return [
        _entry(
            rule,
            result.file,
            advice[id(rule)],
            by_server.different(rule.estimated, servers),
        )
        for rule in result.rules
    ]


def _entry(
    found_rule: FoundRule,
    file: str,
    advice: Suggestions,
    by_version: dict[str, ServerCost],
) -> CostEntry:
    estimated = found_rule.estimated
    rule, message = estimated.compiled.rule, estimated.compiled.message
    helps = [
        advice.on_rule(estimated, of_message=of_message) or _GENERAL
        for of_message, cost in ((False, estimated.total_cost), (True, estimated.message_cost))
        if cost > RULE_COST_LIMIT
    ]
    return CostEntry(
        cost=found_rule.cost(file),
        value_path=value_path(estimated.node.schema),
        times=describe_cardinality(estimated),
        tree=explain(rule) if rule.error is None else None,
        message_tree=explain(message) if message is not None and message.error is None else None,
        help=helps[0] if helps else "",
        by_version=by_version,
    )
