"""An editor: pygls' own client of the language server, which is a thread or the process of `crdlint lsp`."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from ast import literal_eval
from typing import TYPE_CHECKING, Any

from lsprotocol import types as lsp
from pygls.lsp.client import LanguageClient
from pygls.uris import from_fs_path

from crdlint.lsp.server import serve

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterable, Sequence
    from pathlib import Path


class Editor:
    """A client that keeps the diagnostics it is sent, and waits for those of a version."""

    def __init__(
        self,
        folder: Path,
        options: Any = None,
        capabilities: lsp.ClientCapabilities | None = None,
        *,
        process: bool = False,
    ) -> None:
        self.folder = folder
        self.loop = asyncio.new_event_loop()
        self.client = LanguageClient("tests", "1")
        self.published: list[lsp.PublishDiagnosticsParams] = []
        self.messages: list[str] = []
        self.watchers: list[Any] = []
        self.versions: dict[str, int] = {}
        self._news = asyncio.Event()
        self._listen()
        self._thread: threading.Thread | None = None
        self._status: int | None = None
        if process:
            self.do(self.client.start_io(sys.executable, "-m", "crdlint", "lsp"))
        else:
            self._start_thread()
        self.capabilities = capabilities or lsp.ClientCapabilities(
            workspace=lsp.WorkspaceClientCapabilities(
                workspace_edit=lsp.WorkspaceEditClientCapabilities(document_changes=True)
            )
        )
        self.initialized = self.do(
            self.client.initialize_async(
                lsp.InitializeParams(
                    capabilities=self.capabilities,
                    root_uri=self.uri(""),
                    workspace_folders=[lsp.WorkspaceFolder(self.uri(""), "root")],
                    initialization_options=options,
                )
            )
        )
        self.client.initialized(lsp.InitializedParams())

    def _start_thread(self) -> None:
        listener = socket.create_server(("127.0.0.1", 0))
        address = listener.getsockname()

        def work() -> None:
            with (
                listener,
                listener.accept()[0] as connection,
                connection.makefile("rb") as given,
                connection.makefile("wb") as sent,
            ):
                self._status = serve(given, sent)
                connection.shutdown(socket.SHUT_RDWR)  # what still reads from it comes to an end

        self._thread = threading.Thread(target=work, daemon=True)
        self._thread.start()
        self.do(self.client.start_tcp(*address))

    def _listen(self) -> None:
        def add(params: lsp.ShowMessageParams | lsp.LogMessageParams) -> None:
            self.messages.append(params.message)
            self._news.set()

        def publish(params: lsp.PublishDiagnosticsParams) -> None:
            self.published.append(params)
            self._news.set()

        self.client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(publish)
        self.client.feature(lsp.WINDOW_SHOW_MESSAGE)(add)
        self.client.feature(lsp.WINDOW_LOG_MESSAGE)(add)
        self.client.feature(lsp.CLIENT_REGISTER_CAPABILITY)(
            lambda params: self.watchers.append(params)
        )

    def do(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine to its end."""
        return self.loop.run_until_complete(work)

    def uri(self, name: str) -> str:
        """Return the URI of a file of the workspace."""
        return from_fs_path(str(self.folder / name)) or ""

    def move(self, folder: Path) -> None:
        """Go to another folder, which is then the only one of the workspace."""
        event = lsp.WorkspaceFoldersChangeEvent(
            [lsp.WorkspaceFolder(from_fs_path(str(folder)) or "", "root")],
            [lsp.WorkspaceFolder(self.uri(""), "root")],
        )
        self.folder = folder
        self.client.workspace_did_change_workspace_folders(
            lsp.DidChangeWorkspaceFoldersParams(event)
        )

    def close_all(self) -> None:
        """Close all files, and forget what the server sent."""
        for name in self.versions:
            self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(self.document(name)))
        self.versions.clear()
        self.published.clear()
        self.messages.clear()

    def open(self, name: str, text: str, *, saved: bool = False) -> list[lsp.Diagnostic]:
        """Open a file, and return its diagnostics."""
        if saved:
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        self.versions[name] = 1
        item = lsp.TextDocumentItem(self.uri(name), "yaml", 1, text)
        self.client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        return self.diagnostics(name)

    def change(self, name: str, *changes: tuple[lsp.Range | None, str]) -> None:
        """Change a file, at ranges or as a whole."""
        self.versions[name] += 1
        events: list[lsp.TextDocumentContentChangeEvent] = [
            lsp.TextDocumentContentChangeWholeDocument(text)
            if range_ is None
            else lsp.TextDocumentContentChangePartial(range_, text)
            for range_, text in changes
        ]
        identifier = lsp.VersionedTextDocumentIdentifier(
            version=self.versions[name], uri=self.uri(name)
        )
        self.client.text_document_did_change(lsp.DidChangeTextDocumentParams(identifier, events))

    def retype(self, name: str, text: str) -> list[lsp.Diagnostic]:
        """Replace the text of a file, and return its diagnostics."""
        self.change(name, (None, text))
        return self.diagnostics(name)

    def diagnostics(self, name: str) -> list[lsp.Diagnostic]:
        """Wait for the diagnostics of the newest version of a file."""
        uri, version = self.uri(name), self.versions[name]

        def found() -> list[lsp.Diagnostic] | None:
            last = [one for one in self.published if one.uri == uri and one.version == version]
            return list(last[-1].diagnostics) if last else None

        result: list[lsp.Diagnostic] = self.wait_for(found)
        return result

    def wait_for_codes(self, name: str, codes: Sequence[str | None]) -> list[lsp.Diagnostic]:
        """Wait until a file has diagnostics of some codes, and return them."""
        uri = self.uri(name)

        def found() -> list[lsp.Diagnostic] | None:
            last = [list(one.diagnostics) for one in self.published if one.uri == uri][-1:]
            return (
                last[0]
                if last and sorted(str(one.code) for one in last[0]) == sorted(map(str, codes))
                else None
            )

        result: list[lsp.Diagnostic] = self.wait_for(found)
        return result

    def save(self, name: str) -> None:
        """Tell the server that a file was saved."""
        self.client.text_document_did_save(lsp.DidSaveTextDocumentParams(self.document(name)))

    def close_one(self, name: str) -> None:
        """Close a file."""
        del self.versions[name]
        self.client.text_document_did_close(lsp.DidCloseTextDocumentParams(self.document(name)))

    def wait_for(self, found: Any) -> Any:
        """Wait until a function returns something else than None, and return that."""

        async def wait() -> Any:
            while (result := found()) is None:
                self._news.clear()
                await self._news.wait()
            return result

        return self.do(wait())

    def document(self, name: str) -> lsp.TextDocumentIdentifier:
        """Return a file as requests name it."""
        return lsp.TextDocumentIdentifier(self.uri(name))

    def actions(self, name: str, range_: lsp.Range, *only: str) -> dict[str, lsp.CodeAction]:
        """Return the code actions of a range by title."""
        context = lsp.CodeActionContext([], only=list(only) or None)
        params = lsp.CodeActionParams(self.document(name), range_, context)
        found = self.do(self.client.text_document_code_action_async(params))
        return {one.title: _action(one) for one in found}

    def __enter__(self) -> Editor:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Shut the server down; it must end with status 0."""
        status = self.close()
        if kind is None:
            assert status == 0

    def close(self) -> int | None:
        """Shut the server down, and return its exit status."""
        self.do(self.client.shutdown_async(None))
        self.client.exit(None)
        return self.ended()

    def ended(self) -> int | None:
        """Wait for the end of the server, and return its exit status."""
        if self._thread is not None:
            self.do(asyncio.to_thread(self._thread.join))
            status = self._status
        else:
            process: Any = self.client._server  # noqa: SLF001
            status = self.do(process.wait())
        self.do(self.client.stop())  # type: ignore[no-untyped-call]
        self.loop.close()
        return status


def _action(given: lsp.CodeAction | lsp.Command) -> lsp.CodeAction:
    """Return an action; lsprotocol reads one that has a command as a command, with a text of the command."""
    if isinstance(given, lsp.CodeAction):
        return given
    return lsp.CodeAction(given.title, command=lsp.Command(**literal_eval(given.command)))


def applied(text: str, edits: Iterable[lsp.TextEdit]) -> str:
    """Return a text with edits applied, as an editor applies them (UTF-16)."""
    lines = text.split("\n")

    def offset(position: lsp.Position) -> int:
        line = lines[position.line]
        column = len(line.encode("utf-16-le")[: 2 * position.character].decode("utf-16-le"))
        return sum(len(one) + 1 for one in lines[: position.line]) + column

    found = sorted(
        ((offset(one.range.start), offset(one.range.end), one.new_text) for one in edits),
        reverse=True,
    )
    for start, end, new in found:
        text = text[:start] + new + text[end:]
    return text


def edits_of(action: lsp.CodeAction) -> list[lsp.TextEdit]:
    """Return the edits of an action with versioned edits of one document."""
    assert action.edit is not None
    changes = action.edit.document_changes
    assert changes is not None
    (one,) = changes
    assert isinstance(one, lsp.TextDocumentEdit)
    return [edit for edit in one.edits if isinstance(edit, lsp.TextEdit)]
