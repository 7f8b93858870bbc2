"""Renaming a property of a CRD with everything in the CRD that names it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lsprotocol.types import Range

from crdlint.kubecel.declarations import escape
from crdlint.linting.result import FoundRule
from crdlint.lsp.cursor import Cursor, crd_of
from crdlint.lsp.navigation import property_at
from crdlint.lsp.occurrences import Occurrence, Occurrences
from crdlint.lsp.workspace import OpenDocument

if TYPE_CHECKING:
    from crdlint.lsp.checks import Checks  # what the playground does not load


class CannotRenameError(Exception):
    """A property cannot be renamed, for the reason of the text."""


class Renaming:
    """The property at a cursor, and everything in its CRD that names it."""

    def __init__(self, document: OpenDocument, cursor: Cursor, checks: Checks) -> None:
        """Find the property; raise CannotRenameError."""
        checked = checks.of(document)
        server = checks.versions(checked).newest
        schema = property_at(document, cursor, checks) if cursor.is_crd else None
        if schema is None:
            raise CannotRenameError("this is not a property of a schema")
        self._schema = schema
        occurrences = Occurrences(
            document,
            cursor,
            crd_of(cursor.root, server),
            schema,
        )
        if any(_is_broken(rule) for rule in checked.rules if cursor.has(rule.span)):
            raise CannotRenameError("a rule does not compile, so what it reads is not known")
        every = (
            *occurrences.declarations(),
            *occurrences.uses(checked.rules),
            *occurrences.in_defaults(),
        )
        self._occurrences = tuple({_ends(each.name): each for each in every}.values())
        self._here = document.text.position(cursor.index)

    def range(self) -> Range | None:
        """Return the name at the cursor, None if the cursor is at no name of the property."""
        here = self._here.line, self._here.character
        for each in self._occurrences:
            start, end = _ends(each.name)
            if start <= here <= end:
                return each.name
        return None

    def edits(self, new: str) -> list[tuple[Range, str]]:
        """Return the ranges to replace, and their texts; raise CannotRenameError for a name that cannot be used."""
        parent = self._schema.parent
        if not new:
            raise CannotRenameError("the new name is empty")
        if parent is not None and new in parent.properties and new != self._schema.steps[1]:
            raise CannotRenameError(f"there is a property {new} already")
        in_rules = any(each.in_cel for each in self._occurrences)
        if in_rules and escape(new) is None:
            raise CannotRenameError(f"rules cannot read a property named {new}")
        return list(self._changes(self._occurrences, new))

    @staticmethod
    def _changes(occurrences: tuple[Occurrence, ...], new: str) -> Iterator[tuple[Range, str]]:
        for each in occurrences:
            yield each.name, each.renamed(new)


def _ends(range_: Range) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the start and end of a range, each as line and character."""
    start, end = range_.start, range_.end
    return (start.line, start.character), (end.line, end.character)


def _is_broken(rule: FoundRule) -> bool:
    """Return whether an expression of a rule does not compile."""
    expressions = rule.estimated.compiled.expressions()
    return any(expression.error is not None for _, expression in expressions)
