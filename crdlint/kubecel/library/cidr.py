"""IP networks. Upstream: apiserver pkg/cel/library/cidr.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.decls import CallCost, Variable, member, overload
from crdlint.cel.estimates import ONE, STRING_FACTOR, CallEstimate, Estimate, Estimator, Node, size_of, traversal
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.eval.errors import NO_SUCH_OVERLOAD, FunctionError
from crdlint.cel.types import BOOL, INT, STRING, type_type
from crdlint.kubecel.library.declaration import ARGUMENT, CONSTANT, Library, accepts, constant, constant_for
from crdlint.kubecel.types.opaque import CIDR, IP

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.cel.decls import Binding
    from crdlint.kubecel.types import ip


def _cidr(text: str) -> ip.CIDR:
    from crdlint.kubecel.types.ip import parse_cidr

    try:
        return parse_cidr(text)
    except FunctionError as error:
        # Upstream repeats the prefix.
        raise FunctionError(f"network address parse error during conversion from string: {error}") from None


def _contains_ip_string(network: ip.CIDR, text: str) -> bool:
    from crdlint.kubecel.types.ip import parse_ip

    try:
        return network.contains(parse_ip(text))
    except FunctionError:
        # Upstream drops the reason here.
        raise FunctionError(NO_SUCH_OVERLOAD) from None


_ADDRESS: Final = Estimate(4, 16)  # bytes
_CONTAINS_IP: Final = _ADDRESS.plus(_ADDRESS).scaled(STRING_FACTOR)
_CONTAINS_CIDR: Final = _CONTAINS_IP.plus(_ADDRESS.scaled(STRING_FACTOR)).plus(ONE)


def _track_contains_ip(values: Sequence[Any], _: Any) -> int:
    size = actual_size(values[0])
    return traversal(size + size)


def _track_contains_cidr(values: Sequence[Any], _: Any) -> int:
    return _track_contains_ip(values, None) + traversal(actual_size(values[0])) + 1


def _with_parsing(cost: CallCost) -> CallCost:
    """Return the cost of a call that first parses its argument from a text."""

    def estimate(estimator: Estimator, target: Node | None, args: Sequence[Node]) -> CallEstimate | None:
        comparison = cost.estimate(estimator, target, args)
        if comparison is None or not args:
            return None
        return CallEstimate(comparison.cost.plus(size_of(estimator, args[0]).scaled(STRING_FACTOR)))

    def track(values: Sequence[Any], result: Any) -> int:
        return (cost.track(values, result) or 0) + traversal(actual_size(values[1]))

    return CallCost(estimate, track)


_CONTAINS_IP_COST: Final = CallCost(constant(_CONTAINS_IP), _track_contains_ip)
_CONTAINS_CIDR_COST: Final = CallCost(constant(_CONTAINS_CIDR), _track_contains_cidr)

_CONTAINS_BY_ADDRESS: Final[Mapping[str, Binding]] = {
    "cidr_contains_cidr_string": lambda network, text: network.contains_address_of(_cidr(text)),
    "cidr_contains_cidr": lambda network, other: network.contains_address_of(other),
}

LIBRARY: Final = Library(
    "cidr",
    introduced=(1, 30),
    types=(Variable("net.CIDR", type_type(CIDR)),),
    functions=(
        overload("cidr", "string_to_cidr", (STRING,), CIDR, _cidr),
        member(
            *("containsIP", "cidr_contains_ip_string", (CIDR, STRING), BOOL),
            _contains_ip_string,
            _with_parsing(_CONTAINS_IP_COST),
        ),
        member("containsIP", "cidr_contains_ip_ip", (CIDR, IP), BOOL, lambda network, ip: network.contains(ip)),
        member(
            *("containsCIDR", "cidr_contains_cidr_string", (CIDR, STRING), BOOL),
            lambda network, text: network.contains_cidr(_cidr(text)),
            _with_parsing(_CONTAINS_CIDR_COST),
        ),
        member(
            *("containsCIDR", "cidr_contains_cidr", (CIDR, CIDR), BOOL),
            lambda network, other: network.contains_cidr(other),
        ),
        member("ip", "cidr_ip", (CIDR,), IP, lambda network: network.ip, CONSTANT),
        member("prefixLength", "cidr_prefix_length", (CIDR,), INT, lambda network: network.bits),
        member("masked", "cidr_masked", (CIDR,), CIDR, lambda network: network.masked()),
        overload("isCIDR", "is_cidr", (STRING,), BOOL, accepts(_cidr)),
        overload("string", "cidr_to_string", (CIDR,), STRING, str),
    ),
    costs={
        "cidr": ARGUMENT,
        "isCIDR": ARGUMENT,
        "containsIP": _CONTAINS_IP_COST,
        "containsCIDR": _CONTAINS_CIDR_COST,
        **constant_for("masked", "prefixLength"),
    },
    older_bindings=lambda dialect: {} if dialect.contains_networks_by_prefix else _CONTAINS_BY_ADDRESS,
    equality={CIDR: constant()},
)
