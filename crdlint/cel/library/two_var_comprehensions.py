"""The functions that macros of two-variable comprehensions call. Upstream: cel-go's ext/comprehensions.go."""

from __future__ import annotations

from typing import Any, Final

from crdlint.cel.decls import Implementation, overload
from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.go_text import go_text
from crdlint.cel.eval.values import MISSING, Map, MutableMap, find
from crdlint.cel.types import map_type, type_param
from crdlint.safety import work


def _insert(target: Any, key: Any, value: Any) -> Any:
    """Return a map with one more entry, or an error if the key exists; a mutable map grows in place.

    Upstream: ext.InsertMapKeyValue.
    """
    if find(target, key) is not MISSING:
        return Error(f"insert failed: key {go_text(key)} already exists")
    if type(target) is MutableMap:
        target.insert(key, value)
        return target
    work.spend(len(target))
    return Map([*((old, find(target, old)) for old in target), (key, value)])


def _insert_all(target: Any, update: Any) -> Any:
    """Return a map with the entries of another map, or an error for a key in both."""
    if type(target) is not MutableMap and len(update):
        # Copy once; the result is the same as copying for each entry.
        work.spend(len(target))
        growing = MutableMap([(key, find(target, key)) for key in target])
        result = _insert_all(growing, update)
        return result if type(result) is Error else growing.frozen()
    work.spend(2 * len(update))
    for key in list(update):
        result = _insert(target, key, find(update, key))
        if type(result) is Error:
            return result
    return target


_K: Final = type_param("K")
_V: Final = type_param("V")
_MAP: Final = map_type(_K, _V)

FUNCTIONS: Final = (
    overload(
        "cel.@mapInsert", "@mapInsert_map_key_value", (_MAP, _K, _V), _MAP, Implementation(_insert, variadic=True)
    ),
    overload("cel.@mapInsert", "@mapInsert_map_map", (_MAP, _MAP), _MAP, _insert_all),
)
