"""Files that kustomizations apply as patches."""

from __future__ import annotations

import os

from crdlint.inputs.kustomize.files import kustomization_files


class Patches:
    """The files that kustomizations lay over others: each folder is looked at once."""

    def __init__(self) -> None:
        self._of: dict[str, set[str]] = {}

    def has(self, path: str) -> bool:
        """Tell whether a kustomization in the folder of a file, or above it, lays the file over others."""
        real = os.path.realpath(path)
        folder = os.path.dirname(real)
        while True:
            if folder not in self._of:
                self._of[folder] = _patches(folder)
            if real in self._of[folder]:
                return True
            above = os.path.dirname(folder)
            if above == folder:
                return False
            folder = above


def _patches(folder: str) -> set[str]:
    if not kustomization_files(folder):
        return set()
    from crdlint.inputs.kustomize.kustomization import patch_files

    return patch_files(folder)
