"""URLs. Upstream: apiserver pkg/cel/library/urls.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.decls import CallCost, member, overload
from crdlint.cel.estimates import ONE, STRING_FACTOR, CallEstimate, Estimate, Estimator, Node
from crdlint.cel.types import BOOL, STRING, list_type, map_type
from crdlint.kubecel.library.declaration import ALWAYS, ARGUMENT, Library, argument_size, constant_for, track_first
from crdlint.kubecel.types.opaque import URL
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.kubecel.types import url


def _url(text: str) -> url.URL:
    from crdlint.kubecel.types.url import parse_url

    return parse_url(text)


def _is_url(text: str) -> bool:
    from crdlint.golang.addresses import URLError, parse_request_uri

    work.spend(len(text) >> 1)
    try:
        parse_request_uri(text)
    except URLError:
        return False
    return True


def _estimate_equality(_estimator: Estimator, _target: Node | None, args: Sequence[Node]) -> CallEstimate:
    size = args[1].size or ONE  # upstream uses the size of the right side for both
    return CallEstimate(Estimate(1, size.max).scaled(STRING_FACTOR))


LIBRARY: Final = Library(
    "url",
    introduced=ALWAYS,
    functions=(
        overload("url", "string_to_url", (STRING,), URL, _url),
        member("getScheme", "url_get_scheme", (URL,), STRING, lambda url: url.scheme),
        member("getHost", "url_get_host", (URL,), STRING, lambda url: url.host),
        member("getHostname", "url_get_hostname", (URL,), STRING, lambda url: url.hostname),
        member("getPort", "url_get_port", (URL,), STRING, lambda url: url.port),
        member("getEscapedPath", "url_get_escaped_path", (URL,), STRING, lambda url: url.escaped_path),
        member("getQuery", "url_get_query", (URL,), map_type(STRING, list_type(STRING)), lambda url: url.query),
        overload("isURL", "is_url_string", (STRING,), BOOL, _is_url),
    ),
    costs={
        "url": CallCost(argument_size(STRING_FACTOR, sized=True), track_first),
        **constant_for("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
    },
    older_costs=lambda dialect: {} if dialect.url_has_size else {"url": ARGUMENT},
    equality={URL: _estimate_equality},
)
