"""Findings on the custom resources of a document and on the tests of a suite, and the CRDs that they are checked against."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, NamedTuple

from crdlint.config.model import Config
from crdlint.crd.errors import REQUIRED
from crdlint.diagnostics import Diagnostic
from crdlint.files.paths import Selection, discover
from crdlint.files.read import UnreadableError, read_text, stamp_of
from crdlint.files.recognition import KIND, groups_in
from crdlint.files.repository import is_below
from crdlint.kubernetes.servers import Range
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.lsp.roots import roots
from crdlint.lsp.workspace import OpenDocument, Workspace
from crdlint.phrases import counted
from crdlint.resources.definitions import (
    CRDFiles,
    DefinedKinds,
    Definitions,
    outlines,
)
from crdlint.resources.objects import text_at
from crdlint.resources.pipeline import ResourceOptions, validate_text
from crdlint.resources.placeholders import PlaceholderPatterns
from crdlint.rules.texts import resource as rules
from crdlint.sources.crd_lookup import configured_crds, crd_folders_near, files_beside
from crdlint.sources.fragments import is_suite
from crdlint.sources.helm.masking import Masked, mask
from crdlint.suites.crds import SuiteCRDs
from crdlint.suites.feature_gates import MissingCRDError
from crdlint.suites.read import Suite, SuiteError, read_suite
from crdlint.suites.run import run_suite
from crdlint.yaml.nodes import Mapping, child, items_of

# Their findings depend on values that a template has not put out yet.
_UNCERTAIN: Final = frozenset({rules.RULE_FAILED.id, rules.APPLY.id})
# A placeholder of any type, as long as the directive in its place.
_SHORTEST: Final = len("${}")
_MOST_FILES: Final = 200  # files whose kinds are offered


def is_suite_text(text: str, path: str) -> bool:
    """Return whether a text is a test suite."""
    return is_suite(path, text.encode("utf-8", "surrogatepass"))


def needs_crds(document: OpenDocument) -> bool:
    """Return whether findings on a document may depend on the CRDs of others."""
    text = document.text.text
    return bool(groups_in(text.encode("utf-8", "replace"))) or is_suite_text(text, document.path)


def validated(
    text: str,
    path: str,
    definitions: Definitions,
    config: Config,
    *,
    is_template: bool,
) -> FileResult:
    """Return the result of validating the custom resources of a text; a template is read with its directives masked."""
    patterns = PlaceholderPatterns(
        config.placeholders or (), built_in=config.placeholders is not None or is_template
    )
    options = ResourceOptions(patterns, fixes=not is_template, senders=config.senders)
    if not is_template:
        return validate_text(
            text,
            filename=path,
            definitions=definitions,
            options=options,
        ).result
    masked = mask(text)
    shown = _with_placeholders(masked)
    result = validate_text(
        shown,
        filename=path,
        definitions=definitions,
        options=options,
    ).result
    lines = _varying_lines(masked)
    if not lines:
        return result
    certain = (each for each in result.diagnostics if each.line not in lines and _is_certain(each))
    return replace(result, diagnostics=tuple(certain))


def _varying_lines(masked: Masked) -> set[int]:
    """Return the lines of directives that may add lines or leave some out."""
    lines = {line for block in masked.blocks for line in (block.line, block.end_line)}
    return lines | {output.directive.line for output in masked.outputs if output.alone}


def _is_certain(finding: Diagnostic) -> bool:
    """Return whether lines that a directive adds or leaves out do not change a finding."""
    return finding.error_type != REQUIRED and finding.rule not in _UNCERTAIN


def _with_placeholders(masked: Masked) -> str:
    """Return a masked template whose values are placeholders, each as long as its directive."""
    pieces = list(masked.pieces)
    for output in masked.outputs:
        filler = pieces[output.piece]
        if not output.alone and "\n" not in filler and len(filler) >= _SHORTEST:
            pieces[output.piece] = "${" + filler[_SHORTEST:] + "}"
    return "".join(pieces)


def tested(
    text: str,
    path: str,
    index: CRDIndex,
    versions: Range,
) -> Iterator[Diagnostic]:
    """Yield a finding for each test of a suite that fails, and for what keeps the suite from being run."""
    try:
        suite = read_suite(text, path)
    except SuiteError as error:
        yield _finding(path, error.line, str(error))
        return
    for line, message in suite.ignored:
        yield _finding(path, line, message)
    crds = _crds_of(suite, index, versions)
    try:
        for target in crds.of(suite):
            for result in run_suite(suite, target, crds):
                if result.failure:
                    name = result.case.name or f"on{result.case.kind.title()}"
                    yield _finding(
                        path, result.case.expectation_line, f"{name}:\n" + "\n".join(result.failure)
                    )
    except MissingCRDError as error:
        yield _finding(path, 1, str(error))
    except SuiteError as error:
        yield _finding(path, error.line, str(error))


def results(
    text: str,
    path: str,
    index: CRDIndex,
    versions: Range,
    name: str,
) -> Iterator[str]:
    """Yield how each test of a suite ends, or only the one with a name, and the numbers of all."""
    try:
        suite = read_suite(text, path)
        crds = _crds_of(suite, index, versions)
        ran = [each for target in crds.of(suite) for each in run_suite(suite, target, crds, name)]
    except (SuiteError, MissingCRDError) as error:
        yield str(error)
        return
    ran = [each for each in ran if name in ("", each.case.name)]
    for each in ran:
        yield f"{'failed' if each.failure else 'passed'}: {each.case.name}"
        yield from (f"  {line}" for line in each.failure)
    failed = sum(bool(each.failure) for each in ran)
    yield f"{counted(len(ran), 'test')}, {failed} failed"


def _crds_of(suite: Suite, index: CRDIndex, versions: Range) -> SuiteCRDs:
    near = SuiteCRDs((), versions, index.text_of)
    try:
        near.of(suite)
    except MissingCRDError:
        elsewhere = index.files_with(suite.crd_name) if suite.crd_name else []
        return SuiteCRDs(elsewhere, versions, index.text_of) if elsewhere else near
    return near


def _finding(path: str, line: int, message: str) -> Diagnostic:
    end = 1_000  # the end of the line
    return Diagnostic(
        "crdlint",
        "advice",
        "",
        "error",
        message,
        None,
        "",
        "",
        path,
        line,
        1,
        line,
        end,
    )


class DefinedCRD(NamedTuple):
    """A CRD of a file: its names, its versions, and the 0-based lines that it begins and ends at."""

    name: str
    group: str
    kind: str
    versions: tuple[str, ...]
    lines: tuple[int, int]


def _defined(text: str) -> Iterator[DefinedCRD]:
    """Yield the CRDs of a text, as far as their names are written."""
    for document, _, root in roots(text):
        if text_at(root, "kind") != KIND:
            continue
        versions = items_of(child(root, "spec", "versions"))
        names = (text_at(each, "name") for each in versions if isinstance(each, Mapping))
        yield DefinedCRD(
            name=text_at(root, "metadata", "name"),
            group=text_at(root, "spec", "group"),
            kind=text_at(root, "spec", "names", "kind"),
            versions=tuple(filter(None, names)),
            lines=(
                document.line_offset + root.start_mark.line,
                document.line_offset + root.end_mark.line,
            ),
        )


@dataclass
class _File:
    """A file that may have CRDs: its text, and the outlines of its documents by number.

    `stamp` identifies its version. `results` contains decoded CRDs, by the documents and the version of Kubernetes.
    """

    stamp: object
    text: str
    outlines: dict[int, DefinedKinds]
    results: dict[tuple[frozenset[int], Range], FileResult] = field(default_factory=dict)

    @cached_property
    def defined(self) -> tuple[DefinedCRD, ...]:
        """The CRDs, as far as their names are written."""
        return tuple(_defined(self.text))


class CRDIndex:
    """Files with CRDs, each read and decoded again only if it has changed; open documents count with their unsaved text."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace: Final = workspace
        self._files: dict[str, _File] = {}
        self._in_folders: tuple[str, ...] = ()
        self._definitions: dict[tuple[str, Range, tuple[str, ...]], _Known] = {}

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
        self._in_folders = tuple(
            file for file in self._in_folders if any(is_below(file, folder) for folder in folders)
        )
        self._definitions.clear()

    def definitions(self, document: OpenDocument, config: Config, versions: Range) -> Definitions:
        """Return the CRDs for the resources of a document; the nearest file that has any of a group counts."""
        key = document.path, versions, config.crds
        loaded = self._definitions.get(key)
        if loaded is None or any(self._stamp(path) != stamp for path, stamp in loaded.read.items()):
            loaded = self._definitions[key] = _Known(Definitions(), {})
            searched = self._searched(document, config)
            loaded.definitions.sources = [
                self._files_of(find, versions, loaded.read) for find in searched
            ]
        loaded.definitions.reported.clear()
        return loaded.definitions

    def files_with(self, name: str) -> list[str]:
        """Return the files of the workspace in which a name is."""
        return [path for path in self._in_folders if name in (self.text_of(path) or "")]

    def text_of(self, path: str) -> str | None:
        """Return the text of a file, None if it cannot have a CRD."""
        file = self.file(path)
        return None if file is None else file.text

    def defined(self, *, most: int | None = None) -> Iterator[tuple[str, DefinedCRD]]:
        """Yield the CRDs of the workspace with their files, those of the first `most` files."""
        open_files = (document.path for document in list(self._workspace.documents.values()))
        for path in list(dict.fromkeys((*open_files, *self._in_folders)))[:most]:
            file = self.file(path)
            if file is not None:
                yield from ((path, each) for each in file.defined)

    def known_kinds(self) -> list[tuple[str, str, str]]:
        """Return group, version and kind of the custom resources that the workspace defines, sorted."""
        kinds = {
            (crd.group, version, crd.kind)
            for _, crd in self.defined(most=_MOST_FILES)
            for version in crd.versions
        }
        return sorted(filter(all, kinds))

    def file(self, path: str) -> _File | None:
        """Return a file, None if it cannot be read or cannot have a CRD."""
        stamp = self._stamp(path)
        entry = self._files.get(path)
        if entry is None or entry.stamp != stamp:
            text = self._workspace.read(path, only_crds=True) or ""
            with_crds = {
                number: each for number, each in outlines(text).items() if each is not None
            }
            entry = self._files[path] = _File(stamp, text if with_crds else "", with_crds)
        return entry if entry.outlines else None

    def _files_of(
        self, find: Callable[[], Iterable[str]], versions: Range, stamps: dict[str, object]
    ) -> CRDFiles:
        """Return one of the places in which CRDs are looked for; `stamps` receives those of its files."""
        request = CheckRequest(
            versions=versions,
            skip_unfinished=True,
            keep=True,
        )

        def documents(path: str) -> MappingOf[int, DefinedKinds | None]:
            file = self.file(path)
            stamps[path] = self._files[path].stamp
            return {} if file is None else file.outlines

        def lint(path: str, only: frozenset[int], _others: frozenset[int]) -> FileResult | None:
            file, key = self.file(path), (only, versions)
            if file is None:
                return None
            if key not in file.results:
                file.results[key] = lint_file(file.text, path, request, only=only)
            return file.results[key]

        return CRDFiles(find, documents, lint)

    def _searched(
        self, document: OpenDocument, config: Config
    ) -> Iterator[Callable[[], Iterable[str]]]:
        near = [document.path]
        yield lambda: near
        yield lambda: files_beside(near)
        yield lambda: discover(crd_folders_near(near), Selection()).files
        yield lambda: discover(configured_crds(config.crds, config.folder), Selection()).files
        yield lambda: sorted(self._in_folders, key=lambda path: -_closeness(path, document.path))

    def _stamp(self, path: str) -> object:
        return self._workspace.document_at(path) or stamp_of(path)


def _closeness(path: str, other: str) -> int:
    return len(os.path.commonprefix([path.split(os.sep), other.split(os.sep)]))  # noqa: RUF071  of lists


@dataclass(slots=True)
class _Known:
    """CRDs, and the files that they are looked for in with their stamps."""

    definitions: Definitions
    read: dict[str, object]
