"""What CRDs were before (``--against``): found by name in a revision's or folder's texts, read only when asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from crdlint.sources.git import revision_files
from crdlint.sources.paths import STDIN, Selection, discover
from crdlint.sources.read import UnreadableError, decode, may_hold_crd, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.results import OldCRD


class Baseline(Mapping[str, "OldCRD"]):
    """Old CRDs by name. Texts are decoded one by one, those first that hold the name asked for."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Take texts that may hold CRDs; where two hold the same name the first one counts."""
        self._texts = list(texts)
        self._known: dict[str, OldCRD] = {}

    def __bool__(self) -> bool:
        """Return whether there is anything to look in, without reading it."""
        return bool(self._texts or self._known)

    def __getitem__(self, name: str) -> OldCRD:
        if name not in self._known:
            self._read([text for text in self._texts if name in text])
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        self._read(self._texts)
        return iter(self._known)

    def __len__(self) -> int:
        self._read(self._texts)
        return len(self._known)

    def _read(self, texts: list[str]) -> None:
        from crdlint.linter import collect_crds  # the parser, which an empty baseline does not need

        for text in texts:
            for name, crd in collect_crds(text).items():
                self._known.setdefault(name, crd)
        done = set(map(id, texts))
        self._texts = [text for text in self._texts if id(text) not in done]


def load_baseline(place: str, *, near: str, selection: Selection) -> tuple[Baseline, list[str]]:
    """Return the CRDs of a file, a folder or else a git revision of the repository that holds ``near``, and complaints.

    Raises RevisionError where ``place`` is none of the three.
    """
    complaints = []
    if os.path.lexists(place):
        found = discover([place], selection)
        complaints += [f"{problem.path}: {problem.message}" for problem in found.problems]
        files: Iterable[tuple[str, bytes | None]] = ((path, None) for path in found.files)
    else:
        files = revision_files(place, near="." if near == STDIN else near)
    texts = []
    for path, given in files:
        text = _text(path, given, complaints)
        if text is not None:
            texts.append(text)
    return Baseline(texts), complaints


def _text(path: str, given: bytes | None, complaints: list[str]) -> str | None:
    """Return the text of a file that may hold a CRD, or None; what cannot be read is complained of."""
    try:
        data = read_bytes(path) if given is None else given
        return decode(data) if may_hold_crd(data) else None
    except UnreadableError as error:
        complaints.append(f"{path}: {error}")
        return None
