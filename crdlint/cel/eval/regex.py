"""Regular expressions by RE2, with Go's error messages. Upstream: types.String.Match, interpreter.MatchesRegexOptimization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.decls import RegexOptimization
from crdlint.cel.eval.errors import NO_OVERLOAD, FunctionError, PlanError
from crdlint.golang import matching

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.eval.values import Value


def matches(text: str, pattern: str) -> bool:
    """Return whether a pattern matches anywhere in a text; raise FunctionError with Go's text if it is invalid."""
    try:
        return matching.matches(pattern, text)
    except matching.PatternError as error:
        raise FunctionError(str(error)) from None


def check_pattern(pattern: str) -> None:
    """Raise PlanError with Go's text if a constant pattern is invalid."""
    try:
        matching.check(pattern)
    except matching.PatternError as error:
        raise PlanError(str(error)) from None


def matcher(pattern: str) -> Callable[..., Value]:
    """Return the function of a call with a constant pattern; raise PlanError with Go's text if it is invalid."""
    check_pattern(pattern)

    def run(text: Value, _: Value) -> Value:
        return matches(text, pattern) if type(text) is str else NO_OVERLOAD

    return run


MATCHES: Final = RegexOptimization("matches", 1, matcher)
