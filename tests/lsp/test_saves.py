"""How often documents are checked when a file is saved."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest
from editor import Editor
from lsprotocol import types as lsp
from tables import each
from test_reading import CRD

from crdlint.lsp.checks import Checks

if TYPE_CHECKING:
    from pathlib import Path

    from crdlint.lsp.workspace import OpenDocument

WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\nspec: {size: 1}\n"
TESTS = "crdName: widgets.example.com\ntests: {onCreate: [{name: a, initial: 'kind: Widget'}]}\n"
OPEN = {"crd.yaml": CRD, "widget.yaml": WIDGET, "a.testsuite.yaml": TESTS}


def watching(*, watches: bool) -> lsp.ClientCapabilities:
    """Return the capabilities of a client that sends the changes of files on request, or does not."""
    files = lsp.DidChangeWatchedFilesClientCapabilities(dynamic_registration=watches)
    return lsp.ClientCapabilities(
        workspace=lsp.WorkspaceClientCapabilities(did_change_watched_files=files)
    )


@pytest.fixture
def counts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the names of the documents that the server checks."""
    checked: list[str] = []
    check: Any = vars(Checks)["_check"]

    def counted(self: Checks, document: OpenDocument) -> Any:
        checked.append(document.path.rpartition("/")[2])
        return check(self, document)

    monkeypatch.setattr(Checks, "_check", counted)
    return checked


def settle(editor: Editor, name: str) -> None:
    """Wait for an answer that comes after all checks that are under way: the server makes one after the other."""
    for _ in range(3):
        params = lsp.CodeLensParams(editor.document(name))
        editor.do(editor.client.text_document_code_lens_async(params))
        editor.do(asyncio.sleep(0.2))  # longer than the server waits before a check


@each("watches", [True, False], ids=["with watched files", "without"])
def test_a_save_checks_each_open_document_once(
    watches: bool, tmp_path_factory: pytest.TempPathFactory, counts: list[str]
) -> None:
    folder: Path = tmp_path_factory.mktemp("saves")
    with Editor(folder, capabilities=watching(watches=watches)) as editor:
        for name, text in OPEN.items():
            editor.open(name, text, saved=True)
        settle(editor, "crd.yaml")
        assert bool(editor.watchers) == watches
        for size in (41, 42):  # as editors do: the file is written, and both messages are sent
            text = CRD.replace("self.size <= 10", f"self.size <= {size}")
            editor.retype("crd.yaml", text)
            settle(editor, "crd.yaml")
            counts.clear()
            (folder / "crd.yaml").write_text(text)
            editor.save("crd.yaml")
            if watches:
                event = lsp.FileEvent(editor.uri("crd.yaml"), lsp.FileChangeType.Changed)
                params = lsp.DidChangeWatchedFilesParams([event])
                editor.client.workspace_did_change_watched_files(params)
            settle(editor, "crd.yaml")
            assert sorted(counts) == sorted(OPEN)
