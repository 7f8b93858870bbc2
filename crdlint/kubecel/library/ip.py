"""IP addresses and networks. Upstream: apiserver pkg/cel/library/ip.go and cidr.go, with Go's net/netip.

Texts are parsed as in Go 1.24, without leading zeros, IPv4-mapped addresses and zones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Final

from crdlint.cel.decls import Binding, CallCost, Variable, member, overload
from crdlint.cel.errors import NO_SUCH_OVERLOAD, FunctionError
from crdlint.cel.estimates import (
    ONE,
    ASTNode,
    CallEstimate,
    Estimate,
    Estimator,
    size_of,
    traversal,
)
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.types import BOOL, INT, STRING, Type, type_type
from crdlint.golang.text import quote
from crdlint.kubecel.library import declaration
from crdlint.kubecel.library.declaration import (
    ARGUMENT,
    CIDR_TYPE,
    IP_TYPE,
    Library,
    accepts,
    constant,
)
from crdlint.light import dataclass, regex

if TYPE_CHECKING:
    from ipaddress import IPv4Address, IPv6Address

_PREFIX_LENGTH: Final = regex(r"0|[1-9][0-9]{,18}")
_MAPPED: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class IP(declaration.Opaque):
    """An address. Python classifies and prints all addresses as Go does, except for mapped ones, which upstream rejects."""

    cel_type: ClassVar[Type] = IP_TYPE
    go_type: ClassVar[str] = "cel.IP"

    address: IPv4Address | IPv6Address

    @property
    def cel_size(self) -> int:
        """The size in bytes, for cost computations."""
        return self.address.max_prefixlen // 8

    @property
    def is_link_local_multicast(self) -> bool:
        """Whether this is in 224.0.0.0/24 or has the multicast scope link-local."""
        number = int(self.address)
        return (
            number >> 8 == 0xE00000
            if self.address.version == 4
            else number >> 112 & 0xFF0F == 0xFF02
        )

    @property
    def is_global_unicast(self) -> bool:
        """Whether this is not special: not unspecified, broadcast, loopback, multicast or link-local."""
        ip = self.address
        is_special = ip.is_unspecified or ip.is_loopback or ip.is_multicast or ip.is_link_local
        return not is_special and str(ip) != "255.255.255.255"

    def prefix(self, bits: int) -> int:
        """Return the first `bits` bits as a number."""
        return int(self.address) >> (self.address.max_prefixlen - bits)

    def __str__(self) -> str:
        return str(self.address)


@dataclass(frozen=True, slots=True)
class CIDR(declaration.Opaque):
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
        is_alike = type(address.address) is type(self.ip.address)
        return is_alike and address.prefix(self.bits) == self.ip.prefix(self.bits)

    def contains_cidr(self, other: CIDR) -> bool:
        """Return whether a network is part of this one."""
        return self.bits <= other.bits and self.contains(other.ip)

    def contains_address_of(self, other: CIDR) -> bool:
        """Return whether another network with an equal or longer prefix has the same address (before Kubernetes 1.32)."""
        return self.bits <= other.bits and self.masked().ip == other.ip

    def masked(self) -> CIDR:
        """Return the network with the host bits cleared."""
        address = self.ip.address
        return CIDR(
            IP(type(address)(self.ip.prefix(self.bits) << address.max_prefixlen - self.bits)),
            self.bits,
        )

    def is_masked(self) -> bool:
        """Return whether the host bits are clear."""
        return self == self.masked()

    def __str__(self) -> str:
        return f"{self.ip}/{self.bits}"


def parse_ip(text: str) -> IP:
    """Parse an address; raise FunctionError with upstream's message."""
    from crdlint.golang.addresses import AddressError

    try:
        address, zone = _parse_address(text)
    except AddressError as error:
        raise FunctionError(
            f"IP Address {quote(text)} parse error during conversion from string: {error}"
        ) from None
    if zone:
        raise FunctionError(f"IP address {quote(text)} with zone value is not allowed")
    return _unmapped(address, text)


def _unmapped(address: IP, text: str) -> IP:
    if address.address.version == 6 and int(address.address) >> 32 == _MAPPED:
        raise FunctionError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return address


def parse_cidr(text: str) -> CIDR:
    """Parse a network; raise FunctionError with upstream's message."""
    from crdlint.golang.addresses import AddressError

    written, slash, bits = text.rpartition("/")
    if not slash:
        raise _prefix_error(text, "no '/'")
    try:
        address, zone = _parse_address(written)
    except AddressError as error:
        raise _prefix_error(text, str(error)) from None
    if zone:
        raise _prefix_error(text, "IPv6 zones cannot be present in a prefix")
    if _PREFIX_LENGTH.fullmatch(bits) is None or int(bits) >= 2**63:
        raise _prefix_error(text, f"bad bits after slash: {quote(bits)}")
    if int(bits) > address.address.max_prefixlen:
        raise _prefix_error(text, "prefix length out of range")
    return CIDR(_unmapped(address, text), int(bits))


def _prefix_error(text: str, message: str) -> FunctionError:
    context = "network address parse error during conversion from string"
    return FunctionError(f"{context}: netip.ParsePrefix({quote(text)}): {message}")


def _parse_address(text: str) -> tuple[IP, str]:
    """Return an address and its zone; raise AddressError if the text is not an address."""
    from ipaddress import IPv4Address, IPv6Address  # few rules have addresses

    from crdlint.golang.addresses import parse_addr

    version, number, zone = parse_addr(text)
    return IP(IPv4Address(number) if version == 4 else IPv6Address(number)), zone


LIBRARY: Final = Library(
    "ip",
    introduced=(1, 30),
    docs={
        "ip": "Parses an IP address, or returns that of a network; an error if the string is not one.",
        "family": "Returns the family of an IP address: 4 or 6.",
        "ip.isCanonical": "Returns whether a string is an IP address in its canonical form.",
        "isGlobalUnicast": "Returns whether an IP address is a global unicast address.",
        "isIP": "Returns whether a string is an IP address.",
        "isLinkLocalMulticast": "Returns whether an IP address is a link-local multicast address.",
        "isLinkLocalUnicast": "Returns whether an IP address is a link-local unicast address.",
        "isLoopback": "Returns whether an IP address is a loopback address.",
        "isUnspecified": "Returns whether an IP address is unspecified (`0.0.0.0` or `::`).",
    },
    types=(Variable("net.IP", type_type(IP_TYPE)),),
    functions=(
        overload("ip", "string_to_ip", (STRING,), IP_TYPE, parse_ip),
        member("family", "ip_family", (IP_TYPE,), INT, attrgetter("address.version")),
        overload(
            "ip.isCanonical",
            "ip_is_canonical",
            (STRING,),
            BOOL,
            lambda text: str(parse_ip(text)) == text,
        ),
        *(
            member(name, id_, (IP_TYPE,), BOOL, attrgetter(attribute))
            for name, id_, attribute in (
                ("isUnspecified", "ip_is_unspecified", "address.is_unspecified"),
                ("isLoopback", "ip_is_loopback", "address.is_loopback"),
                ("isLinkLocalMulticast", "ip_is_link_local_multicast", "is_link_local_multicast"),
                ("isLinkLocalUnicast", "ip_is_link_local_unicast", "address.is_link_local"),
                ("isGlobalUnicast", "ip_is_global_unicast", "is_global_unicast"),
            )
        ),
        overload("isIP", "is_ip", (STRING,), BOOL, accepts(parse_ip)),
        overload("string", "ip_to_string", (IP_TYPE,), STRING, str),
    ),
    costs={"ip": ARGUMENT, "ip.isCanonical": declaration.ARGUMENT_TWICE, "isIP": ARGUMENT},
    equality={IP_TYPE: constant()},
)


def _cidr(text: str) -> CIDR:
    try:
        return parse_cidr(text)
    except FunctionError as error:
        # Upstream repeats the prefix.
        raise FunctionError(
            f"network address parse error during conversion from string: {error}"
        ) from None


def _contains_ip_string(network: CIDR, text: str) -> bool:
    try:
        return network.contains(parse_ip(text))
    except FunctionError:
        # Upstream drops the reason here.
        raise FunctionError(NO_SUCH_OVERLOAD) from None


def _contains_cidr_string(network: CIDR, text: str) -> bool:
    return network.contains_cidr(_cidr(text))


_ADDRESS: Final = Estimate(4, 16)  # bytes
_CONTAINS_IP: Final = _ADDRESS.plus(_ADDRESS).traversal()
_CONTAINS_CIDR: Final = _CONTAINS_IP.plus(_ADDRESS.traversal()).plus(ONE)


def _track_contains_ip(values: Sequence[Any], _: Any) -> int:
    size = actual_size(values[0])
    return traversal(size + size)


def _with_parsing(cost: CallCost) -> CallCost:
    """Return the cost of a call that first parses its argument from a text."""

    def estimate(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate | None:
        comparison = cost.estimate(estimator, nodes)
        return comparison and CallEstimate(
            comparison.cost.plus(size_of(estimator, nodes[1]).traversal())
        )

    def track(values: Sequence[Any], result: Any) -> int:
        return (cost.track(values, result) or 0) + traversal(actual_size(values[1]))

    return CallCost(estimate, track)


_CONTAINS_IP_COST: Final = CallCost(constant(_CONTAINS_IP), _track_contains_ip)
_CONTAINS_CIDR_COST: Final = CallCost(
    constant(_CONTAINS_CIDR),
    lambda values, _: _track_contains_ip(values, None) + traversal(actual_size(values[0])) + 1,
)

_CONTAINS_BY_ADDRESS: Final[Mapping[str, Binding]] = {
    "cidr_contains_cidr_string": lambda network, text: network.contains_address_of(_cidr(text)),
    "cidr_contains_cidr": CIDR.contains_address_of,
}


_MASKS: Final = Library(
    "CIDR, version 1",
    (1, 38),
    docs={"isMask": "Returns whether an IP network has no bits of the host."},
    functions=(member("isMask", "cidr_is_mask", (CIDR_TYPE,), BOOL, CIDR.is_masked),),
)
CIDR_LIBRARY: Final = Library(
    "cidr",
    introduced=(1, 30),
    docs={
        "cidr": "Parses an IP network, such as `10.0.0.0/8`; an error if the string is not one.",
        "containsCIDR": "Returns whether an IP network contains another one.",
        "containsIP": "Returns whether an IP network contains an address.",
        "isCIDR": "Returns whether a string is an IP network.",
        "masked": "Returns an IP network without the bits of the host.",
        "prefixLength": "Returns the number of bits of the prefix of an IP network.",
    },
    types=(Variable("net.CIDR", type_type(CIDR_TYPE)),),
    functions=(
        overload("cidr", "string_to_cidr", (STRING,), CIDR_TYPE, _cidr),
        *(
            member(
                function,
                f"cidr_contains_{id_}",
                (CIDR_TYPE, type_),
                BOOL,
                contains,
                cost,
            )
            for function, id_, type_, contains, cost in (
                (
                    "containsIP",
                    "ip_string",
                    STRING,
                    _contains_ip_string,
                    _with_parsing(_CONTAINS_IP_COST),
                ),
                ("containsIP", "ip_ip", IP_TYPE, CIDR.contains, None),
                (
                    "containsCIDR",
                    "cidr_string",
                    STRING,
                    _contains_cidr_string,
                    _with_parsing(_CONTAINS_CIDR_COST),
                ),
                ("containsCIDR", "cidr", CIDR_TYPE, CIDR.contains_cidr, None),
            )
        ),
        member("ip", "cidr_ip", (CIDR_TYPE,), IP_TYPE, attrgetter("ip"), declaration.CONSTANT),
        member("prefixLength", "cidr_prefix_length", (CIDR_TYPE,), INT, attrgetter("bits")),
        member("masked", "cidr_masked", (CIDR_TYPE,), CIDR_TYPE, CIDR.masked),
        overload("isCIDR", "is_cidr", (STRING,), BOOL, accepts(_cidr)),
        overload("string", "cidr_to_string", (CIDR_TYPE,), STRING, str),
    ),
    costs={
        "cidr": ARGUMENT,
        "isCIDR": ARGUMENT,
        "containsIP": _CONTAINS_IP_COST,
        "containsCIDR": _CONTAINS_CIDR_COST,
    },
    later=(_MASKS,),
    older_bindings=lambda dialect: (
        {} if dialect.contains_networks_by_prefix else _CONTAINS_BY_ADDRESS
    ),
    equality={CIDR_TYPE: constant()},
)
