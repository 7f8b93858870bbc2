"""Errors of evaluation: values, exceptions of functions, failed planning, cancelled evaluation (types/err.go)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, TypeVar

from crdlint.cel.types import ERROR, Type

_T = TypeVar("_T")

NO_SUCH_OVERLOAD: Final = "no such overload"


@dataclass(frozen=True, slots=True)
class Error:
    """An error as a value (types.Err): its text, and the id of the expression where it arose, 0 if not known."""

    cel_type: ClassVar[Type] = ERROR

    message: str
    id: int = 0

    def cel_equal(self, _: object) -> Error:
        """Return this error: nothing can be compared with it."""
        return self

    def __str__(self) -> str:
        return self.message


NO_OVERLOAD: Final = Error(NO_SUCH_OVERLOAD)


def no_overload(value: object) -> Error:
    """Return `value` if it is an error, else the error that no overload accepts it (types.MaybeNoSuchOverloadErr)."""
    return value if type(value) is Error else NO_OVERLOAD


class FunctionError(ValueError):
    """Raised by a function that has no result for its arguments; ``str()`` is cel-go's text (types.NewErr).

    The evaluator catches it in one place, `functions`, and goes on with the `Error` of that text.
    """


class PlanError(Exception):
    """No program can be made of a checked expression; ``str()`` is cel-go's text."""


class CancelledError(Exception):
    """The end of an evaluation that no operator absorbs: the cost limit, or what is a panic in cel-go."""


NO_SUCH_KEY: Final = "no such key: "  # before the key
COST_LIMIT_EXCEEDED: Final = "operation cancelled: actual cost limit exceeded"


def with_expr_id(value: _T, id_: int) -> _T | Error:
    """Return `value`; an error that has no expression id yet gets `id_` (LabelErrNode)."""
    if isinstance(value, Error) and value.id == 0:
        return Error(value.message, id_)
    return value
