"""Estimation of sizes from the schema, and of the costs of Kubernetes' functions. Upstream: sizeEstimator in compilation.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.estimates import CallEstimate, Estimate, Node
from crdlint.kubecel.environment import function_costs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubernetes.servers import CELDialect


class KubernetesEstimator:
    """Estimates sizes from the declarations of a schema; `limits` replaces bounds of schemas, by their identity.

    `consulted` collects the declarations whose bounds were used, by the identity of their schemas. `declared` collects
    the declarations of nodes that are values of the schema, by node id.
    """

    def __init__(self, root: DeclType, dialect: CELDialect, limits: Mapping[int, int] | None = None) -> None:
        self._root = root
        self._costs = function_costs(dialect)
        self._limits = limits or {}
        self.consulted: dict[int, DeclType] = {}
        self.declared: dict[int, DeclType] = {}

    def estimate_size(self, node: Node) -> Estimate | None:
        """Return the bounds of the value at the path of a node, or None if it has no path."""
        if not node.path:
            return None
        declared: DeclType | None = self._root
        for step in node.path[1:]:
            if declared is None:
                return None
            if step in ("@items", "@values"):
                declared = declared.elem
            elif step == "@keys":
                declared = declared.key
            else:
                field = (declared.fields or {}).get(step)
                declared = None if field is None else field.type
        if declared is None:
            return None
        if node.expr is not None:
            self.declared[node.expr.id] = declared
        if declared.schema is None:
            return Estimate(0, declared.max_elements)
        self.consulted[id(declared.schema)] = declared
        return Estimate(0, self._limits.get(id(declared.schema), declared.max_elements))

    def estimate_call(self, function: str, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
        """Return the cost of a function of Kubernetes' libraries, None for others. Upstream: CostEstimator.EstimateCallCost."""
        cost = self._costs.get(function)
        return None if cost is None else cost.estimate(self, target, args)
