"""The CRDs that a suite is about, each reduced to the version under test."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.recognition import KIND
from crdlint.golang.values import marshal
from crdlint.inputs.crd_lookup import files_in, files_near_suite, folders_near_suite
from crdlint.inputs.read import UnreadableError, read_text, reason
from crdlint.kubernetes.servers import NEWEST_VERSION
from crdlint.linting.pipeline import lint_file
from crdlint.resources.definitions import Definitions, is_rejection
from crdlint.schema.values import deep_copy
from crdlint.suites.featuregates import GateError, applies
from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.parse import iter_documents
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crdlint.resources.definitions import Definition
    from crdlint.suites.read import Suite

    # Returns the text of a file, None if it has no CRD. Raises UnreadableError.
    Read = Callable[[str], str | None]


class MissingCRDError(ValueError):
    """No file has the CRD of a suite or its version, or the API server rejects the CRD."""


@dataclass(frozen=True, slots=True)
class Target:
    """A CRD's file and its JSON value, as it is in the file."""

    file: str
    value: dict[str, Any]

    @property
    def name(self) -> str:
        """The CRD's metadata.name."""
        return str(self.value["metadata"]["name"])

    @property
    def annotations(self) -> dict[str, str]:
        """The CRD's annotations, as far as their values are text."""
        found = self.value["metadata"].get("annotations")
        given = found.items() if isinstance(found, dict) else ()
        return {name: value for name, value in given if isinstance(value, str)}


@dataclass(frozen=True, slots=True)
class _Found:
    """The CRDs of a file, and what is wrong with documents that may be CRDs and cannot be read."""

    targets: list[Target] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)  # places and messages


class SuiteCRDs:
    """CRDs by name, each file read once."""

    def __init__(
        self, given: Iterable[tuple[str, str]], kube_version: str = NEWEST_VERSION, read: Read | None = None
    ) -> None:
        """Take the names and texts of files; without any, CRDs are looked for in folders near the suites.

        ``read`` returns the text of a file near a suite, None for one without CRDs; by default the file's.

        ``kube_version`` is the version of the server that the tests are run for, or a range. ``broken`` lists the
        documents of these files that cannot be read.
        """
        self._read: Final[Read] = read or (lambda path: read_text(path, only_crds=True))
        found = [_read_crds(file, text) for file, text in given]
        self.kube_version = kube_version
        self._given = [target for one in found for target in one.targets]
        self.broken = [problem for one in found for problem in one.broken]
        self._folders: dict[str, _Found] = {}
        self._defined: dict[tuple[int, str], tuple[Definition, str]] = {}

    def define(self, target: Target, version: str) -> tuple[Definition, str]:
        """Return a CRD reduced to a version, compiled once for all suites, and the version's name. Raises MissingCRDError."""
        key = (id(target.value), version)  # targets are kept for good
        if key not in self._defined:
            value, name = reduced(target, version)
            self._defined[key] = define(value, target.file, self.kube_version), name
        return self._defined[key]

    def of(self, suite: Suite) -> list[Target]:
        """Return the CRDs that a suite is about. Raises MissingCRDError."""
        wanted, broken = self._named(suite) if suite.crd_file else self._by_name(suite)
        try:
            chosen = [one for one in wanted if applies(one.annotations, suite.feature_gates, os.path.dirname(one.file))]
        except GateError as error:
            raise MissingCRDError(str(error)) from error
        if not chosen:
            name = suite.crd_file or suite.crd_name
            why = (
                "none has these feature gates"
                if wanted
                else "; ".join(f"{place}: {message}" for place, message in broken) or "--crd names where it is"
            )
            raise MissingCRDError(f"no CRD {name} for this suite: {why}")
        return chosen

    def _named(self, suite: Suite) -> tuple[list[Target], list[tuple[str, str]]]:
        """Return the first CRD of the file that a suite names, and what is wrong with that file."""
        found = [_read_file(path, self._read) for path in files_near_suite(suite.file, suite.crd_file)]
        return [one for file in found for one in file.targets][:1], [one for file in found for one in file.broken]

    def _by_name(self, suite: Suite) -> tuple[list[Target], list[tuple[str, str]]]:
        """Return the CRDs with the name that a suite gives, and what is wrong with files that may have them."""
        broken: list[tuple[str, str]] = []
        wanted = [one for one in self._given if one.name == suite.crd_name]
        for folder in () if self._given or self.broken else folders_near_suite(suite.file):
            found = self._folder(folder)
            wanted = [one for one in found.targets if one.name == suite.crd_name]
            broken += found.broken
            if wanted:
                break
        return wanted, broken

    def _folder(self, folder: str) -> _Found:
        if folder not in self._folders:
            found = _Found()
            try:
                paths = files_in(folder)
            except OSError as error:
                paths = []
                if not isinstance(error, (FileNotFoundError, NotADirectoryError)):
                    found.broken.append((folder, reason(error)))
            for one in (_read_file(path, self._read) for path in paths):
                found.targets.extend(one.targets)
                found.broken.extend(one.broken)
            self._folders[folder] = found
        return self._folders[folder]


def _read_file(path: str, read: Read) -> _Found:
    try:
        text = read(path)
    except UnreadableError as error:
        return _Found(broken=[(path, str(error))])
    return _Found() if text is None else _read_crds(path, text)


def _read_crds(file: str, text: str) -> _Found:
    found = _Found()
    if KIND not in text:
        return found
    for document in iter_documents(text):
        try:
            if document.error is not None:
                if KIND in document.text:
                    found.broken.append((f"{file}:{document.error.line + 1}", document.error.message))
                continue
            value: Any = None if document.root is None else to_json(document.root)
        except YAMLDecodeError as error:
            if KIND in document.text:
                found.broken.append((f"{file}:{document.line_offset + 1}", str(error)))
            continue
        if _is_crd(value):
            found.targets.append(Target(file, value))
    return found


def _is_crd(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) and value.get("kind") == KIND else None
    return isinstance(metadata, dict) and isinstance(metadata.get("name"), str)


def reduced(target: Target, version: str) -> tuple[dict[str, Any], str]:
    """Return a CRD with one version alone, served and stored, and its name. Raises MissingCRDError."""
    spec = target.value.get("spec")
    versions = spec.get("versions") if isinstance(spec, dict) else None
    if not isinstance(versions, list) or not all(isinstance(one, dict) for one in versions):
        raise _rejected(target.value, target.file)
    names = [one.get("name") for one in versions]
    if not all(isinstance(name, str) for name in names):
        raise _rejected(target.value, target.file)
    if not version:
        if len(versions) != 1:
            raise MissingCRDError(f"{target.file} has the versions {', '.join(names)}: set `version` in the suite")
        version = names[0]
    if version not in names:
        raise MissingCRDError(f"{target.file} has no version {version}: there are {', '.join(names)}")
    kept = [{**one, "served": True, "storage": True} for one in versions if one.get("name") == version]
    return {**target.value, "spec": {**spec, "versions": kept}}, version  # type: ignore[dict-item]


def patched(target: Target, patches: tuple[dict[str, Any], ...]) -> Target:
    """Return a CRD with operations applied. Raises MissingCRDError for what cannot be."""
    from jsonpatch import JsonPatch, JsonPatchException  # type: ignore[import-untyped, unused-ignore]
    from jsonpointer import JsonPointerException  # type: ignore[import-untyped, unused-ignore]

    try:
        value = JsonPatch(patches).apply(deep_copy(target.value), in_place=True)  # its own copy recurses
    except (JsonPatchException, JsonPointerException, RecursionError) as error:
        raise MissingCRDError(f"a patch cannot be applied to {target.file}: {error}") from error
    if not _is_crd(value):
        raise MissingCRDError(f"what the patches make of {target.file} is no CRD with a name")
    return Target(target.file, value)


def define(value: dict[str, Any], file: str, kube_version: str) -> Definition:
    """Return a CRD to validate objects against. Raises MissingCRDError with the API server's message if it is rejected."""
    definitions = Definitions()
    definitions.add(lint_file(marshal(value), filename=file, kube_version=kube_version, keep=True))
    for definition in definitions.by_kind.values():
        if not definition.errors:
            return definition
    raise _rejected(value, file, kube_version)


def _rejected(value: dict[str, Any], file: str, kube_version: str = NEWEST_VERSION) -> MissingCRDError:
    """Return the error with what the API server says of a CRD that it rejects."""
    errors = [
        one.message
        for one in lint_file(marshal(value), filename=file, kube_version=kube_version).diagnostics
        if is_rejection(one)
    ]
    return MissingCRDError(f"the API server rejects the CRD of {file}: {errors[0] if errors else 'it has no versions'}")
