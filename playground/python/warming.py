"""Ask what the page can ask, before the memory of Python is saved: a visitor then waits for no import and no cache."""

from __future__ import annotations

import gc
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import costing
import editing
import tracing

import playground

if TYPE_CHECKING:
    from collections.abc import Iterator

# A key and an expression without their ends, which are corrected by code of their own.
_BROKEN: Final = (("rule: ", "rule: self.( || "), ("spec:", "spec"))


def ask_all(examples: str) -> None:
    """Ask all questions about examples, which are given as the page has them, and forget the answers.

    Regular expressions are missing here, because their engine is JavaScript: what needs one is left out.
    """
    given: list[dict[str, Any]] = json.loads(examples)
    newest = json.loads(playground.versions())["default"]
    for example in given:
        for asked in _variants({**example, "version": example["version"] or newest}):
            _ask(json.dumps(asked))
    playground.linted.cache_clear()
    gc.collect()


def _variants(example: dict[str, Any]) -> Iterator[dict[str, Any]]:
    place = {"text": "crd", "line": 1, "column": 1, "expression": "1 + 1", "field": "spec"}
    yield {**example, **place}
    for good, broken in _BROKEN:
        if good in example["crd"]:
            yield {**example, **place, "crd": example["crd"].replace(good, broken, 1)}


def _ask(request: str) -> None:
    for function in (
        playground.check,
        playground.fixed,
        costing.costs,
        tracing.trace,
        tracing.evaluate,
        editing.complete,
        editing.hover,
    ):
        with suppress(ImportError):
            function(request)
