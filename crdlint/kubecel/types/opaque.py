"""The CEL types of Kubernetes' own values, and the base class of these values."""

from __future__ import annotations

from typing import Final

from crdlint.cel.eval.errors import NO_OVERLOAD, Error
from crdlint.cel.types import object_type, opaque_type

URL: Final = object_type("kubernetes.URL")
QUANTITY: Final = object_type("kubernetes.Quantity")
SEMVER: Final = object_type("kubernetes.Semver")
NAMED_FORMAT: Final = object_type("kubernetes.NamedFormat")
IP: Final = opaque_type("net.IP")
CIDR: Final = opaque_type("net.CIDR")


class Opaque:
    """A value that can only be compared with values of the same type."""

    __slots__ = ()

    def cel_equal(self, other: object) -> bool | Error:
        """Return whether the other is equal, or an error if it has another type."""
        return self == other if type(other) is type(self) else NO_OVERLOAD
