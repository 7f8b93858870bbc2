"""URLs. Upstream: apiserver pkg/cel/library/urls.go, with Go's net/url."""

from __future__ import annotations

from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, ClassVar, Final

from crdlint.cel.decls import member, overload
from crdlint.cel.errors import FunctionError
from crdlint.cel.estimates import ONE, CallEstimate, Estimate
from crdlint.cel.types import BOOL, STRING, Type, list_type, map_type
from crdlint.kubecel.library import declaration
from crdlint.kubecel.library.declaration import ALWAYS, ARGUMENT, URL_TYPE, Library
from crdlint.light import dataclass
from crdlint.safety import work

if TYPE_CHECKING:
    from crdlint.golang.addresses import URL

# Characters that are not escaped, besides letters, digits and -._~
_HOST: Final = "!$&'()*+,;=:[]<>\""
_PATH: Final = "$&+,/:;=@"
_FRAGMENT: Final = "$&+,/:;=?@!()*"
_MAX_PARAMETERS: Final = 10_000


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class URLValue(declaration.Opaque):
    """A URL as Go parses it, and its fragment as written."""

    cel_type: ClassVar[Type] = URL_TYPE
    go_type: ClassVar[str] = "cel.URL"

    parsed: URL
    raw_fragment: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, URLValue) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __str__(self) -> str:
        """Return the URL as Go formats it. Upstream: URL.String."""
        url = self.parsed
        scheme = f"{url.scheme}:" if url.scheme else ""
        query = f"?{url.raw_query}" if url.raw_query or url.force_query else ""
        fragment = "#" + _encode(self.raw_fragment, _FRAGMENT, "'[]%") if self.raw_fragment else ""
        written = url.path if self._is_opaque else f"{self._authority()}{self.escaped_path}"
        return f"{scheme}{written}{query}{fragment}"

    @property
    def _is_opaque(self) -> bool:
        return (
            bool(self.parsed.scheme)
            and not self.parsed.has_authority
            and not self.parsed.path.startswith("/")
        )

    @property
    def hostname(self) -> str:
        """The host without the port and without the brackets of an IPv6 address."""
        return _split_host(self.parsed.host)[0]

    @property
    def port(self) -> str:
        """The port, or an empty string."""
        return _split_host(self.parsed.host)[1]

    @property
    def escaped_path(self) -> str:
        """The encoded path: as written if that is valid, else encoded again. Upstream: URL.EscapedPath."""
        return "" if self._is_opaque else _encode(self.parsed.path, _PATH, "!'()*[]%")

    @property
    def query(self) -> dict[str, list[str]]:
        """The values by key; malformed settings are ignored. Upstream: URL.Query."""
        from crdlint.golang.addresses import URLError, unescape  # few rules read URLs

        result: dict[str, list[str]] = {}
        settings = self.parsed.raw_query.split("&")
        work.spend(len(self.parsed.raw_query) >> 1)
        for setting in settings if len(settings) <= _MAX_PARAMETERS else ():
            if setting and ";" not in setting:
                key, _, text = setting.replace("+", " ").partition("=")
                with suppress(URLError):
                    key, text = unescape(key), unescape(text)
                    result.setdefault(key, []).append(text)
        return result

    def _authority(self) -> str:
        url = self.parsed
        if (
            not url.host
            and url.user is None
            and not (url.scheme and url.has_authority and url.path)
        ):
            return ""
        user = "" if url.user is None else f"{url.user}@"
        from urllib.parse import quote

        return f"//{user}{quote(url.host, _HOST, errors='surrogateescape')}"


def parse_url(text: str) -> URLValue:
    """Parse an absolute URL; raise FunctionError with upstream's message."""
    from crdlint.golang.addresses import URLError, parse, parse_request_uri

    work.spend(len(text))
    try:
        parse_request_uri(text)
        return URLValue(parse(text), text.partition("#")[2])
    except URLError as error:
        raise FunctionError(f"URL parse error during conversion from string: {error}") from None


def _split_host(host: str) -> tuple[str, str]:
    work.spend(len(host) >> 4)
    name, colon, port = host.rpartition(":")
    if not colon or not all(char in "0123456789" for char in port):
        name, port = host, ""
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    return name, port


def _encode(text: str, unescaped: str, others: str) -> str:
    """Return a text as written if it consists of characters that are not escaped, and of others, else encoded again."""
    from urllib.parse import quote, quote_from_bytes, unquote_to_bytes  # few rules read URLs

    work.spend(len(text) >> 4)
    if quote(text, unescaped + others, errors="surrogatepass") == text:
        return text
    work.spend(len(text) >> 2)
    return quote_from_bytes(unquote_to_bytes(text.encode("utf-8", "surrogatepass")), unescaped)


def _is_url(text: str) -> bool:
    from crdlint.golang.addresses import URLError, parse_request_uri

    work.spend(len(text) >> 1)
    try:
        parse_request_uri(text)
    except URLError:
        return False
    return True


LIBRARY: Final = Library(
    "url",
    introduced=ALWAYS,
    docs={
        "getEscapedPath": "Returns the path of a URL, escaped.",
        "getHost": "Returns the host of a URL, with its port.",
        "getHostname": "Returns the host of a URL, without its port.",
        "getPort": "Returns the port of a URL, empty if it has none.",
        "getQuery": "Returns the query of a URL: a map of keys to lists of values.",
        "getScheme": "Returns the scheme of a URL.",
        "isURL": "Returns whether a string is an absolute URL.",
        "url": "Parses an absolute URL; an error if the string is not one.",
    },
    functions=(
        overload("url", "string_to_url", (STRING,), URL_TYPE, parse_url),
        member("getScheme", "url_get_scheme", (URL_TYPE,), STRING, attrgetter("parsed.scheme")),
        member("getHost", "url_get_host", (URL_TYPE,), STRING, attrgetter("parsed.host")),
        member("getHostname", "url_get_hostname", (URL_TYPE,), STRING, attrgetter("hostname")),
        member("getPort", "url_get_port", (URL_TYPE,), STRING, attrgetter("port")),
        member(
            "getEscapedPath",
            "url_get_escaped_path",
            (URL_TYPE,),
            STRING,
            attrgetter("escaped_path"),
        ),
        member(
            "getQuery",
            "url_get_query",
            (URL_TYPE,),
            map_type(STRING, list_type(STRING)),
            attrgetter("query"),
        ),
        overload("isURL", "is_url_string", (STRING,), BOOL, _is_url),
    ),
    costs={"url": declaration.READ},
    older_costs=lambda dialect: {} if dialect.url_has_size else {"url": ARGUMENT},
    # Upstream uses the size of the right side for both.
    equality={
        URL_TYPE: lambda _estimator, nodes: CallEstimate(
            Estimate(1, (nodes[1].size or ONE).max).traversal()
        )
    },
)
