"""The language server: requests and notifications of the protocol, and when documents are checked."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any, BinaryIO, Final, TypeVar, cast

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from crdlint.__about__ import __version__
from crdlint.files.recognition import KIND
from crdlint.lsp import actions
from crdlint.lsp.actions import diagnostic_of
from crdlint.lsp.checks import Checked, Checks
from crdlint.lsp.complete import TRIGGERS, completions
from crdlint.lsp.cursor import cursor_at
from crdlint.lsp.hover import hover_of
from crdlint.lsp.lenses import SHOW, hints_of, in_main_branch, lenses_of, links_of
from crdlint.lsp.navigation import definition_at, references_at, related_to, symbols_of
from crdlint.lsp.resources import needs_crds
from crdlint.lsp.workspace import OpenDocument, Workspace, settings_of
from crdlint.rules import catalog

_AtPosition = lsp.HoverParams | lsp.DefinitionParams | lsp.ReferenceParams

T = TypeVar("T")

# Seconds without a change before a document is checked: as long as its last check took, within these bounds.
_SHORTEST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 0.05
_MOST_RELATED: Final = 20  # findings on resources whose places in the CRD are looked for
_LARGEST_MESSAGE: Final = 256 * 1024 * 1024  # bytes
_LONGEST_HEADER: Final = 1024  # bytes; Python reads no number of more than 4,300 digits
_WATCHED: Final = ("**/*.yaml", "**/*.yml", "**/*.json", "**/pyproject.toml")


class Protocol(LanguageServerProtocol):
    """The protocol, with documents of our own: pygls also ends lines at characters that are not line breaks in LSP."""

    def __init__(self, server: LanguageServer, converter: Any) -> None:
        super().__init__(server, converter)
        for method in (
            lsp.TEXT_DOCUMENT_DID_OPEN,
            lsp.TEXT_DOCUMENT_DID_CHANGE,
            lsp.TEXT_DOCUMENT_DID_CLOSE,
        ):
            del self.fm.builtin_features[method]

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Return a message as its type; answer a request whose parameters are not of their types with an error."""
        try:
            return super().structure_message(data)
        except Exception as error:
            if isinstance(data.get("id"), (str, int)) and "method" in data:
                code = lsp.ErrorCodes.InvalidParams
                self._send_response(
                    data["id"], error=lsp.ResponseError(code, str(error) or "invalid parameters")
                )
            raise


class EditorServer(LanguageServer):
    """A server for one client, with all checks in one thread, one after the other, since they share what they know."""

    def __init__(self) -> None:
        super().__init__("crdlint", __version__, protocol_cls=Protocol)
        self.documents: Final = Workspace()
        self.checks: Final = Checks(self.documents)
        self._worker: Final = ThreadPoolExecutor(1, "checks")
        self._scanner: Final = ThreadPoolExecutor(1, "scanner")
        self._scanning: asyncio.Task[None] | None = None
        self._pending: Final[dict[str, asyncio.Task[None]]] = {}
        self._took: Final[dict[str, float]] = {}
        self._published: Final[dict[str, lsp.PublishDiagnosticsParams]] = {}
        self._shown: Final[set[str]] = set()

    async def work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return the result of a function that runs in the thread of the checks."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *arguments)

    async def answer(
        self, identifier: lsp.TextDocumentIdentifier, function: Callable[[OpenDocument], T]
    ) -> T | None:
        """Return the result of a function for a document, None if it is not open."""
        document = self.document(identifier.uri)
        return None if document is None else await self.work(function, document)

    def check_soon(self, document: OpenDocument, *, at_once: bool = False) -> None:
        """Check a document after a pause, unless it changes before."""
        self._cancel(document.uri)
        pause = (
            0.0
            if at_once
            else min(max(self._took.get(document.uri, 0), _SHORTEST_PAUSE), _LONGEST_PAUSE)
        )
        self._pending[document.uri] = asyncio.ensure_future(self._check(document, pause))

    def start_over(self) -> None:
        """Check the open documents again, and look for CRDs in the folders of the workspace."""
        in_main_branch.cache_clear()
        self.refresh_all()
        if self._scanning is not None:
            self._scanning.cancel()
        self._scanning = asyncio.ensure_future(self._scan())

    async def _scan(self) -> None:
        folders = tuple(self.documents.folders)
        files = await asyncio.get_running_loop().run_in_executor(
            self._scanner, self.checks.index.scan, folders
        )
        if await self.work(self.checks.index.use, files):
            self.refresh_all()

    def refresh_others(self, changed: OpenDocument) -> None:
        """Check the other open documents again that may depend on the CRDs of a changed one."""
        if KIND in changed.text.text:
            others = (
                document
                for document in self.documents.documents.values()
                if document.uri != changed.uri
            )
            self.refresh(filter(needs_crds, others))

    def refresh(self, documents: Iterable[OpenDocument]) -> None:
        """Check documents again."""
        again = tuple(documents)
        self._worker.submit(self.checks.forget, again)  # behind a check that is under way
        for document in again:
            self.check_soon(document)

    def refresh_all(self) -> None:
        """Check all open documents again."""
        self.refresh(self.documents.documents.values())

    def close(self, uri: str) -> None:
        """Forget a document, and take its diagnostics back."""
        self._cancel(uri)
        self._took.pop(uri, None)
        document = self.document(uri)
        self.documents.close(uri)
        self.checks.close(uri)
        if document is not None:
            self.refresh_others(document)  # resources are validated against the saved CRD again
        self._published.pop(uri, None)
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))

    def stop(self) -> None:
        """End what is under way."""
        for task in self._pending.values():
            task.cancel()
        self._worker.shutdown(wait=False, cancel_futures=True)
        self._scanner.shutdown(wait=False, cancel_futures=True)

    def document(self, uri: object) -> OpenDocument | None:
        """Return an open document."""
        return self.documents.documents.get(str(uri))

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Write an error to the client's log: most are the answer to a message of its own."""
        del source
        self.window_log_message(
            lsp.LogMessageParams(lsp.MessageType.Error, f"{type(error).__name__}: {error}")
        )

    def show_once(self, message: str, type_: lsp.MessageType = lsp.MessageType.Error) -> None:
        """Show a message to the user, if it was not shown before."""
        if message not in self._shown:
            self._shown.add(message)
            self.window_show_message(lsp.ShowMessageParams(type_, message))

    def _cancel(self, uri: str) -> None:
        task = self._pending.pop(uri, None)
        if task is not None:
            task.cancel()

    async def _check(self, document: OpenDocument, pause: float) -> None:
        await asyncio.sleep(pause)
        checked, diagnostics, seconds = await self.work(self._diagnostics, document)
        if not self.documents.is_current(document):
            return
        self._took[document.uri] = seconds
        for problem in checked.problems:
            self.show_once(f"crdlint: {problem}")
        for bug in checked.bugs:
            self.show_once(f"crdlint: a bug in crdlint while checking {document.path}: {bug.text}")
        published = lsp.PublishDiagnosticsParams(document.uri, diagnostics, document.version)
        if self._published.get(document.uri) != published:
            self._published[document.uri] = published
            self.text_document_publish_diagnostics(published)

    def _diagnostics(self, document: OpenDocument) -> tuple[Checked, list[lsp.Diagnostic], float]:
        start = time.thread_time()
        checked = self.checks.of(document)
        first, others = checked.findings[:_MOST_RELATED], checked.findings[_MOST_RELATED:]
        findings = (
            *(replace(each, related=related_to(each, document, self.checks)) for each in first),
            *others,
        )
        diagnostics = [
            diagnostic_of(finding, document, self.documents.read) for finding in findings
        ]
        return checked, diagnostics, time.thread_time() - start


def new_server() -> EditorServer:
    """Return a server with all of its features."""
    server = EditorServer()
    _add_lifecycle(server)
    _add_documents(server)
    _add_actions(server)
    _add_reading(server)
    _add_outlines(server)
    return server


def _add_lifecycle(server: EditorServer) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        documents = server.documents
        documents.encoding = (
            server.protocol.workspace.position_encoding or lsp.PositionEncodingKind.Utf16
        )
        documents.settings = settings_of(params.initialization_options)
        folders = [folder.uri for folder in params.workspace_folders or ()]
        documents.add_folders(folders or ([params.root_uri] if params.root_uri else []))

    def show_problems() -> None:
        for problem in server.documents.settings.problems:
            server.show_once(f"crdlint: {problem}", lsp.MessageType.Warning)

    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def did_change_configuration(params: lsp.DidChangeConfigurationParams) -> None:
        settings = params.settings.get("crdlint") if isinstance(params.settings, dict) else None
        if settings is not None:  # Neovim and Emacs send an empty object after the start
            server.documents.settings = settings_of(settings)
            show_problems()
            server.refresh_all()

    @server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        show_problems()
        if get_capability(
            server.client_capabilities, "workspace.did_change_watched_files.dynamic_registration"
        ):
            watchers = [lsp.FileSystemWatcher(pattern) for pattern in _WATCHED]
            options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
            registration = lsp.Registration(
                "files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options
            )
            server.client_register_capability(lsp.RegistrationParams([registration]))
        server.start_over()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def did_change_folders(params: lsp.DidChangeWorkspaceFoldersParams) -> None:
        server.documents.remove_folders(folder.uri for folder in params.event.removed)
        server.documents.add_folders(folder.uri for folder in params.event.added)
        server.start_over()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def did_change_files(_: lsp.DidChangeWatchedFilesParams) -> None:
        server.start_over()


def _add_documents(server: EditorServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def did_open(params: lsp.DidOpenTextDocumentParams) -> None:
        opened = params.text_document
        document = server.documents.open(opened.uri, opened.version, opened.text)
        server.check_soon(document, at_once=True)
        server.refresh_others(document)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def did_change(params: lsp.DidChangeTextDocumentParams) -> None:
        edited = params.text_document
        document = server.documents.change(edited.uri, edited.version, params.content_changes)
        if document is not None:
            server.check_soon(document)
            server.refresh_others(document)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def did_save(_: lsp.DidSaveTextDocumentParams) -> None:
        server.start_over()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)


def _add_actions(server: EditorServer) -> None:
    def takes_versions() -> bool:
        return bool(
            get_capability(server.client_capabilities, "workspace.workspace_edit.document_changes")
        )

    options = lsp.CodeActionOptions(code_action_kinds=actions.KINDS, resolve_provider=True)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_action(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        resolved = (
            get_capability(
                server.client_capabilities, "text_document.code_action.resolve_support.properties"
            )
            or ()
        )

        def actions_of(document: OpenDocument) -> list[lsp.CodeAction]:
            resolves, versioned, read = "edit" in resolved, takes_versions(), server.documents.read
            request = actions.ActionRequest(
                document, params.range, params.context.only, resolves, versioned, read
            )
            return actions.actions_of(request, server.checks)

        return await server.answer(params.text_document, actions_of) or []

    @server.feature(lsp.CODE_ACTION_RESOLVE)
    async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
        data = action.data if isinstance(action.data, dict) else {}
        document = server.document(data.get("uri"))
        if document is not None and document.version == data.get("version"):
            versioned = takes_versions()
            action.edit = await server.work(
                lambda: actions.fixing_edit(document, server.checks, versioned=versioned)
            )
        return action

    @server.command(actions.EXPLAIN)
    def explain(rule: str) -> str | None:
        try:
            text = actions.explanation(catalog.get(rule))
        except KeyError:
            return None
        return show(text)

    @server.command(SHOW)
    def show(text: str) -> str:
        server.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, text))
        return text


def _add_reading(server: EditorServer) -> None:
    async def at_cursor(
        params: _AtPosition, function: Callable[..., T], *arguments: Any
    ) -> T | None:
        """Return the result of a function for the place of a request, None if nothing is there."""

        def run(document: OpenDocument) -> T | None:
            cursor = cursor_at(document.text.text, document.text.index(params.position))
            return (
                None
                if cursor is None or cursor.is_behind
                else function(document, cursor, *arguments)
            )

        return await server.answer(params.text_document, run)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        text = await at_cursor(params, hover_of, server.checks)
        return None if text is None else lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, text))

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> lsp.Location | None:
        return await at_cursor(params, definition_at, server.checks, server.documents.read)

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        return await at_cursor(params, references_at, server.checks) or []


def _add_outlines(server: EditorServer) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=TRIGGERS)
    )
    async def completion(params: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        snippets = get_capability(
            server.client_capabilities, "text_document.completion.completion_item.snippet_support"
        )

        def run(document: OpenDocument) -> list[lsp.CompletionItem]:
            return completions(
                document,
                document.text.index(params.position),
                server.checks,
                snippets=bool(snippets),
            )

        return await server.answer(params.text_document, run) or []

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        return await server.answer(params.text_document, symbols_of) or []

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        checked = server.checks.of
        return (
            await server.answer(
                params.text_document, lambda document: lenses_of(document, checked(document))
            )
            or []
        )

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_LINK)
    async def links(params: lsp.DocumentLinkParams) -> list[lsp.DocumentLink]:
        return await server.answer(params.text_document, links_of) or []

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        checked, range_ = server.checks.of, params.range
        return (
            await server.answer(
                params.text_document, lambda each: hints_of(each, checked(each), range_)
            )
            or []
        )


class _Input:
    """Standard input, from which neither a header nor a message without an end is read."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream: Final = stream

    def readline(self) -> bytes:
        """Return a line of a header, empty at the end of the input and after a line that is too long."""
        line = self._stream.readline(_LONGEST_HEADER)
        return b"" if len(line) == _LONGEST_HEADER else line

    def read(self, size: int) -> bytes:
        """Return a message, empty if it is too large."""
        return b"" if size > _LARGEST_MESSAGE else self._stream.read(size)


def serve(stdin: BinaryIO, stdout: BinaryIO) -> int:
    """Serve a client until it ends, and return the exit status: 1 if it ends without a request to shut down."""
    server = new_server()
    stop = Event()
    reading = ThreadPoolExecutor(1, "reader")
    server.protocol.set_writer(StdoutWriter(stdout))
    reader = StdinAsyncReader(cast("BinaryIO", _Input(stdin)), reading)
    try:
        asyncio.run(
            run_async(stop, reader, server.protocol, error_handler=server.report_server_error)
        )
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 1
    except BrokenPipeError:
        return 1
    finally:
        server.stop()
        reading.shutdown(wait=False, cancel_futures=True)
    return 1


def main() -> int:
    """Serve the client at standard input and output, to which nothing else is written."""
    logging.disable(logging.CRITICAL)  # what is of use goes to the client's log
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb", buffering=0) as stdout:
        os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
        return serve(sys.stdin.buffer, stdout)
