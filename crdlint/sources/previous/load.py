"""Loading of old files: those of a file, a directory, a packed chart or a git revision."""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from crdlint.files.git import commit_of, contents, has_revision
from crdlint.files.paths import Problem, discover
from crdlint.files.read import UnreadableError, decode, open_descriptor, read_bytes
from crdlint.files.recognition import may_hold_crd
from crdlint.files.repository import RepositoryError, repository_of
from crdlint.sources.helm.layout import TEMPLATES, Layout, inside, outermost
from crdlint.sources.helm.render import Values
from crdlint.sources.kustomize import KUSTOMIZATIONS, Patches, kustomization_of
from crdlint.sources.previous.archives import is_archive
from crdlint.sources.previous.charts import OldCharts, OldTemplate
from crdlint.sources.previous.copies import CommitFiles, OldFolder
from crdlint.sources.previous.crds import OldFile, PreviousCRDs, pack
from crdlint.sources.previous.kustomizations import OldKustomizations
from crdlint.sources.previous.scope import Scope
from crdlint.sources.previous.sides import Side, unpacked

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from crdlint.files.paths import Selection
    from crdlint.files.repository import Repository


@dataclass(frozen=True, slots=True)
class Programs:
    """The programs that read the old side: Helm with its values, and the builds of kustomizations."""

    values: Values = field(default_factory=Values)
    uses_helm: bool = True
    builds: bool = True


@dataclass(slots=True)
class Loaded:
    """Old files that may contain CRDs, and those that cannot be read.

    `covered` are the arguments of the run for which there are old files, so that misspelled ones can be reported.
    `tops` are the directories in which a removed CRD may still be. `kustomizations` are the old folders with one, by the
    folder that has their place.
    """

    programs: Programs
    files: list[OldFile] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    covered: set[str] = field(default_factory=set)
    tops: list[str] = field(default_factory=list)
    kustomizations: dict[str, OldFolder] = field(default_factory=dict)

    def crds(self) -> PreviousCRDs:
        """Return the CRDs of the files."""
        kustomizations = OldKustomizations(self.kustomizations) if self.programs.builds else None
        charts = OldCharts(self.programs.values, self.programs.uses_helm)
        return PreviousCRDs(self.files, self.unreadable, charts, kustomizations)

    def add(
        self,
        file: OldFile,
        data: bytes | None,
        problem: str | None,
        template: Callable[[], OldTemplate | None],
    ) -> None:
        """Add an old file with its data if it may contain a CRD; `problem` is the reason why its data is unknown."""
        if data is not None and may_hold_crd(data):
            try:
                decode(data)
            except UnreadableError as error:
                problem = str(error)
            else:
                of_chart = template() if b"{{" in data else None
                self.files.append(replace(file, packed=pack(data), template=of_chart))
        if problem is None:
            return
        if file.in_scope:
            self.problems.append(Problem(file.name, problem))
        else:
            self.unreadable.append(f"{file.name}: {problem}")


def load(
    source: str, arguments: Sequence[str], selection: Selection, programs: Programs, folder: str | None = None
) -> Loaded:
    """Return the old files of a file, a directory, or else of a git revision of the repositories of `arguments`.

    A packed chart is unpacked to `folder` if that is given. Raise RepositoryError if `source` is none of these, or both
    a path and a revision.
    """
    repositories = _repositories(arguments)
    if not os.path.lexists(source):
        return _of_revision(source, repositories, arguments, selection, programs)
    if not source.startswith((".", "/")) and any(has_revision(repository, source) for repository in repositories):
        # A checkout must not choose what it is compared with.
        message = f"{source!r} is both a path and a git revision: write `./{source}` or `{source}^{{commit}}`"
        raise RepositoryError(message)
    side = Side(source, source)
    if folder is not None and is_archive(source):
        side = unpacked(source, folder)
    return load_side(side, arguments, selection, programs)


def _repositories(arguments: Sequence[str]) -> list[Repository]:
    repositories = (repository_of(argument if open_descriptor(argument) is None else ".") for argument in arguments)
    return list(dict.fromkeys(argument for argument in repositories if argument is not None))


def load_side(side: Side, arguments: Sequence[str], selection: Selection, programs: Programs) -> Loaded:
    """Return the old files of a path."""
    loaded = Loaded(programs)
    discovered = discover([side.path], selection)
    loaded.problems += [
        problem._replace(path=side.name(problem.path)) for problem in discovered.problems if problem.fatal
    ]
    in_scope = not os.path.isdir(side.path) or Scope(arguments, selection.filter()).has_folder
    layout, patches = Layout(), Patches()
    for path in discovered.files:
        if patches.has(path):
            continue
        file = OldFile(side.name(path), "", b"", in_scope, _counterpart(path, side.path, arguments))
        try:
            loaded.add(file, read_bytes(path), None, partial(_template, layout, path, side))
        except UnreadableError as error:
            loaded.add(replace(file, in_scope=True), None, str(error), lambda: None)
    for folder in dict.fromkeys(os.path.dirname(path) for path in discovered.files):
        if kustomization_of(folder) is not None:
            counterpart = _counterpart(folder or os.curdir, side.path, arguments)
            loaded.kustomizations[counterpart] = OldFolder(side.name(folder or os.curdir), folder or os.curdir)
    return loaded


def _counterpart(path: str, source: str, arguments: Sequence[str]) -> str:
    """Return the path in the only argument that has the place of a path in `source`, empty if there are several arguments."""
    if len(arguments) != 1:
        return ""
    return os.path.normpath(os.path.join(arguments[0], os.path.relpath(path, source)))


def _template(layout: Layout, path: str, side: Side) -> OldTemplate | None:
    location = layout.locate(path)
    if location is None or location.part != TEMPLATES:
        return None
    chart = outermost(location.chart)
    return OldTemplate(OldFolder(side.name(chart), chart), inside(location, chart))


def _template_of_commit(layout: Layout, path: str, revision: str, files: CommitFiles) -> OldTemplate | None:
    location = layout.locate(f"/{path}")
    if location is None or location.part != TEMPLATES:
        return None
    chart = outermost(location.chart, files.has_file)
    below = chart.replace(os.sep, "/").lstrip("/")
    return OldTemplate(OldFolder(f"{revision}:{below}", below or ".", files), inside(location, chart))


def _of_revision(
    revision: str,
    repositories: Sequence[Repository],
    arguments: Sequence[str],
    selection: Selection,
    programs: Programs,
) -> Loaded:
    if not repositories:
        raise RepositoryError(f"no file or folder named {revision!r}, and {arguments[0]} is in no git repository")
    loaded = Loaded(programs, tops=[repository.top for repository in repositories])
    scope = Scope(arguments, selection.filter())
    patches = Patches()
    for repository in repositories:
        commit = _commit(repository, revision)
        files = CommitFiles(repository, commit)
        layout = Layout(files.has_file)
        selected: list[tuple[str, str, bool]] = []
        objects = []
        for path, name in files.tree.files.items():
            absolute = os.path.join(repository.top, path)
            if os.path.basename(path) in KUSTOMIZATIONS:
                _add_kustomization(loaded, scope, files, revision, path)
            argument = scope.find(absolute)
            if argument is not None:
                loaded.covered.add(argument[0])
            if (argument is not None or scope.filter.wants(absolute)) and not patches.has(absolute):
                spelled = os.path.relpath(absolute) if argument is None else argument[1]
                selected.append((path, spelled, argument is not None))
                objects.append(name)
        for (path, spelled, in_scope), content in zip(selected, contents(repository, commit, objects), strict=True):
            file = OldFile(f"{revision}:{path}", spelled, b"", in_scope, spelled)
            data = None if content.problem else content.data
            template = partial(_template_of_commit, layout, path, revision, files)
            loaded.add(file, data, content.problem, template)
    return loaded


def _add_kustomization(loaded: Loaded, scope: Scope, files: CommitFiles, revision: str, path: str) -> None:
    """Add the folder of a kustomization file of a commit if the run would check the kustomization."""
    argument = scope.find(os.path.join(files.repository.top, path))
    if argument is not None:
        folder = os.path.dirname(path)
        loaded.kustomizations[os.path.dirname(argument[1]) or os.curdir] = OldFolder(
            f"{revision}:{folder}", folder or ".", files
        )


def _commit(repository: Repository, revision: str) -> str:
    try:
        return commit_of(repository, revision)
    except RepositoryError as error:
        message = f"no file, folder or git revision named {revision!r} (repository at {repository.top}): {error}"
        raise RepositoryError(message) from error
