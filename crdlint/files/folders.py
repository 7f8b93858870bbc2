"""What folders have by their names: files of other projects, and data of unit tests."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

# Folders with the files of other projects.
OF_OTHERS: Final = frozenset({"vendor", "node_modules", "third_party"})
_TEST_DATA: Final = "testdata"


def is_test_data(path: str, named: Sequence[str]) -> bool:
    """Return whether a file is for unit tests: the go command ignores folders of that name, too."""
    return _TEST_DATA in path and _TEST_DATA in below(path, named).split(os.sep)[:-1]


def below(path: str, named: Sequence[str]) -> str:
    """Return the part of a path that no argument of the command line, which are `named`, contains."""
    normal = os.path.normpath(path)
    tops = (os.path.normpath(each) for each in named)
    lengths = (len(top) for top in tops if normal == top or normal.startswith(top + os.sep))
    return normal[max(lengths, default=0) :].lstrip(os.sep)
