"""The documents that the client has open with their positions, the folders of the workspace, and what the client asks for."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from lsprotocol.types import (
    Position,
    PositionEncodingKind,
    Range,
    TextDocumentContentChangeEvent,
    TextDocumentContentChangePartial,
)
from pygls.uris import from_fs_path, to_fs_path, urlparse

from crdlint.crd.positions import Span
from crdlint.diagnostics import Diagnostic
from crdlint.files.paths import has_yaml_suffix
from crdlint.files.read import text_if_readable
from crdlint.kubernetes import servers
from crdlint.yaml.edit import line_and_column, line_starts, split_lines


@dataclass(
    frozen=True,
    slots=True,
    eq=False,
)
class OpenDocument:
    """A version of an open document.

    ``path`` is that of its file. A document that is not a file has a path in the first folder of the workspace, which
    decides its configuration.
    """

    uri: str
    path: str
    version: int
    text: ProtocolText


@dataclass(frozen=True, slots=True)
class EditorSettings:
    """The client's ``initializationOptions``.

    ``kube_version`` replaces that of configurations. ``hidden`` also reports what the API server would report after the
    other findings are fixed. ``problems`` are the options that are not used, and why.
    """

    kube_version: servers.Range | None = None
    hidden: bool = False
    problems: tuple[str, ...] = ()


def settings_of(options: Any) -> EditorSettings:
    """Return the settings in ``initializationOptions``, which may be of any type."""
    if options is None:
        return EditorSettings()
    if not isinstance(options, dict):
        return EditorSettings(problems=("initializationOptions must be an object",))
    problems = [
        f"unknown option `{name}`" for name in options if name not in ("kubeVersion", "hidden")
    ]
    version, hidden = options.get("kubeVersion"), options.get("hidden", False)
    versions: servers.Range | None = None
    if version is not None:
        try:
            versions = servers.parse_range(version if isinstance(version, str) else "")
        except ValueError as error:
            problems.append(f"`kubeVersion`: {error}")
    if not isinstance(hidden, bool):
        problems.append("`hidden` must be true or false")
        hidden = False
    return EditorSettings(versions, hidden, tuple(problems))


@dataclass(slots=True)
class Workspace:
    """What is open: documents by URI, and the folders of the workspace in the client's order."""

    encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16
    settings: EditorSettings = field(default_factory=EditorSettings)
    folders: list[str] = field(default_factory=list)
    documents: dict[str, OpenDocument] = field(default_factory=dict)

    def open(self, uri: str, version: int, text: str) -> OpenDocument:
        """Add a document, in place of one with the same URI."""
        self.documents[uri] = OpenDocument(
            uri,
            self._path(uri),
            version,
            ProtocolText(text, self.encoding),
        )
        return self.documents[uri]

    def change(
        self, uri: str, version: int, changes: Iterable[TextDocumentContentChangeEvent]
    ) -> OpenDocument | None:
        """Apply changes, each to the text that the one before results in; return None if the document is not open."""
        before = self.documents.get(uri)
        if before is None:
            return None
        text = before.text
        for change in changes:
            edited = change.range if isinstance(change, TextDocumentContentChangePartial) else None
            text = changed(text, edited, change.text)
        document = self.documents[uri] = OpenDocument(uri, before.path, version, text)
        return document

    def close(self, uri: str) -> None:
        """Forget a document."""
        self.documents.pop(uri, None)

    def is_current(self, document: OpenDocument) -> bool:
        """Return whether a version of a document is the newest one and still open."""
        return self.documents.get(document.uri) is document

    def add_folders(self, uris: Iterable[str]) -> None:
        """Add folders to the workspace."""
        self.folders = list(dict.fromkeys((*self.folders, *_paths(uris))))

    def remove_folders(self, uris: Iterable[str]) -> None:
        """Remove folders from the workspace."""
        gone = set(_paths(uris))
        self.folders = [path for path in self.folders if path not in gone]

    def read(self, path: str, *, only_crds: bool = False) -> str | None:
        """Return the text of a file, unsaved if it is open; None if it cannot be read, or, with `only_crds`, has no CRD."""
        document = self.document_at(path)
        return (
            document.text.text
            if document is not None
            else text_if_readable(path, only_crds=only_crds)
        )

    def document_at(self, path: str) -> OpenDocument | None:
        """Return the open document of a file, None if it is not open."""
        return next(
            (document for document in list(self.documents.values()) if document.path == path), None
        )

    def _path(self, uri: str) -> str:
        path = to_fs_path(uri)
        if path:
            return os.path.normpath(path)
        name = os.path.basename(urlparse(uri)[2]) or "untitled"
        folder = self.folders[0] if self.folders else os.getcwd()
        return os.path.join(folder, name if has_yaml_suffix(name) else f"{name}.yaml")


def _paths(uris: Iterable[str]) -> Iterator[str]:
    yield from map(os.path.normpath, filter(None, map(to_fs_path, uris)))


def uri_of(path: str) -> str:
    """Return the URI of a file."""
    return from_fs_path(os.path.abspath(path)) or ""


_CODECS: Final = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class ProtocolText:
    """A text whose characters are found by positions of the protocol, and positions by characters.

    Lines end with CR LF, LF or CR. A position outside of the text is moved to the closest one inside.
    """

    def __init__(
        self, text: str, encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16
    ) -> None:
        self.text: Final = text
        self.encoding: Final = PositionEncodingKind(encoding)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line starts."""
        return line_starts(self.text)

    @cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    @cached_property
    def _lines(self) -> list[str]:
        return split_lines(self.text)

    def line(self, number: int) -> str:
        """Return a line without its break, by its 0-based number; the empty text for a line that does not exist."""
        return self._lines[number] if 0 <= number < len(self._lines) else ""

    def index(self, position: Position) -> int:
        """Return the index of the character at a position."""
        if position.line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[position.line], self._end(position.line)
        if self._is_ascii:
            return min(start + position.character, end)
        codec, width = _CODECS[self.encoding]
        data = self.text[start:end].encode(codec, "surrogatepass")[: position.character * width]
        return start + len(data.decode(codec, "ignore"))

    def position(self, index: int) -> Position:
        """Return the position of a character."""
        line, column = line_and_column(self.starts, max(0, min(index, len(self.text))))
        return Position(line, self._units(self.starts[line], column))

    def range(self, start: int, end: int) -> Range:
        """Return the range of the characters from ``start`` up to ``end``."""
        return Range(self.position(start), self.position(end))

    def index_at(self, line: int, column: int) -> int:
        """Return the index of the character at a 1-based line and column in characters."""
        number = min(max(line, 1), len(self.starts)) - 1
        return min(self.starts[number] + max(column - 1, 0), self._end(number))

    def range_of(self, span: Span | Diagnostic) -> Range:
        """Return the range of a span or finding."""
        start = self.index_at(span.line, span.column)
        return self.range(start, max(start, self.index_at(span.end_line, span.end_column)))

    def _end(self, number: int) -> int:
        return self.starts[number] + len(self._lines[number])

    def _units(self, start: int, count: int) -> int:
        if self._is_ascii:
            return count
        codec, width = _CODECS[self.encoding]
        return len(self.text[start : start + count].encode(codec, "surrogatepass")) // width


def changed(text: ProtocolText, change: Range | None, new: str) -> ProtocolText:
    """Return a text with a range replaced, or with all of it replaced for None."""
    if change is None:
        return ProtocolText(new, text.encoding)
    start = text.index(change.start)
    end = max(start, text.index(change.end))
    return ProtocolText(text.text[:start] + new + text.text[end:], text.encoding)
