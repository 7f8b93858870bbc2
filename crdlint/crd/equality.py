"""Upstream's Semantic.DeepEqual for the model: nil equals an empty list or map, an int does not equal a float."""

from __future__ import annotations

from typing import Any, Final

from crdlint.crd.model import PROVENANCE
from crdlint.crd.record import Record


def semantic_equal(left: Any, right: Any) -> bool:
    """Return whether two values of the model are equal, at any depth. Upstream: equality.Semantic.DeepEqual."""
    pending = [(left, right)]
    while pending:
        a, b = pending.pop()
        if a is b:
            continue
        kind = a.__class__
        if kind is not b.__class__:
            if not (_is_empty(a) and _is_empty(b)):
                return False
        elif kind in _SCALARS:
            if a != b:
                return False
        elif isinstance(a, Record):
            if not _push_fields(a, b, pending):
                return False
        elif len(a) != len(b):
            return False
        elif kind is dict:
            for key, value in a.items():
                if key not in b:
                    return False
                pending.append((value, b[key]))
        else:
            pending.extend(zip(a, b, strict=True))
    return True


def _push_fields(a: Record, b: Any, pending: list[tuple[Any, Any]]) -> bool:
    """Push the fields of two records that must be compared; return False if scalars differ already."""
    ours, theirs = a.__dict__, b.__dict__
    for name, value in ours.items():
        if name in PROVENANCE:
            continue
        other = theirs[name] if name in theirs else getattr(b, name)
        if value.__class__ is str and other.__class__ is str:
            if value != other:
                return False
        elif value is not other:
            pending.append((_no_nil(value), _no_nil(other)))
    for name, other in theirs.items():
        if name not in ours and name not in PROVENANCE:
            pending.append((_no_nil(getattr(a, name)), _no_nil(other)))
    return True


def _no_nil(value: Any) -> Any:
    """Return the value of a field, None for an empty map, because the model represents nil `dependencies` so."""
    return None if value.__class__ is dict and not value else value


def _is_empty(value: Any) -> bool:
    """Return whether this is an empty list, set or not."""
    return isinstance(value, (list, tuple)) and not value


_SCALARS: Final = frozenset({str, int, float, bool, bytes, type(None)})
