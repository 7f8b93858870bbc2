"""Rules of x-kubernetes-validations with their estimated costs, and the server's budgets (cost units). Upstream: pkg/apis/cel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.light import NamedTuple

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps, ValidationRule
    from crdlint.crd.paths import Path
    from crdlint.kubecel.compilation import CompiledRule

PER_CALL_LIMIT: Final = 1_000_000
RUNTIME_BUDGET: Final = 10_000_000
RULE_COST_LIMIT: Final = 10_000_000
CRD_COST_LIMIT: Final = 100_000_000


class CompiledNode(NamedTuple):
    """A schema whose rules the API server compiles, and its root, to which `schema` itself has only a weak reference.

    `uncorrelatable` is the path within which oldSelf is not allowed.
    """

    schema: JSONSchemaProps
    root_schema: JSONSchemaProps
    uncorrelatable: Path | None


class EstimatedRule(NamedTuple):
    """A rule that the server compiles.

    `path`: its path.
    `node`: the schema that has it.
    `rule`: the rule.
    `compiled`: its compiled form.
    `cost`, `message_cost`: the maximum cost of one evaluation of the rule and of its message expression
        (cost units), 0 if there is nothing to evaluate.
    `cardinality`: the maximum number of values per object to which it applies, None if that is unbounded.
    `min_size_cardinality`: the number of the smallest such values that fit into a request.
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
    def written(self) -> tuple[int, int]:
        """The identity of schema and rule in the document, which copies that aliases make share."""
        schema = self.node.schema
        return id(schema.node or schema), id(self.rule.node or self.rule)

    @property
    def total_cost(self) -> int:
        """The maximum cost of the rule in one object, which the server compares with its limit."""
        from crdlint.cel.estimates import multiply  # CRDs without rules need nothing of CEL

        return multiply(
            self.cost, self.min_size_cardinality if self.cardinality is None else self.cardinality
        )
