"""What can go wrong: errors that are values, errors of planning, and the end of an evaluation (types/err.go)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

_T = TypeVar("_T")

NO_SUCH_OVERLOAD: Final = "no such overload"


@dataclass(frozen=True, slots=True)
class Error:
    """An error as a value (types.Err): its text, and the id of the expression where it arose, 0 if not known."""

    message: str
    id: int = 0

    def __str__(self) -> str:
        return self.message


NO_OVERLOAD: Final = Error(NO_SUCH_OVERLOAD)


class PlanError(Exception):
    """An expression that checks but of which no program can be made; ``str()`` is cel-go's text."""


class CancelledError(Exception):
    """The end of an evaluation that no operator absorbs: the cost limit, or what is a panic in cel-go."""


COST_LIMIT_EXCEEDED: Final = "operation cancelled: actual cost limit exceeded"


def labelled(value: _T, id_: int) -> _T | Error:
    """Return a value, an error without a place with this one (LabelErrNode)."""
    if isinstance(value, Error) and value.id == 0:
        return Error(value.message, id_)
    return value
