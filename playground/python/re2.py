"""The part of google-re2's interface that crdlint uses, on re2js: a port of RE2 to JavaScript."""

from __future__ import annotations

from typing import Any

from pyodide.ffi import JsException, to_js  # type: ignore[import-not-found]  # only in Pyodide


class error(Exception):  # noqa: N801, N818  the name in google-re2
    """A pattern that cannot be compiled."""


class Options:
    """Options of a pattern, none of which re2js needs."""

    log_errors = True
    never_capture = False
    max_mem = 0


class _Match:
    def __init__(self, start: int, end: int) -> None:
        self._span = (start, end)

    def span(self) -> tuple[int, int]:
        """Return the start and end of the match, in bytes."""
        return self._span


class _Pattern:
    def __init__(self, compiled: Any) -> None:
        self._compiled = compiled
        self.programsize: int = compiled.size

    def search(self, text: bytes, pos: int = 0) -> _Match | None:
        """Return the first match from an offset on, in bytes of UTF-8."""
        found = self._compiled.search(to_js(text), pos)
        return None if found is None else _Match(found[0], found[1])


def compile(pattern: str, options: Options | None = None) -> _Pattern:  # noqa: A001  google-re2's name
    """Compile a pattern; raise `error` if re2js rejects it."""
    # a module that worker.js registers, which the memory that the page starts with does not have
    from crdlint_re2js import compile as compiled  # type: ignore[import-not-found]

    del options
    try:
        return _Pattern(compiled(pattern))
    except JsException as problem:
        raise error(str(problem)) from None


def purge() -> None:
    """Do nothing: this module keeps no patterns."""
