"""Inputs of the tests of a Go package: files in a folder of the package whose name its `_test.go` files contain."""

from __future__ import annotations

import os
from typing import Final

from crdlint.files.read import entries_of, readable_text
from crdlint.light import regex

_TESTS: Final = "_test.go"
_MODULE: Final = "go.mod"
# A path in a string of Go; its first name is that of a folder beside the test: "./manifests/a.yaml", `manifests/a.yaml`.
_PATH: Final = regex(r"[\"`](?:\./)?([\w-]+)/[\w./-]*[\"`]")
_MOST_LEVELS: Final = 4  # folders between a file and its package


class GoTests(dict[str, frozenset[str]]):
    """The folders that the tests of a Go package read, by the directory of the package, which is read once."""

    def read(self, path: str) -> bool:
        """Return whether the tests of the package around a file read its folder."""
        package, name = os.path.split(os.path.dirname(os.path.realpath(path)))
        for _ in range(_MOST_LEVELS):
            if not name:
                return False
            if name in self[package]:
                return True
            package, name = os.path.split(package)
        return False

    def __missing__(self, folder: str) -> frozenset[str]:
        folders = self[folder] = frozenset(_folders_read_in(folder))
        return folders


def _folders_read_in(package: str) -> set[str]:
    """Return the first names of the paths that the tests of a package contain; none without tests."""
    try:
        entries = entries_of(package)
    except OSError:
        return set()
    if any(
        entry.name == _MODULE for entry in entries
    ):  # its tests read what all of the module uses
        return set()
    tests = (entry.path for entry in entries if entry.name.endswith(_TESTS))
    texts = map(readable_text, tests)
    return {name for text in texts for name in _PATH.findall(text)}
