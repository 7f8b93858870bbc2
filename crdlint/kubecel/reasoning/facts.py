"""What is known of objects, and of the values that expressions have on them."""

from __future__ import annotations

import math
from typing import Final, TypeAlias

from crdlint.kubecel.reasoning import domains
from crdlint.kubecel.reasoning.domains import FAILED, Domain
from crdlint.light import NamedTuple

# The fields that lead from a value to another one below it, with ITEM for an item of a list, and VALUE for one of a map.
FieldPath: TypeAlias = "tuple[str, ...]"
ITEM: Final = "[*]"
VALUE: Final = "[key]"


class Facts:
    """What is known of the objects: here nothing, except that they lack some fields."""

    unknown: Domain = domains.COMPUTED

    def __init__(self, absent: frozenset[FieldPath] = frozenset()) -> None:
        self._absent = absent

    def values(self, path: FieldPath) -> Domain:
        """Return the values at a path; the field of an object, or the item of a list, that is there."""
        if path in self._absent:
            return FAILED
        return domains.FIELD if path and path[-1] not in {ITEM, VALUE} else domains.PRESENT

    def sizes(self, path: FieldPath) -> Domain:  # noqa: ARG002
        """Return the sizes of the texts, lists or objects at a path."""
        return domains.SIZES

    def match(self, path: FieldPath, pattern: str) -> bool:  # noqa: ARG002
        """Return whether all texts at a path match a pattern."""
        return False

    def never_match(self, path: FieldPath, pattern: str) -> bool:  # noqa: ARG002
        """Return whether no text at a path matches a pattern."""
        return False

    def excludes(self, path: FieldPath, text: str) -> bool:  # noqa: ARG002
        """Return whether no text at a path is equal to another one."""
        return False

    def covers(self, pattern: str, other: str) -> bool:  # noqa: ARG002
        """Return whether all texts that match a pattern match another one."""
        return False

    def are_disjoint(self, pattern: str, other: str) -> bool:  # noqa: ARG002
        """Return whether no text matches two patterns."""
        return False

    def lengths(self, pattern: str) -> tuple[float, float]:  # noqa: ARG002
        """Return the lengths of the shortest and of the longest text that match a pattern."""
        return 0, math.inf


class Value(NamedTuple):
    """The values that an expression can have in a case.

    `domain`: the values.
    `name`: a name, which is equal for expressions that have the same value.
    `path`: the path of a field or item of the object.
    `is_open`: whether a condition selects the operand that the case does not decide.
    `elements`: the elements of a list or map, if they are known.
    `size`: the size of a list or map, if it is known.
    """

    domain: Domain
    name: str
    path: FieldPath | None = None
    is_open: bool = False
    elements: tuple[Value, ...] | None = None
    size: Domain | None = None
