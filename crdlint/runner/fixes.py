"""Findings mended in the user's own text.

A fix is safe where no object that was taken before is refused, or taken otherwise, afterwards; limits are not.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from crdlint.linting.result import by_schema
from crdlint.safety.effort import Effort
from crdlint.yaml.edit import Edit, apply, remove_entry, set_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.crd.positions import Locator
    from crdlint.linting.result import FileResult, FoundRule


def fixed(result: FileResult, *, unsafe: bool) -> str:
    """Return the text of a file, linted with its rules kept, with every available fix applied."""
    edits = _unused_optional_old_self(result.rules)
    if unsafe:
        edits = chain(edits, _limits(result.rules))
    return apply(result.text, _in_file(result.text, edits))


def limit_edits(result: FileResult) -> list[Edit]:
    """Return the edits that set the limits which bring the rules of a file, linted with its rules kept, below budget."""
    return _in_file(result.text, _limits(result.rules))


def _unused_optional_old_self(rules: Iterable[FoundRule]) -> Iterator[tuple[Locator, Edit]]:
    """Yield edits, each with the locator of the document that it counts in."""
    for found in rules:
        judged = found.judged
        if judged.rule.optional_old_self is None or judged.compiled.uses_old_self or judged.compiled.rule.error:
            continue
        for mapping in found.locator.mappings(judged.path):
            yield found.locator, remove_entry(found.locator.text, mapping, "optionalOldSelf")


def _limits(found: Iterable[FoundRule]) -> Iterator[tuple[Locator, Edit]]:
    from crdlint.kubecel.cost.suggest import Plan

    effort = Effort()
    for rules in by_schema(found):
        locator = rules[0].locator
        for limit, value in Plan([found.judged for found in rules], effort).values:
            for mapping in locator.mappings(limit.schema.path):
                yield locator, set_entry(locator.text, mapping, limit.keyword, str(value), before="type")


def _in_file(text: str, edits: Iterable[tuple[Locator, Edit]]) -> list[Edit]:
    """Return edits of documents as edits of their file."""
    given = list(edits)
    starts = [0, *(match.end() for match in re.finditer("\n", text))] if given else []
    return [edit.moved(starts[locator.line_offset]) for locator, edit in given]
