"""Costs that several libraries share. Upstream: apiserver pkg/cel/library/cost.go."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.decls import CallCost
from crdlint.cel.estimates import (
    ONE,
    REGEX_FACTOR,
    STRING_FACTOR,
    CallEstimate,
    Estimate,
    Estimator,
    Node,
    size_of,
    traversal,
)
from crdlint.cel.eval.cost import actual_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.estimates import FunctionEstimator


def constant(estimate: Estimate = ONE) -> FunctionEstimator:
    """Return an estimator with a constant cost."""
    cost = CallEstimate(estimate)
    return lambda _estimator, _target, _args: cost


def untracked(_values: Sequence[Any], _result: Any) -> None:
    """Return None: the standard cost of the call applies."""


def argument_size(factor: float, *, sized: bool = False) -> FunctionEstimator:
    """Return an estimator by the size of the first argument; if `sized`, that is also the size of the result."""

    def estimate(estimator: Estimator, _target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
        if not args:
            return None
        size = size_of(estimator, args[0])
        return CallEstimate(size.scaled(factor), size if sized else None)

    return estimate


def track_first(values: Sequence[Any], _: Any) -> int:
    """Return the cost of reading the target or first argument once."""
    return traversal(actual_size(values[0]))


def track_first_twice(values: Sequence[Any], _: Any) -> int:
    """Return the cost of reading the target or first argument twice."""
    return math.ceil(float(actual_size(values[0])) * 2 * STRING_FACTOR)


CONSTANT: Final = CallCost(constant(), lambda _values, _result: 1)
ARGUMENT: Final = CallCost(argument_size(STRING_FACTOR), track_first)
ARGUMENT_TWICE: Final = CallCost(argument_size(2 * STRING_FACTOR), track_first_twice)


def _no_estimate(_estimator: Estimator, _target: Node | None, _args: Sequence[Node]) -> None:
    """Return None: the standard estimate applies."""


def _track_argument(values: Sequence[Any], _: Any) -> int:
    return traversal(actual_size(values[1]))


def _estimate_match(estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
    nodes = args if target is None else (target, *args)
    if len(nodes) != 2:
        return None
    text, pattern = (size_of(estimator, node) for node in nodes)
    return CallEstimate(text.plus(ONE).scaled(STRING_FACTOR).times(pattern.scaled(REGEX_FACTOR)))


def track_match(values: Sequence[Any], _: Any) -> int:
    """Return the cost of matching a text with a pattern."""
    return traversal(1.0 + actual_size(values[0])) * math.ceil(actual_size(values[1]) * REGEX_FACTOR)


# Costs of cel-go since 0.29: of `startsWith` and `endsWith` by the argument, and of `matches` however it is called.
AFFIXES: Final = dict.fromkeys(("startsWith", "endsWith"), CallCost(_no_estimate, _track_argument))
MATCHES: Final = {"matches": CallCost(_estimate_match, track_match)}


def constant_for(*functions: str) -> dict[str, CallCost]:
    """Return the costs of functions whose calls cost one unit."""
    return dict.fromkeys(functions, CONSTANT)


def element_of(node: Node) -> Node | None:
    """Return the node for the elements of a list, or None for other values."""
    if not node.type.params:
        return None
    return Node([*node.path, "@items"] if node.path else (), node.type.params[0], None, None)
