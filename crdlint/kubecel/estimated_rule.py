"""A rule of x-kubernetes-validations with its estimated cost, and the schema that it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.kubecel.limits import multiply

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.crd.paths import Path
    from crdlint.kubecel.compilation import CompiledRule


@dataclass(frozen=True, slots=True)
class CompiledNode:
    """A schema whose rules the API server compiles, and the whole one that it is part of, which it holds weakly.

    ``uncorrelatable`` is the path within which oldSelf is refused.
    """

    schema: JSONSchemaProps
    whole: JSONSchemaProps
    uncorrelatable: Path | None


@dataclass(frozen=True, slots=True)
class EstimatedRule:
    """A rule that the server compiles: its path, its compiled form and its cost.

    ``cost`` and ``message_cost`` are what one evaluation costs at most (cost units), 0 where nothing is to be evaluated.
    ``cardinality`` is how often the rule's value can occur in an object, None where that is unbounded; then
    ``min_size_cardinality`` counts: how many of them a request has room for.
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
        """What the rule costs in one object at most, the number that the server holds against its limit."""
        times = self.min_size_cardinality if self.cardinality is None else self.cardinality
        return multiply(self.cost, times)
