"""cel-go's strings library as Kubernetes uses it, and `find` and `findAll`. Upstream: apiserver pkg/cel/library/regex.go."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any, Final

from crdlint.cel import estimates
from crdlint.cel.ast import Literal
from crdlint.cel.decls import CallCost, member
from crdlint.cel.dialect import CELDialect
from crdlint.cel.errors import FunctionError
from crdlint.cel.estimates import (
    STRING_FACTOR,
    UINT64_MAX,
    ZERO,
    ASTNode,
    CallEstimate,
    Estimate,
    Estimator,
    size_of,
)
from crdlint.cel.eval.cost import of_match
from crdlint.cel.library import strings
from crdlint.cel.library.format import format_literals, format_string
from crdlint.cel.types import INT, STRING, list_type
from crdlint.kubecel.library.declaration import ALWAYS, READ, Library, element_of, of_sizes, reads


def _estimate_replace(text: Estimate, old: Estimate, new: Estimate) -> CallEstimate:
    most, most_kept = _replaced(text.max, old.min, grows=new.max > old.min)
    least, least_kept = _replaced(text.min, old.max, grows=old.max > new.min)
    result = Estimate(least, most).times(new).plus(Estimate(least_kept, most_kept))
    return CallEstimate(text.scaled(2 * STRING_FACTOR), result)


def _replaced(length: int, old: int, *, grows: bool) -> tuple[int, int]:
    """Return upstream's bounds: the number of replacements, and the number of characters that remain."""
    if old == 0:
        return min(length + 1, UINT64_MAX), length
    if not grows:
        return 0, length
    return min(math.ceil(float(length) / float(old)), UINT64_MAX), 0


def _estimate_split(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
    size = size_of(estimator, nodes[0])
    limit = nodes[2].expr if len(nodes) > 2 else None
    most = (
        limit.value & UINT64_MAX
        if isinstance(limit, Literal) and type(limit.value) is int
        else size.max
    )
    return CallEstimate(size.scaled(2 * STRING_FACTOR), Estimate(0, most))


def _estimate_join(estimator: Estimator, nodes: Sequence[ASTNode]) -> CallEstimate:
    elements, element = size_of(estimator, nodes[0]), element_of(nodes[0])
    size = ZERO if element is None else elements.times(size_of(estimator, element))
    if len(nodes) > 1:
        separators = Estimate(max(elements.min - 1, 0), max(elements.max - 1, 0))
        size = size.plus(size_of(estimator, nodes[1]).times(separators))
    return CallEstimate(size.traversal(), size)


def _older_bindings(dialect: CELDialect) -> Mapping[str, Callable[..., Any]]:
    """Return the functions that differ from those of the newest server."""
    bindings: dict[str, Callable[..., Any]] = {}
    if not dialect.writes_powers_without_spaces:
        bindings["string_format"] = partial(format_string, spaced=True)
    is_newest = dialect.allows_offsets_beyond_text and dialect.searches_empty_text_backwards
    if not (is_newest and dialect.checks_offsets_of_empty_text):
        for suffix in ("", "_int"):
            bindings[f"string_index_of_string{suffix}"] = partial(strings.index_of, dialect=dialect)
            bindings[f"string_last_index_of_string{suffix}"] = partial(
                strings.last_index_of, dialect=dialect
            )
    return bindings


VERSION_0: Final = Library(
    "strings, version 0",
    introduced=ALWAYS,
    removed=(1, 29),
    functions=strings.VERSION_0,
    older_bindings=_older_bindings,
)
LIBRARY: Final = Library(
    "strings",
    introduced=(1, 29),
    docs=strings.DOCS,
    functions=strings.FUNCTIONS,
    exempt=("format",),
    older_bindings=_older_bindings,
    # `indexOf` and `lastIndexOf` have the costs of the list functions of these names.
    costs={
        **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), READ),
        "replace": CallCost(of_sizes(3, _estimate_replace), reads(times=2)),
        "split": CallCost(_estimate_split, reads(times=2)),
        "join": CallCost(_estimate_join, lambda _values, result: reads(times=2)([result], result)),
    },
)
FORMAT_CLAUSES: Final = Library(
    "validation of format clauses",
    introduced=(1, 29),
    has=lambda dialect: dialect.checks_format_clauses,
    validators=(format_literals,),
)


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


_FIND: Final = of_sizes(
    2,
    lambda text, pattern: CallEstimate(estimates.match_cost(text, pattern), Estimate(0, text.max)),
)
REGEX: Final = Library(
    "regex",
    introduced=ALWAYS,
    docs={
        "find": "Returns the first match of a regular expression (RE2), empty if there is none.",
        "findAll": "Returns all matches of a regular expression (RE2); with a second argument, at most that many.",
    },
    functions=(
        member("find", "string_find_string", (STRING, STRING), STRING, _find),
        member("findAll", "string_find_all_string", (STRING, STRING), list_type(STRING), _find_all),
        member(
            "findAll",
            "string_find_all_string_int",
            (STRING, STRING, INT),
            list_type(STRING),
            _find_all,
        ),
    ),
    costs=dict.fromkeys(("find", "findAll"), CallCost(_FIND, of_match)),
    regexes={"find": _find, "findAll": _find_all},
)
