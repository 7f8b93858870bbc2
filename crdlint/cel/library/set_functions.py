"""Functions of lists as sets (cel-go's ext/sets.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.eval.equality import HashedMembers
from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.eval.values import kind_of
from crdlint.cel.types import Kind
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.eval.values import Value


def contains(values: Sequence[Value], part: Sequence[Value]) -> bool:
    """Whether every element of a list has an equal in another; raise FunctionError for an error before one without."""
    work.spend(len(values) + len(part))
    members = HashedMembers(values)
    for value in part:
        if kind_of(value) is Kind.ERROR:
            raise FunctionError(str(value))
        if value not in members:
            return False
    return True


def equivalent(first: Sequence[Value], second: Sequence[Value]) -> bool:
    """Whether each list contains the other."""
    return contains(first, second) and contains(second, first)


def intersects(first: Sequence[Value], second: Sequence[Value]) -> bool:
    """Whether an element of one list has an equal in the other."""
    work.spend(len(first) + len(second))
    members = HashedMembers(second)
    return any(value in members for value in first)
