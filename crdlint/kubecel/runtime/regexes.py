"""The functions `find` and `findAll` (apiserver pkg/cel/library/regex.go), with Go's leftmost-first matches by RE2."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from crdlint.cel.eval.errors import FunctionError
from crdlint.golang.matching import PatternError, check, encoded, spans

if TYPE_CHECKING:
    from collections.abc import Iterator


def find(text: str, pattern: str) -> str:
    """Return the first match, the empty string if there is none; raise FunctionError for a pattern that Go refuses."""
    return next(_matches(text, pattern), "")


def find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    """Return the first `limit` matches, all for a negative limit; raise FunctionError for a pattern that Go refuses."""
    return list(islice(_matches(text, pattern), limit if limit >= 0 else None))


def _matches(text: str, pattern: str) -> Iterator[str]:
    try:
        check(pattern)
    except PatternError as error:
        raise FunctionError(f"Illegal regex: {error}") from None
    octets = encoded(text)
    for start, end in spans(pattern, octets):
        yield octets[start:end].decode("utf-8", "surrogatepass")
