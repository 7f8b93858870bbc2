"""Optional values and the map functions of two-variable comprehensions (cel-go's cel/library.go, ext/comprehensions.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.functions import Implementation
from crdlint.cel.eval.go_text import go_text
from crdlint.cel.eval.values import MISSING, NONE, Map, MutableMap, Optional_, element, find, is_zero
from crdlint.safety import work

if TYPE_CHECKING:
    from crdlint.cel.eval.functions import Bound
    from crdlint.cel.eval.values import Value


def of_non_zero_value(value: Value) -> Optional_:
    """Return an optional of a value, none of a zero or empty one."""
    return NONE if is_zero(value) else Optional_(value)


def _none() -> Optional_:
    return NONE


def _value(optional: Optional_) -> Value:
    return optional.value


def _has_value(optional: Optional_) -> bool:
    return optional.has_value


def _first(values: Value) -> Optional_:
    return Optional_(element(values, 0)) if len(values) else NONE


def _last(values: Value) -> Optional_:
    return Optional_(element(values, len(values) - 1)) if len(values) else NONE


def _unwrap(values: Value) -> Value:
    result: list[Value] = []
    work.spend(len(values))
    for value in values:
        if type(value) is not Optional_:
            return Error(f"value {go_text(value)} is not optional")
        if value.has_value:
            result.append(value.content)
    return result


OPTIONALS: Final[dict[str, Bound]] = {
    "optional_of": Optional_,
    "optional_ofNonZeroValue": of_non_zero_value,
    "optional_none": _none,
    "optional_value": _value,
    "optional_hasValue": _has_value,
    "list_last": _last,
    "list_first": _first,
    "optional_unwrap": _unwrap,
    "optional_unwrapOpt": _unwrap,
}


def insert(target: Value, key: Value, value: Value) -> Value:
    """Return a map with one more entry, or the error of a key that is there; a growing map grows (InsertMapKeyValue)."""
    if find(target, key) is not MISSING:
        return Error(f"insert failed: key {go_text(key)} already exists")
    if type(target) is MutableMap:
        target.insert(key, value)
        return target
    work.spend(len(target))
    return Map([*((old, find(target, old)) for old in target), (key, value)])


def insert_all(target: Value, update: Value) -> Value:
    """Return a map with the entries of another, or the error of a key in both."""
    if type(target) is not MutableMap and len(update):
        # As if copied for each entry, at the cost of one copy.
        work.spend(len(target))
        growing = MutableMap([(key, find(target, key)) for key in target])
        result = insert_all(growing, update)
        return result if type(result) is Error else growing.frozen()
    work.spend(2 * len(update))
    for key in list(update):
        result = insert(target, key, find(update, key))
        if type(result) is Error:
            return result
    return target


MAP_INSERTS: Final[dict[str, Bound]] = {
    "@mapInsert_map_key_value": Implementation(insert, variadic=True),
    "@mapInsert_map_map": insert_all,
}
