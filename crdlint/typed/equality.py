"""Equality of JSON values as structured-merge-diff has it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final


def same_values(left: Any, right: Any) -> bool:
    """Return whether two values are equal, and numbers by their value. Upstream: value.Equals."""
    pending = [(left, right)]
    while pending:
        first, second = pending.pop()
        parts = _parts(first, second)
        if parts is not None:
            pending += parts
        elif first.__class__ in _CONTAINERS or not _is_same_scalar(first, second):
            return False
    return True


_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})


def _parts(first: Any, second: Any) -> Iterable[tuple[Any, Any]] | None:
    """Return the parts of two objects or lists in pairs, None for other values and for those of another size."""
    kind = first.__class__
    if kind not in _CONTAINERS or second.__class__ is not kind or len(first) != len(second):
        return None
    if kind is list:
        return zip(first, second, strict=True)
    if first.keys() != second.keys():
        return None
    return [(item, second[name]) for name, item in first.items()]


def _is_same_scalar(first: Any, second: Any) -> bool:
    is_bool = first.__class__ is bool
    return bool(first == second) and is_bool is (second.__class__ is bool)
