"""The documents that the client has open, the folders of the workspace, and what the client asks for."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from lsprotocol.types import PositionEncodingKind, TextDocumentContentChangePartial
from pygls.uris import from_fs_path, to_fs_path, urlparse

from crdlint.kubernetes.servers import parse_range
from crdlint.lsp.positions import Text, changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lsprotocol.types import TextDocumentContentChangeEvent


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """A version of an open document.

    ``path`` is that of its file. A document that is not a file has a path in the first folder of the workspace, which
    decides its configuration.
    """

    uri: str
    path: str
    version: int
    text: Text


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The client's ``initializationOptions``.

    ``kube_version`` replaces that of configurations. ``hidden`` also reports what the API server would report after the
    other findings are fixed. ``problems`` are the options that are not used, and why.
    """

    kube_version: str | None = None
    hidden: bool = False
    problems: tuple[str, ...] = ()


def settings_of(options: Any) -> EditorSettings:
    """Return the settings in ``initializationOptions``, which may be of any type."""
    if options is None:
        return EditorSettings()
    if not isinstance(options, dict):
        return EditorSettings(problems=("initializationOptions must be an object",))
    problems = [f"unknown option `{name}`" for name in options if name not in ("kubeVersion", "hidden")]
    version, hidden = options.get("kubeVersion"), options.get("hidden", False)
    if version is not None:
        try:
            parse_range(version if isinstance(version, str) else "")
        except ValueError as error:
            problems.append(f"`kubeVersion`: {error}")
            version = None
    if not isinstance(hidden, bool):
        problems.append("`hidden` must be true or false")
        hidden = False
    return EditorSettings(version, hidden, tuple(problems))


@dataclass(slots=True)
class Workspace:
    """What is open: documents by URI, and the folders of the workspace in the client's order."""

    encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16
    settings: EditorSettings = field(default_factory=EditorSettings)
    folders: list[str] = field(default_factory=list)
    documents: dict[str, Document] = field(default_factory=dict)

    def open(self, uri: str, version: int, text: str) -> Document:
        """Add a document, in place of one with the same URI."""
        made = Document(uri, self._path(uri), version, Text(text, self.encoding))
        self.documents[uri] = made
        return made

    def change(self, uri: str, version: int, changes: Iterable[TextDocumentContentChangeEvent]) -> Document | None:
        """Apply changes, each to the text that the one before results in; return None if the document is not open."""
        before = self.documents.get(uri)
        if before is None:
            return None
        text = before.text
        for change in changes:
            edited = change.range if isinstance(change, TextDocumentContentChangePartial) else None
            text = changed(text, edited, change.text)
        made = self.documents[uri] = Document(uri, before.path, version, text)
        return made

    def close(self, uri: str) -> None:
        """Forget a document."""
        self.documents.pop(uri, None)

    def is_current(self, document: Document) -> bool:
        """Return whether a version of a document is the newest one and still open."""
        return self.documents.get(document.uri) is document

    def add_folders(self, uris: Iterable[str]) -> None:
        """Add folders to the workspace."""
        for path in _paths(uris):
            if path not in self.folders:
                self.folders.append(path)

    def remove_folders(self, uris: Iterable[str]) -> None:
        """Remove folders from the workspace."""
        gone = set(_paths(uris))
        self.folders = [path for path in self.folders if path not in gone]

    def unsaved(self, path: str) -> str | None:
        """Return the text of a file that is open, None if it is not."""
        document = self.document_at(path)
        return None if document is None else document.text.text

    def document_at(self, path: str) -> Document | None:
        """Return the open document of a file, None if it is not open."""
        return next((document for document in list(self.documents.values()) if document.path == path), None)

    def _path(self, uri: str) -> str:
        path = to_fs_path(uri)
        if path:
            return os.path.normpath(path)
        name = os.path.basename(urlparse(uri)[2]) or "untitled"
        folder = self.folders[0] if self.folders else os.getcwd()
        return os.path.join(folder, name if name.endswith(_SUFFIXES) else f"{name}.yaml")


_SUFFIXES: Final = (".yaml", ".yml", ".json")


def _paths(uris: Iterable[str]) -> Iterator[str]:
    for uri in uris:
        path = to_fs_path(uri)
        if path:
            yield os.path.normpath(path)


def uri_of(path: str) -> str:
    """Return the URI of a file."""
    return from_fs_path(os.path.abspath(path)) or ""
