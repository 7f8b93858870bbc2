"""The charts and kustomizations of the old side, rendered and built as those of the new side are."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.files.read import UnreadableError, read_text
from crdlint.files.repository import RepositoryError
from crdlint.linting.stored_crds import collect_crds
from crdlint.sources.helm.render import Rendered, Values
from crdlint.sources.kustomize import KUSTOMIZATIONS
from crdlint.sources.kustomize.build import MISSING, find_program, patch_spans, run_build
from crdlint.sources.kustomize.changes import changes_crds
from crdlint.sources.kustomize.kustomization import read_kustomization, reading_problem

if TYPE_CHECKING:
    from crdlint.crd.paths import Path
    from crdlint.crd.positions import Span
    from crdlint.linting.result import OldCRD
    from crdlint.sources.helm.render import RenderedDocument
    from crdlint.sources.kustomize.kustomization import Kustomization
    from crdlint.sources.previous.copies import OldFolder


@dataclass(frozen=True, slots=True)
class OldTemplate:
    """A template of the old side: its outermost chart, and its path in it."""

    chart: OldFolder
    path: str


@dataclass(slots=True)
class OldCharts:
    """The charts of the old side; each is rendered when a CRD of its templates is needed for the first time.

    `notices` contains the reasons why some are not rendered. Their templates are then read without Helm.
    """

    values: Values = field(default_factory=Values)
    uses_helm: bool = True
    notices: dict[str, None] = field(default_factory=dict)
    _rendered: dict[str, Rendered] = field(default_factory=dict)

    def documents(self, template: OldTemplate) -> Sequence[RenderedDocument]:
        """Return the documents that Helm renders of a template; none if its chart is not rendered."""
        if not self.uses_helm:
            return ()
        rendered = self._rendered.get(template.chart.name)
        if rendered is None:
            rendered = self._rendered[template.chart.name] = self._render(template.chart)
        return rendered.documents.get(template.path, ())

    def _render(self, chart: OldFolder) -> Rendered:
        from crdlint.sources.helm.check import render_as_installed

        try:
            with chart.opened() as path:
                rendered = render_as_installed(path, self.values)
                notices = [chart.named(notice, path) for notice in rendered.notices]
        except RepositoryError as error:
            rendered, notices = Rendered(), [f"{error}; its templates are read without Helm"]
        self.notices.update((f"the old chart {chart.name}: {notice}", None) for notice in notices)
        return rendered


@dataclass(frozen=True, slots=True)
class OldBuild:
    """The CRDs of an old kustomization by name; `problem` is the reason why it cannot be built."""

    crds: Mapping[str, OldCRD] = field(default_factory=dict)
    problem: str | None = None


@dataclass(slots=True)
class OldKustomizations:
    """The kustomizations of the old side, by the folder of the new side that has their place; each is built on demand."""

    folders: dict[str, OldFolder] = field(default_factory=dict)
    _last: tuple[str, OldBuild] | None = None

    def changes_crds(self, folder: str) -> bool:
        """Return whether the old kustomization in place of that in a new folder can be built, and changes CRDs.

        Changes that another of the kustomizations makes do not count.
        """
        old = self.folders.get(os.path.normpath(folder))
        if old is None:
            return False
        try:
            with old.opened(is_kustomization=True) as path:
                kustomization = read_kustomization(path)
                if kustomization is None or kustomization.top.is_component or kustomization.problem:
                    return False
                elsewhere = {os.path.realpath(old.beside(other, path)) for other in self.folders.values()}
                return any(_resources(kustomization)) and changes_crds(kustomization, elsewhere)
        except RepositoryError:
            return False  # if a build of the new one needs it, the build reports it

    def of_file(self, path: str) -> OldBuild | None:
        """Return the build of the old kustomization in place of a new kustomization file, or None."""
        folder = os.path.normpath(os.path.dirname(path))
        if os.path.basename(path) not in KUSTOMIZATIONS or folder not in self.folders:
            return None
        if self._last is None or self._last[0] != folder:
            self._last = folder, _build(self.folders[folder])
        return self._last[1]


def _build(folder: OldFolder) -> OldBuild:
    try:
        with folder.opened(is_kustomization=True) as path:
            kustomization = read_kustomization(path)
            if kustomization is None:
                unreadable = reading_problem(path)
                reason = "it has no kustomization file" if unreadable is None else unreadable.reason
                return OldBuild(problem=f"{folder.name}: not built: {reason}")
            return _built(kustomization, folder, path)
    except RepositoryError as error:
        return OldBuild(problem=f"{folder.name}: {error}")


def _built(kustomization: Kustomization, folder: OldFolder, path: str) -> OldBuild:
    resources: dict[str, OldCRD] = {}
    for resource, text in _resources(kustomization):
        resources.update(collect_crds(text, folder.named(resource, path)).by_name)
    if not resources or kustomization.top.is_component or not changes_crds(kustomization):
        return OldBuild(resources)
    file = folder.named(kustomization.top.path, path)
    program = find_program()
    problem = MISSING if kustomization.problem is None else folder.named(f"not built: {kustomization.problem}", path)
    if kustomization.problem is None and program is not None:
        output = run_build(kustomization, program)
        if output.problem is None:
            crds = collect_crds(output.text, file).by_name
            patches = {name: _AtPatch(span) for name, span in patch_spans(kustomization, crds).items()}
            return OldBuild({n: old._replace(positions=patches[n], span=patches[n].patch) for n, old in crds.items()})
        problem = output.problem
    return OldBuild(problem=f"{file}: {problem}")


def _resources(kustomization: Kustomization) -> Iterator[tuple[str, str]]:
    for path in kustomization.resources:
        with suppress(UnreadableError):  # as on the new side: kustomize reports it
            text = read_text(path, only_crds=True)
            if text is not None:
                yield path, text


@dataclass(frozen=True, slots=True)
class _AtPatch:
    """The positions of a CRD that a build changes: its patch in the kustomization."""

    patch: Span

    def span(self, _path: Path) -> Span:
        """Return the span of the patch."""
        return self.patch
