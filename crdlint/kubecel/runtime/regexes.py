"""The functions `find` and `findAll` (apiserver pkg/cel/library/regex.go), with Go's leftmost-first matches by RE2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.runtime.errors import FunctionError
from crdlint.golang.matching import PatternError, compiled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.golang.matching import Pattern


def find(text: str, pattern: str) -> str:
    """Return the first match, the empty string if there is none; raise FunctionError for a pattern that Go refuses."""
    return next(_matches(text, pattern), "")


def find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    """Return the first `limit` matches, all for a negative limit; raise FunctionError for a pattern that Go refuses."""
    return list(_matches(text, pattern, limit))


def _compile(pattern: str) -> Pattern:
    try:
        return compiled(pattern)
    except PatternError as error:
        raise FunctionError(f"Illegal regex: {error}") from None


def _matches(text: str, pattern: str, limit: int = -1) -> Iterator[str]:
    """Yield the text of each match; an empty one right after a match is none (Regexp.allMatches)."""
    expression = _compile(pattern)
    octets = text.encode("utf-8", "surrogatepass")
    at, count, last_end = 0, 0, -1
    while at <= len(octets) and count != limit:
        match = expression.search(octets, at)
        if match is None:
            return
        start, end = match.span()
        if end > at:
            at = end
            accepted = True
        else:
            accepted = start != last_end
            at = _next_character(octets, at)
        last_end = end
        if accepted:
            yield octets[start:end].decode("utf-8", "surrogatepass")
            count += 1


def _next_character(octets: bytes, at: int) -> int:
    at += 1
    while at < len(octets) and octets[at] & 0xC0 == 0x80:
        at += 1
    return at
