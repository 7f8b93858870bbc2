"""IP addresses as Go's net/netip parses them, with its error texts: no leading zeros, zones only for IPv6."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from crdlint.golang.text import quote

_HEX: Final = re.compile(r"[0-9A-Fa-f]*")
_GROUPS: Final = 8


class AddressError(ValueError):
    """netip.ParseAddr rejects the text; `str()` is its error."""

    def __init__(self, text: str, message: str, rest: str = "") -> None:
        position = f" (at {quote(rest)})" if rest else ""
        super().__init__(f"ParseAddr({quote(text)}): {message}{position}")


class Address(NamedTuple):
    """An address: its family (4 or 6), its bits as a number, and its zone (empty if there is none)."""

    version: int
    number: int
    zone: str = ""


def parse_addr(text: str) -> Address:
    """Parse an address; raise AddressError if it is invalid. Upstream: netip.ParseAddr."""
    for char in text:
        if char == ".":
            return Address(4, _ipv4(text, text))
        if char == ":":
            return _ipv6(text)
        if char == "%":
            raise AddressError(text, "missing IPv6 address")
    raise AddressError(text, "unable to parse IP")


def _ipv4(address: str, text: str) -> int:
    """Return the number of an IPv4 address `text`, which may be the last part of an IPv6 `address`."""
    number = field = fields = digits = 0
    for i, char in enumerate(text):
        if "0" <= char <= "9":
            if digits == 1 and not field:
                raise AddressError(address, "IPv4 field has octet with leading zero")
            field = field * 10 + int(char)
            digits += 1
            if field > 255:
                raise AddressError(address, "IPv4 field has value >255")
        elif char == ".":
            if i == 0 or i == len(text) - 1 or text[i - 1] == ".":
                raise AddressError(address, "IPv4 field must have at least one digit", text[i:])
            if fields == 3:
                raise AddressError(address, "IPv4 address too long")
            number = number << 8 | field
            fields += 1
            field = digits = 0
        else:
            raise AddressError(address, "unexpected character", text[i:])
    if fields < 3:
        raise AddressError(address, "IPv4 address too short")
    return number << 8 | field


def _ipv6(text: str) -> Address:
    rest, percent, zone = text.partition("%")
    if percent and not zone:
        raise AddressError(text, "zone must be a non-empty string")
    groups: list[int] = []
    ellipsis = -1
    if rest.startswith("::"):
        ellipsis, rest = 0, rest[2:]
        if not rest:
            return Address(6, 0, zone)
    while len(groups) < _GROUPS:
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
                raise AddressError(text, "multiple :: in address", rest)
            ellipsis, rest = len(groups), rest[1:]
            if not rest:
                break
    if rest:
        raise AddressError(text, "trailing garbage after address", rest)
    return Address(6, _joined(text, groups, ellipsis), zone)


def _group_length(text: str, rest: str) -> int:
    match = _HEX.match(rest)
    length = match.end() if match else 0
    if length > 4:
        raise AddressError(text, "each group must have 4 or less digits", rest)
    if not length:
        raise AddressError(text, "each colon-separated field must have at least one digit", rest)
    return length


def _embedded_ipv4(text: str, rest: str, groups: int, ellipsis: int) -> tuple[int, int]:
    if ellipsis < 0 and groups != 6:
        raise AddressError(text, "embedded IPv4 address must replace the final 2 fields of the address", rest)
    if groups > 6:
        raise AddressError(text, "too many hex fields to fit an embedded IPv4 at the end of the address", rest)
    return divmod(_ipv4(text, rest), 2**16)


def _after_colon(text: str, rest: str) -> str:
    if rest[0] != ":":
        raise AddressError(text, "unexpected character, want colon", rest)
    if len(rest) == 1:
        raise AddressError(text, "colon must be followed by more characters", rest)
    return rest[1:]


def _joined(text: str, groups: list[int], ellipsis: int) -> int:
    missing = _GROUPS - len(groups)
    if missing and ellipsis < 0:
        raise AddressError(text, "address string too short")
    if not missing and ellipsis >= 0:
        raise AddressError(text, "the :: must expand to at least one field of zeros")
    if missing:
        groups = [*groups[:ellipsis], *([0] * missing), *groups[ellipsis:]]
    number = 0
    for group in groups:
        number = number << 16 | group
    return number


_IPV4: Final = re.compile(r"([0-9]{1,4000})\.([0-9]{1,4000})\.([0-9]{1,4000})\.([0-9]{1,4000})")
_GROUP: Final = re.compile(r"[0-9a-fA-F]{1,4}")
_SLOPPY_GROUP: Final = re.compile(r"0*[0-9a-fA-F]{1,4}")


def parse_ip(text: str, *, sloppy: bool) -> bool:
    """Return whether a text is an address without a zone; `sloppy` allows leading zeros."""
    if ":" in text:
        return _is_ipv6(text, sloppy=sloppy)
    return _is_ipv4(text, sloppy=sloppy)


def _is_ipv4(text: str, *, sloppy: bool) -> bool:
    match = _IPV4.fullmatch(text)
    if match is None:
        return False
    return all(
        len(part.lstrip("0")) <= 3 and int(part) <= 255 and (sloppy or len(part) == 1 or part[0] != "0")
        for part in match.groups()
    )


def _is_ipv6(text: str, *, sloppy: bool) -> bool:
    head, ellipsis, tail = text.partition("::")
    if "::" in tail or (not ellipsis and (text.startswith(":") or text.endswith(":"))):
        return False
    groups = [*(head.split(":") if head else []), *(tail.split(":") if tail else [])]
    size = len(groups)
    if groups and "." in groups[-1] and not text.endswith(":"):
        if not _is_ipv4(groups.pop(), sloppy=sloppy):
            return False
        size += 1
    pattern = _SLOPPY_GROUP if sloppy else _GROUP
    if any(pattern.fullmatch(group) is None for group in groups):
        return False
    return size < 8 if ellipsis else size == 8
