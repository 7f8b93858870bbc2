"""The CRDs that resources and suites are validated against: near them, of the configuration, and of the workspace."""

from __future__ import annotations

import itertools
import os
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.files.paths import Selection, discover
from crdlint.files.read import UnreadableError, read_text
from crdlint.files.repository import is_below
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.definitions import Definitions
from crdlint.resources.index import outline
from crdlint.sources.crd_lookup import configured_crds, crd_folders_near, files_beside
from crdlint.yaml.parse import split

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from crdlint.config.model import Config
    from crdlint.linting.result import FileResult
    from crdlint.lsp.workspace import Document, Workspace
    from crdlint.resources.index import Outline


@dataclass(slots=True)
class _File:
    """A file that may have CRDs: its text, and the outlines of its documents by number.

    `stamp` identifies its version. `results` contains decoded CRDs, by the documents and the version of Kubernetes.
    """

    stamp: object
    text: str
    outlines: dict[int, Outline]
    results: dict[tuple[frozenset[int], str], FileResult] = field(default_factory=dict)


class CRDIndex:
    """Files with CRDs, each read and decoded again only if it has changed; open documents count with their unsaved text."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace: Final = workspace
        self._files: dict[str, _File] = {}
        self._in_folders: tuple[str, ...] = ()
        self._definitions: dict[tuple[str, str, tuple[str, ...]], _Known] = {}

    def scan(self, folders: Iterable[str]) -> tuple[str, ...]:
        """Return the files of folders that may have CRDs. Reads files only, so that any thread may call it."""
        crd_files: list[str] = []
        for path in discover(list(folders), Selection()).files:
            with suppress(UnreadableError):
                if read_text(path, only_crds=True) is not None:
                    crd_files.append(path)
        return tuple(crd_files)

    def use(self, files: tuple[str, ...]) -> bool:
        """Take the files that a scan found, and return whether they are other ones than before."""
        is_new = files != self._in_folders
        self._in_folders = files
        self._definitions.clear()
        return is_new

    def forget(self) -> None:
        """Look for files and CRDs again, and no longer at those of folders that have left the workspace."""
        folders = self._workspace.folders
        self._in_folders = tuple(one for one in self._in_folders if any(is_below(one, folder) for folder in folders))
        self._definitions.clear()

    def definitions(self, document: Document, config: Config, kube_version: str) -> Definitions:
        """Return the CRDs for the resources of a document; the nearest file that has any of a group counts."""
        key = document.path, kube_version, config.crds
        known = self._definitions.get(key)
        if known is None or any(self._stamp(path) != stamp for path, stamp in known.read.items()):
            known = self._definitions[key] = _Known(Definitions(), {})
            known.definitions.sources = [
                _Source(self, find, kube_version, known.read) for find in self._searched(document, config)
            ]
        known.definitions.reported.clear()
        return known.definitions

    def texts_with(self, name: str) -> list[tuple[str, str]]:
        """Return the files of the workspace, with their texts, in which a name is."""
        files = ((path, self.file(path)) for path in self._in_folders)
        return [(path, file.text) for path, file in files if file is not None and name in file.text]

    def text_of(self, path: str) -> str | None:
        """Return the text of a file, None if it cannot have a CRD."""
        file = self.file(path)
        return None if file is None else file.text

    def file(self, path: str) -> _File | None:
        """Return a file, None if it cannot be read or cannot have a CRD."""
        stamp = self._stamp(path)
        known = self._files.get(path)
        if known is None or known.stamp != stamp:
            text = self._read(path)
            outlines = {} if text is None else dict(enumerate(map(outline, split(text))))
            with_crds = {number: summary for number, summary in outlines.items() if summary is not None}
            known = self._files[path] = _File(stamp, (text or "") if with_crds else "", with_crds)
        return known if known.outlines else None

    def _searched(self, document: Document, config: Config) -> Iterator[Callable[[], Iterable[str]]]:
        near = [document.path]
        yield lambda: near
        yield lambda: files_beside(near)
        yield lambda: discover(crd_folders_near(near), Selection()).files
        yield lambda: discover(configured_crds(config.crds, config.folder), Selection()).files
        yield lambda: sorted(self._in_folders, key=lambda path: -_closeness(path, document.path))

    def _read(self, path: str) -> str | None:
        unsaved = self._workspace.unsaved(path)
        if unsaved is not None:
            return unsaved
        try:
            return read_text(path, only_crds=True)
        except UnreadableError:
            return None

    def _stamp(self, path: str) -> object:
        """Return a value that differs between versions of a file."""
        document = self._workspace.document_at(path)
        if document is not None:
            return document
        try:
            status = os.stat(path)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size


def _closeness(path: str, other: str) -> int:
    """Return how many folders two paths have in common."""
    same = itertools.takewhile(
        lambda pair: pair[0] == pair[1], zip(path.split(os.sep), other.split(os.sep), strict=False)
    )
    return sum(1 for _ in same)


@dataclass(slots=True)
class _Known:
    """CRDs, and the files that they were read from with their stamps."""

    definitions: Definitions
    read: dict[str, object]


class _Source:
    """One of the places in which CRDs are looked for."""

    def __init__(
        self, index: CRDIndex, find: Callable[[], Iterable[str]], kube_version: str, read: dict[str, object]
    ) -> None:
        self._index: Final = index
        self._find: Final = find
        self._kube_version: Final = kube_version
        self._read: Final = read
        self._found: list[str] | None = None

    def load(self, group: str) -> Iterator[FileResult]:
        """Yield what is in the documents that may define a group, file by file."""
        for path, file in self._files():
            numbers = frozenset(
                number for number, summary in file.outlines.items() if summary.groups is None or group in summary.groups
            )
            if not numbers:
                continue
            self._read[path] = file.stamp
            key = numbers, self._kube_version
            if key not in file.results:
                request = CheckRequest(kube_version=self._kube_version, skip_unfinished=True, keep=True)
                file.results[key] = lint_file(file.text, path, request, only=numbers)
            yield file.results[key]

    def groups(self, kind: str | None = None) -> Iterator[str]:
        """Yield the groups that may have a kind; all of them for None."""
        for _, file in self._files():
            for summary in file.outlines.values():
                if kind is None or summary.kinds is None or kind in summary.kinds:
                    yield from summary.groups or ()

    def _files(self) -> Iterator[tuple[str, _File]]:
        if self._found is None:
            self._found = list(self._find())
        for path in self._found:
            file = self._index.file(path)
            if file is not None:
                yield path, file
