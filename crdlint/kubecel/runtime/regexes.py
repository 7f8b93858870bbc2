"""The functions `find` and `findAll` (apiserver pkg/cel/library/regex.go), with Go's leftmost-first matches by RE2."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from crdlint.cel.runtime.errors import FunctionError
from crdlint.golang.regexp import compile_error

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_MEMORY: Final = 1 << 27


class _Match(Protocol):
    def span(self) -> tuple[int, int]: ...


class _Pattern(Protocol):
    def search(self, text: bytes, pos: int) -> _Match | None: ...


def find(text: str, pattern: str) -> str:
    """Return the first match, the empty string if there is none; raise FunctionError for a pattern that Go refuses."""
    return next(_matches(text, pattern), "")


def find_all(text: str, pattern: str, limit: int = -1) -> list[str]:
    """Return the first `limit` matches, all for a negative limit; raise FunctionError for a pattern that Go refuses."""
    return list(_matches(text, pattern, limit))


@lru_cache(maxsize=256)
def _compile(pattern: str) -> _Pattern:
    refused = compile_error(pattern)
    if refused is not None:
        raise FunctionError(f"Illegal regex: {refused}")
    import re2  # type: ignore[import-untyped, import-not-found, unused-ignore]

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    try:
        compiled: _Pattern = re2.compile(pattern, options)
    except re2.error as error:
        raise FunctionError(f"Illegal regex: {error}") from None
    return compiled


def _matches(text: str, pattern: str, limit: int = -1) -> Iterator[str]:
    """Yield the text of each match; an empty one right after a match is none (Regexp.allMatches)."""
    compiled = _compile(pattern)
    octets = text.encode("utf-8", "surrogatepass")
    at, count, last_end = 0, 0, -1
    while at <= len(octets) and count != limit:
        match = compiled.search(octets, at)
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
