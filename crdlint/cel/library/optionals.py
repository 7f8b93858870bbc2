"""Optional values, versions 0 to 2. Upstream: cel-go's cel/library.go (optionalLib)."""

from __future__ import annotations

from typing import Any, Final

from crdlint.cel.decls import Overload, Variable, member, overload
from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.go_text import go_text
from crdlint.cel.eval.values import NONE, Optional_, element, is_zero
from crdlint.cel.types import (
    BOOL,
    DYN,
    INT,
    STRING,
    list_type,
    map_type,
    opaque_type,
    optional_type,
    type_param,
    type_type,
)
from crdlint.safety import work


def _of(value: Any) -> Any:
    return Optional_(value)


def _of_non_zero_value(value: Any) -> Any:
    return NONE if is_zero(value) else Optional_(value)


def _none() -> Any:
    return NONE


def _element(values: Any, index: int) -> Any:
    return Optional_(element(values, index)) if len(values) else NONE


def _unwrap(values: Any) -> Any:
    result: list[Any] = []
    work.spend(len(values))
    for value in values:
        if type(value) is not Optional_:
            return Error(f"value {go_text(value)} is not optional")
        if value.has_value:
            result.append(value.content)
    return result


_K: Final = type_param("K")
_V: Final = type_param("V")
_LIST_V: Final = list_type(_V)
_MAP_KV: Final = map_type(_K, _V)
_OPT_V: Final = optional_type(_V)
_LIST_OPT_V: Final = list_type(_OPT_V)

# The planner implements `or`, `orValue`, and selection and indexing with `?`.
_BASE: Final = (
    overload("optional.of", "optional_of", (_V,), _OPT_V, _of),
    overload("optional.ofNonZeroValue", "optional_ofNonZeroValue", (_V,), _OPT_V, _of_non_zero_value),
    overload("optional.none", "optional_none", (), _OPT_V, _none),
    member("value", "optional_value", (_OPT_V,), _V, lambda optional: optional.value),
    member("hasValue", "optional_hasValue", (_OPT_V,), BOOL, lambda optional: optional.has_value),
    member("or", "optional_or_optional", (_OPT_V, _OPT_V), _OPT_V),
    member("orValue", "optional_orValue_value", (_OPT_V, _V), _V),
    overload("_?._", "select_optional_field", (DYN, STRING), _OPT_V),
    overload("_[?_]", "list_optindex_optional_int", (_LIST_V, INT), _OPT_V),
    overload("_[?_]", "optional_list_optindex_optional_int", (optional_type(_LIST_V), INT), _OPT_V),
    overload("_[?_]", "map_optindex_optional_value", (_MAP_KV, _K), _OPT_V),
    overload("_[?_]", "optional_map_optindex_optional_value", (optional_type(_MAP_KV), _K), _OPT_V),
    overload("_[_]", "optional_list_index_int", (optional_type(_LIST_V), INT), _OPT_V),
    overload("_[_]", "optional_map_index_value", (optional_type(_MAP_KV), _K), _OPT_V),
)

ADDED_BY_VERSION_2: Final = (
    member("last", "list_last", (_LIST_V,), _OPT_V, lambda values: _element(values, len(values) - 1)),
    member("first", "list_first", (_LIST_V,), _OPT_V, lambda values: _element(values, 0)),
    overload("optional.unwrap", "optional_unwrap", (_LIST_OPT_V,), _LIST_V, _unwrap),
    member("unwrapOpt", "optional_unwrapOpt", (_LIST_OPT_V,), _LIST_V, _unwrap),
)

TYPES: Final = (Variable("optional_type", type_type(opaque_type("optional_type"))),)


def functions(version: int) -> tuple[Overload, ...]:
    """Return the overloads of a version."""
    return _BASE if version < 2 else _BASE + ADDED_BY_VERSION_2
