"""`matches`: whether a text has a match of a regular expression, by RE2 with Go's error texts (types.String.Match)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol

from crdlint.cel.interpreter.errors import NO_OVERLOAD, PlanError
from crdlint.cel.runtime.errors import FunctionError
from crdlint.golang.regexp import compile_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.interpreter.values import Value

_MAX_MEMORY: Final = 1 << 27


class Pattern(Protocol):
    """A compiled expression, of bytes of UTF-8."""

    def search(self, text: bytes) -> object | None:
        """Return the first match."""


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Pattern:
    """Return a compiled expression; raise FunctionError with Go's text where it is none."""
    refused = compile_error(pattern)
    if refused is not None:
        raise FunctionError(refused)
    import re2  # type: ignore[import-untyped, import-not-found, unused-ignore]

    options = re2.Options()
    options.max_mem = _MAX_MEMORY
    options.log_errors = False
    try:
        result: Pattern = re2.compile(pattern, options)
    except re2.error as error:
        raise FunctionError(f"error parsing regexp: {error}") from None
    return result


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
