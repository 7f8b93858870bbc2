"""IP addresses. Upstream: apiserver pkg/cel/library/ip.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.decls import Variable, member, overload
from crdlint.cel.types import BOOL, INT, STRING, type_type
from crdlint.kubecel.library.declaration import ARGUMENT, ARGUMENT_TWICE, Library, accepts, constant, constant_for
from crdlint.kubecel.types.opaque import IP

if TYPE_CHECKING:
    from crdlint.kubecel.types import ip


def _ip(text: str) -> ip.IP:
    from crdlint.kubecel.types.ip import parse_ip

    return parse_ip(text)


LIBRARY: Final = Library(
    "ip",
    introduced=(1, 30),
    types=(Variable("net.IP", type_type(IP)),),
    functions=(
        overload("ip", "string_to_ip", (STRING,), IP, _ip),
        member("family", "ip_family", (IP,), INT, lambda ip: ip.version),
        overload("ip.isCanonical", "ip_is_canonical", (STRING,), BOOL, lambda text: str(_ip(text)) == text),
        member("isUnspecified", "ip_is_unspecified", (IP,), BOOL, lambda ip: ip.is_unspecified),
        member("isLoopback", "ip_is_loopback", (IP,), BOOL, lambda ip: ip.is_loopback),
        member(
            "isLinkLocalMulticast", "ip_is_link_local_multicast", (IP,), BOOL, lambda ip: ip.is_link_local_multicast
        ),
        member("isLinkLocalUnicast", "ip_is_link_local_unicast", (IP,), BOOL, lambda ip: ip.is_link_local_unicast),
        member("isGlobalUnicast", "ip_is_global_unicast", (IP,), BOOL, lambda ip: ip.is_global_unicast),
        overload("isIP", "is_ip", (STRING,), BOOL, accepts(_ip)),
        overload("string", "ip_to_string", (IP,), STRING, str),
    ),
    costs={
        "ip": ARGUMENT,
        "ip.isCanonical": ARGUMENT_TWICE,
        "isIP": ARGUMENT,
        **constant_for("family", "isUnspecified", "isLoopback"),
        **constant_for("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"),
    },
    equality={IP: constant()},
)
