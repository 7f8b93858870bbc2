"""Texts checked and fixed, each once for all tests that look at the result."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from crds import EVERY_RULE

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.runner.fixes import fix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.linting.result import FileResult
    from crdlint.runner.fixes import Fixed


@cache
def check(text: str) -> FileResult:
    """Return the result of a text, with fixes."""
    return lint_file(text, "x", CheckRequest(skip_unfinished=True, fixes=True))


@cache
def fixed(text: str, *, unsafe: bool) -> Fixed:
    """Return what the fixes make of a text."""
    return fix(check(text), check, unsafe=unsafe, config=EVERY_RULE)


def errors(result: FileResult) -> list[str]:
    """Return the messages of the errors."""
    return [finding.message for finding in result.diagnostics if finding.severity == "error"]


def leaves(
    value: object, path: tuple[object, ...] = ()
) -> Iterator[tuple[tuple[object, ...], object]]:
    """Yield the path and value of every scalar and empty collection."""
    below: list[tuple[object, object]] = []
    if isinstance(value, dict):
        below = list(value.items())
    elif isinstance(value, list):
        below = list(enumerate(value))
    if not below:
        yield path, value
    for name, one in below:
        yield from leaves(one, (*path, name))
