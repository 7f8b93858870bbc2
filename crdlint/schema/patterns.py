"""Texts against patterns, by RE2, whose syntax and meaning are Go's."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:

    class Pattern(Protocol):
        """A compiled expression, of bytes of UTF-8."""

        def search(self, text: bytes) -> object | None:
            """Return the first match."""


_MAX_MEMORY: Final = 1 << 27


@lru_cache(maxsize=4096)
def compiled(pattern: str) -> Pattern | str:
    """Return a compiled expression, or the text of Go's error."""
    from crdlint.golang.regexp import compile_error

    refused = compile_error(pattern)
    if refused is not None:
        return refused
    import re2  # type: ignore[import-untyped, import-not-found, unused-ignore]

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    try:
        made: Pattern = re2.compile(pattern, options)
    except re2.error as error:
        return f"error parsing regexp: {error}"
    return made


def mismatch(pattern: str, text: str) -> str | None:
    """Return None for a text that has a match, else the pattern as it is named in the refusal."""
    expression = compiled(pattern)
    if isinstance(expression, str):
        return f"{pattern}, but pattern is invalid: {expression}"
    return None if expression.search(text.encode("utf-8", "surrogatepass")) is not None else pattern
