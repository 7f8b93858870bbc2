"""What the functions of the sets and lists libraries cost at most (cel-go's ext/sets.go and ext/lists.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Literal
from crdlint.cel.estimates import ONE, UINT64_MAX, UNKNOWN, Estimate, fixed
from crdlint.cel.estimator import LIST_COST, STRING_FACTOR, CallEstimate
from crdlint.cel.library.lists import COMPARABLE
from crdlint.cel.types import BYTES, STRING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.estimator import Estimator, Node, OverloadEstimator


def _size(estimator: Estimator, node: Node) -> Estimate:
    return node.size or estimator.estimate_size(node) or UNKNOWN


def _int(node: Node, default: int) -> int:
    """Return the value of an int literal, at least 0, the default for anything else."""
    if isinstance(node.expr, Literal) and type(node.expr.value) is int:
        return max(node.expr.value, 0)
    return default


def _sets(factor: float) -> OverloadEstimator:
    def estimate(estimator: Estimator, _target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
        if len(args) != 2:
            return None
        pairs = _size(estimator, args[0]).times(_size(estimator, args[1]))
        return CallEstimate(pairs.scaled(factor).plus(ONE))

    return estimate


def _allocates(factor: float, size: Estimate) -> CallEstimate:
    return CallEstimate(size.scaled(factor).plus(ONE).plus(fixed(LIST_COST)), size)


def _slice(estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
    if target is None or len(args) != 2:
        return None
    start, end = _int(args[0], 0), _int(args[1], _size(estimator, target).max)
    return _allocates(1, fixed(end - start & UINT64_MAX))


def _range(_estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
    if target is not None or len(args) != 1:
        return None
    return _allocates(1, fixed(_int(args[0], UINT64_MAX)))


def _reverse(estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
    return None if target is None or args else _allocates(1, _size(estimator, target))


def _flatten(estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
    if target is None or len(args) > 1:
        return None
    depth = _int(args[0], UINT64_MAX) if args else 1
    return _allocates(float(depth), _size(estimator, target))


def _distinct(estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
    if target is None or args:
        return None
    size = _size(estimator, target)
    return _allocates(2.0, size.times(size))


def _sort(factor: float, *, by_keys: bool) -> OverloadEstimator:
    def estimate(estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
        if target is None or len(args) != by_keys:
            return None
        size = _size(estimator, args[0] if by_keys else target)
        return _allocates(factor, size.times(size))

    return estimate


def _sorts() -> dict[str, OverloadEstimator]:
    found: dict[str, OverloadEstimator] = {}
    for key in COMPARABLE:
        factor = 2.0 + STRING_FACTOR if key in (STRING, BYTES) else 2.0
        found[f"list_{key.name}_sort"] = _sort(factor, by_keys=False)
        found[f"list_{key.name}_sortByAssociatedKeys"] = _sort(factor, by_keys=True)
    return found


SETS: Final[dict[str, OverloadEstimator]] = {
    "list_sets_contains_list": _sets(1),
    "list_sets_intersects_list": _sets(1),
    "list_sets_equivalent_list": _sets(2),
}

LISTS: Final[dict[str, OverloadEstimator]] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    **_sorts(),
}
