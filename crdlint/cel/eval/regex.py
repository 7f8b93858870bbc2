"""Regular expressions by RE2, with Go's error messages (types.String.Match, interpreter.MatchesRegexOptimization)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.decls import RegexOptimization
from crdlint.cel.eval.errors import NO_OVERLOAD, FunctionError, PlanError
from crdlint.golang import matching

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.values import Value


def matches(text: str, pattern: str) -> bool:
    """Whether an expression matches anywhere in a text; raise FunctionError with Go's text where it is none."""
    try:
        return matching.matches(pattern, text)
    except matching.PatternError as error:
        raise FunctionError(str(error)) from None


def refuse_invalid(pattern: str) -> None:
    """Raise PlanError with Go's text for a constant that is no expression."""
    try:
        matching.check(pattern)
    except matching.PatternError as error:
        raise PlanError(str(error)) from None


def matcher(pattern: str) -> Callable[..., Value]:
    """Return the function of a call with a constant expression; raise PlanError with Go's text where it is none."""
    refuse_invalid(pattern)

    def run(text: Value, _: Value) -> Value:
        return matches(text, pattern) if type(text) is str else NO_OVERLOAD

    return run


MATCHES: Final = RegexOptimization("matches", 1, matcher)
