"""IP addresses and networks. Upstream: apiserver pkg/cel/library/ip.go and cidr.go, with Go's net/netip.

Texts are parsed as in Go 1.24, without leading zeros, IPv4-mapped addresses and zones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Final

from crdlint.cel.decls import CallCost, Variable, member, overload
from crdlint.cel.estimates import ONE, STRING_FACTOR, CallEstimate, Estimate, Estimator, Node, size_of, traversal
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.eval.errors import NO_SUCH_OVERLOAD, FunctionError
from crdlint.cel.types import BOOL, INT, STRING, type_type
from crdlint.golang.addresses import AddressError, parse_addr
from crdlint.golang.text import quote
from crdlint.kubecel.library.declaration import (
    ARGUMENT,
    ARGUMENT_TWICE,
    CIDR_TYPE,
    CONSTANT,
    IP_TYPE,
    Library,
    Opaque,
    accepts,
    constant,
    constant_for,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.cel.decls import Binding
    from crdlint.cel.types import Type


_FAMILY_BITS: Final = {4: 32, 6: 128}
_PREFIX_LENGTH: Final = re.compile(r"0|[1-9][0-9]*")
_MAPPED: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class IP(Opaque):
    """An address of family 4 or 6, as a number of 32 or 128 bits."""

    cel_type: ClassVar[Type] = IP_TYPE
    go_type: ClassVar[str] = "cel.IP"

    version: int
    number: int

    @property
    def cel_size(self) -> int:
        """The size in bytes, for cost computations."""
        return _FAMILY_BITS[self.version] // 8

    @property
    def is_unspecified(self) -> bool:
        """Whether this is 0.0.0.0 or ::."""
        return not self.number

    @property
    def is_loopback(self) -> bool:
        """Whether this is in 127.0.0.0/8 or is ::1."""
        return self.number >> 24 == 127 if self.version == 4 else self.number == 1

    @property
    def is_multicast(self) -> bool:
        """Whether this is in 224.0.0.0/4 or ff00::/8."""
        return self.number >> 28 == 0xE if self.version == 4 else self.number >> 120 == 0xFF

    @property
    def is_link_local_multicast(self) -> bool:
        """Whether this is in 224.0.0.0/24 or has the multicast scope link-local."""
        if self.version == 4:
            return self.number >> 8 == 0xE00000
        return self.number >> 112 & 0xFF0F == 0xFF02

    @property
    def is_link_local_unicast(self) -> bool:
        """Whether this is in 169.254.0.0/16 or fe80::/10."""
        return self.number >> 16 == 0xA9FE if self.version == 4 else self.number >> 118 == 0xFE80 >> 6

    @property
    def is_global_unicast(self) -> bool:
        """Whether this is not special: not unspecified, broadcast, loopback, multicast or link-local."""
        is_broadcast = self.version == 4 and self.number == 0xFFFFFFFF
        is_special = self.is_unspecified or self.is_loopback or self.is_multicast or self.is_link_local_unicast
        return not is_broadcast and not is_special

    def prefix(self, bits: int) -> int:
        """Return the first `bits` bits as a number."""
        return self.number >> (_FAMILY_BITS[self.version] - bits)

    def __str__(self) -> str:
        if self.version == 4:
            return ".".join(str(self.number >> shift & 0xFF) for shift in (24, 16, 8, 0))
        from ipaddress import IPv6Address

        # Python and Go print mapped addresses differently, but upstream rejects them anyway.
        return str(IPv6Address(self.number))


@dataclass(frozen=True, slots=True)
class CIDR(Opaque):
    """An address, including the host bits, and the prefix length of the network."""

    cel_type: ClassVar[Type] = CIDR_TYPE
    go_type: ClassVar[str] = "cel.CIDR"

    ip: IP
    bits: int

    @property
    def cel_size(self) -> int:
        """The size of the prefix in bytes, for cost computations."""
        return -(-self.bits // 8)

    def contains(self, address: IP) -> bool:
        """Return whether an address is in this network."""
        return address.version == self.ip.version and address.prefix(self.bits) == self.ip.prefix(self.bits)

    def contains_cidr(self, other: CIDR) -> bool:
        """Return whether a network is part of this one."""
        return self.bits <= other.bits and self.contains(other.ip)

    def contains_address_of(self, other: CIDR) -> bool:
        """Return whether another network with an equal or longer prefix has the same address (before Kubernetes 1.32)."""
        return self.bits <= other.bits and self.masked().ip == other.ip

    def masked(self) -> CIDR:
        """Return the network with the host bits cleared."""
        host = _FAMILY_BITS[self.ip.version] - self.bits
        return CIDR(IP(self.ip.version, self.ip.number >> host << host), self.bits)

    def __str__(self) -> str:
        return f"{self.ip}/{self.bits}"


def parse_ip(text: str) -> IP:
    """Parse an address; raise FunctionError with upstream's message."""
    try:
        address, zone = _parse_address(text)
    except AddressError as error:
        raise FunctionError(f"IP Address {quote(text)} parse error during conversion from string: {error}") from None
    if zone:
        raise FunctionError(f"IP address {quote(text)} with zone value is not allowed")
    if _is_mapped(address):
        raise FunctionError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return address


def _is_mapped(address: IP) -> bool:
    return address.version == 6 and address.number >> 32 == _MAPPED


def parse_cidr(text: str) -> CIDR:
    """Parse a network; raise FunctionError with upstream's message."""
    written, slash, bits = text.rpartition("/")
    if not slash:
        raise _prefix_error(text, "no '/'")
    try:
        address, zone = _parse_address(written)
    except AddressError as error:
        raise _prefix_error(text, str(error)) from None
    if zone:
        raise _prefix_error(text, "IPv6 zones cannot be present in a prefix")
    if _PREFIX_LENGTH.fullmatch(bits) is None or len(bits) > len(str(2**63)) or int(bits) >= 2**63:
        raise _prefix_error(text, f"bad bits after slash: {quote(bits)}")
    if int(bits) > _FAMILY_BITS[address.version]:
        raise _prefix_error(text, "prefix length out of range")
    if _is_mapped(address):
        raise FunctionError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return CIDR(address, int(bits))


def _prefix_error(text: str, message: str) -> FunctionError:
    context = "network address parse error during conversion from string"
    return FunctionError(f"{context}: netip.ParsePrefix({quote(text)}): {message}")


def _parse_address(text: str) -> tuple[IP, str]:
    """Return an address and its zone; raise AddressError if the text is not an address."""
    version, number, zone = parse_addr(text)
    return IP(version, number), zone


LIBRARY: Final = Library(
    "ip",
    introduced=(1, 30),
    types=(Variable("net.IP", type_type(IP_TYPE)),),
    functions=(
        overload("ip", "string_to_ip", (STRING,), IP_TYPE, parse_ip),
        member("family", "ip_family", (IP_TYPE,), INT, lambda ip: ip.version),
        overload("ip.isCanonical", "ip_is_canonical", (STRING,), BOOL, lambda text: str(parse_ip(text)) == text),
        member("isUnspecified", "ip_is_unspecified", (IP_TYPE,), BOOL, lambda ip: ip.is_unspecified),
        member("isLoopback", "ip_is_loopback", (IP_TYPE,), BOOL, lambda ip: ip.is_loopback),
        member(
            "isLinkLocalMulticast",
            "ip_is_link_local_multicast",
            (IP_TYPE,),
            BOOL,
            lambda ip: ip.is_link_local_multicast,
        ),
        member("isLinkLocalUnicast", "ip_is_link_local_unicast", (IP_TYPE,), BOOL, lambda ip: ip.is_link_local_unicast),
        member("isGlobalUnicast", "ip_is_global_unicast", (IP_TYPE,), BOOL, lambda ip: ip.is_global_unicast),
        overload("isIP", "is_ip", (STRING,), BOOL, accepts(parse_ip)),
        overload("string", "ip_to_string", (IP_TYPE,), STRING, str),
    ),
    costs={
        "ip": ARGUMENT,
        "ip.isCanonical": ARGUMENT_TWICE,
        "isIP": ARGUMENT,
        **constant_for("family", "isUnspecified", "isLoopback"),
        **constant_for("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"),
    },
    equality={IP_TYPE: constant()},
)


def _cidr(text: str) -> CIDR:
    try:
        return parse_cidr(text)
    except FunctionError as error:
        # Upstream repeats the prefix.
        raise FunctionError(f"network address parse error during conversion from string: {error}") from None


def _contains_ip_string(network: CIDR, text: str) -> bool:
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

CIDR_LIBRARY: Final = Library(
    "cidr",
    introduced=(1, 30),
    types=(Variable("net.CIDR", type_type(CIDR_TYPE)),),
    functions=(
        overload("cidr", "string_to_cidr", (STRING,), CIDR_TYPE, _cidr),
        member(
            *("containsIP", "cidr_contains_ip_string", (CIDR_TYPE, STRING), BOOL),
            _contains_ip_string,
            _with_parsing(_CONTAINS_IP_COST),
        ),
        member(
            "containsIP", "cidr_contains_ip_ip", (CIDR_TYPE, IP_TYPE), BOOL, lambda network, ip: network.contains(ip)
        ),
        member(
            *("containsCIDR", "cidr_contains_cidr_string", (CIDR_TYPE, STRING), BOOL),
            lambda network, text: network.contains_cidr(_cidr(text)),
            _with_parsing(_CONTAINS_CIDR_COST),
        ),
        member(
            *("containsCIDR", "cidr_contains_cidr", (CIDR_TYPE, CIDR_TYPE), BOOL),
            lambda network, other: network.contains_cidr(other),
        ),
        member("ip", "cidr_ip", (CIDR_TYPE,), IP_TYPE, lambda network: network.ip, CONSTANT),
        member("prefixLength", "cidr_prefix_length", (CIDR_TYPE,), INT, lambda network: network.bits),
        member("masked", "cidr_masked", (CIDR_TYPE,), CIDR_TYPE, lambda network: network.masked()),
        overload("isCIDR", "is_cidr", (STRING,), BOOL, accepts(_cidr)),
        overload("string", "cidr_to_string", (CIDR_TYPE,), STRING, str),
    ),
    costs={
        "cidr": ARGUMENT,
        "isCIDR": ARGUMENT,
        "containsIP": _CONTAINS_IP_COST,
        "containsCIDR": _CONTAINS_CIDR_COST,
        **constant_for("masked", "prefixLength"),
    },
    older_bindings=lambda dialect: {} if dialect.contains_networks_by_prefix else _CONTAINS_BY_ADDRESS,
    equality={CIDR_TYPE: constant()},
)
