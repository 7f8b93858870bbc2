"""The functions of Kubernetes' environment made runnable: declarations joined to implementations, and their costs."""

from __future__ import annotations

import math
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.ast import Uint
from crdlint.cel.eval.cost import Costs, actual_size
from crdlint.cel.eval.errors import NO_OVERLOAD
from crdlint.cel.eval.functions import Functions, Implementation
from crdlint.cel.eval.optimize import RegexOptimization
from crdlint.cel.eval.regex import refuse_invalid
from crdlint.cel.eval.values import NONE, Duration, Optional_, element, find, kind_of
from crdlint.cel.library import format as formatting
from crdlint.cel.library import list_functions as lists
from crdlint.cel.library import lists as list_declarations
from crdlint.cel.library import set_functions as sets
from crdlint.cel.library import string_functions as strings
from crdlint.cel.library.optional_functions import MAP_INSERTS, OPTIONALS
from crdlint.cel.library.standard_functions import BOUND, SINGLETONS
from crdlint.cel.types import Kind
from crdlint.kubecel.runtime import addresses, formats, quantity, regexes, semver, urls
from crdlint.kubecel.runtime import lists as kubernetes_lists
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crdlint.cel.decls import Overload
    from crdlint.cel.env import Env
    from crdlint.cel.eval.functions import Bound
    from crdlint.kubernetes.dialect import CELDialect

_STRINGS: Final[dict[str, Bound]] = {
    "string_char_at_int": strings.char_at,
    "string_index_of_string": strings.index_of,
    "string_index_of_string_int": strings.index_of,
    "string_last_index_of_string": strings.last_index_of,
    "string_last_index_of_string_int": strings.last_index_of,
    "string_lower_ascii": strings.lower_ascii,
    "string_upper_ascii": strings.upper_ascii,
    "string_replace_string_string": strings.replace,
    "string_replace_string_string_int": strings.replace,
    "string_split_string": strings.split,
    "string_split_string_int": strings.split,
    "string_substring_int": strings.substring,
    "string_substring_int_int": strings.substring,
    "string_trim": strings.trim,
    "list_join": strings.join,
    "list_join_string": strings.join,
    "string_format": formatting.format_string,
    "strings_quote": strings.quote,
}

_LISTS: Final[dict[str, Bound]] = {
    "list_slice": lists.slice_,
    "list_flatten": Implementation(lists.flatten, guarded=False),
    "list_flatten_int": Implementation(lists.flatten, guarded=False),
    "lists_range": lists.range_,
    "list_reverse": lists.reverse,
    "list_distinct": lists.distinct,
    **{f"list_{key.name}_sort": lists.sort_values for key in list_declarations.COMPARABLE},
    **{f"list_{key.name}_sortByAssociatedKeys": lists.sort_by_keys for key in list_declarations.COMPARABLE},
}

_COMPARABLE: Final = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_ZEROS: Final = {"int": 0, "uint": Uint(0), "double": 0.0, "duration": Duration(0)}


def _sum(zero: Any) -> Callable[[Sequence[Any]], Any]:
    return lambda values: kubernetes_lists.sum_(values, zero)


def _named(name: str) -> Optional_:
    found = formats.named(name)
    return NONE if found is None else Optional_(found)


def _validated(format_: formats.NamedFormat, text: str) -> Optional_:
    refusals = formats.validate(format_, text)
    return NONE if refusals is None else Optional_(refusals)


def _format(name: str) -> Callable[[], Any]:
    return lambda: formats.FORMATS[name]


_KUBERNETES: Final[dict[str, Bound]] = {
    "string_to_url": urls.url,
    "url_get_scheme": urls.get_scheme,
    "url_get_host": urls.get_host,
    "url_get_hostname": urls.get_hostname,
    "url_get_port": urls.get_port,
    "url_get_escaped_path": urls.get_escaped_path,
    "url_get_query": urls.get_query,
    "is_url_string": urls.is_url,
    "string_find_string": regexes.find,
    "string_find_all_string": regexes.find_all,
    "string_find_all_string_int": regexes.find_all,
    **{f"list_{name}_is_sorted_bool": kubernetes_lists.is_sorted for name in _COMPARABLE},
    **{f"list_{name}_sum_{name}": _sum(zero) for name, zero in _ZEROS.items()},
    **{f"list_{name}_min_{name}": kubernetes_lists.min_ for name in _COMPARABLE},
    **{f"list_{name}_max_{name}": kubernetes_lists.max_ for name in _COMPARABLE},
    "list_a_index_of_int": kubernetes_lists.index_of,
    "list_a_last_index_of_int": kubernetes_lists.last_index_of,
    "string_to_quantity": quantity.quantity,
    "is_quantity_string": quantity.is_quantity,
    "quantity_sign": quantity.sign,
    "quantity_is_greater_than": quantity.is_greater_than,
    "quantity_is_less_than": quantity.is_less_than,
    "quantity_compare_to": quantity.compare_to,
    "quantity_get_float": quantity.as_approximate_float,
    "quantity_get_int": quantity.as_integer,
    "quantity_is_integer": quantity.is_integer,
    "quantity_add": quantity.add,
    "quantity_add_int": quantity.add,
    "quantity_sub": quantity.sub,
    "quantity_sub_int": quantity.sub,
    "string_to_ip": addresses.ip,
    "ip_family": addresses.family,
    "ip_is_canonical": addresses.ip_is_canonical,
    "ip_is_unspecified": addresses.is_unspecified,
    "ip_is_loopback": addresses.is_loopback,
    "ip_is_link_local_multicast": addresses.is_link_local_multicast,
    "ip_is_link_local_unicast": addresses.is_link_local_unicast,
    "ip_is_global_unicast": addresses.is_global_unicast,
    "is_ip": addresses.is_ip,
    "ip_to_string": str,
    "string_to_cidr": addresses.cidr,
    "cidr_contains_ip_string": addresses.contains_ip,
    "cidr_contains_ip_ip": addresses.contains_ip,
    "cidr_contains_cidr_string": addresses.contains_cidr,
    "cidr_contains_cidr": addresses.contains_cidr,
    "cidr_ip": addresses.cidr_ip,
    "cidr_prefix_length": addresses.prefix_length,
    "cidr_masked": addresses.masked,
    "is_cidr": addresses.is_cidr,
    "cidr_to_string": str,
    "format-validate": _validated,
    "format-named": _named,
    **{f"format.{name}": _format(name) for name in formats.FORMATS},
    "string_to_semver": semver.semver,
    "string_bool_to_semver": semver.semver,
    "is_semver_string": semver.is_semver,
    "is_semver_string_bool": semver.is_semver,
    "semver_is_greater_than": semver.is_greater_than,
    "semver_is_less_than": semver.is_less_than,
    "semver_compare_to": semver.compare_to,
    "semver_major": semver.major,
    "semver_minor": semver.minor,
    "semver_patch": semver.patch,
}

_SETS: Final[dict[str, Bound]] = {
    "list_sets_contains_list": sets.contains,
    "list_sets_equivalent_list": sets.equivalent,
    "list_sets_intersects_list": sets.intersects,
}

_BOUND: Final[dict[str, Bound]] = {
    **BOUND,
    **OPTIONALS,
    **MAP_INSERTS,
    **_STRINGS,
    **_LISTS,
    **_SETS,
    **_KUBERNETES,
}
_BOUND_WITH_SPACES: Final[dict[str, Bound]] = {
    **_BOUND,
    "string_format": partial(formatting.format_string, spaced=True),
}


@cache
def functions_of(env: Env) -> Functions:
    """Return the functions that an environment declares, ready to be called."""
    overloads: list[Overload] = []
    for name in env.function_names():
        found = env.find_function(name)
        if found is not None:
            overloads.extend(found.overloads)
    bound = _BOUND if env.dialect.writes_powers_without_spaces else _BOUND_WITH_SPACES
    return Functions(overloads, bound, SINGLETONS)


def _find(pattern: str) -> Callable[..., Any]:
    refuse_invalid(pattern)
    return lambda text, _: regexes.find(text, pattern) if type(text) is str else NO_OVERLOAD


def _find_all(pattern: str) -> Callable[..., Any]:
    refuse_invalid(pattern)

    def run(text: Any, _: Any, limit: Any = -1) -> Any:
        return regexes.find_all(text, pattern, limit) if type(text) is str else NO_OVERLOAD

    return run


REGEX_OPTIMIZATIONS: Final = (RegexOptimization("find", 1, _find), RegexOptimization("findAll", 1, _find_all))

_TRAVERSAL: Final = 0.1
_PATTERN: Final = 0.25
_LIST_COST: Final = 10
_CONSTANT_COSTS: Final = frozenset(
    {
        *("serviceAccount", "path", "group", "resource", "subresource", "namespace", "name"),
        *("allowed", "reason", "error", "errored"),
        *("masked", "prefixLength", "family", "isUnspecified", "isLoopback"),
        *("isLinkLocalMulticast", "isLinkLocalUnicast", "isGlobalUnicast"),
        "format.named",
        *("sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo"),
        *("add", "sub", "major", "minor", "patch"),
        *("getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery"),
    }
)
_TRAVERSED_ONCE: Final = frozenset(
    {
        *("url", "lowerAscii", "upperAscii", "substring", "trim"),
        *("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"),
    }
)
_TRAVERSED_TWICE: Final = frozenset({"replace", "split", "ip.isCanonical"})
_COMPARED_AT_ONCE: Final = (
    quantity.Quantity,
    addresses.IP,
    addresses.CIDR,
    formats.NamedFormat,
    urls.URL,
    semver.Semver,
)


def _traversal(size: float) -> int:
    return math.ceil(size * _TRAVERSAL)


def _traversed(value: Any) -> int:
    """Return what it costs to look at all of a value (traversalCost)."""
    total = 0
    stack = [value]
    while stack:
        one = stack.pop()
        kind = kind_of(one)
        if kind is Kind.STRING:
            total += int(len(one.encode("utf-8", "surrogatepass")) * _TRAVERSAL)
        elif kind is Kind.BYTES:
            total += int(len(one) * _TRAVERSAL)
        elif kind is Kind.LIST:
            work.spend(len(one))
            stack.extend(one)
        elif kind is Kind.MAP:
            work.spend(len(one))
            keys = list(one)
            for key in keys:
                stack += (key, find(one, key))
            # A field that no schema knows has a key that is nothing, and no value.
            total += 2 * (len(one) - len(keys))
        else:
            total += 1
    return total


def _call_cost(function: str, overload: str, args: Sequence[Any], result: Any) -> int | None:
    """Return what a call of Kubernetes' libraries cost, None for others (CostEstimator.CallCost)."""
    if function in _CONSTANT_COSTS or overload == "cidr_ip":
        return 1
    if function in _TRAVERSED_ONCE or function == "ip":
        return _traversal(actual_size(args[0]))
    if function in _TRAVERSED_TWICE:
        return math.ceil(float(actual_size(args[0])) * 2 * _TRAVERSAL)
    own = _CALL_COSTS.get(function)
    return None if own is None else own(overload, args, result)


def _whole_list(_overload: str, args: Sequence[Any], _result: Any) -> int | None:
    return _traversed(args[0])


def _joined(_overload: str, _args: Sequence[Any], result: Any) -> int | None:
    return math.ceil(float(actual_size(result)) * 2 * _TRAVERSAL)


def _searched(_overload: str, args: Sequence[Any], _result: Any) -> int | None:
    return _traversal(1.0 + actual_size(args[0])) * math.ceil(actual_size(args[1]) * _PATTERN)


def _contains_ip(overload: str, args: Sequence[Any], _result: Any) -> int | None:
    size = actual_size(args[0])
    cost = _traversal(size + size)
    return cost + (_traversal(actual_size(args[1])) if overload == "cidr_contains_ip_string" else 0)


def _contains_cidr(overload: str, args: Sequence[Any], _result: Any) -> int | None:
    size = actual_size(args[0])
    cost = _traversal(size + size) + _traversal(size) + 1
    return cost + (_traversal(actual_size(args[1])) if overload == "cidr_contains_cidr_string" else 0)


def _validate(_overload: str, args: Sequence[Any], _result: Any) -> int | None:
    if not isinstance(args[0], formats.NamedFormat):
        return None
    return _traversal(1.0 + actual_size(args[1])) * math.ceil(args[0].max_regex_size * _PATTERN)


def _equal(_overload: str, args: Sequence[Any], _result: Any) -> int | None:
    return 1 if isinstance(args[0], _COMPARED_AT_ONCE) else None


_CALL_COSTS: Final[dict[str, Callable[[str, Sequence[Any], Any], int | None]]] = {
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), _whole_list),
    "join": _joined,
    "find": _searched,
    "findAll": _searched,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
    "_==_": _equal,
}


def _set_cost(factor: float) -> Callable[[Sequence[Any], Any], int | None]:
    return lambda args, _: 1 + int(float(actual_size(args[0]) * actual_size(args[1])) * factor)


def _allocated(factor: float, size: int) -> int:
    return 1 + _LIST_COST + int(float(size) * factor)


def _of_result(_args: Sequence[Any], result: Any) -> int:
    return _allocated(1, actual_size(result))


def _flattened(args: Sequence[Any], _result: Any) -> int:
    return _allocated(float(args[1]) if len(args) == 2 else 1.0, actual_size(args[0]))


def _compared(index: int) -> Callable[[Sequence[Any], Any], int]:
    """Return the cost of comparing each element of a list with each other."""

    def cost(args: Sequence[Any], _result: Any) -> int:
        values = args[index]
        size = len(values)
        textual = size > 0 and kind_of(element(values, 0)) in (Kind.STRING, Kind.BYTES)
        return _allocated(2.0 + _TRAVERSAL if textual else 2.0, size * size)

    return cost


_KEY_NAMES: Final = tuple(key.name for key in list_declarations.COMPARABLE)

_OVERLOAD_COSTS: Final = {
    "list_sets_contains_list": _set_cost(1),
    "list_sets_intersects_list": _set_cost(1),
    "list_sets_equivalent_list": _set_cost(2),
    "list_slice": _of_result,
    "list_flatten": _flattened,
    "list_flatten_int": _flattened,
    "lists_range": _of_result,
    "list_reverse": _of_result,
    "list_distinct": _compared(0),
    **{f"list_{name}_sort": _compared(0) for name in _KEY_NAMES},
    **{f"list_{name}_sortByAssociatedKeys": _compared(1) for name in _KEY_NAMES},
}


@cache
def costs_of(dialect: CELDialect) -> Costs:
    """Return how a server counts the cost of evaluating expressions."""
    foreign = set() if dialect.quantity_cost_by_length else {"quantity", "isQuantity"}
    if not dialect.compares_library_types_at_once:
        foreign.add("_==_")

    def of_call(function: str, overload: str, args: Sequence[Any], result: Any) -> int | None:
        return None if function in foreign else _call_cost(function, overload, args, result)

    return Costs(
        presence_test_has_cost=False,
        selection_from_error_has_cost=dialect.selection_from_error_has_cost,
        overloads=_OVERLOAD_COSTS,
        estimator=of_call if foreign else _call_cost,
    )
