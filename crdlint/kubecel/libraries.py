"""The function libraries that Kubernetes adds to CEL, as declarations (apiserver pkg/cel/library)."""

from __future__ import annotations

from typing import Final

from crdlint.cel.decls import Overload, Variable, member, overload
from crdlint.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    INT,
    STRING,
    TIMESTAMP,
    UINT,
    list_type,
    map_type,
    object_type,
    opaque_type,
    optional_type,
    type_param,
    type_type,
)

URL: Final = object_type("kubernetes.URL")
QUANTITY: Final = object_type("kubernetes.Quantity")
SEMVER: Final = object_type("kubernetes.Semver")
NAMED_FORMAT: Final = object_type("kubernetes.NamedFormat")
IP: Final = opaque_type("net.IP")
CIDR: Final = opaque_type("net.CIDR")
AUTHORIZER: Final = object_type("kubernetes.authorization.Authorizer")
PATH_CHECK: Final = object_type("kubernetes.authorization.PathCheck")
GROUP_CHECK: Final = object_type("kubernetes.authorization.GroupCheck")
RESOURCE_CHECK: Final = object_type("kubernetes.authorization.ResourceCheck")
DECISION: Final = object_type("kubernetes.authorization.Decision")

_A: Final = type_param("A")
_STRINGS: Final = list_type(STRING)
_SUMMABLE: Final = {"int": INT, "uint": UINT, "double": DOUBLE, "duration": DURATION}
_COMPARABLE: Final = {
    "int": INT,
    "uint": UINT,
    "double": DOUBLE,
    "bool": BOOL,
    "duration": DURATION,
    "timestamp": TIMESTAMP,
    "string": STRING,
    "bytes": BYTES,
}

URLS: Final[tuple[Overload, ...]] = (
    overload("url", "string_to_url", (STRING,), URL),
    member("getScheme", "url_get_scheme", (URL,), STRING),
    member("getHost", "url_get_host", (URL,), STRING),
    member("getHostname", "url_get_hostname", (URL,), STRING),
    member("getPort", "url_get_port", (URL,), STRING),
    member("getEscapedPath", "url_get_escaped_path", (URL,), STRING),
    member("getQuery", "url_get_query", (URL,), map_type(STRING, _STRINGS)),
    overload("isURL", "is_url_string", (STRING,), BOOL),
)

REGEX: Final[tuple[Overload, ...]] = (
    member("find", "string_find_string", (STRING, STRING), STRING),
    member("findAll", "string_find_all_string", (STRING, STRING), _STRINGS),
    member("findAll", "string_find_all_string_int", (STRING, STRING, INT), _STRINGS),
)

LISTS: Final[tuple[Overload, ...]] = (
    *(member("isSorted", f"list_{name}_is_sorted_bool", (list_type(t),), BOOL) for name, t in _COMPARABLE.items()),
    *(member("sum", f"list_{name}_sum_{name}", (list_type(t),), t) for name, t in _SUMMABLE.items()),
    *(member("max", f"list_{name}_max_{name}", (list_type(t),), t) for name, t in _COMPARABLE.items()),
    *(member("min", f"list_{name}_min_{name}", (list_type(t),), t) for name, t in _COMPARABLE.items()),
    member("indexOf", "list_a_index_of_int", (list_type(_A), _A), INT),
    member("lastIndexOf", "list_a_last_index_of_int", (list_type(_A), _A), INT),
)

AUTHZ: Final[tuple[Overload, ...]] = (
    member("path", "authorizer_path", (AUTHORIZER, STRING), PATH_CHECK),
    member("group", "authorizer_group", (AUTHORIZER, STRING), GROUP_CHECK),
    member("serviceAccount", "authorizer_serviceaccount", (AUTHORIZER, STRING, STRING), AUTHORIZER),
    member("resource", "groupcheck_resource", (GROUP_CHECK, STRING), RESOURCE_CHECK),
    member("subresource", "resourcecheck_subresource", (RESOURCE_CHECK, STRING), RESOURCE_CHECK),
    member("namespace", "resourcecheck_namespace", (RESOURCE_CHECK, STRING), RESOURCE_CHECK),
    member("name", "resourcecheck_name", (RESOURCE_CHECK, STRING), RESOURCE_CHECK),
    member("check", "pathcheck_check", (PATH_CHECK, STRING), DECISION),
    member("check", "resourcecheck_check", (RESOURCE_CHECK, STRING), DECISION),
    member("errored", "decision_errored", (DECISION,), BOOL),
    member("error", "decision_error", (DECISION,), STRING),
    member("allowed", "decision_allowed", (DECISION,), BOOL),
    member("reason", "decision_reason", (DECISION,), STRING),
)

AUTHZ_SELECTORS: Final[tuple[Overload, ...]] = (
    member("fieldSelector", "authorizer_fieldselector", (RESOURCE_CHECK, STRING), RESOURCE_CHECK),
    member("labelSelector", "authorizer_labelselector", (RESOURCE_CHECK, STRING), RESOURCE_CHECK),
)

QUANTITIES: Final[tuple[Overload, ...]] = (
    overload("quantity", "string_to_quantity", (STRING,), QUANTITY),
    overload("isQuantity", "is_quantity_string", (STRING,), BOOL),
    overload("sign", "quantity_sign", (QUANTITY,), INT),
    member("isGreaterThan", "quantity_is_greater_than", (QUANTITY, QUANTITY), BOOL),
    member("isLessThan", "quantity_is_less_than", (QUANTITY, QUANTITY), BOOL),
    member("compareTo", "quantity_compare_to", (QUANTITY, QUANTITY), INT),
    member("asApproximateFloat", "quantity_get_float", (QUANTITY,), DOUBLE),
    member("asInteger", "quantity_get_int", (QUANTITY,), INT),
    member("isInteger", "quantity_is_integer", (QUANTITY,), BOOL),
    member("add", "quantity_add", (QUANTITY, QUANTITY), QUANTITY),
    member("add", "quantity_add_int", (QUANTITY, INT), QUANTITY),
    member("sub", "quantity_sub", (QUANTITY, QUANTITY), QUANTITY),
    member("sub", "quantity_sub_int", (QUANTITY, INT), QUANTITY),
)

IPS: Final[tuple[Overload, ...]] = (
    overload("ip", "string_to_ip", (STRING,), IP),
    member("family", "ip_family", (IP,), INT),
    overload("ip.isCanonical", "ip_is_canonical", (STRING,), BOOL),
    member("isUnspecified", "ip_is_unspecified", (IP,), BOOL),
    member("isLoopback", "ip_is_loopback", (IP,), BOOL),
    member("isLinkLocalMulticast", "ip_is_link_local_multicast", (IP,), BOOL),
    member("isLinkLocalUnicast", "ip_is_link_local_unicast", (IP,), BOOL),
    member("isGlobalUnicast", "ip_is_global_unicast", (IP,), BOOL),
    overload("isIP", "is_ip", (STRING,), BOOL),
    overload("string", "ip_to_string", (IP,), STRING),
)
IP_TYPES: Final = (Variable("net.IP", type_type(IP)),)

CIDRS: Final[tuple[Overload, ...]] = (
    overload("cidr", "string_to_cidr", (STRING,), CIDR),
    member("containsIP", "cidr_contains_ip_string", (CIDR, STRING), BOOL),
    member("containsIP", "cidr_contains_ip_ip", (CIDR, IP), BOOL),
    member("containsCIDR", "cidr_contains_cidr_string", (CIDR, STRING), BOOL),
    member("containsCIDR", "cidr_contains_cidr", (CIDR, CIDR), BOOL),
    member("ip", "cidr_ip", (CIDR,), IP),
    member("prefixLength", "cidr_prefix_length", (CIDR,), INT),
    member("masked", "cidr_masked", (CIDR,), CIDR),
    overload("isCIDR", "is_cidr", (STRING,), BOOL),
    overload("string", "cidr_to_string", (CIDR,), STRING),
)
CIDR_TYPES: Final = (Variable("net.CIDR", type_type(CIDR)),)

FORMAT_NAMES: Final = (
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
)

FORMATS: Final[tuple[Overload, ...]] = (
    member("validate", "format-validate", (NAMED_FORMAT, STRING), optional_type(_STRINGS)),
    overload("format.named", "format-named", (STRING,), optional_type(NAMED_FORMAT)),
    *(overload(f"format.{name}", f"format.{name}", (), NAMED_FORMAT) for name in FORMAT_NAMES),
)

SEMVERS: Final[tuple[Overload, ...]] = (
    overload("semver", "string_to_semver", (STRING,), SEMVER),
    overload("semver", "string_bool_to_semver", (STRING, BOOL), SEMVER),
    overload("isSemver", "is_semver_string", (STRING,), BOOL),
    overload("isSemver", "is_semver_string_bool", (STRING, BOOL), BOOL),
    member("isGreaterThan", "semver_is_greater_than", (SEMVER, SEMVER), BOOL),
    member("isLessThan", "semver_is_less_than", (SEMVER, SEMVER), BOOL),
    member("compareTo", "semver_compare_to", (SEMVER, SEMVER), INT),
    member("major", "semver_major", (SEMVER,), INT),
    member("minor", "semver_minor", (SEMVER,), INT),
    member("patch", "semver_patch", (SEMVER,), INT),
)
