"""Which of many values are equal to one of others, without comparing each with each where that can be avoided."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING, Final

from crdlint.cel.runtime.values import equal, type_of
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from crdlint.cel.runtime.values import Value

# Values of these kinds are equal exactly if their keys are.
_KEYED: Final = {
    Kind.BOOL: Kind.BOOL,
    Kind.INT: Kind.INT,
    Kind.UINT: Kind.INT,
    Kind.STRING: Kind.STRING,
    Kind.BYTES: Kind.BYTES,
    Kind.NULL: Kind.NULL,
    Kind.DURATION: Kind.DURATION,
    Kind.TIMESTAMP: Kind.TIMESTAMP,
}


class Members:
    """Values that can be asked for an equal of another (traits.Container).

    An integer equals a double if it is that as a double, so integers are also kept as such.
    """

    __slots__ = ("_doubles", "_integers", "_keys", "_others")

    def __init__(self, values: Iterable[Value] = ()) -> None:
        self._keys: set[Hashable] = set()
        self._integers: set[float] = set()
        self._doubles: set[float] = set()
        self._others: list[Value] = []
        for value in values:
            self.add(value)

    def add(self, value: Value) -> None:
        """Take a value among the members."""
        kind = type_of(value).kind
        key = _KEYED.get(kind)
        if key is not None:
            self._keys.add((key, value))
            if key is Kind.INT:
                self._integers.add(float(value))
        elif kind is not Kind.DOUBLE:
            self._others.append(value)
        elif not isnan(value):
            self._doubles.add(value)

    def __contains__(self, value: Value) -> bool:
        kind = type_of(value).kind
        key = _KEYED.get(kind)
        if key is not None:
            return (key, value) in self._keys or (key is Kind.INT and float(value) in self._doubles)
        if kind is Kind.DOUBLE:
            return not isnan(value) and (value in self._doubles or value in self._integers)
        return any(equal(value, other) for other in self._others)
