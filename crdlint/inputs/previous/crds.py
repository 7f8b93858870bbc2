"""The CRDs of old files: looked up by name, and parsed on demand."""

from __future__ import annotations

import re
import zlib
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.inputs.read import decode
from crdlint.linting.result import CollectedCRDs, UnreadDocument
from crdlint.linting.stored_crds import collect_crds
from crdlint.safety.programs import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.linting.result import OldCRD


LONGEST_REASON: Final = 200  # characters: some errors of the API server quote the whole document
_CACHED: Final = 2  # the number of files whose CRDs are cached, because neighbouring names are needed in turn
# Candidates for metadata.name; a match ends at the first character that no name contains, so the search is linear.
_NAME: Final = re.compile(r"""name["']?\s{0,8}:\s{0,8}["']?([^\s"'#,}&!*|>\\]+)""")
# Names that do not occur literally in the text: escaped, tagged, in a block, or by an alias.
_INDIRECT_NAME: Final = re.compile(r"""name["']?\s{0,8}:\s{0,8}(?:[#&!*|>]|"[^"\\\n]{0,253}\\)""")


@dataclass(frozen=True, slots=True)
class OldFile:
    """An old file: its name for messages, its path in the work tree, and its compressed bytes.

    `path` is empty if the file has no counterpart in the work tree. `in_scope` means that the run checks the current
    version of the file, so that a removed CRD is reported.
    """

    name: str
    path: str
    packed: bytes
    in_scope: bool

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return zlib.decompress(self.packed)

    @property
    def text(self) -> str:
        """The text of the file."""
        return decode(self.data)


def pack(data: bytes) -> bytes:
    """Compress the bytes of a file, because a run keeps all old files in memory and reads most of them once."""
    return zlib.compress(data, 1)


@dataclass(slots=True)
class PreviousCRDs:
    """The CRDs of old files, in their order; `unreadable` contains the reasons why other files cannot be read."""

    files: Sequence[OldFile]
    unreadable: Sequence[str] = ()
    _cache: OrderedDict[int, CollectedCRDs] = field(default_factory=OrderedDict)
    _names: dict[int, frozenset[str]] = field(default_factory=dict)
    _unread: dict[int, tuple[UnreadDocument, ...]] = field(default_factory=dict)
    _by_name: dict[str, list[int]] | None = None
    _indirect: list[int] = field(default_factory=list)

    def of_file(self, index: int) -> CollectedCRDs:
        """Return the CRDs of a file by its index."""
        crds = self._cache.get(index)
        if crds is None:
            crds = self._cache[index] = collect(self.files[index].text, self.files[index].name)
            self._names[index] = frozenset(crds.by_name)
            self._unread[index] = crds.unread
            if len(self._cache) > _CACHED:
                self._cache.popitem(last=False)
        self._cache.move_to_end(index)
        return crds

    def find(self, name: str, path: str) -> tuple[OldCRD | None, list[str]]:
        """Return the old CRD with a name, and reasons why there may be one that cannot be read.

        Of several CRDs with the name, that of the old file at `path` comes first, because charts contain copies of
        CRDs.
        """
        problems = []
        for index in sorted(self._candidates(name), key=lambda index: self.files[index].path != path):
            file = self.files[index]
            old = self.of_file(index).by_name.get(name)
            if old is not None:
                return old, []
            if not file.in_scope:  # others are reported at the end of the run
                documents = (
                    document for document in self._unread[index] if name in document.text and document.cause == "broken"
                )
                problems += [
                    f"{file.name}:{document.line}: {shortened(document.reason, LONGEST_REASON)}"
                    for document in documents
                ]
        if self.unreadable:
            more = f" (and {len(self.unreadable) - 1:,} more files)" if len(self.unreadable) > 1 else ""
            problems.append(self.unreadable[0] + more)
        return None, problems

    def _candidates(self, name: str) -> Iterator[int]:
        """Yield the indexes of the files that may contain a CRD with a name."""
        if self._by_name is None:
            self._by_name = self._index()
        for index in dict.fromkeys((*self._by_name.get(name, ()), *self._indirect)):
            names = self._names.get(index)
            if names is None or name in names or any(name in document.text for document in self._unread[index]):
                yield index

    def _index(self) -> dict[str, list[int]]:
        by_name: dict[str, list[int]] = {}
        for index, file in enumerate(self.files):
            text = file.text
            for name in set(_NAME.findall(text)):
                by_name.setdefault(name, []).append(index)
            if _INDIRECT_NAME.search(text):
                self._indirect.append(index)
        return by_name


def collect(text: str, file: str = "") -> CollectedCRDs:
    """Return the CRDs of a text; a document that only Helm can render contains none."""
    crds = collect_crds(text, file)
    if not any(document.cause == "template" for document in crds.unread):
        return crds
    from crdlint.inputs.helm.analysis import analyse
    from crdlint.inputs.helm.masking import mask

    masked = mask(text)
    if masked.broken is not None:
        return crds
    analysis = analyse(masked)
    readable = collect_crds(analysis.text, file)
    lines = text.split("\n")
    unread = [
        UnreadDocument(
            skipped.line, "\n".join(lines[skipped.part.start - 1 : skipped.part.end - 1]), skipped.reason, "template"
        )
        for skipped in analysis.skipped
    ]
    unread += [document._replace(cause="template") for document in readable.unread]
    return CollectedCRDs(readable.by_name, tuple(unread))
