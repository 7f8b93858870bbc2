"""The language server: its life, the documents that the client opens, and the streams to it."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import BinaryIO, Final, cast

from lsprotocol import types as lsp
from pygls.capabilities import get_capability
from pygls.io_ import StdinAsyncReader, StdoutWriter, run_async

from crdlint.gathering import object_of
from crdlint.lsp.features import add_features
from crdlint.lsp.session import EditorServer
from crdlint.lsp.workspace import settings_of

_LARGEST_MESSAGE: Final = 256 * 1024 * 1024  # bytes
_LONGEST_HEADER: Final = 1024  # bytes; Python reads no number of more than 4,300 digits
_WATCHED: Final = ("**/*.yaml", "**/*.yml", "**/*.json", "**/pyproject.toml")


def new_server() -> EditorServer:
    """Return a server with all of its features."""
    server = EditorServer()
    _add_lifecycle(server)
    _add_documents(server)
    add_features(server)
    return server


def watches_files(server: EditorServer) -> bool:
    """Return whether the client sends the changes of files that the server asks for."""
    capability = "workspace.did_change_watched_files.dynamic_registration"
    return bool(get_capability(server.client_capabilities, capability))


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
        settings = object_of(params.settings).get("crdlint")
        if settings is not None:  # Neovim and Emacs send an empty object after the start
            server.documents.settings = settings_of(settings)
            show_problems()
            server.refresh_all()

    @server.feature(lsp.INITIALIZED)
    def initialized(_: lsp.InitializedParams) -> None:
        show_problems()
        if watches_files(server):
            watchers = list(map(lsp.FileSystemWatcher, _WATCHED))
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
        if not watches_files(server):  # else the client also sends the change of the file
            server.start_over()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def did_close(params: lsp.DidCloseTextDocumentParams) -> None:
        server.close(params.text_document.uri)


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
            run_async(
                stop,
                reader,
                server.protocol,
                error_handler=server.report_server_error,
            )
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
