"""The CRDs that a suite is about, each reduced to the version under test."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from crdlint.linter import lint_file
from crdlint.resources.definitions import Definitions
from crdlint.suites.featuregates import GateError, applies
from crdlint.yaml.errors import YAMLDecodeError
from crdlint.yaml.parse import parse_stream
from crdlint.yaml.values import to_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.resources.definitions import Definition
    from crdlint.suites.model import Suite

# Where CRDs are looked for from a suite's folder, where none are given.
_NEARBY: Final = (".", "crds", "zz_generated.crd-manifests", "../../zz_generated.crd-manifests", "..", "../..")
_PLAIN: Final = (".yaml", ".yml", ".json")


class MissingCRDError(ValueError):
    """A suite of whose CRD there is no file, or no such version."""


@dataclass(frozen=True, slots=True)
class Target:
    """A CRD's file and its JSON value, as it is in the file."""

    file: str
    value: dict[str, Any]


class CRDFiles:
    """CRDs by name, each file read once."""

    def __init__(self, given: Iterable[tuple[str, str]]) -> None:
        """Take the names and texts of files that were given; without any, folders near suites are looked into."""
        self._given = [target for file, text in given for target in _targets(file, text)]
        self._folders: dict[str, list[Target]] = {}
        self._defined: dict[tuple[int, str], tuple[Definition, str]] = {}

    def define(self, target: Target, version: str) -> tuple[Definition, str]:
        """Return a CRD reduced to a version, compiled once for all suites, and the version's name. Raises MissingCRDError."""
        key = (id(target.value), version)  # targets are kept for good
        if key not in self._defined:
            value, name = reduced(target, version)
            self._defined[key] = define(value, target.file), name
        return self._defined[key]

    def of(self, suite: Suite) -> list[Target]:
        """Return the CRDs that a suite is about. Raises MissingCRDError."""
        folder = os.path.dirname(suite.file) or "."
        if suite.crd_file:
            path = os.path.join(folder, suite.crd_file)
            nested = os.path.join(folder, "zz_generated.crd-manifests", suite.crd_file)
            found = [one for name in (path, nested) if os.path.isfile(name) for one in _targets(name, _read(name))]
            wanted = found[:1]
        else:
            wanted = [one for one in self._given if one.value["metadata"]["name"] == suite.crd_name]
            for near in () if self._given else _NEARBY:
                wanted = [
                    one
                    for one in self._folder(os.path.normpath(os.path.join(folder, near)))
                    if one.value["metadata"]["name"] == suite.crd_name
                ]
                if wanted:
                    break
        try:
            chosen = [
                one
                for one in wanted
                if applies(
                    one.value["metadata"].get("annotations") or {}, suite.feature_gates, os.path.dirname(one.file)
                )
            ]
        except GateError as error:
            raise MissingCRDError(str(error)) from error
        if not chosen:
            name = suite.crd_file or suite.crd_name
            why = "none has these feature gates" if wanted else "--crd names where it is"
            raise MissingCRDError(f"no CRD {name} for this suite: {why}")
        return chosen

    def _folder(self, folder: str) -> list[Target]:
        if folder not in self._folders:
            found: list[Target] = []
            if os.path.isdir(folder):
                names = sorted(name for name in os.listdir(folder) if name.endswith(_PLAIN))
                paths = [os.path.join(folder, name) for name in names]
                found = [one for path in paths if os.path.isfile(path) for one in _targets(path, _read(path))]
            self._folders[folder] = found
        return self._folders[folder]


def _read(path: str) -> str:
    from crdlint.sources.read import UnreadableError, decode, read_bytes

    try:
        return decode(read_bytes(path))
    except UnreadableError:
        return ""


def _targets(file: str, text: str) -> list[Target]:
    found: list[Target] = []
    if "CustomResourceDefinition" not in text:
        return found
    for document in parse_stream(text).documents:
        try:
            value = None if document.root is None else to_json(document.root)
        except YAMLDecodeError:
            continue
        if (
            isinstance(value, dict)
            and value.get("kind") == "CustomResourceDefinition"
            and isinstance(value.get("metadata"), dict)
            and isinstance(value.get("spec"), dict)
            and isinstance(value["spec"].get("versions"), list)
            and "name" in value["metadata"]
        ):
            found.append(Target(file, value))
    return found


def reduced(target: Target, version: str) -> tuple[dict[str, Any], str]:
    """Return a CRD with one version alone, served and stored, and its name. Raises MissingCRDError."""
    versions = target.value["spec"]["versions"]
    names = [one.get("name") for one in versions]
    if not version:
        if len(versions) != 1:
            raise MissingCRDError(
                f"{target.file} has the versions {', '.join(names)}: `version` in the suite says which"
            )
        version = names[0]
    if version not in names:
        raise MissingCRDError(f"{target.file} has no version {version}: there are {', '.join(names)}")
    kept = [{**one, "served": True, "storage": True} for one in versions if one.get("name") == version]
    spec = {**target.value["spec"], "versions": kept}
    return {**target.value, "spec": spec}, version


def patched(target: Target, patches: tuple[dict[str, Any], ...]) -> Target:
    """Return a CRD with operations applied. Raises MissingCRDError for what cannot be."""
    from jsonpatch import JsonPatch, JsonPatchException  # type: ignore[import-untyped, unused-ignore]
    from jsonpointer import JsonPointerException  # type: ignore[import-untyped, unused-ignore]

    try:
        value = JsonPatch(patches).apply(target.value)
    except (JsonPatchException, JsonPointerException) as error:
        raise MissingCRDError(f"a patch cannot be applied to {target.file}: {error}") from error
    return Target(target.file, value)


def define(value: dict[str, Any], file: str) -> Definition:
    """Return a CRD to hold objects against. Raises MissingCRDError with what the server says of one that it refuses."""
    definitions = Definitions()
    definitions.add(lint_file(json.dumps(value), filename=file, keep=True))
    for definition in definitions.by_kind.values():
        if definition.refusal is None:
            return definition
        raise MissingCRDError(f"the API server refuses the CRD of {file}: {definition.refusal.partition(': ')[2]}")
    raise MissingCRDError(f"the API server refuses the CRD of {file}: {', '.join(definitions.refused.values())}")
