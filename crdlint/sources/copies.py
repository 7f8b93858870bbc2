"""Copies of a CRD that a repository generates: those of a chart, a bundle or a manifest should be as in `config/crd/`."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache
from itertools import chain, takewhile
from typing import TYPE_CHECKING, Final

from crdlint.files.folders import OF_OTHERS
from crdlint.files.read import open_descriptor, readable_text, text_if_readable
from crdlint.files.recognition import KIND
from crdlint.gathering import partitioned
from crdlint.light import NamedTuple, dataclass, regex, replace
from crdlint.linting.result import FileResult

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic
    from crdlint.yaml.parse import Chunk

_GENERATED: Final = f"{os.sep}config{os.sep}crd{os.sep}"
_BASES: Final = f"{os.sep}bases{os.sep}"
# Words of folders whose CRDs need not be current: of others, of tests and of documentation.
_NOT_CURRENT: Final = OF_OTHERS | {
    "test", "tests", "testing", "testdata", "e2e", "fixtures", "example", "examples", "sample", "samples", "doc", "docs", "hack",
    "old", "marketplace", "marketplaces", "legacy", "deprecated", "archive", "backup",
}  # fmt: skip
_WORD: Final = regex(r"[a-z0-9_]+")
_SCHEMA: Final = "openAPIV3Schema"
_HIDDEN: Final = regex(r"\.(?!\.\Z)")
# A version in a path: of a release (`1.2.3`, `v1`, `4_8`) or of an API.
_VERSION: Final = regex(r"(?<![a-z0-9])v?\d+(?:[._-]\d+)+|(?:^|[-_.])v\d[a-z0-9]*(?:[-_.]|$)|^\d+$")


class _Place(NamedTuple):
    """A CRD of a file, by the line (1-based) where it starts; `masked` is the text of a template without its directives."""

    file: str
    line: int
    masked: str | None

    def chunk(self) -> Chunk | None:
        """Return the text of the document, None if it cannot be read any more."""
        from crdlint.yaml.parse import chunks  # only copies are read again

        text = text_if_readable(self.file) if self.masked is None else self.masked
        before = (each for each in chunks(text or "") if each.line_offset < self.line)
        return max(before, key=lambda each: each.line_offset, default=None)


@dataclass(slots=True)
class GeneratedCopies:
    """The CRDs of a run by name: those in `config/crd/`, and those in other files."""

    _generated: dict[str, list[_Place]] = field(default_factory=lambda: defaultdict(list))
    _others: dict[str, list[_Place]] = field(default_factory=lambda: defaultdict(list))

    def add(self, result: FileResult) -> None:
        """Add the CRDs of a file."""
        if not result.crds or open_descriptor(result.file) is not None:
            return
        is_generated = _GENERATED in f"{os.sep}{result.file}"
        by_name = self._generated if is_generated else self._others
        for crd in result.crds:
            by_name[crd.name].append(_Place(result.file, crd.line, result.masked))

    def results(self) -> Iterator[FileResult]:
        """Yield the findings about copies that differ from each generated CRD, file by file, with what the nearest has."""
        by_file: dict[str, FileResult] = {}
        causes: dict[object, str] = {}
        for name, originals, copies in self._pairs():
            for copy in copies:
                finding = _difference(name, copy, originals)
                if finding is not None:
                    result = by_file.setdefault(copy.file, _result(copy))
                    cause = causes.setdefault(_change_of(finding), finding.cause)
                    findings = (*result.diagnostics, replace(finding, cause=cause))
                    by_file[copy.file] = replace(result, diagnostics=findings)
        yield from by_file.values()

    def _pairs(self) -> Iterator[tuple[str, list[_Place], list[_Place]]]:
        """Yield the generated CRDs of each name and their copies; what is beside `bases` was copied from there."""
        for name, originals in self._generated.items():
            others = self._others.get(name, [])
            in_bases, beside = partitioned(originals, lambda each: _BASES in each.file)
            if in_bases:
                others = beside + others
            copies = [each for each in others if _should_be_current(each.file)]
            if copies:
                yield name, in_bases or originals, copies


def _change_of(finding: Diagnostic) -> tuple[str, str]:
    """Return what stale copies have in common that lack one change of the types: the difference and its last fields."""
    return finding.message, ".".join(finding.user_path.split(".")[-_FIELDS:])


_FIELDS: Final = 2  # of the path of a difference


def _difference(name: str, copy: _Place, originals: Sequence[_Place]) -> Diagnostic | None:
    """Return the difference of a copy from the nearest generated CRD by path, None if it is equal to any of them.

    A CRD whose schema a kustomization beside it changes is not compared: its copies are built with that.
    """
    from crdlint.sources.copy_differences import CRDText, difference_of  # few runs need it

    nearest = sorted(originals, key=lambda each: -_shared(each.file, copy.file))
    ours = CRDText(copy.file, copy.chunk())
    theirs = (CRDText(each.file, each.chunk()) for each in nearest)
    differences = [difference_of(name, ours, each) for each in theirs]
    is_different = all(differences) and not any(_is_patched(name, each.file) for each in originals)
    return differences[0] if is_different else None


def _is_patched(name: str, path: str) -> bool:
    """Return whether a patch of a kustomization in the folder of a generated CRD, or in the parent, changes its schema."""
    from crdlint.sources.kustomize import Patches, kustomization_of
    from crdlint.sources.kustomize.kustomization import patch_targets

    folder = os.path.dirname(path)
    folders = (folder, os.path.dirname(folder))
    kustomizations = filter(None, map(kustomization_of, folders))
    patches = chain.from_iterable(map(Patches().files_of, folders))
    texts = list(map(readable_text, (*kustomizations, *patches)))
    if not any(_SCHEMA in text for text in texts):
        return False
    targets = chain.from_iterable(map(patch_targets, folders))
    return any(name in text for text in texts) or any(map(_is_for_all, targets))


def _is_for_all(target: Mapping[str, object]) -> bool:
    """Return whether a target selects CRDs by their kind, and any name or a pattern of names."""
    name = target.get("name")
    is_plain = isinstance(name, str) and _PLAIN_NAME.fullmatch(name) is not None
    return target.get("kind", KIND) == KIND and not is_plain


_PLAIN_NAME: Final = regex(r"[a-z0-9.-]+")


def _result(copy: _Place) -> FileResult:
    """Return the result of the file of a copy, without findings."""
    return FileResult(copy.file, readable_text(copy.file), masked=copy.masked)


def _should_be_current(path: str) -> bool:
    folder, name = os.path.split(os.path.normpath(path).lower())
    return not _is_set_aside(name) and _has_current_files(folder)


def _is_set_aside(name: str) -> bool:
    """Return whether a file or folder is hidden, or is that of a version."""
    return _VERSION.search(name) is not None or _HIDDEN.match(name) is not None


@cache
def _has_current_files(folder: str) -> bool:
    """Return whether the files of a folder should be current, by the names of the folders on the way to it."""
    folders = folder.split(os.sep)
    words = {*folders, *_WORD.findall("/".join(folders))}
    return words.isdisjoint(_NOT_CURRENT) and not any(map(_is_set_aside, folders))


def _shared(path: str, other: str) -> int:
    """Return how many folders two paths begin with together."""
    pairs = zip(path.split(os.sep), other.split(os.sep), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
