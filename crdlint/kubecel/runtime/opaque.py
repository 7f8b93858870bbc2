"""What the values of Kubernetes' own types have in common."""

from __future__ import annotations

from crdlint.cel.eval.errors import NO_OVERLOAD, Error


class Opaque:
    """A value that can only be compared with one of its own type."""

    __slots__ = ()

    def cel_equal(self, other: object) -> bool | Error:
        """Whether the other is equal; an error where it is of another type."""
        return self == other if type(other) is type(self) else NO_OVERLOAD
