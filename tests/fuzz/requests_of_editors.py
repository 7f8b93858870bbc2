"""The requests of an editor, answered without a connection: for a document as a whole, and for each of its positions."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lsprotocol import types as lsp

from crdlint.lsp import actions
from crdlint.lsp.checks import Checks
from crdlint.lsp.complete import completions
from crdlint.lsp.cursor import cursor_at
from crdlint.lsp.hover import hover_of
from crdlint.lsp.lenses import hints_of, lenses_of, links_of
from crdlint.lsp.navigation import definition_at, references_at, related_to
from crdlint.lsp.symbols import symbols_of
from crdlint.lsp.workspace import OpenDocument, Workspace, uri_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_ALL: Final = lsp.Range(lsp.Position(0, 0), lsp.Position(2**31 - 1, 0))


class Session:
    """An editor with one folder in which a CRD and an object are open."""

    def __init__(self, folder: str, crd: str, resource: str) -> None:
        self._workspace: Final = Workspace(folders=[folder])
        self._checks: Final = Checks(self._workspace)
        self.documents: Final = [
            self._workspace.open(uri_of(str(Path(folder, name))), 1, text)
            for name, text in (("crd.yaml", crd), ("object.yaml", resource))
        ]
        self._checks.index.use((self.documents[0].path,))

    def ask(self, document: OpenDocument, indexes: Iterable[int]) -> None:
        """Ask for all that is shown of a document, and for all that is shown at positions of its text."""
        self._ask_once(document)
        for index in indexes:
            self._ask_at(document, index)

    def _ask_once(self, document: OpenDocument) -> None:
        checked = self._checks.of(document)
        for finding in checked.findings:
            related = related_to(finding, document, self._checks)
            shown = replace(finding, related=related)
            diagnostic = actions.diagnostic_of(shown, document, self._workspace.read)
            _check_range(document, diagnostic.range)
        symbols_of(document)
        links_of(document)
        for lens in lenses_of(document, checked):
            _check_range(document, lens.range)
        hints_of(document, checked, _ALL)
        request = actions.ActionRequest(document, _ALL, None, False, True, self._workspace.read)
        actions.actions_of(request, self._checks)
        actions.fixing_edit(document, self._checks, versioned=True)

    def _ask_at(self, document: OpenDocument, index: int) -> None:
        position = document.text.position(index)
        at = document.text.index(position)
        assert at in (index, index - 1)  # not between the characters of a line break
        read = self._workspace.read
        for item in completions(document, at, self._checks, snippets=bool(index % 2)):
            assert item.label
        here = lsp.Range(position, position)
        request = actions.ActionRequest(document, here, None, False, False, read)
        actions.actions_of(request, self._checks)
        cursor = cursor_at(document.text.text, at)
        if cursor is None or cursor.is_behind:
            return
        hover_of(document, cursor, self._checks)
        definition_at(document, cursor, self._checks, read)
        references_at(document, cursor, self._checks, has_declaration=True)


def _check_range(document: OpenDocument, given: lsp.Range) -> None:
    """Check that a range is in the text, and does not end before it starts."""
    text = document.text
    assert text.position(text.index(given.start)) == given.start
    assert text.index(given.start) <= text.index(given.end)


def ask(crd: str, resource: str, step: int = 1) -> None:
    """Open a CRD and an object in an editor, and ask for everything at each `step`-th position."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(folder, crd, resource)
        for document in session.documents:
            session.ask(document, range(0, len(document.text.text) + 1, step))
