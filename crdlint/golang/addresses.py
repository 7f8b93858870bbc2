"""IP addresses and URLs as Go 1.26 parses them, with its error texts. Upstream: net/netip, net/url."""

from __future__ import annotations

import re
from typing import Final

from crdlint.golang.text import quote
from crdlint.light import NamedTuple, regex

_GROUP: Final = regex(r"[0-9A-Fa-f]*")
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
    number = fields = 0
    digits = ""
    for i, char in enumerate(text):
        if char == ".":
            is_field_empty = not digits or i == len(text) - 1
            if is_field_empty:
                raise AddressError(address, "IPv4 field must have at least one digit", text[i:])
            if fields == 3:
                raise AddressError(address, "IPv4 address too long")
            number = number << 8 | int(digits)
            fields += 1
            digits = ""
        elif "0" <= char <= "9":
            digits += char
            _check_field(address, digits)
        else:
            raise AddressError(address, "unexpected character", text[i:])
    if fields < 3:
        raise AddressError(address, "IPv4 address too short")
    return number << 8 | int(digits)


def _check_field(address: str, digits: str) -> None:
    """Raise AddressError for the digits so far of a field that is not a byte."""
    if len(digits) > 1 and digits[0] == "0":
        raise AddressError(address, "IPv4 field has octet with leading zero")
    if int(digits) > 255:
        raise AddressError(address, "IPv4 field has value >255")


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


def _after_colon(text: str, rest: str) -> str:
    if rest[0] != ":":
        raise AddressError(text, "unexpected character, want colon", rest)
    if len(rest) == 1:
        raise AddressError(text, "colon must be followed by more characters", rest)
    return rest[1:]


def _group_length(text: str, rest: str) -> int:
    match = _GROUP.match(rest)
    length = match.end() if match else 0
    if length > 4:
        raise AddressError(text, "each group must have 4 or less digits", rest)
    if not length:
        raise AddressError(text, "each colon-separated field must have at least one digit", rest)
    return length


def _embedded_ipv4(
    text: str,
    rest: str,
    groups: int,
    ellipsis: int,
) -> tuple[int, int]:
    if ellipsis < 0 and groups != 6:
        message = "embedded IPv4 address must replace the final 2 fields of the address"
        raise AddressError(text, message, rest)
    if groups > 6:
        message = "too many hex fields to fit an embedded IPv4 at the end of the address"
        raise AddressError(text, message, rest)
    return divmod(_ipv4(text, rest), 2**16)


def _joined(text: str, groups: list[int], ellipsis: int) -> int:
    missing = _GROUPS - len(groups)
    if missing and ellipsis < 0:
        raise AddressError(text, "address string too short")
    if not missing and ellipsis >= 0:
        raise AddressError(text, "the :: must expand to at least one field of zeros")
    groups[ellipsis:ellipsis] = [0] * missing
    return int("".join(f"{group:04x}" for group in groups), 16)


_LEADING_ZEROS: Final = regex(r"(?<![0-9A-Fa-f])0+(?=[0-9A-Fa-f])")


def parse_ip(text: str, *, sloppy: bool) -> bool:
    """Return whether a text is an address without a zone; `sloppy` allows leading zeros."""
    if sloppy:
        text = _LEADING_ZEROS.sub("", text)
    try:
        return not parse_addr(text).zone
    except AddressError:
        return False


class URLError(ValueError):
    """The text is not a URL; `str()` is Go's text, `parse "...": ...`."""


class URL(NamedTuple):
    """A parsed URL.

    `scheme`: the scheme in lower case, empty without one.
    `host`: the host with its port.
    `user`: the userinfo as Go prints it, None if there is none.
    `raw_query`: the query as written.
    `fragment`: the fragment without escapes.
    `path`: the path as written; without an authority or a slash, it is what Go calls opaque.
    `has_authority`: whether there is a part with a host.
    `force_query`: whether there is an empty query.
    """

    scheme: str = ""
    host: str = ""
    user: str | None = None
    raw_query: str = ""
    fragment: str = ""
    path: str = ""
    has_authority: bool = False
    force_query: bool = False


_DIGITS: Final = frozenset("0123456789")
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_SCHEME: Final = regex(r"([A-Za-z][A-Za-z0-9+.-]*):")
_UNRESERVED: Final = _LETTERS | _DIGITS | frozenset("-_.~")
_HOST: Final = _UNRESERVED | frozenset("!$&'()*+,;=:[]<>\"")
_USERINFO: Final = _LETTERS | _DIGITS | frozenset("-._:~!$&'()*+,;=%@")


def parse(text: str) -> URL:
    """Parse a URL that may have a fragment; raise URLError if it is invalid. Upstream: url.Parse."""
    rest, _, fragment = text.partition("#")
    parsed = rest  # the part of the text that an error quotes
    try:
        url = _parse(rest, via_request=False)
        parsed = text
        return url._replace(fragment=unescape(fragment))
    except URLError as error:
        raise URLError(f"parse {quote(parsed)}: {error}") from None


def parse_request_uri(text: str) -> URL:
    """Parse an absolute URL without a fragment; raise URLError if it is invalid. Upstream: url.ParseRequestURI."""
    try:
        return _parse(text, via_request=True)
    except URLError as error:
        raise URLError(f"parse {quote(text)}: {error}") from None


def _parse(text: str, *, via_request: bool) -> URL:
    if _CONTROL.search(text):
        raise URLError("net/url: invalid control character in URL")
    if not text and via_request:
        raise URLError("empty url")
    if text == "*":
        return URL(path=text)
    scheme, rest = _scheme(text)
    rest, mark, query = rest.partition("?")
    url = URL(
        scheme.lower(),
        raw_query=query,
        path=rest,
        force_query=bool(mark) and not query,
    )
    if not rest.startswith("/"):
        if scheme:
            return url  # a rootless path is opaque
        _check_rootless(rest, via_request=via_request)
    elif rest.startswith("//") and (scheme or not (via_request or rest.startswith("///"))):
        authority, slash, path = rest[2:].partition("/")
        user, host = _authority(authority, url.scheme)
        url = url._replace(
            host=host,
            user=user,
            path=slash + path,
            has_authority=True,
        )
    unescape(url.path)
    return url


_CONTROL: Final = regex(r"[\x00-\x1f\x7f]")


def _check_rootless(path: str, *, via_request: bool) -> None:
    if via_request:
        raise URLError("invalid URI for request")
    if ":" in path.partition("/")[0]:
        raise URLError("first path segment in URL cannot contain colon")


def _scheme(text: str) -> tuple[str, str]:
    if text.startswith(":"):
        raise URLError("missing protocol scheme")
    match = _SCHEME.match(text)
    return ("", text) if match is None else (match[1], text[match.end() :])


def _authority(text: str, scheme: str) -> tuple[str | None, str]:
    userinfo, separator, host = text.rpartition("@")
    host = _host(host, scheme)
    if not separator:
        return None, host
    if not set(userinfo) <= _USERINFO:
        raise URLError("net/url: invalid userinfo")
    name, colon, password = userinfo.partition(":")
    user = _printed_userinfo(name)
    if colon:
        user += f":{_printed_userinfo(password)}"
    return user, host


def _printed_userinfo(text: str) -> str:
    from urllib.parse import quote as quote_url  # few rules read addresses

    return quote_url(unescape(text), "$&+,;=", errors="surrogateescape")


def _host(text: str, scheme: str) -> str:
    bracket = text.rfind("[")
    if bracket > 0:
        raise URLError("invalid IP-literal")
    if bracket == 0:
        return _ip_literal(text)
    # Some databases list several hosts with a port each, which Go accepts unless the scheme is http or https.
    colon = text.find(":") if scheme in _WEB else text.rfind(":")
    if colon >= 0:
        _check_port(text[colon:])
    return _unescape_host(text)


_WEB: Final = frozenset({"http", "https"})


def _ip_literal(text: str) -> str:
    """Return a host that starts with a bracket: an IPv6 address, with an optional zone after %25."""
    end = text.rfind("]")
    if end < 0:
        raise URLError("missing ']' in host")
    _check_port(text[end + 1 :])
    name, percent, zone = text[1:end].partition("%25")
    literal = _unescape_host(name) + _unescape_host(percent + zone, zone=True)
    try:
        address = parse_addr(literal)
    except AddressError as error:
        raise URLError(f"invalid host: {error}") from None
    if address.version == 4:
        raise URLError("invalid IP-literal")
    return f"[{literal}]{text[end + 1 :]}"


def _check_port(text: str) -> None:
    is_port = text.startswith(":") and set(text[1:]) <= _DIGITS
    if text and not is_port:
        raise URLError(f"invalid port {quote(text)} after host")


def unescape(text: str) -> str:
    """Return a part of a URL without escapes; raise URLError if one is invalid."""
    invalid = _INVALID_ESCAPE.search(text)
    if invalid is not None:
        raise URLError(f"invalid URL escape {quote(invalid[0])}")
    from urllib.parse import unquote_to_bytes

    octets = unquote_to_bytes(text.encode("utf-8", "surrogatepass"))
    return octets.decode("utf-8", "surrogateescape")


_INVALID_ESCAPE: Final = regex("%(?![0-9A-Fa-f]{2}).{0,2}", re.DOTALL)


def _unescape_host(text: str, *, zone: bool = False) -> str:
    for char, escape in _CHARACTER.findall(text):
        if _INVALID_ESCAPE.match(escape):
            break
        if escape and not _may_escape(escape, zone=zone):
            raise URLError(f"invalid URL escape {quote(escape)}")
        is_invalid = not escape and char < "\x80" and char not in _HOST
        if is_invalid:
            raise URLError(f"invalid character {quote(char)} in host name")
    return unescape(text)


def _may_escape(escape: str, *, zone: bool) -> bool:
    """Return whether a host, or the zone of an address, may have an escape."""
    if escape == "%25":
        return True
    value = int(escape[1:], 16)
    if zone:
        return value == 0x20 or chr(value) in _HOST
    return value >= 0x80


_CHARACTER: Final = regex("([^%])|(%.{0,2})", re.DOTALL)
