"""IP addresses and networks (apiserver pkg/cel/library/ip.go and cidr.go, on Go's net/netip).

Texts are read as Go 1.24 reads them: no leading zeros, no IPv4-mapped addresses, no zones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import ClassVar, Final

from crdlint.cel.eval.errors import NO_SUCH_OVERLOAD, FunctionError
from crdlint.cel.types import Type, opaque_type
from crdlint.golang.netip import AddressError, parse_addr
from crdlint.golang.quote import quote
from crdlint.kubecel.runtime.opaque import Opaque

_FAMILY_BITS: Final = {4: 32, 6: 128}
_PREFIX_LENGTH: Final = re.compile(r"0|[1-9][0-9]*")
_MAPPED: Final = 0xFFFF


@dataclass(frozen=True, slots=True)
class IP(Opaque):
    """An address of family 4 or 6, as a number of 32 or 128 bits."""

    cel_type: ClassVar[Type] = opaque_type("net.IP")
    go_type: ClassVar[str] = "cel.IP"

    version: int
    number: int

    @property
    def cel_size(self) -> int:
        """The bytes, which costs count."""
        return _FAMILY_BITS[self.version] // 8

    def __str__(self) -> str:
        """The canonical text."""
        if self.version == 4:
            return ".".join(str(self.number >> shift & 0xFF) for shift in (24, 16, 8, 0))
        # Upstream takes no mapped address, which Python and Go print differently.
        return str(IPv6Address(self.number))


@dataclass(frozen=True, slots=True)
class CIDR(Opaque):
    """An address, bits of the host included, and the length of the network's prefix."""

    cel_type: ClassVar[Type] = opaque_type("net.CIDR")
    go_type: ClassVar[str] = "cel.CIDR"

    ip: IP
    bits: int

    @property
    def cel_size(self) -> int:
        """The bytes that the prefix takes, which costs count."""
        return -(-self.bits // 8)

    def __str__(self) -> str:
        """The canonical text."""
        return f"{self.ip}/{self.bits}"


def ip(text: str) -> IP:
    """Return the address that a text says; raise FunctionError with upstream's text."""
    try:
        address, zone = _parse_address(text)
    except AddressError as error:
        raise FunctionError(f"IP Address {quote(text)} parse error during conversion from string: {error}") from None
    if zone:
        raise FunctionError(f"IP address {quote(text)} with zone value is not allowed")
    if _is_mapped(address):
        raise FunctionError(f"IPv4-mapped IPv6 address {quote(text)} is not allowed")
    return address


def is_ip(text: str) -> bool:
    """Whether a text says an address."""
    try:
        ip(text)
    except FunctionError:
        return False
    return True


def ip_is_canonical(text: str) -> bool:
    """Whether a text is the canonical one of its address; raise FunctionError where it says none."""
    return str(ip(text)) == text


def family(address: IP) -> int:
    """Return 4 or 6."""
    return address.version


def is_unspecified(address: IP) -> bool:
    """Whether an address is 0.0.0.0 or ::."""
    return not address.number


def is_loopback(address: IP) -> bool:
    """Whether an address is in 127.0.0.0/8 or is ::1."""
    return address.number >> 24 == 127 if address.version == 4 else address.number == 1


def is_link_local_multicast(address: IP) -> bool:
    """Whether an address is in 224.0.0.0/24 or of multicast scope link-local."""
    if address.version == 4:
        return address.number >> 8 == 0xE00000
    return address.number >> 112 & 0xFF0F == 0xFF02


def is_link_local_unicast(address: IP) -> bool:
    """Whether an address is in 169.254.0.0/16 or fe80::/10."""
    return address.number >> 16 == 0xA9FE if address.version == 4 else address.number >> 118 == 0xFE80 >> 6


def is_global_unicast(address: IP) -> bool:
    """Whether an address is none of the special ones: unspecified, broadcast, loopback, multicast, link-local."""
    return not (
        _is_broadcast(address)
        or _is_multicast(address)
        or is_unspecified(address)
        or is_loopback(address)
        or is_link_local_unicast(address)
    )


def cidr(text: str) -> CIDR:
    """Return the network that a text says; raise FunctionError with upstream's text."""
    try:
        return _parse_cidr(text)
    except FunctionError as error:
        # Upstream says it twice.
        raise FunctionError(f"network address parse error during conversion from string: {error}") from None


def is_cidr(text: str) -> bool:
    """Whether a text says a network."""
    try:
        _parse_cidr(text)
    except FunctionError:
        return False
    return True


def contains_ip(network: CIDR, address: IP | str) -> bool:
    """Whether an address, or what a text says, is in a network; raise FunctionError where the text says none."""
    if isinstance(address, str):
        try:
            address = ip(address)
        except FunctionError:
            # Upstream loses the reason here.
            raise FunctionError(NO_SUCH_OVERLOAD) from None
    return address.version == network.ip.version and _prefix(address, network.bits) == _prefix(network.ip, network.bits)


def contains_cidr(network: CIDR, other: CIDR | str) -> bool:
    """Whether a network, or what a text says, is part of another; raise FunctionError where the text says none."""
    if isinstance(other, str):
        other = cidr(other)
    return network.bits <= other.bits and contains_ip(network, other.ip)


def cidr_ip(network: CIDR) -> IP:
    """Return the address as written, bits of the host included."""
    return network.ip


def prefix_length(network: CIDR) -> int:
    """Return the bits of the prefix."""
    return network.bits


def masked(network: CIDR) -> CIDR:
    """Return the network with the bits of the host cleared."""
    host = _FAMILY_BITS[network.ip.version] - network.bits
    return CIDR(IP(network.ip.version, network.ip.number >> host << host), network.bits)


def _prefix(address: IP, bits: int) -> int:
    return address.number >> (_FAMILY_BITS[address.version] - bits)


def _is_broadcast(address: IP) -> bool:
    return address.version == 4 and address.number == 0xFFFFFFFF


def _is_multicast(address: IP) -> bool:
    return address.number >> 28 == 0xE if address.version == 4 else address.number >> 120 == 0xFF


def _is_mapped(address: IP) -> bool:
    return address.version == 6 and address.number >> 32 == _MAPPED


def _parse_cidr(text: str) -> CIDR:
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
    place = "network address parse error during conversion from string"
    return FunctionError(f"{place}: netip.ParsePrefix({quote(text)}): {message}")


def _parse_address(text: str) -> tuple[IP, str]:
    """Return an address and its zone; raises AddressError."""
    version, number, zone = parse_addr(text)
    return IP(version, number), zone
