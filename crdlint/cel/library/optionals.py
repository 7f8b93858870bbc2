"""Optional values, versions 0 to 2 (cel-go's cel/library.go, optionalLib)."""

from __future__ import annotations

from typing import Final

from crdlint.cel.decls import Overload, Variable, member, overload
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

K: Final = type_param("K")
V: Final = type_param("V")
LIST_V: Final = list_type(V)
MAP_KV: Final = map_type(K, V)
OPT_V: Final = optional_type(V)
LIST_OPT_V: Final = list_type(OPT_V)

_BASE: Final[tuple[Overload, ...]] = (
    overload("optional.of", "optional_of", (V,), OPT_V),
    overload("optional.ofNonZeroValue", "optional_ofNonZeroValue", (V,), OPT_V),
    overload("optional.none", "optional_none", (), OPT_V),
    member("value", "optional_value", (OPT_V,), V),
    member("hasValue", "optional_hasValue", (OPT_V,), BOOL),
    member("or", "optional_or_optional", (OPT_V, OPT_V), OPT_V),
    member("orValue", "optional_orValue_value", (OPT_V, V), V),
    overload("_?._", "select_optional_field", (DYN, STRING), OPT_V),
    overload("_[?_]", "list_optindex_optional_int", (LIST_V, INT), OPT_V),
    overload("_[?_]", "optional_list_optindex_optional_int", (optional_type(LIST_V), INT), OPT_V),
    overload("_[?_]", "map_optindex_optional_value", (MAP_KV, K), OPT_V),
    overload("_[?_]", "optional_map_optindex_optional_value", (optional_type(MAP_KV), K), OPT_V),
    overload("_[_]", "optional_list_index_int", (optional_type(LIST_V), INT), OPT_V),
    overload("_[_]", "optional_map_index_value", (optional_type(MAP_KV), K), OPT_V),
)

ADDED_BY_VERSION_2: Final[tuple[Overload, ...]] = (
    member("last", "list_last", (LIST_V,), OPT_V),
    member("first", "list_first", (LIST_V,), OPT_V),
    overload("optional.unwrap", "optional_unwrap", (LIST_OPT_V,), LIST_V),
    member("unwrapOpt", "optional_unwrapOpt", (LIST_OPT_V,), LIST_V),
)

TYPES: Final = (Variable("optional_type", type_type(opaque_type("optional_type"))),)


def functions(version: int) -> tuple[Overload, ...]:
    """Return the overloads of a version."""
    return _BASE if version < 2 else _BASE + ADDED_BY_VERSION_2
