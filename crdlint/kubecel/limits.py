"""Kubernetes' limits for CEL: sizes (bytes, as JSON) and budgets (cost units), and a rule with its estimated cost.

Upstream: pkg/apis/cel, pkg/cel/limits.go.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.crd.paths import Path
    from crdlint.kubecel.compilation import CompiledRule

MAX_REQUEST_SIZE: Final = 3 * 1024 * 1024

PER_CALL_LIMIT: Final = 1_000_000
RUNTIME_BUDGET: Final = 10_000_000
RULE_COST_LIMIT: Final = 10_000_000
CRD_COST_LIMIT: Final = 100_000_000

MAX_DURATION_SIZE: Final = 32
MAX_DATETIME_SIZE: Final = 32
MIN_DURATION_SIZE: Final = 3
DATE_SIZE: Final = 12
MIN_DATETIME_SIZE: Final = 21
MIN_STRING_SIZE: Final = 2
MIN_BOOL_SIZE: Final = 4
MIN_NUMBER_SIZE: Final = 1

UINT64_MAX: Final = (1 << 64) - 1


def max_cardinality(min_serialized_size: int) -> int:
    """Return how many values of a minimum size (bytes of JSON) fit into a request. Upstream: model.maxCardinality."""
    return MAX_REQUEST_SIZE // (min_serialized_size + 1)


def multiply(first: int, second: int) -> int:
    """Return the product of two unsigned numbers, at most 2**64-1. Upstream: multiplyWithOverflowGuard."""
    return min(first * second, UINT64_MAX)


class CompiledNode(NamedTuple):
    """A schema whose rules the API server compiles, and its root, to which `schema` itself has only a weak reference.

    `uncorrelatable` is the path within which oldSelf is not allowed.
    """

    schema: JSONSchemaProps
    root_schema: JSONSchemaProps
    uncorrelatable: Path | None


class EstimatedRule(NamedTuple):
    """A rule that the server compiles: its path, its compiled form and its cost.

    `cost` and `message_cost` are the maximum cost of one evaluation (cost units), 0 if there is nothing to evaluate.
    `cardinality` is the maximum number of values per object to which the rule applies, None if that is unbounded; then
    `min_size_cardinality` is used: the number of such values that fit into a request.
    """

    path: Path
    node: CompiledNode
    rule: ValidationRule
    compiled: CompiledRule
    cost: int
    message_cost: int
    cardinality: int | None
    min_size_cardinality: int

    @property
    def total_cost(self) -> int:
        """The maximum cost of the rule in one object, which the server compares with its limit."""
        times = self.min_size_cardinality if self.cardinality is None else self.cardinality
        return multiply(self.cost, times)
