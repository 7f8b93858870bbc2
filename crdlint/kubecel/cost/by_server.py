"""The cost of a rule on servers other than the one that it was compiled for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.kubecel.compilation import CompilationError, Environments, RuleCompiler
from crdlint.kubecel.environment import new_expressions, stored_expressions
from crdlint.kubecel.limits import multiply
from crdlint.kubecel.schema_context import DeclarationFailedError, SchemaContext
from crdlint.kubecel.sharing import Sharing, shared

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.kubernetes.servers import CELDialect, Server


@dataclass(frozen=True, slots=True)
class ServerCost:
    """The cost of a rule and of its message expression on one server, in cost units.

    `max_cost` and `message_max_cost` are the costs of one evaluation, `expression_cost` is compared with the budget of
    the rule.
    """

    max_cost: int
    expression_cost: int
    message_max_cost: int


@dataclass(slots=True)
class CostsByServer:
    """Estimates the rules of one file for all servers; servers with equal declarations share them."""

    _sharing: Sharing = field(default_factory=shared)
    _contexts: dict[tuple[bool, bool, bool], SchemaContext] = field(default_factory=dict)

    def different(self, rule: EstimatedRule, servers: Iterable[Server]) -> dict[str, ServerCost]:
        """Return the costs on those of `servers` that accept a rule and estimate a different cost, by version."""
        if rule.compiled.rule.error is not None:
            return {}
        own = ServerCost(rule.cost, rule.total_cost, rule.message_cost)
        dialect = rule.compiled.rule.environment.dialect
        costs = {str(server): self._cost(rule, server) for server in servers if server.cel != dialect}
        return {version: cost for version, cost in costs.items() if cost is not None and cost != own}

    def _cost(self, rule: EstimatedRule, server: Server) -> ServerCost | None:
        try:
            declared = self._context(server.cel).declared(rule.node.schema)
            compiler = RuleCompiler(declared, self._sharing)
        except (CompilationError, DeclarationFailedError):
            return None
        environments = Environments(new_expressions(server), stored_expressions(server))
        compiled = compiler.rule(rule.rule, environments)
        message = compiled.message
        if compiled.rule.error is not None or (message is not None and message.error is not None):
            return None
        cost = compiled.rule.highest_cost
        times = rule.min_size_cardinality if rule.cardinality is None else rule.cardinality
        return ServerCost(cost, multiply(cost, times), 0 if message is None else message.highest_cost)

    def _context(self, dialect: CELDialect) -> SchemaContext:
        key = dialect.enum_bounds_strings, dialect.max_length_bounds_int_or_string, dialect.caps_metadata_names
        context = self._contexts.get(key)
        if context is None:
            context = self._contexts[key] = SchemaContext(dialect, self._sharing)
        return context
