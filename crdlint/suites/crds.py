"""The CRDs of a suite, each reduced to the version under test.

Those that are generated for sets of features are selected by feature gates. Upstream: openshift/api tests/crd_filter.go.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from crdlint.diagnostics.diagnostic import INTERNAL_ERROR
from crdlint.files.read import UnreadableError, decode, read_bytes, read_text, reason
from crdlint.files.recognition import KIND
from crdlint.golang.values import marshal
from crdlint.kubernetes.servers import NEWEST_VERSION
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.resources.definitions import Definition, Definitions, is_rejection
from crdlint.schema.values import deep_copy
from crdlint.sources.crd_lookup import files_in, files_near_suite, folders_near_suite
from crdlint.yaml import YAMLDecodeError, decode_yaml
from crdlint.yaml.parse import iter_documents
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from crdlint.suites.read import Suite

    Read = Callable[[str], str | None]


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

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations of the CRD whose values are strings."""
        annotations = self.value["metadata"].get("annotations")
        items = annotations.items() if isinstance(annotations, dict) else ()
        return {name: value for name, value in items if isinstance(value, str)}


@dataclass(slots=True)
class _FileCRDs:
    """The CRDs of a file, and errors of documents that may be CRDs but cannot be read."""

    targets: list[Target] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)  # positions and messages


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
        joined = _joined(_read_crds(file, text) for file, text in files)
        self.kube_version = kube_version
        self._given, self.broken = joined.targets, joined.broken
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
            files = files_near_suite(suite.file, suite.crd_file)
            crds = _joined(_read_file(path, self._read) for path in files)
            candidates, broken = crds.targets[:1], crds.broken
        else:
            candidates, broken = self._by_name(suite)
        chosen = [crd for crd in candidates if applies(crd.annotations, suite.feature_gates, os.path.dirname(crd.file))]
        if not chosen:
            problems = "; ".join(f"{position}: {message}" for position, message in broken)
            why = "none has these feature gates" if candidates else problems or "--crd names where it is"
            raise MissingCRDError(f"no CRD {suite.crd_file or suite.crd_name} for this suite: {why}")
        return chosen

    def _by_name(self, suite: Suite) -> tuple[list[Target], list[tuple[str, str]]]:
        """Return the CRDs with the name in a suite, and the errors of files that may contain them."""
        broken: list[tuple[str, str]] = []
        targets = [target for target in self._given if target.name == suite.crd_name]
        for folder in () if self._given or self.broken else folders_near_suite(suite.file):
            crds = self._folder(folder)
            targets = [target for target in crds.targets if target.name == suite.crd_name]
            broken += crds.broken
            if targets:
                break
        return targets, broken

    def _folder(self, folder: str) -> _FileCRDs:
        if folder not in self._folders:
            try:
                self._folders[folder] = _joined(_read_file(path, self._read) for path in files_in(folder))
            except (FileNotFoundError, NotADirectoryError):
                self._folders[folder] = _FileCRDs()
            except OSError as error:
                self._folders[folder] = _FileCRDs(broken=[(folder, reason(error))])
        return self._folders[folder]


def _joined(files: Iterable[_FileCRDs]) -> _FileCRDs:
    read = list(files)
    return _FileCRDs([crd for file in read for crd in file.targets], [error for file in read for error in file.broken])


def _read_file(path: str, read: Read) -> _FileCRDs:
    try:
        text = read(path)
    except UnreadableError as error:
        return _FileCRDs(broken=[(path, str(error))])
    return _FileCRDs() if text is None else _read_crds(path, text)


def _read_crds(file: str, text: str) -> _FileCRDs:
    crds = _FileCRDs()
    if KIND not in text:
        return crds
    for document in iter_documents(text):
        try:
            if document.error is not None:
                if KIND in document.text:
                    crds.broken.append((f"{file}:{document.error.line + 1}", document.error.message))
                continue
            value: Any = None if document.root is None else to_json(document.root)
        except YAMLDecodeError as error:
            if KIND in document.text:
                crds.broken.append((f"{file}:{document.line_offset + 1}", str(error)))
            continue
        if _is_crd(value):
            crds.targets.append(Target(file, value))
    return crds


def _is_crd(value: Any) -> bool:
    metadata = value.get("metadata") if isinstance(value, dict) and value.get("kind") == KIND else None
    return isinstance(metadata, dict) and isinstance(metadata.get("name"), str)


def reduced(target: Target, version: str) -> tuple[dict[str, Any], str]:
    """Return a CRD with only one version, served and stored, and the name of the version; raise MissingCRDError."""
    spec = target.value.get("spec")
    versions = spec.get("versions") if isinstance(spec, dict) else None
    if not isinstance(versions, list) or not all(isinstance(entry, dict) for entry in versions):
        raise _rejected(target.value, target.file)
    names = [entry.get("name") for entry in versions]
    if not all(isinstance(name, str) for name in names):
        raise _rejected(target.value, target.file)
    if not version:
        if len(versions) != 1:
            raise MissingCRDError(f"{target.file} has the versions {', '.join(names)}: set `version` in the suite")
        version = names[0]
    if version not in names:
        raise MissingCRDError(f"{target.file} has no version {version}: there are {', '.join(names)}")
    reduced_versions = [
        {**entry, "served": True, "storage": True} for entry in versions if entry.get("name") == version
    ]
    return {**target.value, "spec": {**spec, "versions": reduced_versions}}, version  # type: ignore[dict-item]


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
    definitions = Definitions()
    definitions.add(lint_file(marshal(value), file, CheckRequest(kube_version=kube_version, keep=True)))
    for definition in definitions.by_kind.values():
        if not definition.errors:
            return definition
    raise _rejected(value, file, kube_version)


def _rejected(value: dict[str, Any], file: str, kube_version: str = NEWEST_VERSION) -> MissingCRDError:
    """Return the error with the API server's messages about a rejected CRD."""
    errors = [
        finding
        for finding in lint_file(marshal(value), file, CheckRequest(kube_version=kube_version)).diagnostics
        if is_rejection(finding)
    ]
    if errors[:1] and errors[0].rule == INTERNAL_ERROR:
        return MissingCRDError(f"{file}: {errors[0].message}")
    reason = errors[0].message if errors else "it has no versions"
    return MissingCRDError(f"the API server rejects the CRD of {file}: {reason}")


_SET: Final = "release.openshift.io/feature-set"
_MAJOR: Final = "release.openshift.io/major-version"
_PROFILE: Final = "include.release.openshift.io/"
_LONGEST_VERSION: Final = 9  # the maximum number of characters of a major version
_GATES: Final = os.path.join("payload-manifests", "featuregates")


def applies(annotations: Mapping[str, str], gates: Sequence[str], near: str) -> bool:
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
    folder = os.path.realpath(near)
    while not os.path.isdir(os.path.join(folder, _GATES)):
        parent = os.path.dirname(folder)
        if parent == folder:
            raise MissingCRDError(f"no directory {_GATES} with the feature gates above {near}")
        folder = parent
    return os.path.join(folder, _GATES)


def _versions(annotations: Mapping[str, str]) -> Iterator[int]:
    listed = next((value for name, value in annotations.items() if name.startswith(_MAJOR)), "")
    for version in listed.split(","):
        if version.strip().isdecimal() and len(version) <= _LONGEST_VERSION:
            yield int(version)


@lru_cache
def _status(folder: str, profile: str, sets: frozenset[str], versions: frozenset[int]) -> dict[str, bool]:
    """Return whether each gate is on for a profile and a set of features."""
    for path in _files(folder):
        try:
            gate: Any = decode_yaml(decode(read_bytes(path)))
        except (UnreadableError, YAMLDecodeError) as error:
            raise MissingCRDError(f"{path}: {error}") from error
        annotations = {
            name: value for name, value in _find(gate, "metadata", "annotations").items() if isinstance(value, str)
        }
        matches = profile in annotations and annotations.get(_SET, "") in sets
        if matches and (not versions or versions & set(_versions(annotations))):
            listed = _find(gate, "status").get("featureGates")
            status = listed[0] if isinstance(listed, list) and listed else None
            if not isinstance(status, dict):
                raise MissingCRDError(f"{path}: status.featureGates is not a list of objects")
            return {name: on for on in (True, False) for name in _names(status.get("enabled" if on else "disabled"))}
    raise MissingCRDError(f"no feature gates of {profile} and {', '.join(sorted(sets))} in {folder}")


def _files(folder: str) -> list[str]:
    try:
        return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]
    except OSError as error:
        raise MissingCRDError(f"{folder}: {reason(error)}") from error


def _find(value: Any, *names: str) -> dict[str, Any]:
    """Return the object at a path of fields, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def _names(listed: Any) -> Iterator[str]:
    for entry in listed if isinstance(listed, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            yield entry["name"]
