"""Findings mended in the user's own text.

A fix is safe where no object that was taken before is refused, or taken otherwise, afterwards; limits are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.effort import Effort
from crdlint.results import by_schema
from crdlint.yaml.edit import Edit, apply, remove_entry, set_entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.positions import Locator
    from crdlint.results import FileResult


def fixed(result: FileResult, *, unsafe: bool) -> str:
    """Return the text of a file, linted with its rules kept, with what can be mended mended."""
    edits = list(_unused_optional_old_self(result))
    if unsafe:
        edits.extend(_limits(result))
    return apply(result.text, edits)


def limits_set(result: FileResult) -> str:
    """Return the text of a file, linted with its rules kept, with the limits set that bring its rules below budget."""
    return apply(result.text, _limits(result))


def _unused_optional_old_self(result: FileResult) -> Iterator[Edit]:
    for found in result.rules:
        judged = found.judged
        if judged.rule.optional_old_self is None or judged.compiled.uses_old_self or judged.compiled.rule.error:
            continue
        for mapping in found.locator.mappings(judged.path):
            yield _in_file(result, found.locator, remove_entry(found.locator.text, mapping, "optionalOldSelf"))


def _limits(result: FileResult) -> Iterator[Edit]:
    from crdlint.costs.suggest import Plan

    effort = Effort()
    for rules in by_schema(result.rules):
        locator = rules[0].locator
        for limit, value in Plan([found.judged for found in rules], effort).values:
            for mapping in locator.mappings(limit.schema.path):
                edit = set_entry(locator.text, mapping, limit.keyword, str(value), before="type")
                yield _in_file(result, locator, edit)


def _in_file(result: FileResult, locator: Locator, edit: Edit) -> Edit:
    """Return an edit of a document as one of its file."""
    at = 0
    for _ in range(locator.line_offset):
        at = result.text.index("\n", at) + 1
    return Edit(edit.start + at, edit.end + at, edit.text)
