"""The costs of the rules of CRDs, as the API server estimates them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crdlint.linting.result import FoundRule


@dataclass(frozen=True, slots=True)
class RuleCost:
    """The cost of one rule, in cost units, and its position in the file (1-based).

    `version` is the version whose schema contains the rule, empty if all versions share the schema. `max_cost` is the
    cost of one evaluation. `expression_cost` is compared with the limit of a rule: the cost times `max_cardinality`
    (how often the value can occur in an object) or, if that is unbounded (None), times `min_size_cardinality` (how many
    such values fit into a request). `error` is the server's error about a rule that does not compile, whose cost is 0.
    The `message_` fields are the same for a messageExpression, which is evaluated at most once; `message_expression` is
    None if the rule has none.
    """

    crd: str
    version: str
    path: str
    rule: str
    max_cost: int
    max_cardinality: int | None
    min_size_cardinality: int
    expression_cost: int
    uses_old_self: bool
    error: str | None
    message_expression: str | None
    message_max_cost: int
    message_error: str | None
    file: str
    line: int
    column: int


def rule_cost(found_rule: FoundRule, file: str) -> RuleCost:
    """Return the cost of a rule of a file."""
    estimated = found_rule.estimated
    rule, message = estimated.compiled.rule, estimated.compiled.message
    return RuleCost(
        crd=found_rule.crd,
        version=found_rule.version,
        path=str(estimated.path),
        rule=rule.text,
        max_cost=estimated.cost,
        max_cardinality=estimated.cardinality,
        min_size_cardinality=estimated.min_size_cardinality,
        expression_cost=estimated.total_cost,
        uses_old_self=estimated.compiled.uses_old_self,
        error=rule.error,
        message_expression=estimated.rule.message_expression or None,
        message_max_cost=estimated.message_cost,
        message_error=None if message is None else message.error,
        file=file,
        line=found_rule.span.line,
        column=found_rule.span.column,
    )
