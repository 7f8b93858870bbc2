"""The CRDs of suites: found, patched, and reduced to the version under test."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import field
from typing import Any, Final, TypeAlias

from crdlint.diagnostics import INTERNAL_ERROR
from crdlint.files.read import UnreadableError, read_text, reason
from crdlint.files.recognition import KIND
from crdlint.gathering import object_at, object_of
from crdlint.golang.printing import marshal
from crdlint.kubernetes.servers import NEWEST_ALONE, Range
from crdlint.light import dataclass
from crdlint.linting.documents import read_documents
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.phrases import counted
from crdlint.resources.definitions import Definition, Definitions, is_rejection
from crdlint.sources.crd_lookup import files_in, files_near_suite, folders_near_suite
from crdlint.sources.helm.check import Charts
from crdlint.suites.feature_gates import MissingCRDError, annotations_of, applies
from crdlint.suites.patches import Patcher, PatchError
from crdlint.suites.read import Suite
from crdlint.yaml.json_values import to_json
from crdlint.yaml.parse import Document

_SHOWN: Final = 10  # errors of a CRD

Read: TypeAlias = "Callable[[str], str | None]"


@dataclass(frozen=True, slots=True)
class Target:
    """A CRD: its file and its JSON value in that file."""

    file: str
    value: dict[str, Any]

    @property
    def name(self) -> str:
        """The CRD's metadata.name."""
        return str(self.value["metadata"]["name"])


@dataclass(slots=True)
class _FileCRDs:
    """The CRDs of files, and the positions and errors of documents that may be CRDs but cannot be read."""

    targets: list[Target] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)

    @classmethod
    def of(cls, paths: Iterable[str], read: Read) -> _FileCRDs:
        """Return the CRDs of files."""
        crds = cls()
        for path in paths:
            crds.add(path, read)
        return crds

    def add(self, path: str, read: Read) -> None:
        def add(document: Document) -> None:
            value: Any = None if document.root is None else to_json(document.root)
            if _is_crd(value):
                self.targets.append(Target(path, value))

        try:
            text = read(path) or ""
        except UnreadableError as error:
            self.broken.append((path, str(error)))
            return
        for document, _, _, message in read_documents(text, add) if KIND in text else ():
            if KIND in document.text:
                line = document.line_offset if document.error is None else document.error.line
                self.broken.append((f"{path}:{line + 1}", message))


def _text_of(path: str) -> str | None:
    """Return the text of a file if it may have CRDs, else None."""
    return read_text(path, only_crds=True)


def reader(charts: Charts) -> Read:
    """Return what reads files with CRDs; of a template of a chart, it returns what Helm renders, if it does."""

    def read(path: str) -> str | None:
        text = charts.packed_text(path) or _text_of(path)
        rendered = charts.manifests(path) if text is not None and "{{" in text else None
        return "---\n".join(rendered) if rendered else text

    return read


class SuiteCRDs:
    """CRDs by name; each file is read once."""

    def __init__(
        self, files: Iterable[str], versions: Range = NEWEST_ALONE, read: Read = _text_of
    ) -> None:
        """Take the paths of files; without any, CRDs are searched in directories near the suites.

        `versions` are the servers for the tests. `broken` contains the files and documents
        that cannot be read.
        """
        self._read: Final[Read] = read
        self.versions = versions
        crds = _FileCRDs.of(files, self._read)
        self._targets, self.broken = crds.targets, crds.broken
        self._folders: dict[str, _FileCRDs] = {}
        self._defined: dict[tuple[int, str], tuple[Definition, str]] = {}

    @property
    def targets(self) -> list[Target]:
        """The CRDs of the files that were given."""
        return list(self._targets)

    def define(self, target: Target, version: str) -> tuple[Definition, str]:
        """Return a CRD reduced to a version (compiled once for all suites) and the name of the version; raise MissingCRDError."""
        key = (id(target.value), version)  # targets exist until the end of the run
        if key not in self._defined:
            value, name = reduced(target, version)
            self._defined[key] = define(value, target.file, self.versions), name
        return self._defined[key]

    def of(self, suite: Suite) -> list[Target]:
        """Return the CRDs of a suite; raise MissingCRDError if there are none."""
        if suite.crd_file:
            crds = _FileCRDs.of(files_near_suite(suite.file, suite.crd_file), self._read)
            candidates, broken = crds.targets[:1], crds.broken
        else:
            candidates, broken = self._by_name(suite)
        chosen = [
            crd
            for crd in candidates
            if applies(annotations_of(crd.value), suite.feature_gates, os.path.dirname(crd.file))
        ]
        if not chosen:
            problems = "; ".join(f"{position}: {message}" for position, message in broken)
            why = (
                "none has these feature gates"
                if candidates
                else problems or "--crd names where it is"
            )
            raise MissingCRDError(
                f"no CRD {suite.crd_file or suite.crd_name} for this suite: {why}"
            )
        return chosen

    def _by_name(self, suite: Suite) -> tuple[list[Target], list[tuple[str, str]]]:
        """Return the CRDs with the name in a suite, and the errors of files that may contain them."""
        broken: list[tuple[str, str]] = []
        targets = [target for target in self._targets if target.name == suite.crd_name]
        for folder in () if self._targets or self.broken else folders_near_suite(suite.file):
            crds = self._folder(folder)
            targets = [target for target in crds.targets if target.name == suite.crd_name]
            broken += crds.broken
            if targets:
                break
        return targets, broken

    def _folder(self, folder: str) -> _FileCRDs:
        if folder not in self._folders:
            self._folders[folder] = _FileCRDs()
            try:
                with suppress(FileNotFoundError, NotADirectoryError):
                    self._folders[folder] = _FileCRDs.of(files_in(folder), self._read)
            except OSError as error:
                self._folders[folder].broken.append((folder, reason(error)))
        return self._folders[folder]


def _is_crd(value: Any) -> bool:
    name = object_at(value, "metadata").get("name")
    return object_of(value).get("kind") == KIND and isinstance(name, str)


def reduced(target: Target, version: str) -> tuple[dict[str, Any], str]:
    """Return a CRD with only one version, served and stored, and the name of the version; raise MissingCRDError."""
    spec = object_at(target.value, "spec")
    versions = spec.get("versions")
    if not isinstance(versions, list) or not all(
        isinstance(object_at(entry).get("name"), str) for entry in versions
    ):
        raise _rejected(_check(target.value, target.file, NEWEST_ALONE))
    names = [entry["name"] for entry in versions]
    if not version:
        if len(versions) != 1:
            raise MissingCRDError(
                f"{target.file} has the versions {', '.join(names)}: set `version` in the suite"
            )
        version = names[0]
    if version not in names:
        raise MissingCRDError(
            f"{target.file} has no version {version}: there are {', '.join(names)}"
        )
    only = [
        {**entry, "served": True, "storage": True} for entry in versions if entry["name"] == version
    ]
    return {**target.value, "spec": {**spec, "versions": only}}, version


def patched(target: Target, patches: tuple[dict[str, Any], ...], patcher: Patcher) -> Target:
    """Return a CRD with JSON patch operations applied; raise MissingCRDError if they fail, or PatchLimitError."""
    try:
        value = patcher.apply(patches, target.value)
    except PatchError as error:
        raise MissingCRDError(f"a patch cannot be applied to {target.file}: {error}") from error
    if not _is_crd(value):
        raise MissingCRDError(f"what the patches make of {target.file} is no CRD with a name")
    return Target(target.file, value)


def define(
    value: dict[str, Any],
    file: str,
    versions: Range,
    *,
    has_patches: bool = False,
) -> Definition:
    """Return a CRD to validate objects against.

    Raise MissingCRDError with the API server's errors if it rejects the CRD. `has_patches` is set
    for a CRD that differs from the one in its file.
    """
    definitions, result = Definitions(), _check(value, file, versions)
    definitions.add(result)
    for definition in definitions.by_kind.values():
        if not definition.errors:
            return definition
    raise _rejected(result, has_patches=has_patches)


def _check(value: dict[str, Any], file: str, versions: Range) -> FileResult:
    return lint_file(marshal(value), file, CheckRequest(versions=versions, keep=True))


def _rejected(result: FileResult, *, has_patches: bool = False) -> MissingCRDError:
    """Return the API server's errors of a CRD; of several, each has a line of its own."""
    errors = list(filter(is_rejection, result.diagnostics))
    if errors and errors[0].rule == INTERNAL_ERROR:
        return MissingCRDError(f"{result.file}: {errors[0].message}")
    after = " after the patches of the test" if has_patches else ""
    start = f"the API server rejects the CRD of {result.file}{after}:"
    messages = list(dict.fromkeys(error.message for error in errors))
    if len(messages) < 2:
        return MissingCRDError(f"{start} {''.join(messages) or 'it has no versions'}")
    lines = [start, *(f"  - {message}" for message in messages[:_SHOWN])]
    if len(messages) > _SHOWN:
        lines.append(f"  and {counted(len(messages) - _SHOWN, 'more error')}")
    if not has_patches:
        lines.append(f"  help: `crdlint check {result.file}` shows them in the file")
    return MissingCRDError("\n".join(lines))
