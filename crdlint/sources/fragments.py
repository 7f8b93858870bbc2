"""Files with CRDs that are not applied as they are, by name and neighbours: test suites, assertions of kuttl and chainsaw."""

from __future__ import annotations

import os
from dataclasses import field
from itertools import chain
from typing import Final

from crdlint.files.patterns import Glob
from crdlint.files.read import UnreadableError, decode, read_bytes
from crdlint.light import NamedTuple, dataclass, regex
from crdlint.phrases import Routine

SUITE: Final = "a test suite"
SUITE_SUFFIX: Final = ".testsuite.yaml"
_CHAINSAW: Final = ("chainsaw-test.yaml", "chainsaw-test.yml")
_LEVELS: Final = 3  # the number of parent directories of a file in which its test is searched
_MAX_BYTES: Final = 1024 * 1024
# kuttl: `00-assert.yaml`, `assert.yaml` in the folder of a step (pkg/test/step.go, fileNameRegex).
_KUTTL: Final = regex(r"(\d+-)?(?:assert|errors)(?:-[^.]+)?\.ya?ml")
_STEP: Final = regex(r"\d+-")
# openshift/api: partial CRDs that its generator merges into the generated ones.
_OVERRIDES: Final = "manual-override-crd-manifests"
_COMPARED: Final = frozenset({"assert", "error", "patch"})
_APPLIED: Final = frozenset({"apply", "create", "update"})


class Fragment(NamedTuple):
    """Why the CRDs of a file are not applied.

    `what`: what each of them is.
    `includes_complete`: complete ones are skipped as well.
    `is_routine`: users need not know that they are skipped.
    """

    what: str
    includes_complete: bool
    is_routine: bool = False

    @property
    def notice(self) -> str:
        """The notice about a file that is skipped."""
        text = f"skipped: {self.what}"
        return Routine(text) if self.is_routine else text


@dataclass(slots=True)
class Fragments:
    """Recognizes fragments; each directory is read once. With a chainsaw test, they are files it compares but does not apply."""

    _compared: dict[str, tuple[Glob | str, ...] | None] = field(default_factory=dict)

    def of(self, path: str, data: bytes) -> Fragment | None:
        """Return the purpose of the CRDs of a file if they are not for a cluster, or None; `data` is its content."""
        if is_suite(path, data):
            return Fragment(SUITE, includes_complete=True)
        folder, name = os.path.split(os.path.abspath(path))
        if _OVERRIDES in folder.split(os.sep):
            return Fragment("an override of a generated CRD", includes_complete=True)
        compared = self._compared_in(folder)
        if compared is not None:
            full = os.path.join(folder, name)
            globs = [pattern for pattern in compared if isinstance(pattern, Glob)]
            is_compared = any(
                glob.accepts(glob.states_of(os.path.relpath(full, glob.base))) for glob in globs
            )
            return Fragment(
                "an assertion of chainsaw",
                includes_complete=is_compared or full in compared,
                is_routine=True,
            )
        match = _KUTTL.fullmatch(name)
        if match is not None and (match[1] or _STEP.match(os.path.basename(folder))):
            return Fragment("an assertion of kuttl", includes_complete=True, is_routine=True)
        return None

    def _compared_in(self, folder: str) -> tuple[Glob | str, ...] | None:
        """Return the files that the closest chainsaw test compares objects with, or None if there is no test."""
        for _ in range(_LEVELS):
            if folder not in self._compared:
                tests = filter(os.path.isfile, (os.path.join(folder, name) for name in _CHAINSAW))
                self._compared[folder] = next((tuple(_files_of_test(path)) for path in tests), None)
            if self._compared[folder] is not None:
                return self._compared[folder]
            folder = os.path.dirname(folder)
        return None


def is_suite(path: str, data: bytes) -> bool:
    """Return whether a file is a test suite for `crdlint test`."""
    return path.endswith(SUITE_SUFFIX) or (
        b"\ntests:" in data and (b"\ncrdName:" in data or b"\ncrd:" in data)
    )


def _file_of_test(test: str, file: str) -> Glob | str:
    """Return the path or the pattern that a test names, relative to its own folder."""
    path = os.path.normpath(os.path.join(os.path.dirname(test), file))
    return Glob.of(path) or path


def _files_of_test(path: str) -> list[Glob | str]:
    from crdlint.yaml.nodes import Mapping, child, nodes_of, text_of
    from crdlint.yaml.parse import parse_stream

    try:
        documents = parse_stream(decode(read_bytes(path, _MAX_BYTES)))
    except UnreadableError:
        return []
    compared: list[Glob | str] = []
    applied: set[Glob | str] = set()
    nodes = chain.from_iterable(nodes_of(document.root) for document in documents)
    mappings = (node for node in nodes if isinstance(node, Mapping))
    for key, value in chain.from_iterable(mapping.pairs() for mapping in mappings):
        file = text_of(child(value, "file"))
        if file is None:
            continue
        if text_of(key) in _COMPARED:
            compared.append(_file_of_test(path, file))
        elif text_of(key) in _APPLIED:
            applied.add(_file_of_test(path, file))
    return [compared_file for compared_file in compared if compared_file not in applied]
