"""Kubernetes' limits for CEL: sizes (bytes, as JSON) and budgets (cost units). Upstream: pkg/apis/cel, pkg/cel/limits.go."""

from __future__ import annotations

from typing import Final

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
