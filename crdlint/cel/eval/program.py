"""Programs: planned expressions, evaluated with variables while the cost is counted. Upstream: cel-go's cel/program.go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.cost import Frame, TracingFrame
from crdlint.cel.eval.errors import CancelledError, Error
from crdlint.cel.eval.planner import plan_expression
from crdlint.cel.stack import more_frames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.cel.ast import Expr
    from crdlint.cel.checker import CheckResult
    from crdlint.cel.decls import RegexOptimization
    from crdlint.cel.eval.cost import Costs, Event
    from crdlint.cel.eval.functions import Functions
    from crdlint.cel.eval.planner import Plan
    from crdlint.cel.eval.values import Value

# Expressions that need fewer frames than this are evaluated without raising the recursion limit.
_SHALLOW: Final = 100


@dataclass(frozen=True, slots=True)
class Result:
    """A value, which may be an `Error`, and the cost in cost units."""

    value: Value
    cost: int

    @property
    def error(self) -> str | None:
        """The text of the error, None for any other value."""
        return self.value.message if type(self.value) is Error else None


@dataclass(frozen=True, slots=True)
class Program:
    """A planned expression; evaluations share no state."""

    _plan: Plan

    def evaluate(self, activation: Mapping[str, Value], cost_limit: int | None = None) -> Result:
        """Evaluate with variables by name; errors, including an exceeded cost limit, are results. Upstream: Program.Eval."""
        return self._run(Frame(activation, self._plan.slots, cost_limit))

    def trace(self, activation: Mapping[str, Value], cost_limit: int | None = None) -> tuple[Result, list[Event]]:
        """Evaluate a program that was planned with `traced`; also return the values of its nodes, in order."""
        frame = TracingFrame(activation, self._plan.slots, cost_limit)
        return self._run(frame), frame.events

    def _run(self, frame: Frame) -> Result:
        plan = self._plan
        try:
            value = plan.run(frame) if plan.depth < _SHALLOW else _deep(plan, frame)
        except CancelledError as cancelled:
            value = Error(str(cancelled))
        return Result(value, frame.cost)


def plan(
    expr: Expr,
    check_result: CheckResult,
    functions: Functions,
    costs: Costs,
    regexes: Sequence[RegexOptimization] = (),
    *,
    traced: bool = False,
) -> Program:
    """Plan a checked expression; raise PlanError with cel-go's text if that fails. Upstream: Env.Program.

    A program that is `traced` can be traced; it is slower.
    """
    return Program(plan_expression(expr, check_result, functions, costs, regexes, traced=traced))


def _deep(plan: Plan, frame: Frame) -> Value:
    """Evaluate with as many stack frames as the expression needs; the parser's depth limit bounds that number."""
    with more_frames(plan.depth):
        return plan.run(frame)
