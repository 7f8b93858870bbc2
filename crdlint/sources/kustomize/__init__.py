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
        files = self.files_of(folder) if kustomization_files(folder) else set[str]()
        self[folder] = files
        return files

    def files_of(self, folder: str) -> set[str]:
        """Return the real paths of the patch files that the kustomization of a directory names."""
        from crdlint.sources.kustomize.kustomization import patch_files

        return patch_files(folder)


class DataFiles(Patches):
    """The files of kustomizations by directory that generators put into ConfigMaps and Secrets."""

    def files_of(self, folder: str) -> set[str]:
        """Return the real paths of the files that the generators in a directory name."""
        from crdlint.sources.kustomize.kustomization import data_files

        return data_files(folder)
