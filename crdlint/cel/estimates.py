"""Bounds (saturating uint64) of sizes and costs, and the protocol of estimators. Upstream: cel-go's checker/cost.go."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Final, Protocol, TypeAlias

from crdlint.cel.ast import Expr
from crdlint.cel.types import Type
from crdlint.light import NamedTuple

UINT64_MAX: Final = (1 << 64) - 1
STRING_FACTOR: Final = 0.1
REGEX_FACTOR: Final = 0.25
LIST_COST: Final = 10
MAP_COST: Final = 30
STRUCT_COST: Final = 40
_TWO_TO_64: Final = 2.0**64
_ORDERS: Final = ("less", "less_equals", "greater", "greater_equals")
# The overloads that read both operands until they differ.
COMPARISONS: Final = ("equals", "not_equals", *map("_".join, product(_ORDERS, ("string", "bytes"))))


class Estimate(NamedTuple):
    """The minimum and maximum of a size (elements, entries, characters, bytes) or of a cost (cost units)."""

    min: int
    max: int

    def plus(self, other: Estimate) -> Estimate:
        """Return the sum."""
        least, most = self
        more, most_more = other
        least += more
        most += most_more
        least = least if least < UINT64_MAX else UINT64_MAX  # noqa: FURB136  min() takes three times as long
        most = most if most < UINT64_MAX else UINT64_MAX  # noqa: FURB136
        return _new(Estimate, (least, most))

    def times(self, other: Estimate) -> Estimate:
        """Return the product."""
        return Estimate(multiply(self.min, other.min), multiply(self.max, other.max))

    def scaled(self, factor: float) -> Estimate:
        """Return the product with a factor, rounded up. Upstream: CostEstimate.MultiplyByCostFactor."""
        return Estimate(_scale(self.min, factor), _scale(self.max, factor))

    def traversal(self) -> Estimate:
        """Return the cost of reading that many characters, bytes or elements once."""
        return self.scaled(STRING_FACTOR)

    def union(self, other: Estimate) -> Estimate:
        """Return the smallest bounds that include both."""
        least, most = self
        other_least, other_most = other
        least = least if least < other_least else other_least  # noqa: FURB136
        most = most if most > other_most else other_most  # noqa: FURB136
        return _new(Estimate, (least, most))


# Sums are the most frequent operation: without the call of the constructor they take half of the time.
_new: Final = tuple.__new__

UNKNOWN: Final = Estimate(0, UINT64_MAX)
ZERO: Final = Estimate(0, 0)
ONE: Final = Estimate(1, 1)


def fixed(value: int) -> Estimate:
    """Return the estimate of an exactly known number."""
    return Estimate(value, value)


def multiply(first: int, second: int) -> int:
    """Return the product, at most 2**64-1."""
    return min(first * second, UINT64_MAX)


def _scale(value: int, factor: float) -> int:
    number = float(value)
    if number > 0 and factor > 0 and number > _TWO_TO_64 / factor:
        return UINT64_MAX
    product = number * factor
    return UINT64_MAX if product >= _TWO_TO_64 else math.ceil(product)


class CallEstimate(NamedTuple):
    """The cost of a call without its arguments, and the size of its result if known."""

    cost: Estimate
    size: Estimate | None = None


class ASTNode(NamedTuple):
    """A node as estimators see it. Upstream: checker.AstNode.

    `path` leads from a variable through fields, `@items`, `@keys` and `@values`. It is empty if the node is not a part
    of a variable. `size` is the size if it is already known.
    """

    path: Sequence[str]
    type: Type
    expr: Expr | None
    size: Estimate | None


class Estimator(Protocol):
    """The source of sizes of variables and of costs of functions."""

    def estimate_size(self, node: ASTNode) -> Estimate | None:
        """Return the size of a node, or None if it is unknown."""

    def estimate_call(self, function: str, nodes: Sequence[ASTNode]) -> CallEstimate | None:
        """Return the cost of a call without its operands, or None to use the standard cost."""


# Of the operands of a call: its target, if it has one, and its arguments.
FunctionEstimator: TypeAlias = Callable[[Estimator, Sequence[ASTNode]], CallEstimate | None]


def size_of(estimator: Estimator, node: ASTNode) -> Estimate:
    """Return the size of a node, `UNKNOWN` if it has no bound."""
    return node.size or estimator.estimate_size(node) or UNKNOWN


def match_cost(text: Estimate, pattern: Estimate) -> Estimate:
    """Return the cost of matching a text with a pattern, by their sizes."""
    return text.plus(ONE).traversal().times(pattern.scaled(REGEX_FACTOR))


def traversal(size: float) -> int:
    """Return the cost of reading `size` characters, bytes or elements once."""
    return math.ceil(size * STRING_FACTOR)
