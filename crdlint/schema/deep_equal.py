"""JSON values as in Go, without recursion: copying, reflect.DeepEqual, nulls, and hashable keys for equality.

A value is None, bool, str, int (int64), float (float64), list or dict; an int and a float are never equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from crdlint.safety import work

_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})


def deep_copy(value: Any) -> Any:
    """Return a copy that shares no container with the value. Upstream: runtime.DeepCopyJSONValue."""
    if value.__class__ not in _CONTAINERS:
        return value
    top: list[Any] = [value]
    pending: list[Any] = [top]
    while pending:
        container = pending.pop()
        parts = container.items() if container.__class__ is dict else enumerate(container)
        for slot, item in parts:
            if item.__class__ in _CONTAINERS:
                container[slot] = copied = _shallow(item)
                pending.append(copied)
    return top[0]


def _shallow(container: Any) -> Any:
    return container.copy()


def deep_equal(left: Any, right: Any) -> bool:
    """Return whether two values are equal, with equal types throughout. Upstream: reflect.DeepEqual."""
    pending = [(left, right)]
    while pending:
        first, second = pending.pop()
        kind = first.__class__
        if kind is not second.__class__:
            return False
        if kind not in _CONTAINERS:
            if first != second:
                return False
        elif first is not second:
            parts = _parts_to_compare(first, second)
            if parts is None:
                return False
            pending += parts
    return True


def _parts_to_compare(first: Any, second: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return the parts of two dicts or two lists in pairs, or None if they differ in their keys or size.

    A part of both is left out: copies of an object share their scalars.
    """
    if len(first) != len(second):
        return None
    work.spend(len(first))
    if first.__class__ is list:
        return [pair for pair in zip(first, second, strict=True) if pair[0] is not pair[1]]
    if first.keys() != second.keys():
        return None
    return [(item, second[key]) for key, item in first.items() if item is not second[key]]


def has_nulls(value: Any) -> bool:
    """Return whether an object, or one in it, has a field that is null."""
    pending: list[Any] = [value]
    while pending:
        container = pending.pop()
        parts = container
        if container.__class__ is dict:
            parts = container.values()
            if None in parts:
                return True
        pending += [part for part in parts if part.__class__ in _CONTAINERS]
    return False


def equality_key(value: Any) -> tuple[Any, ...]:
    """Return a hashable key that is equal for two values if and only if `deep_equal` is true for them."""
    tokens: list[Any] = []
    pending = [value]
    while pending:
        item = pending.pop()
        kind = item.__class__
        if kind is dict:
            names = sorted(item)
            tokens.append((kind, tuple(names)))
            pending.extend(item[name] for name in names)
        elif kind is list:
            tokens.append((kind, len(item)))
            pending.extend(item)
        else:
            tokens.append((kind, item))
    return tuple(tokens)
