"""Kustomizations: their files, references and changes, and the findings of their builds."""

from __future__ import annotations

import os
from typing import Final

from crdlint.files.read import with_parents

KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def kustomization_files(folder: str) -> list[str]:
    """Return the kustomization files in a directory; kustomize rejects more than one."""
    return [name for name in KUSTOMIZATIONS if os.path.isfile(os.path.join(folder, name))]


def kustomization_of(folder: str) -> str | None:
    """Return the path of the kustomization file in a directory, or None."""
    names = kustomization_files(folder)
    return os.path.join(folder, names[0]) if names else None


class Patches(dict[str, set[str]]):
    """The patch files of kustomizations by directory; each directory is read once."""

    def has(self, path: str) -> bool:
        """Return whether a kustomization in the directory of a file or a parent directory uses the file as a patch."""
        real = os.path.realpath(path)
        return any(real in self[folder] for folder in with_parents(os.path.dirname(real)))

    def __missing__(self, folder: str) -> set[str]:
        patches: set[str] = set()
        if kustomization_files(folder):
            from crdlint.sources.kustomize.kustomization import patch_files

            patches = patch_files(folder)
        self[folder] = patches
        return patches
