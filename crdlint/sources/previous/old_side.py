"""The old side of a comparison: files that may contain CRDs, charts, kustomizations, and what cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from functools import cached_property

from crdlint.files.git import Content
from crdlint.files.paths import UnreadInput, has_yaml_suffix
from crdlint.files.read import UnreadableError, decode, read_bytes
from crdlint.files.recognition import is_lfs_pointer, may_hold_crd
from crdlint.light import dataclass, replace
from crdlint.sources.previous.copies import OldFolder
from crdlint.sources.previous.crds import (
    OldCharts,
    OldFile,
    OldKustomizations,
    OldTemplate,
    PreviousCRDs,
    pack,
)


@dataclass
class OldSide:
    """Old files that may contain CRDs, and those that cannot be read.

    `rendered` renders the templates of old charts. The kustomizations of the old side are only built if it `builds` them.
    `covered` are the arguments of the run for which there are old files, so that misspelled ones can be reported.
    `tops` are the directories in which a removed CRD may still be. `kustomizations` are the old folders with one, and `charts`
    the outermost old charts, by the folder that has their place.
    """

    rendered: OldCharts
    builds: bool
    files: list[OldFile] = field(default_factory=list)
    problems: list[UnreadInput] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)
    tops: list[str] = field(default_factory=list)
    kustomizations: dict[str, OldFolder] = field(default_factory=dict)
    charts: dict[str, OldFolder] = field(default_factory=dict)

    @cached_property
    def crds(self) -> PreviousCRDs:
        """The CRDs of the files and kustomizations, once all are added."""
        kustomizations = OldKustomizations(self.kustomizations) if self.builds else None
        return PreviousCRDs(
            self.files,
            self.unreadable,
            self.rendered,
            kustomizations,
        )

    def add(
        self, file: OldFile, content: Content, template: Callable[[], OldTemplate | None]
    ) -> None:
        """Add an old file if its content may have a CRD, or cannot be read."""
        problem = content.problem or self._add_readable(file, content.data, template)
        if problem is None:
            return
        if file.in_scope:
            self.problems.append(UnreadInput(file.name, problem))
        else:
            self.unreadable.append(f"{file.name}: {problem}")

    def _add_readable(
        self, file: OldFile, data: bytes, template: Callable[[], OldTemplate | None]
    ) -> str | None:
        """Add an old file if its data may contain a CRD; return the reason if that cannot be read."""
        unreadable = _unreadable(data)
        if unreadable is not None:
            may_matter = may_hold_crd(data) or _may_hold_new_crd(file, data)
            return unreadable if may_matter else None
        if not may_hold_crd(data):
            return None
        file = replace(file, packed=pack(data))
        if b"{{" in data:
            file = replace(file, template=template())
        self.files.append(file)
        return None


def _unreadable(data: bytes) -> str | None:
    """Return the reason why data is no text, such as a pointer of Git LFS, or something compressed or encrypted."""
    try:
        decode(data)
    except UnreadableError as error:
        return str(error)
    return None


def _may_hold_new_crd(file: OldFile, old: bytes) -> bool:
    """Return whether the new version of a file may have CRDs, or is gone; `old` is the data of the old one."""
    try:
        new = read_bytes(file.path or file.counterpart)
    except UnreadableError:
        return has_yaml_suffix(file.name)
    is_other_pointer = is_lfs_pointer(new) and new != old
    return is_other_pointer or may_hold_crd(new)
