"""Upstream's Semantic.DeepEqual over the model: nil and empty lists and maps are equal, an int and a float are not."""

from __future__ import annotations

from typing import Any, Final

from crdlint.crd.model import PROVENANCE
from crdlint.crd.record import Record


def semantic_equal(left: Any, right: Any) -> bool:
    """Tell whether two values of the model are equal (equality.Semantic.DeepEqual); depth is bounded by memory only."""
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
    """Queue the fields of two records that need a look; False where scalars differ already."""
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
    """Return a field's value, None for an empty map, which is what nil ``dependencies`` are in the model."""
    return None if value.__class__ is dict and not value else value


def _is_empty(value: Any) -> bool:
    """Tell whether this is a list without items, given or not."""
    return isinstance(value, (list, tuple)) and not value


_SCALARS: Final = frozenset({str, int, float, bool, bytes, type(None)})
