"""JSON values as Go holds them: copying, reflect.DeepEqual, and keys to find equal ones by, without recursion.

A value is None, bool, str, int (int64), float (float64), list or dict; an int and a float are never equal.
"""

from __future__ import annotations

from typing import Any, Final

from crdlint.safety import work

_CONTAINERS: Final[frozenset[type]] = frozenset({dict, list})


def deep_copy(value: Any) -> Any:
    """Return a copy that shares no container with the value (runtime.DeepCopyJSONValue)."""
    if value.__class__ not in _CONTAINERS:
        return value
    top: list[Any] = [value]
    pending: list[Any] = [top]
    while pending:
        container = pending.pop()
        for at, item in container.items() if container.__class__ is dict else enumerate(container):
            if item.__class__ in _CONTAINERS:
                container[at] = copied = _shallow(item)
                pending.append(copied)
    return top[0]


def _shallow(container: Any) -> Any:
    return container.copy()


def deep_equal(left: Any, right: Any) -> bool:
    """Tell whether two values are equal to reflect.DeepEqual: of the same types throughout."""
    pending = [(left, right)]
    while pending:
        one, other = pending.pop()
        kind = one.__class__
        if kind is not other.__class__:
            return False
        if kind not in _CONTAINERS:
            if one != other:
                return False
            continue
        if one is other:
            continue
        if len(one) != len(other):
            return False
        work.spend(len(one))
        if kind is list:
            pending.extend(zip(one, other, strict=True))
        else:
            for key, item in one.items():
                if key not in other:
                    return False
                pending.append((item, other[key]))
    return True


def equality_key(value: Any) -> tuple[Any, ...]:
    """Return what is equal for two values exactly where ``deep_equal`` says that they are, and can be hashed."""
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


def scalar_key(value: Any) -> tuple[type, Any]:
    """Return what stands for a scalar in a dict: as a key of Go's map[interface{}], the type counts."""
    return value.__class__, value
