"""Which files and kustomizations of a run have CRDs to which no other kustomization adds a version or a webhook."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from crdlint.files.read import open_descriptor
from crdlint.rules.catalog import of_whole_crds
from crdlint.sources.kustomize import kustomization_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.runner.task import Task

_NEAR = 3  # the folder of a file and those above it in which a kustomization may include the file


@dataclass(slots=True)
class _Build:
    """A kustomization: the real paths of its folders and of its resources, and whether it changes CRDs."""

    folder: str
    folders: set[str]
    resources: set[str]
    changes: bool


@dataclass(slots=True)
class WholeCRDs:
    """Selects the tasks whose rules about whole CRDs can be checked.

    A file is whole if all kustomizations that may include it are checked in the run and none of them changes its CRDs. Then
    the output of a build is whole as well if no other build of the run includes and changes it.
    """

    _builds: list[_Build] = field(default_factory=list)

    def restrict(self, tasks: list[Task], kustomizations: list[Task]) -> None:
        """Remove the rules about whole CRDs from the tasks whose CRDs may be incomplete."""
        asking = [task for task in (*tasks, *kustomizations) if _asks(task)]
        if not asking:
            return
        self._builds = _read([task.path for task in kustomizations])
        for group, is_whole in ((tasks, self._is_whole_file), (kustomizations, self._is_whole_build)):
            for i, task in enumerate(group):
                if _asks(task) and not is_whole(task):
                    requested = task.request.requested - of_whole_crds()
                    group[i] = task._replace(request=replace(task.request, requested=requested))

    def _is_whole_file(self, task: Task) -> bool:
        if task.location is not None or open_descriptor(task.path) is not None:
            return True
        real = os.path.realpath(task.path)
        including = [build for build in self._builds if real in build.resources]
        if including:
            return not any(build.changes for build in including)
        folders = list(Path(real).parents)[:_NEAR]
        read = {build.folder for build in self._builds}
        return all(kustomization_of(str(folder)) is None or str(folder) in read for folder in folders)

    def _is_whole_build(self, task: Task) -> bool:
        real = os.path.realpath(task.path)
        return not any(build.changes and build.folder != real and real in build.folders for build in self._builds)


def _asks(task: Task) -> bool:
    return bool(task.request.requested) and not of_whole_crds().isdisjoint(task.request.requested)


def _read(folders: Sequence[str]) -> list[_Build]:
    """Read the kustomizations of folders that can be read."""
    from crdlint.sources.kustomize.changes import changes_crds
    from crdlint.sources.kustomize.kustomization import read_kustomization

    elsewhere = {os.path.realpath(folder) for folder in folders}
    builds = []
    for folder in folders:
        kustomization = read_kustomization(folder)
        if kustomization is not None:
            layers = kustomization.layers
            resources = {os.path.realpath(path) for layer in layers.values() for path in layer.resources}
            changes = changes_crds(kustomization, elsewhere) or kustomization.problem is not None
            builds.append(_Build(kustomization.top.folder, set(layers), resources, changes))
    return builds
