"""A server for one client: its documents, and when they are checked."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, Final, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol

from crdlint.__about__ import __version__
from crdlint.files.recognition import KIND
from crdlint.lsp.actions import diagnostic_of
from crdlint.lsp.checks import Checked, Checks
from crdlint.lsp.lenses import in_main_branch
from crdlint.lsp.navigation import related_to
from crdlint.lsp.resources import needs_crds
from crdlint.lsp.workspace import OpenDocument, Workspace

T = TypeVar("T")

# Seconds without a change before a document is checked: as long as its last check took, within these bounds.
_SHORTEST_PAUSE: Final = 0.02
_LONGEST_PAUSE: Final = 0.05
_MOST_RELATED: Final = 20  # findings on resources whose places in the CRD are looked for


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

    async def answers(
        self, identifier: lsp.TextDocumentIdentifier, function: Callable[[OpenDocument], list[T]]
    ) -> list[T]:
        """Return the list that a function makes of a document, empty if it is not open."""
        return await self.answer(identifier, function) or []

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
