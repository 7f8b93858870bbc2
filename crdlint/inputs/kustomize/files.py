"""The files that kustomize takes for kustomizations."""

from __future__ import annotations

import os
from typing import Final

_KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def kustomization_files(folder: str) -> list[str]:
    """Return the names of the files of a folder that kustomize takes for its kustomization; it refuses more than one."""
    return [name for name in _KUSTOMIZATIONS if os.path.isfile(os.path.join(folder, name))]


def kustomization_of(folder: str) -> str | None:
    """Return the path of a folder's kustomization file, None if it has none."""
    names = kustomization_files(folder)
    return os.path.join(folder, names[0]) if names else None
