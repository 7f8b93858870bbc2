"""Set operations on lists (cel-go's ext/sets.go)."""

from __future__ import annotations

from typing import Final

from crdlint.cel.decls import Overload, overload
from crdlint.cel.types import BOOL, list_type, type_param

LIST_T: Final = list_type(type_param("T"))

FUNCTIONS: Final[tuple[Overload, ...]] = (
    overload("sets.contains", "list_sets_contains_list", (LIST_T, LIST_T), BOOL),
    overload("sets.equivalent", "list_sets_equivalent_list", (LIST_T, LIST_T), BOOL),
    overload("sets.intersects", "list_sets_intersects_list", (LIST_T, LIST_T), BOOL),
)
