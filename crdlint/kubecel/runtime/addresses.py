"""IP addresses and networks (apiserver pkg/cel/library/ip.go and cidr.go, on Go's net/netip).

Texts are read as Go 1.24 reads them: no leading zeros, no IPv4-mapped addresses, no zones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv6Address
from typing import ClassVar, Final

from crdlint.cel.runtime.errors import FunctionError
from crdlint.cel.runtime.values import NO_SUCH_OVERLOAD
from crdlint.cel.types import Type, opaque_type
from crdlint.golang.quote import quote
from crdlint.kubecel.runtime.opaque import Opaque

_FAMILY_BITS: Final = {4: 32, 6: 128}
_HEX: Final = re.compile(r"[0-9A-Fa-f]*")
_PREFIX_LENGTH: Final = re.compile(r"0|[1-9][0-9]*")
_MAPPED: Final = 0xFFFF


class _ParseError(ValueError):
    """A text that netip does not read; ``str()`` is its error."""

    def __init__(self, text: str, message: str, at: str = "") -> None:
        place = f" (at {quote(at)})" if at else ""
        super().__init__(f"ParseAddr({quote(text)}): {message}{place}")


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
    except _ParseError as error:
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
    except _ParseError as error:
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
    """Return an address and its zone (netip.ParseAddr); raise _ParseError."""
    for char in text:
        if char == ".":
            return IP(4, _parse_ipv4(text, text)), ""
        if char == ":":
            return _parse_ipv6(text)
        if char == "%":
            raise _ParseError(text, "missing IPv6 address")
    raise _ParseError(text, "unable to parse IP")


def _parse_ipv4(whole: str, text: str) -> int:
    """Return the number of four fields, `text` being the part of the whole that they are in (parseIPv4Fields)."""
    number = field = fields = digits = 0
    for i, char in enumerate(text):
        if "0" <= char <= "9":
            if digits == 1 and not field:
                raise _ParseError(whole, "IPv4 field has octet with leading zero")
            field = field * 10 + int(char)
            digits += 1
            if field > 255:
                raise _ParseError(whole, "IPv4 field has value >255")
        elif char == ".":
            if i == 0 or i == len(text) - 1 or text[i - 1] == ".":
                raise _ParseError(whole, "IPv4 field must have at least one digit", text[i:])
            if fields == 3:
                raise _ParseError(whole, "IPv4 address too long")
            number = number << 8 | field
            fields += 1
            field = digits = 0
        else:
            raise _ParseError(whole, "unexpected character", text[i:])
    if fields < 3:
        raise _ParseError(whole, "IPv4 address too short")
    return number << 8 | field


def _parse_ipv6(text: str) -> tuple[IP, str]:
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        raise _ParseError(text, "zone must be a non-empty string")
    groups: list[int] = []
    ellipsis = -1
    if rest.startswith("::"):
        ellipsis, rest = 0, rest[2:]
        if not rest:
            return IP(6, 0), zone
    while len(groups) < 8:
        length = _group_length(text, rest)
        if rest.startswith(".", length):
            groups += _embedded_ipv4(text, rest, len(groups), ellipsis)
            rest = ""
            break
        groups.append(int(rest[:length], 16))
        rest = rest[length:]
        if not rest:
            break
        rest = _after_colon(text, rest)
        if rest.startswith(":"):
            if ellipsis >= 0:
                raise _ParseError(text, "multiple :: in address", rest)
            ellipsis, rest = len(groups), rest[1:]
            if not rest:
                break
    if rest:
        raise _ParseError(text, "trailing garbage after address", rest)
    return IP(6, _join(text, groups, ellipsis)), zone


def _group_length(text: str, rest: str) -> int:
    match = _HEX.match(rest)
    length = match.end() if match else 0
    if length > 4:
        raise _ParseError(text, "each group must have 4 or less digits", rest)
    if not length:
        raise _ParseError(text, "each colon-separated field must have at least one digit", rest)
    return length


def _embedded_ipv4(text: str, rest: str, groups: int, ellipsis: int) -> tuple[int, int]:
    if ellipsis < 0 and groups != 6:
        raise _ParseError(text, "embedded IPv4 address must replace the final 2 fields of the address", rest)
    if groups > 6:
        raise _ParseError(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest)
    return divmod(_parse_ipv4(text, rest), 2**16)


def _after_colon(text: str, rest: str) -> str:
    if rest[0] != ":":
        raise _ParseError(text, "unexpected character, want colon", rest)
    if len(rest) == 1:
        raise _ParseError(text, "colon must be followed by more characters", rest)
    return rest[1:]


def _join(text: str, groups: list[int], ellipsis: int) -> int:
    missing = 8 - len(groups)
    if missing and ellipsis < 0:
        raise _ParseError(text, "address string too short")
    if ellipsis >= 0:
        if not missing:
            raise _ParseError(text, "the :: must expand to at least one field of zeros")
        groups[ellipsis:ellipsis] = [0] * missing
    number = 0
    for group in groups:
        number = number << 16 | group
    return number
