"""Types of structured-merge-diff. Upstream: schema/elements.go (Atom, List, Map).

A type is created when a value is checked against it, because a CRD has many more types than an object uses.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias

from crdlint.light import NamedTuple

Scalar: TypeAlias = "Literal['numeric', 'string', 'boolean', 'untyped']"


class ListType(NamedTuple):
    """A list: the type of its items, and whether an item is identified by its `keys`, or by its value without keys.

    The items of a list that is not associative are identified by their index.
    """

    item: Callable[[], FieldType]
    is_associative: bool = False
    keys: tuple[str, ...] = ()


class MapType(NamedTuple):
    """A map: the type of the value of a key, None for a field that is not declared, and the default of a field.

    `has` returns whether a field is declared by its name. A map that is atomic is owned and replaced as a whole.
    """

    value: Callable[[str], FieldType | None]
    default: Callable[[str], Any] = lambda _name: None
    has: Callable[[str], bool] = lambda _name: False
    is_atomic: bool = False


class FieldType(NamedTuple):
    """A type accepts the kinds of values that are not None; null is a value of every type."""

    scalar: Scalar | None = None
    list: ListType | None = None
    map: MapType | None = None

    def of(self, value: object) -> FieldType:
        """Return the part of the type for the kind of a value, or the whole type if it has no such part.

        Upstream: deduceAtom.
        """
        if value.__class__ in _SCALARS and self.scalar is not None:
            return FieldType(scalar=self.scalar)
        if value.__class__ is list and self.list is not None:
            return FieldType(list=self.list)
        if value.__class__ is dict and self.map is not None:
            return FieldType(map=self.map)
        return self


_SCALARS: Final[frozenset[type]] = frozenset({str, bool, int, float})

NUMERIC: Final = FieldType("numeric")
STRING: Final = FieldType("string")
BOOLEAN: Final = FieldType("boolean")
ANY_SCALAR: Final = FieldType("untyped")
# Any value, whose items and fields have any value, too: `__untyped_atomic_` and `__untyped_deduced_`.
ANY: Final[FieldType] = FieldType("untyped", ListType(lambda: ANY), MapType(lambda _name: ANY))
