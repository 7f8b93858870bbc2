"""What Kubernetes knows of costs: sizes from the schema, and the costs of its libraries' functions.

Reproduces the estimating half of apiserver pkg/cel/library/cost.go and apiextensions' sizeEstimator (compilation.go).
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Final

from crdlint.cel.ast import Literal
from crdlint.cel.estimates import ONE, UINT64_MAX, UNKNOWN, ZERO, Estimate, fixed
from crdlint.cel.estimator import LIST_COST, REGEX_FACTOR, STRING_FACTOR, STRUCT_COST, CallEstimate, Node
from crdlint.cel.types import Kind
from crdlint.kubecel.libraries import (
    AUTHORIZER,
    CIDR,
    DECISION,
    GROUP_CHECK,
    IP,
    NAMED_FORMAT,
    PATH_CHECK,
    QUANTITY,
    RESOURCE_CHECK,
    SEMVER,
    URL,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from crdlint.kubecel.declarations import DeclType
    from crdlint.kubernetes.dialect import CELDialect

    Cost: TypeAlias = Callable[["KubernetesEstimator", str, Node | None, Sequence[Node]], CallEstimate | None]

_MAX_FORMAT_SIZE: Final = 64
_MAX_FORMAT_REGEX_SIZE: Final = 128
_REQUIREMENTS_PER_CHARACTER: Final = 0.5


class KubernetesEstimator:
    """Estimates sizes by the declarations of a schema; ``limits`` sets other bounds on schemas, by their identity.

    ``consulted`` collects the declarations whose bounds counted, by their schemas' identity, ``declared`` those of the
    nodes that stand for values of the schema, by node id.
    """

    def __init__(self, root: DeclType, dialect: CELDialect, limits: Mapping[int, int] | None = None) -> None:
        self._root = root
        self._costs = _COSTS if dialect.compares_library_types_at_once else _costs_without_newer(dialect)
        self._limits = limits or {}
        self.consulted: dict[int, DeclType] = {}
        self.declared: dict[int, DeclType] = {}

    def estimate_size(self, node: Node) -> Estimate | None:
        """Return the bound of what a path leads to, None for what is no path."""
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

    def estimate_call(
        self, function: str, overload: str, target: Node | None, args: Sequence[Node]
    ) -> CallEstimate | None:
        """Return what a function of Kubernetes' libraries costs, None for others (EstimateCallCost)."""
        cost = self._costs.get(function)
        return None if cost is None else cost(self, overload, target, args)

    def size(self, node: Node) -> Estimate:
        """Return a node's size, unknown where nothing tells it."""
        return node.size or self.estimate_size(node) or UNKNOWN


def _fixed(cost: int) -> Cost:
    estimate = CallEstimate(fixed(cost))
    return lambda _estimator, _overload, _target, _args: estimate


def _selector(
    estimator: KubernetesEstimator, _overload: str, _target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if len(args) != 1:
        return None
    length = estimator.size(args[0])
    requirements = length.scaled(_REQUIREMENTS_PER_CHARACTER).scaled(float(LIST_COST + STRUCT_COST))
    return CallEstimate(fixed(LIST_COST).plus(length.scaled(STRING_FACTOR)).plus(requirements))


def _element(node: Node) -> Node | None:
    if not node.type.params:
        return None
    return Node([*node.path, "@items"] if node.path else (), node.type.params[0], None, None)


def _list_traversal(
    estimator: KubernetesEstimator, _overload: str, target: Node | None, _args: Sequence[Node]
) -> CallEstimate | None:
    if target is None:
        return None
    element = _element(target)
    if element is None:
        return CallEstimate(estimator.size(target).scaled(STRING_FACTOR))
    each = ONE
    if element.type.kind in (Kind.STRING, Kind.BYTES):
        each = each.plus(estimator.size(element).scaled(STRING_FACTOR))
    return CallEstimate(estimator.size(target).times(each))


def _argument_traversal(factor: float, *, sized: bool = False) -> Cost:
    def cost(
        estimator: KubernetesEstimator, _overload: str, _target: Node | None, args: Sequence[Node]
    ) -> CallEstimate | None:
        if not args:
            return None
        size = estimator.size(args[0])
        return CallEstimate(size.scaled(factor), size if sized else None)

    return cost


def _target_traversal(
    estimator: KubernetesEstimator, _overload: str, target: Node | None, _args: Sequence[Node]
) -> CallEstimate | None:
    if target is None:
        return None
    size = estimator.size(target)
    return CallEstimate(size.scaled(STRING_FACTOR), size)


def _replace(
    estimator: KubernetesEstimator, _overload: str, target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if target is None or len(args) < 2:
        return None
    size, old, new = estimator.size(target), estimator.size(args[0]), estimator.size(args[1])
    most, most_kept = _replaced(size.max, old.min, grows=new.max > old.min)
    least, least_kept = _replaced(size.min, old.max, grows=old.max > new.min)
    result = Estimate(least, most).times(new).plus(Estimate(least_kept, most_kept))
    return CallEstimate(size.scaled(2 * STRING_FACTOR), result)


def _replaced(length: int, old: int, *, grows: bool) -> tuple[int, int]:
    """Return how often a text is replaced in another, and how many characters stay, as upstream bounds them."""
    if old == 0:
        return min(length + 1, UINT64_MAX), length
    if not grows:
        return 0, length
    return min(math.ceil(float(length) / float(old)), UINT64_MAX), 0


def _split(
    estimator: KubernetesEstimator, _overload: str, target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if target is None:
        return None
    size = estimator.size(target)
    most = size.max
    if len(args) > 1:
        limit = args[1].expr
        if isinstance(limit, Literal) and type(limit.value) is int:
            most = limit.value & UINT64_MAX
    return CallEstimate(size.scaled(2 * STRING_FACTOR), Estimate(0, most))


def _join(
    estimator: KubernetesEstimator, _overload: str, target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if target is None:
        return None
    elements = estimator.size(target)
    element = _element(target)
    size = ZERO if element is None else elements.times(estimator.size(element))
    if args:
        separators = Estimate(max(elements.min - 1, 0), max(elements.max - 1, 0))
        size = size.plus(estimator.size(args[0]).times(separators))
    return CallEstimate(size.scaled(STRING_FACTOR), size)


def _find(
    estimator: KubernetesEstimator, _overload: str, target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if target is None or not args:
        return None
    size = estimator.size(target)
    text = size.plus(ONE).scaled(STRING_FACTOR)
    return CallEstimate(text.times(estimator.size(args[0]).scaled(REGEX_FACTOR)), Estimate(0, size.max))


def _ip(
    estimator: KubernetesEstimator, overload: str, _target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if overload == "cidr_ip":
        return CallEstimate(ONE)
    return CallEstimate(estimator.size(args[0]).scaled(STRING_FACTOR)) if args else None


_ADDRESS: Final = Estimate(4, 16)
_COMPARE_ADDRESSES: Final = _ADDRESS.plus(_ADDRESS).scaled(STRING_FACTOR)
_COMPARE_NETWORKS: Final = _COMPARE_ADDRESSES.plus(_ADDRESS.scaled(STRING_FACTOR)).plus(ONE)


def _contains(comparison: Estimate, of_text: str) -> Cost:
    def cost(
        estimator: KubernetesEstimator, overload: str, _target: Node | None, args: Sequence[Node]
    ) -> CallEstimate | None:
        if not args:
            return None
        if overload != of_text:
            return CallEstimate(comparison)
        return CallEstimate(comparison.plus(estimator.size(args[0]).scaled(STRING_FACTOR)))

    return cost


def _validate(
    estimator: KubernetesEstimator, _overload: str, _target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if not args:
        return None
    text = estimator.size(args[0]).scaled(STRING_FACTOR)
    return CallEstimate(text.scaled(_MAX_FORMAT_REGEX_SIZE * REGEX_FACTOR))


_COMPARED_AT_ONCE: Final = (
    IP,
    CIDR,
    QUANTITY,
    SEMVER,
    AUTHORIZER,
    PATH_CHECK,
    GROUP_CHECK,
    RESOURCE_CHECK,
    DECISION,
)


def _equals(
    _estimator: KubernetesEstimator, _overload: str, _target: Node | None, args: Sequence[Node]
) -> CallEstimate | None:
    if len(args) != 2 or not args[0].type.is_exact(args[1].type):
        return None
    type_ = args[0].type
    if type_ in _COMPARED_AT_ONCE:
        return CallEstimate(ONE)
    if type_ is NAMED_FORMAT:
        return CallEstimate(Estimate(1, _MAX_FORMAT_SIZE).scaled(STRING_FACTOR))
    if type_ is URL:
        size = args[1].size or ONE  # the right side's, twice: upstream looks at no other
        return CallEstimate(Estimate(1, size.max).scaled(STRING_FACTOR))
    return None


_COSTS: Final[dict[str, Cost]] = {
    "check": _fixed(350_000),
    **dict.fromkeys(
        (
            *("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"),
            *("allowed", "reason", "error", "errored"),
            *("masked", "prefixLength", "family", "isUnspecified", "isLoopback"),
            *("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"),
            "format.named",
            *("sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo"),
            *("add", "sub", "major", "minor", "patch"),
            *("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
        ),
        _fixed(1),
    ),
    **dict.fromkeys(("fieldSelector", "labelSelector"), _selector),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _list_traversal),
    "url": _argument_traversal(STRING_FACTOR, sized=True),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _target_traversal),
    "replace": _replace,
    "split": _split,
    "join": _join,
    **dict.fromkeys(("find", "findAll"), _find),
    **dict.fromkeys(
        ("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"),
        _argument_traversal(STRING_FACTOR),
    ),
    "ip": _ip,
    "ip.isCanonical": _argument_traversal(2 * STRING_FACTOR),
    "containsIP": _contains(_COMPARE_ADDRESSES, "cidr_contains_ip_string"),
    "containsCIDR": _contains(_COMPARE_NETWORKS, "cidr_contains_cidr_string"),
    "validate": _validate,
    "_==_": _equals,
}


@cache
def _costs_without_newer(dialect: CELDialect) -> dict[str, Cost]:
    """Return the costs of a server that lacks some that came later."""
    costs = dict(_COSTS)
    if not dialect.quantity_cost_by_length:
        costs |= dict.fromkeys(("quantity", "isQuantity"), _fixed(1))
    if not dialect.url_has_size:
        costs["url"] = _argument_traversal(STRING_FACTOR)
    if not dialect.compares_library_types_at_once:
        del costs["_==_"]
    return costs
