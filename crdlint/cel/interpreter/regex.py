"""`matches`: whether a text has a match of a regular expression, by RE2 with Go's error texts (types.String.Match)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.interpreter.errors import NO_OVERLOAD, PlanError
from crdlint.cel.runtime.errors import FunctionError
from crdlint.golang import matching

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.interpreter.values import Value
    from crdlint.golang.matching import Pattern


def compiled(pattern: str) -> Pattern:
    """Return a compiled expression; raise FunctionError with Go's text where it is none."""
    try:
        return matching.compiled(pattern)
    except matching.PatternError as error:
        raise FunctionError(str(error)) from None


def matches(text: str, pattern: str) -> bool:
    """Whether an expression matches anywhere in a text; raise FunctionError with Go's text where it is none."""
    return compiled(pattern).search(text.encode("utf-8", "surrogatepass")) is not None


def matcher(pattern: str) -> Callable[..., Value]:
    """Return the function of a call with a constant expression; raise PlanError with Go's text where it is none."""
    try:
        search = compiled(pattern).search
    except FunctionError as error:
        raise PlanError(str(error)) from None

    def run(text: Value, _: Value) -> Value:
        if type(text) is not str:
            return NO_OVERLOAD
        return search(text.encode("utf-8", "surrogatepass")) is not None

    return run
