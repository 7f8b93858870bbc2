"""What folders have by their names: files of other projects, data of unit tests, what tests send, and old releases."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from crdlint.light import regex

# Folders with the files of other projects.
OF_OTHERS: Final = frozenset({"vendor", "node_modules", "third_party"})
# Folders with data of unit tests: the go command ignores the first one, the second one is of Maven and Gradle.
_TEST_DATA: Final = ("testdata", os.path.join("src", "test"))

# Words of folders whose objects tests send to a server.
_OF_TESTS: Final = frozenset({"test", "tests", "testing", "e2e"})
# Words of folders whose objects show what was planned, which may not be what was made.
_OF_DESIGN: Final = frozenset(
    (
        "proposal",
        "proposals",
        "design",
        "designs",
        "enhancement",
        "enhancements",
        "kep",
        "keps",
        "rfc",
        "rfcs",
        "adr",
        "adrs",
    )
)
_WORD: Final = regex(r"[a-z0-9]+")
# A release (`1.4.0`, `v2.1`, `v0.1.0-alpha.2`) as the name of a folder or file, one at its end (`operator-v1.13.2`), and the
# removed API version of CRDs in a name.
_RELEASE: Final = regex(r"(?:\A|[-_])v?\d+(?:\.\d+)+(?:-(?:alpha|beta|rc)[.\d]*)?\Z")
_SUFFIX: Final = regex(r"\.(?:ya?ml|json)\Z")
_REMOVED: Final = "v1beta1"


def is_test_data(path: str, named: Sequence[str]) -> bool:
    """Return whether a file is for unit tests, by its folders below what the command line names."""
    if not any(folder in path for folder in _TEST_DATA):
        return False
    folders = f"{os.sep}{os.path.dirname(below(path, named))}{os.sep}"
    return any(f"{os.sep}{folder}{os.sep}" in folders for folder in _TEST_DATA)


def is_sent_by_tests(path: str, named: Sequence[str]) -> bool:
    """Return whether tests send the objects of a file to a server, by its folders below what the command line names."""
    return _has_folder(path, named, _OF_TESTS)


def is_of_design(path: str, named: Sequence[str]) -> bool:
    """Return whether a file belongs to the description of a design, by its folders below what the command line names."""
    return _has_folder(path, named, _OF_DESIGN)


def _has_folder(path: str, named: Sequence[str], words: frozenset[str]) -> bool:
    """Return whether a folder of a file, below what the command line names, has one of some words in its name."""
    return not words.isdisjoint(_WORD.findall(os.path.dirname(below(path, named)).lower()))


def is_for_old_clusters(path: str, named: Sequence[str]) -> bool:
    """Return whether a file is of a named release, or named by the API version of CRDs that Kubernetes has removed."""
    return is_of_release(path, named) or _REMOVED in below(path, named).lower()


def is_of_release(path: str, named: Sequence[str]) -> bool:
    """Return whether a file is of a named release, by its name and folders below what the command line names."""
    return any(map(_RELEASE.search, _SUFFIX.sub("", below(path, named).lower()).split(os.sep)))


def below(path: str, named: Sequence[str]) -> str:
    """Return the part of a path that no argument of the command line, which are `named`, contains."""
    normal, tops = os.path.normpath(path), _normal(tuple(named))
    top = normal
    while top and top not in tops:
        top = top.rpartition(os.sep)[0]
    return normal[len(top) :].lstrip(os.sep)


@lru_cache(maxsize=4)
def _normal(paths: tuple[str, ...]) -> frozenset[str]:
    """Return the normal forms of paths, which a run needs for each of its files."""
    return frozenset(map(os.path.normpath, paths))
