"""Where CRDs lie in the repository of what a path names."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

# Of a chart, an operator's repository, controller-gen's.
_FOLDERS: Final = ("crds", "crd", "config/crd")


def crd_folders_near(paths: Iterable[str]) -> list[str]:
    """Return the folders of CRDs beside what each path names, else the nearest ones above it within the repository."""
    found: dict[str, None] = {}
    for path in paths:
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        while True:
            here = [os.path.normpath(os.path.join(folder, name)) for name in _FOLDERS]
            here = [one for one in here if os.path.isdir(one)]
            found.update(dict.fromkeys(here))
            if here or os.path.exists(os.path.join(folder, ".git")) or _is_root(folder):
                break
            folder = os.path.join(folder, os.pardir)
    return list(found)


def _is_root(folder: str) -> bool:
    return os.path.realpath(folder) == os.path.realpath(os.path.join(folder, os.pardir))
