"""What the macros of two-variable comprehensions call (cel-go's ext/comprehensions.go)."""

from __future__ import annotations

from typing import Final

from crdlint.cel.decls import Overload, overload
from crdlint.cel.types import map_type, type_param

K: Final = type_param("K")
V: Final = type_param("V")
MAP_KV: Final = map_type(K, V)

FUNCTIONS: Final[tuple[Overload, ...]] = (
    overload("cel.@mapInsert", "@mapInsert_map_key_value", (MAP_KV, K, V), MAP_KV),
    overload("cel.@mapInsert", "@mapInsert_map_map", (MAP_KV, MAP_KV), MAP_KV),
)
