"""Suites, `*.testsuite.yaml` and files in openshift/api's `tests/<CRD>/`, and their CRDs, reduced to the version under test.

CRDs that are generated for sets of features are selected by feature gates. Upstream: openshift/api tests/crd_filter.go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from crdlint.crd.positions import node_span
from crdlint.diagnostics import INTERNAL_ERROR, nearest
from crdlint.files.paths import Selection, UnreadInput, discover
from crdlint.files.read import UnreadableError, decode, read_bytes, read_text, reason
from crdlint.files.recognition import KIND
from crdlint.golang.printing import marshal
from crdlint.kubernetes.servers import NEWEST_VERSION
from crdlint.linting.documents import read_documents
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult
from crdlint.resources.definitions import Definition, Definitions, is_rejection
from crdlint.schema.deep_equal import deep_copy
from crdlint.sources.crd_lookup import files_in, files_near_suite, folders_near_suite
from crdlint.sources.fragments import SUITE_SUFFIX, is_suite
from crdlint.yaml import YAMLDecodeError, decode_yaml
from crdlint.yaml.json_values import entries, to_json
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence
from crdlint.yaml.parse import Document, parse_first

Read: TypeAlias = "Callable[[str], str | None]"


class MissingCRDError(ValueError):
    """The suite's CRD or its version does not exist, or the API server rejects the CRD."""


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

    def add(self, file: str, text: str) -> None:
        def read(document: Document) -> None:
            value: Any = None if document.root is None else to_json(document.root)
            if _is_crd(value):
                self.targets.append(Target(file, value))

        for document, _, _, message in read_documents(text, read) if KIND in text else ():
            if KIND in document.text:
                line = document.line_offset if document.error is None else document.error.line
                self.broken.append((f"{file}:{line + 1}", message))

    def add_file(self, path: str, read: Read) -> None:
        try:
            self.add(path, read(path) or "")
        except UnreadableError as error:
            self.broken.append((path, str(error)))


class SuiteCRDs:
    """CRDs by name; each file is read once."""

    def __init__(
        self, files: Iterable[tuple[str, str]], kube_version: str = NEWEST_VERSION, read: Read | None = None
    ) -> None:
        """Take the names and texts of files; without any, CRDs are searched in directories near the suites.

        `kube_version` is the server version for the tests, or a range. `broken` contains the documents of these files
        that cannot be read.
        """
        self._read: Final[Read] = read or (lambda path: read_text(path, only_crds=True))
        self.kube_version = kube_version
        crds = _FileCRDs()
        for file, text in files:
            crds.add(file, text)
        self._targets, self.broken = crds.targets, crds.broken
        self._folders: dict[str, _FileCRDs] = {}
        self._defined: dict[tuple[int, str], tuple[Definition, str]] = {}

    def define(self, target: Target, version: str) -> tuple[Definition, str]:
        """Return a CRD reduced to a version (compiled once for all suites) and the name of the version; raise MissingCRDError."""
        key = (id(target.value), version)  # targets exist until the end of the run
        if key not in self._defined:
            value, name = reduced(target, version)
            self._defined[key] = define(value, target.file, self.kube_version), name
        return self._defined[key]

    def of(self, suite: Suite) -> list[Target]:
        """Return the CRDs of a suite; raise MissingCRDError if there are none."""
        if suite.crd_file:
            crds = _FileCRDs()
            for path in files_near_suite(suite.file, suite.crd_file):
                crds.add_file(path, self._read)
            candidates, broken = crds.targets[:1], crds.broken
        else:
            candidates, broken = self._by_name(suite)
        chosen = [
            crd
            for crd in candidates
            if applies(_annotations(crd.value), suite.feature_gates, os.path.dirname(crd.file))
        ]
        if not chosen:
            problems = "; ".join(f"{position}: {message}" for position, message in broken)
            why = "none has these feature gates" if candidates else problems or "--crd names where it is"
            raise MissingCRDError(f"no CRD {suite.crd_file or suite.crd_name} for this suite: {why}")
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
            crds = self._folders[folder] = _FileCRDs()
            try:
                with suppress(FileNotFoundError, NotADirectoryError):
                    for path in files_in(folder):
                        crds.add_file(path, self._read)
            except OSError as error:
                crds.broken.append((folder, reason(error)))
        return self._folders[folder]


def _is_crd(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) and value.get("kind") == KIND else None
    return isinstance(metadata, dict) and isinstance(metadata.get("name"), str)


def reduced(target: Target, version: str) -> tuple[dict[str, Any], str]:
    """Return a CRD with only one version, served and stored, and the name of the version; raise MissingCRDError."""
    spec = _find(target.value, "spec")
    versions = spec.get("versions")
    if not isinstance(versions, list) or not all(isinstance(_find(entry).get("name"), str) for entry in versions):
        raise _rejected(_check(target.value, target.file, NEWEST_VERSION))
    names = [entry["name"] for entry in versions]
    if not version:
        if len(versions) != 1:
            raise MissingCRDError(f"{target.file} has the versions {', '.join(names)}: set `version` in the suite")
        version = names[0]
    if version not in names:
        raise MissingCRDError(f"{target.file} has no version {version}: there are {', '.join(names)}")
    only = [{**entry, "served": True, "storage": True} for entry in versions if entry["name"] == version]
    return {**target.value, "spec": {**spec, "versions": only}}, version


def patched(target: Target, patches: tuple[dict[str, Any], ...]) -> Target:
    """Return a CRD with JSON patch operations applied; raise MissingCRDError if they fail."""
    from jsonpatch import JsonPatch, JsonPatchException  # type: ignore[import-untyped, unused-ignore]
    from jsonpointer import JsonPointerException  # type: ignore[import-untyped, unused-ignore]

    try:
        value = JsonPatch(patches).apply(deep_copy(target.value), in_place=True)  # the library's own copy recurses
    except (JsonPatchException, JsonPointerException, RecursionError) as error:
        raise MissingCRDError(f"a patch cannot be applied to {target.file}: {error}") from error
    if not _is_crd(value):
        raise MissingCRDError(f"what the patches make of {target.file} is no CRD with a name")
    return Target(target.file, value)


def define(value: dict[str, Any], file: str, kube_version: str) -> Definition:
    """Return a CRD to validate objects against; raise MissingCRDError with the API server's message if it is rejected."""
    definitions, result = Definitions(), _check(value, file, kube_version)
    definitions.add(result)
    for definition in definitions.by_kind.values():
        if not definition.errors:
            return definition
    raise _rejected(result)


def _check(value: dict[str, Any], file: str, kube_version: str) -> FileResult:
    return lint_file(marshal(value), file, CheckRequest(kube_version=kube_version, keep=True))


def _rejected(result: FileResult) -> MissingCRDError:
    error = next(filter(is_rejection, result.diagnostics), None)
    if error is not None and error.rule == INTERNAL_ERROR:
        return MissingCRDError(f"{result.file}: {error.message}")
    why = "it has no versions" if error is None else error.message
    return MissingCRDError(f"the API server rejects the CRD of {result.file}: {why}")


_SET: Final = "release.openshift.io/feature-set"
_MAJOR: Final = "release.openshift.io/major-version"
_PROFILE: Final = "include.release.openshift.io/"
_LONGEST_VERSION: Final = 9  # the maximum number of characters of a major version
_GATES: Final = os.path.join("payload-manifests", "featuregates")


def applies(annotations: MappingOf[str, str], gates: SequenceOf[str], near: str) -> bool:
    """Return whether a suite with feature gates applies to a CRD with certain annotations; `near` is the CRD's directory.

    Raise MissingCRDError if the state of a gate cannot be determined.
    """
    if not gates:
        return True
    sets = {name for name in annotations.get(_SET, "").split(",") if name}
    if "CustomNoUpgrade" in sets:  # it contains every field
        return not any(gate.startswith("-") for gate in gates)
    profiles = sorted(name for name, value in annotations.items() if name.startswith(_PROFILE) and value == "true")
    if not profiles:
        return True
    enabled = _status(_folder(near), profiles[0], frozenset(sets or {"Default"}), frozenset(_versions(annotations)))
    for gate in gates:
        name = gate.removeprefix("-")
        if name not in enabled:
            raise MissingCRDError(f"no feature gate {name} in {_GATES}")
        if enabled[name] == gate.startswith("-"):
            return False
    return True


def _folder(near: str) -> str:
    folder = Path(os.path.realpath(near))
    for gates in (parent / _GATES for parent in (folder, *folder.parents)):
        if gates.is_dir():
            return str(gates)
    raise MissingCRDError(f"no directory {_GATES} with the feature gates above {near}")


def _versions(annotations: MappingOf[str, str]) -> Iterator[int]:
    listed = next((value for name, value in annotations.items() if name.startswith(_MAJOR)), "")
    for version in listed.split(","):
        if version.strip().isdecimal() and len(version) <= _LONGEST_VERSION:
            yield int(version)


@lru_cache
def _status(folder: str, profile: str, sets: frozenset[str], versions: frozenset[int]) -> dict[str, bool]:
    """Return whether each gate is on for a profile and a set of features."""
    try:
        names = sorted(os.listdir(folder))
    except OSError as error:
        raise MissingCRDError(f"{folder}: {reason(error)}") from error
    for path in (os.path.join(folder, name) for name in names):
        try:
            gate: Any = decode_yaml(decode(read_bytes(path)))
        except (UnreadableError, YAMLDecodeError) as error:
            raise MissingCRDError(f"{path}: {error}") from error
        annotations = _annotations(gate)
        matches = profile in annotations and annotations.get(_SET, "") in sets
        if matches and (not versions or versions & set(_versions(annotations))):
            listed = _find(gate, "status").get("featureGates")
            status = listed[0] if isinstance(listed, list) and listed else None
            if not isinstance(status, dict):
                raise MissingCRDError(f"{path}: status.featureGates is not a list of objects")
            return {name: on for on in (True, False) for name in _names(status.get("enabled" if on else "disabled"))}
    raise MissingCRDError(f"no feature gates of {profile} and {', '.join(sorted(sets))} in {folder}")


def _annotations(value: Any) -> dict[str, str]:
    return {name: text for name, text in _find(value, "metadata", "annotations").items() if isinstance(text, str)}


def _find(value: Any, *names: str) -> dict[str, Any]:
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _names(listed: Any) -> Iterator[str]:
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield entry["name"]


@dataclass(frozen=True, slots=True)
class Case:
    """One test: an object that is created, or created and then updated; texts are YAML, `line` is 1-based in the file.

    `patches` are JSON patch operations (RFC 6902), applied to the CRD before the object is created.
    """

    kind: Literal["create", "update"]
    name: str
    line: int
    initial: str
    updated: str = ""
    expected: str = ""
    expected_error: str = ""
    expected_status_error: str = ""
    patches: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """A file with tests of one CRD.

    The CRD is named by `crd_name` (its metadata.name) or `crd_file` (a path relative to the suite). `version` is the
    version to test, empty if the CRD has only one. `feature_gates` select among generated CRDs; a dash before a name
    means that the gate must be off.
    """

    file: str
    name: str
    crd_name: str
    crd_file: str
    version: str
    feature_gates: tuple[str, ...]
    cases: tuple[Case, ...]
    ignored: tuple[tuple[int, str], ...] = ()  # entries without effect: the line, and a description


_SUITE: Final = ("apiVersion", "name", "crdName", "crd", "version", "featureGate", "featureGates", "tests")
_TESTS: Final = ("onCreate", "onUpdate")
_CREATE: Final = ("name", "initial", "expected", "expectedError")
_UPDATE: Final = (*_CREATE, "updated", "expectedStatusError", "initialCRDPatches")
# The texts of a test, and their attributes.
_TEXTS: Final = {
    "name": "name", "initial": "initial", "updated": "updated", "expected": "expected",
    "expectedError": "expected_error", "expectedStatusError": "expected_status_error",
}  # fmt: skip
_PATCH: Final = ("op", "path", "value", "from")


class SuiteError(ValueError):
    """A text is not a valid suite; `line` is 1-based."""

    def __init__(self, message: str, line: int = 1) -> None:
        super().__init__(message)
        self.line = line


def read_suite(text: str, file: str) -> Suite:
    """Parse a suite; raise SuiteError if it is invalid."""
    document = parse_first(text)
    if document.error is not None:
        raise SuiteError(document.error.message, document.error.line + 1)
    try:
        return _suite(document.root, file)
    except YAMLDecodeError as error:
        raise SuiteError(str(error), 1 if error.node is None else _line(error.node)) from error


def _suite(root: Node | None, file: str) -> Suite:
    ignored: list[tuple[int, str]] = []
    values = _fields(root, _SUITE, "a suite", ignored)
    crd_name, crd_file = _text(values, "crdName"), _text(values, "crd")
    if not (crd_name or crd_file):
        raise SuiteError("`crdName` is missing: the metadata.name of the CRD to test")
    if "tests" not in values:
        raise SuiteError("`tests` is missing, with `onCreate` or `onUpdate`")
    tests = _fields(values["tests"], _TESTS, "tests")
    cases = [_case(node, create=True) for node in _items(tests.get("onCreate"))]
    cases += [_case(node, create=False) for node in _items(tests.get("onUpdate"))]
    gates = tuple(str(to_json(node)) for node in _items(values.get("featureGates")))
    name = _text(values, "name") or crd_name
    return Suite(file, name, crd_name, crd_file, _text(values, "version"), gates, tuple(cases), tuple(ignored))


def _case(node: Node, *, create: bool) -> Case:
    values = _fields(node, _CREATE if create else _UPDATE, "a test")
    if not create and "updated" not in values:
        raise SuiteError("`updated` is missing: the object after the update", _line(node))
    if "initial" not in values:
        raise SuiteError("`initial` is missing: the object to create", _line(node))
    patches = list(_items(values.get("initialCRDPatches")))
    for patch in patches:
        _fields(patch, _PATCH, "a patch")
    texts = {attribute: _text(values, name) for name, attribute in _TEXTS.items()}
    return Case("create" if create else "update", line=_line(node), patches=tuple(map(to_json, patches)), **texts)


def _fields(
    node: Node | None, words: tuple[str, ...], what: str, ignored: list[tuple[int, str]] | None = None
) -> dict[str, Node]:
    """Return the values of a mapping by key; unknown keys are added to `ignored`, or are errors if it is None."""
    if not isinstance(node, Mapping):
        raise SuiteError(f"{what} is a mapping with {_listed(words)}", 1 if node is None else _line(node))
    values: dict[str, Node] = {}
    for name, key, value in entries(node):
        if name not in words:
            near = nearest(name, words)
            hint = f"did you mean `{near}`?" if near else f"there are {_listed(words)}"
            message = f"{what} has no `{name}`: {hint}"
            if ignored is None:
                raise SuiteError(message, _line(key))
            ignored.append((_line(key), message))
            continue
        values[name] = value
    return values


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _items(node: Node | None) -> Iterator[Node]:
    if node is None or (isinstance(node, Scalar) and to_json(node) is None):
        return
    if not isinstance(node, Sequence):
        raise SuiteError("a list is wanted here", _line(node))
    yield from node.items


def _text(values: dict[str, Node], name: str) -> str:
    node = values.get(name)
    value = None if node is None else to_json(node)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise SuiteError(f"`{name}` is a text", _line(values[name]))
    return value


def _line(node: Node) -> int:
    return node_span(node, 0).line


def find_suites(paths: SequenceOf[str], selection: Selection) -> Iterator[tuple[str, str] | UnreadInput]:
    """Yield the file and text of each suite, and problems with reading; files named by the user are always suites."""
    discovered = discover(paths, selection)
    yield from (problem for problem in discovered.problems if problem.fatal)
    named = set(paths)
    for path in discovered.files:
        is_named = path in named or path.endswith(SUITE_SUFFIX)
        if not is_named and os.path.basename(os.path.dirname(os.path.dirname(os.path.abspath(path)))) != "tests":
            continue
        try:
            text = decode(read_bytes(path))
        except UnreadableError as error:
            yield UnreadInput(path, str(error))
            continue
        if is_named or is_suite(path, text.encode()):
            yield path, text
