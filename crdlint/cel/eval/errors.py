"""Errors of evaluation: error values, and exceptions for functions, planning and cancellation. Upstream: types/err.go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from crdlint.cel.types import ERROR, Type

NO_SUCH_OVERLOAD: Final = "no such overload"


@dataclass(frozen=True, slots=True)
class Error:
    """An error as a value. Upstream: types.Err."""

    cel_type: ClassVar[Type] = ERROR

    message: str

    def cel_equal(self, _: object) -> Error:
        """Return this error: comparing with an error fails."""
        return self

    def __str__(self) -> str:
        return self.message


NO_OVERLOAD: Final = Error(NO_SUCH_OVERLOAD)


def no_overload(value: object) -> Error:
    """Return `value` if it is an error, else the error "no such overload". Upstream: types.MaybeNoSuchOverloadErr."""
    return value if type(value) is Error else NO_OVERLOAD


class FunctionError(ValueError):
    """A function cannot compute a result; `str()` is the text of the `Error` evaluation goes on with. Upstream: types.NewErr."""


class PlanError(Exception):
    """A checked expression cannot be planned; `str()` is cel-go's text."""


class CancelledError(Exception):
    """Evaluation is cancelled and no operator can absorb it: the cost limit is exceeded, or cel-go panics."""


NO_SUCH_KEY: Final = "no such key: "  # before the key
COST_LIMIT_EXCEEDED: Final = "operation cancelled: actual cost limit exceeded"
