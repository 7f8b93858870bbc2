"""The cost of a rule as a function of the limits of its schema."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Call
from crdlint.kubecel.cost.limits import Limit, enclosing, limit_of
from crdlint.kubecel.limits import UINT64_MAX, multiply
from crdlint.kubecel.schema_context import max_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import TypeAlias

    from crdlint.cel.ast import Expr
    from crdlint.kubecel.compilation import Expression
    from crdlint.kubecel.estimated_rule import EstimatedRule
    from crdlint.safety.work import Effort

    # Values of keywords, by the identity of the schema.
    Values: TypeAlias = Mapping[int, int]


# The number of known costs that one step of effort adds up.
_SUMMED_AT_A_STEP: Final = 8


class Model:
    """The costs of a rule and its message expression with other limits; each estimate counts as effort.

    `limits` contains the limits that affect the costs: first those of the lists and maps around the schema of the rule,
    then those of the values that its expressions use.
    """

    def __init__(self, rule: EstimatedRule, effort: Effort) -> None:
        self.judged = rule
        self._effort = effort
        self._enclosing = list(enclosing(rule.node.schema))
        self._limits: dict[int, Limit] = {}
        for schema in self._enclosing:
            limit = limit_of(schema, rule.compiled.rule.environment.dialect)
            if limit is not None:
                self._limits.setdefault(limit.key, limit)
        self._terms = [
            [_Term(term, expression, self._limits, effort) for term in _terms(expression.compiled.expr)]
            if expression is not None and expression.error is None
            else []
            for expression in (rule.compiled.rule, rule.compiled.message)
        ]
        self.costs({})  # the first estimate determines the limits that affect the cost

    @property
    def limits(self) -> tuple[Limit, ...]:
        """The limits that affect the costs."""
        return tuple(self._limits.values())

    @property
    def size(self) -> int:
        """The number of steps to estimate the whole rule."""
        return sum(term.size for terms in self._terms for term in terms)

    @property
    def size_by_limits(self) -> int:
        """The number of steps to estimate the rule for a change of each of its limits alone."""
        return sum(term.size * max(term.limits_used, 1) for terms in self._terms for term in terms)

    def costs(self, values: Values) -> tuple[int, int]:
        """Return the costs of the rule in one object and of its message with the limits `values` (cost units)."""
        self._effort.spend(sum(map(len, self._terms)) // _SUMMED_AT_A_STEP)
        rule, message = (min(sum(term.cost(values) for term in terms), UINT64_MAX) for terms in self._terms)
        return multiply(rule, self._times(values)), message

    def _times(self, values: Values) -> int:
        times = 1
        for schema in self._enclosing:
            bound = values.get(id(schema), max_elements(schema))
            if bound is None:
                return self.judged.min_size_cardinality
            times = multiply(times, bound)
        return times


@dataclass(slots=True)
class _Term:
    """An operand of the `&&` and `||` of an expression; the maximum costs of the operands are added.

    So changing a limit requires a new estimate only for the operands that depend on it. Their limits are added to
    `limits`.
    """

    expr: Expr
    of: Expression
    limits: dict[int, Limit]
    effort: Effort
    size: int = 0
    _keys: tuple[int, ...] = ()
    _known: dict[tuple[int | None, ...], int] = field(default_factory=dict)

    @property
    def limits_used(self) -> int:
        """The number of limits that the term depends on."""
        return len(self._keys)

    def cost(self, values: Values) -> int:
        """Return the maximum cost of the term with the limits `values`."""
        key = tuple(map(values.get, self._keys))
        known = self._known.get(key) if self.size else None
        if known is not None:
            return known
        elements = {key: self.limits[key].elements(values[key]) for key in self._keys if key in values}
        estimator = self.of.estimator(elements)
        estimate = self.of.cost(estimator, self.expr)
        self.effort.spend(len(estimate.parts))
        if not self.size:
            self.size = len(estimate.parts)
            candidates = [
                limit_of(bound.schema, self.of.environment.dialect)
                for bound in estimator.consulted.values()
                if bound.schema is not None
            ]
            limits = [limit for limit in candidates if limit is not None]
            for limit in limits:
                self.limits.setdefault(limit.key, limit)
            self._keys = tuple(limit.key for limit in limits)
            key = tuple(map(values.get, self._keys))
            if any(value is not None for value in key):
                return self.cost(values)
        self._known[key] = estimate.total.max
        return estimate.total.max


def _terms(expr: Expr) -> Iterator[Expr]:
    """Yield the operands of the `&&` and `||` at the top of an expression, at any depth."""
    stack = [expr]
    while stack:
        node = stack.pop()
        if isinstance(node, Call) and node.function in ("_&&_", "_||_") and len(node.args) == 2:
            stack.extend(reversed(node.args))
        else:
            yield node
