"""The functions `find` and `findAll`, with Go's leftmost-first matches by RE2. Upstream: apiserver pkg/cel/library/regex.go."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.decls import CallCost, RegexOptimization, member
from crdlint.cel.estimates import CallEstimate, Estimate
from crdlint.cel.eval.errors import NO_OVERLOAD, FunctionError
from crdlint.cel.types import INT, STRING, list_type
from crdlint.kubecel.library.declaration import ALWAYS, Library, match_cost, of_sizes, track_match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def _find(text: str, pattern: str) -> str:
    return next(_matches(text, pattern), "")


def _find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    return list(islice(_matches(text, pattern), limit if limit >= 0 else None))


def _matches(text: str, pattern: str) -> Iterator[str]:
    from crdlint.golang.matching import PatternError, check, encoded, spans

    try:
        check(pattern)
    except PatternError as error:
        raise FunctionError(f"Illegal regex: {error}") from None
    octets = encoded(text)
    for start, end in spans(pattern, octets):
        yield octets[start:end].decode("utf-8", "surrogatepass")


def _compiled(function: Callable[..., Any]) -> Callable[[str], Callable[..., Any]]:
    """Return a function that compiles a constant regular expression into the function of all arguments."""

    def compile_(pattern: str) -> Callable[..., Any]:
        from crdlint.cel.eval.functions import check_pattern

        check_pattern(pattern)
        return lambda text, *rest: function(text, *rest) if type(text) is str else NO_OVERLOAD

    return compile_


def _estimate(text: Estimate, pattern: Estimate) -> CallEstimate:
    return CallEstimate(match_cost(text, pattern), Estimate(0, text.max))


LIBRARY: Final = Library(
    "regex",
    introduced=ALWAYS,
    functions=(
        member("find", "string_find_string", (STRING, STRING), STRING, _find),
        member("findAll", "string_find_all_string", (STRING, STRING), list_type(STRING), _find_all),
        member("findAll", "string_find_all_string_int", (STRING, STRING, INT), list_type(STRING), _find_all),
    ),
    costs=dict.fromkeys(("find", "findAll"), CallCost(of_sizes(2, _estimate), track_match)),
    regexes=(RegexOptimization("find", 1, _compiled(_find)), RegexOptimization("findAll", 1, _compiled(_find_all))),
)
