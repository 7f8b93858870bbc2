"""URLs. Upstream: apiserver pkg/cel/library/urls.go, with Go's net/url."""

from __future__ import annotations

import string
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Final
from urllib.parse import unquote_to_bytes

from crdlint.cel.decls import CallCost, member, overload
from crdlint.cel.estimates import ONE, STRING_FACTOR, CallEstimate, Estimate, Estimator, Node
from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.types import BOOL, STRING, list_type, map_type
from crdlint.golang import addresses as go_url
from crdlint.kubecel.library.declaration import (
    ALWAYS,
    ARGUMENT,
    URL_TYPE,
    Library,
    Opaque,
    constant_for,
    of_sizes,
    reads,
)
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.types import Type


_UNRESERVED: Final = frozenset((string.ascii_letters + string.digits + "-_.~").encode())
_PATH: Final = _UNRESERVED | frozenset(b"$&+,/:;=@")
_VALID_PATH: Final = _PATH | frozenset(b"!'()*[]%")
_HOST: Final = _UNRESERVED | frozenset(b"!$&'()*+,;=:[]<>\"")
_FRAGMENT: Final = _UNRESERVED | frozenset(b"$&+,/:;=?@!()*")
_VALID_FRAGMENT: Final = _FRAGMENT | frozenset(b"'[]%")
_HEX: Final = frozenset(string.hexdigits)
_MAX_PARAMETERS: Final = 10_000


@dataclass(frozen=True, slots=True, eq=False)
class URL(Opaque):
    """A URL; `rest` is the part between the authority and the query, `raw_fragment` the encoded fragment."""

    cel_type: ClassVar[Type] = URL_TYPE
    go_type: ClassVar[str] = "cel.URL"

    scheme: str
    host: str
    user: str | None
    rest: str
    raw_query: str
    raw_fragment: str
    force_query: bool
    has_authority: bool

    def __eq__(self, other: object) -> bool:
        return isinstance(other, URL) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        """Return the URL as Go formats it. Upstream: URL.String."""
        scheme = f"{self.scheme}:" if self.scheme else ""
        query = f"?{self.raw_query}" if self.raw_query or self.force_query else ""
        fragment = f"#{_encode(self.raw_fragment, _VALID_FRAGMENT, _FRAGMENT)}" if self.raw_fragment else ""
        if self.scheme and not self.rest.startswith("/") and not self.has_authority:
            return f"{scheme}{self.rest}{query}{fragment}"
        return f"{scheme}{self._authority()}{self.escaped_path}{query}{fragment}"

    @property
    def hostname(self) -> str:
        """The host without the port and without the brackets of an IPv6 address."""
        return _split_host(self.host)[0]

    @property
    def port(self) -> str:
        """The port, or an empty string."""
        return _split_host(self.host)[1]

    @property
    def escaped_path(self) -> str:
        """The encoded path: as written if that is valid, else encoded again. Upstream: URL.EscapedPath."""
        if self.scheme and not self.has_authority and not self.rest.startswith("/"):
            return ""  # opaque
        return _encode(self.rest, _VALID_PATH, _PATH)

    @property
    def query(self) -> dict[str, list[str]]:
        """The values by key; malformed settings are ignored. Upstream: URL.Query."""
        result: dict[str, list[str]] = {}
        work.spend(len(self.raw_query) >> 1)
        if self.raw_query.count("&") >= _MAX_PARAMETERS:
            return result
        for setting in self.raw_query.split("&"):
            if not setting or ";" in setting:
                continue
            key, _, text = setting.partition("=")
            if _has_bad_escape(key) or _has_bad_escape(text):
                continue
            result.setdefault(_unescape_query(key), []).append(_unescape_query(text))
        return result

    def _authority(self) -> str:
        if not self.host and self.user is None and not (self.scheme and self.has_authority and self.rest):
            return ""
        user = "" if self.user is None else f"{self.user}@"
        return f"//{user}{_escape(self.host.encode('utf-8', 'surrogateescape'), _HOST)}"


def parse_url(text: str) -> URL:
    """Parse an absolute URL; raise FunctionError with upstream's message."""
    work.spend(len(text))
    try:
        go_url.parse_request_uri(text)
        parsed = go_url.parse(text)
    except go_url.URLError as error:
        raise FunctionError(f"URL parse error during conversion from string: {error}") from None
    rest, _, fragment = text.partition("#")
    if parsed.scheme:
        rest = rest[len(parsed.scheme) + 1 :]
    force_query = rest.endswith("?") and rest.count("?") == 1
    rest = rest.partition("?")[0]
    has_authority = rest.startswith("//") and (bool(parsed.scheme) or not rest.startswith("///"))
    if has_authority:
        _, slash, path = rest[2:].partition("/")
        rest = slash + path
    return URL(parsed.scheme, parsed.host, parsed.user, rest, parsed.raw_query, fragment, force_query, has_authority)


def _split_host(host: str) -> tuple[str, str]:
    work.spend(len(host) >> 4)
    name, colon, port = host.rpartition(":")
    if not colon or not all(char in string.digits for char in port):
        name, port = host, ""
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name, port


def _octets(text: str) -> bytes:
    return unquote_to_bytes(text.encode("utf-8", "surrogatepass"))


def _encode(text: str, valid: frozenset[int], unescaped: frozenset[int]) -> str:
    work.spend(len(text) >> 4)
    if valid.issuperset(text.encode("utf-8", "surrogatepass")):
        return text
    return _escape(_octets(text), unescaped)


def _escape(octets: bytes, unescaped: frozenset[int]) -> str:
    work.spend(len(octets) >> 2)
    return "".join(chr(octet) if octet in unescaped else f"%{octet:02X}" for octet in octets)


def _has_bad_escape(text: str) -> bool:
    return any(len(part) < 2 or not _HEX.issuperset(part[:2]) for part in text.split("%")[1:])


def _unescape_query(text: str) -> str:
    return _octets(text.replace("+", " ")).decode("utf-8", "surrogateescape")


def _is_url(text: str) -> bool:
    work.spend(len(text) >> 1)
    try:
        go_url.parse_request_uri(text)
    except go_url.URLError:
        return False
    return True


def _estimate_equality(_estimator: Estimator, _target: Node | None, args: Sequence[Node]) -> CallEstimate:
    size = args[1].size or ONE  # upstream uses the size of the right side for both
    return CallEstimate(Estimate(1, size.max).scaled(STRING_FACTOR))


LIBRARY: Final = Library(
    "url",
    introduced=ALWAYS,
    functions=(
        overload("url", "string_to_url", (STRING,), URL_TYPE, parse_url),
        member("getScheme", "url_get_scheme", (URL_TYPE,), STRING, lambda url: url.scheme),
        member("getHost", "url_get_host", (URL_TYPE,), STRING, lambda url: url.host),
        member("getHostname", "url_get_hostname", (URL_TYPE,), STRING, lambda url: url.hostname),
        member("getPort", "url_get_port", (URL_TYPE,), STRING, lambda url: url.port),
        member("getEscapedPath", "url_get_escaped_path", (URL_TYPE,), STRING, lambda url: url.escaped_path),
        member("getQuery", "url_get_query", (URL_TYPE,), map_type(STRING, list_type(STRING)), lambda url: url.query),
        overload("isURL", "is_url_string", (STRING,), BOOL, _is_url),
    ),
    costs={
        "url": CallCost(of_sizes(1, lambda text: CallEstimate(text.scaled(STRING_FACTOR), text)), reads()),
        **constant_for("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
    },
    older_costs=lambda dialect: {} if dialect.url_has_size else {"url": ARGUMENT},
    equality={URL_TYPE: _estimate_equality},
)
