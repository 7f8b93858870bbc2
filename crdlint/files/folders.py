"""What folders have by their names: files of other projects, and data of unit tests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

# Folders with the files of other projects.
OF_OTHERS: Final = frozenset({"vendor", "node_modules", "third_party"})
# Folders with data of unit tests: the go command ignores the first one, the second one is of Maven and Gradle.
_TEST_DATA: Final = ("testdata", os.path.join("src", "test"))


def is_test_data(path: str, named: Sequence[str]) -> bool:
    """Return whether a file is for unit tests, by its folders below what the command line names."""
    if not any(folder in path for folder in _TEST_DATA):
        return False
    folders = f"{os.sep}{os.path.dirname(below(path, named))}{os.sep}"
    return any(f"{os.sep}{folder}{os.sep}" in folders for folder in _TEST_DATA)


def below(path: str, named: Sequence[str]) -> str:
    """Return the part of a path that no argument of the command line, which are `named`, contains."""
    normal = os.path.normpath(path)
    tops = (os.path.normpath(each) for each in named)
    lengths = (len(top) for top in tops if normal == top or normal.startswith(top + os.sep))
    return normal[max(lengths, default=0) :].lstrip(os.sep)
