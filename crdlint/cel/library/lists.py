"""List functions, versions 0 to 3 (cel-go's ext/lists.go)."""

from __future__ import annotations

from typing import Final

from crdlint.cel.decls import Overload, member, overload
from crdlint.cel.types import BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, UINT, list_type, type_param

LIST_T: Final = list_type(type_param("T"))
COMPARABLE: Final = (INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES)

_BASE: Final[tuple[Overload, ...]] = (member("slice", "list_slice", (LIST_T, INT, INT), LIST_T),)

_VERSION_1: Final[tuple[Overload, ...]] = (
    member("flatten", "list_flatten", (list_type(LIST_T),), LIST_T),
    member("flatten", "list_flatten_int", (list_type(DYN), INT), list_type(DYN)),
)

_VERSION_2: Final[tuple[Overload, ...]] = (
    *(member("sort", f"list_{key.name}_sort", (list_type(key),), list_type(key)) for key in COMPARABLE),
    *(
        member("@sortByAssociatedKeys", f"list_{key.name}_sortByAssociatedKeys", (LIST_T, list_type(key)), LIST_T)
        for key in COMPARABLE
    ),
    overload("lists.range", "lists_range", (INT,), list_type(INT)),
    member("reverse", "list_reverse", (LIST_T,), LIST_T),
    member("distinct", "list_distinct", (LIST_T,), LIST_T),
)


def functions(version: int) -> tuple[Overload, ...]:
    """Return the overloads of a version; 3 only adds costs."""
    return _BASE + (_VERSION_1 if version >= 1 else ()) + (_VERSION_2 if version >= 2 else ())
