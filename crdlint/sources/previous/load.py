"""Loading of old files: those of a file, a directory, a packed chart or a git revision."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import cached_property, partial
from itertools import chain

from crdlint.files.paths import (
    SKIPPED_LINK,
    PathFilter,
    Selection,
    UnreadInput,
    discover,
    has_yaml_suffix,
)
from crdlint.files.patterns import Glob
from crdlint.files.read import UnreadableError, decode, open_descriptor, read_bytes, with_parents
from crdlint.files.recognition import is_lfs_pointer, may_hold_crd
from crdlint.files.repository import Repository, RepositoryError, repository_of
from crdlint.light import dataclass, replace
from crdlint.sources.helm.layout import (
    CHART,
    TEMPLATES,
    ChartLayout,
    has_unusual_name,
    inside,
    outermost,
)
from crdlint.sources.helm.unusual_names import unusual_templates
from crdlint.sources.kustomize import KUSTOMIZATIONS, Patches, kustomization_of
from crdlint.sources.previous.copies import CommitFiles, OldFolder, Side, named_commit, side_of_path
from crdlint.sources.previous.crds import (
    OldCharts,
    OldFile,
    OldKustomizations,
    OldTemplate,
    PreviousCRDs,
    pack,
)


@dataclass(slots=True)
class Scope:
    """The arguments of a run, and the selection of the files below its directories."""

    arguments: Sequence[str]
    filter: PathFilter
    _tops: dict[str, str] = field(default_factory=dict)
    _globs: list[tuple[str, Glob]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for argument in self.arguments:
            glob = None if os.path.lexists(argument) else Glob.of(argument)
            if glob is not None:
                self._globs.append((os.path.join(os.path.realpath(glob.base), ""), glob))
            elif open_descriptor(argument) is None:
                self._tops.setdefault(os.path.realpath(argument), argument)

    @property
    def has_folder(self) -> bool:
        """Whether an argument is a directory or a glob, so that files may be missing without being named."""
        return bool(self._globs) or any(map(os.path.isdir, self._tops))

    def find(self, path: str, *, any_name: bool = False) -> tuple[str, str] | None:
        """Return the argument that covers an absolute path, and the path as the run would spell it, or None.

        Below directories, only the usual suffixes or those of the selection count, unless `any_name`.
        """
        for argument, name in self._spellings(path, any_name=any_name):
            if not self.filter.excludes(name):
                return argument, name
        return None

    def _spellings(self, path: str, *, any_name: bool) -> Iterator[tuple[str, str]]:
        for top in with_parents(path):
            argument = self._tops.get(top)
            if argument is not None:
                name = os.path.normpath(os.path.join(argument, os.path.relpath(path, top)))
                if top == path or any_name or self.filter.wants(name):
                    yield argument, name
        for base, glob in self._globs:
            if path.startswith(base):
                below = path[len(base) :]
                name = os.path.normpath(glob.base + below)
                if self.filter.matches(glob, name, glob.states_of(below)):
                    yield glob.text, name


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
        self,
        file: OldFile,
        data: bytes | None,
        problem: str | None,
        template: Callable[[], OldTemplate | None],
    ) -> None:
        """Add an old file with its data if it may contain a CRD; `problem` is the reason why its data is unknown."""
        if data is not None:
            problem = self._add_content(file, data, template) or problem
        if problem is None:
            return
        if file.in_scope:
            self.problems.append(UnreadInput(file.name, problem))
        else:
            self.unreadable.append(f"{file.name}: {problem}")

    def _add_content(
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


def load(
    source: str,
    arguments: Sequence[str],
    selection: Selection,
    old: OldSide,
    folder: str | None = None,
) -> None:
    """Add the files of a file, a directory, or else of a git revision of the repositories of `arguments` to the old side.

    A packed chart is unpacked to `folder` if that is given. Raise RepositoryError if `source` is none of these, or both
    a path and a revision.
    """
    named = map(_repository_of, arguments)
    repositories = list(dict.fromkeys(filter(None, named)))
    if os.path.lexists(source):
        side = side_of_path(source, repositories, folder)
        load_side(
            side,
            arguments,
            selection,
            old,
        )
    else:
        _load_revision(
            source,
            repositories,
            arguments,
            selection,
            old,
        )


def load_side(
    side: Side,
    arguments: Sequence[str],
    selection: Selection,
    old: OldSide,
) -> None:
    """Add the files of a path to the old side."""
    discovered = discover([side.path], selection)
    old.problems += _unread(side, discovered.problems, arguments)
    in_scope = not os.path.isdir(side.path) or Scope(arguments, selection.filter()).has_folder
    layout, patches = ChartLayout(), Patches()

    def folder_of(path: str) -> OldFolder:
        return OldFolder(side.name(path), path)

    charts = _folders(path for path in discovered.files if os.path.basename(path) == CHART)
    unusual = chain.from_iterable(map(unusual_templates, charts))
    for path in dict.fromkeys((*discovered.files, *unusual)):
        if patches.has(path):
            continue
        file = OldFile(
            side.name(path),
            "",
            b"",
            in_scope,
            side.counterpart(path, arguments),
        )
        try:
            old.add(
                file,
                read_bytes(path),
                None,
                partial(_template, layout, path, folder_of),
            )
        except UnreadableError as error:
            old.add(
                replace(file, in_scope=True),
                None,
                str(error),
                lambda: None,
            )
    outermost_charts = set(filter(_is_outermost, charts))
    for folder in _folders(discovered.files):
        counterpart = side.counterpart(folder, arguments)
        if folder in outermost_charts:
            old.charts[counterpart] = folder_of(folder)
        if kustomization_of(folder) is not None:
            old.kustomizations[counterpart] = folder_of(folder)


def _unread(
    side: Side, problems: Iterable[UnreadInput], arguments: Sequence[str]
) -> Iterator[UnreadInput]:
    """Yield what of an old side is not read, by its names for users."""
    for problem in problems:
        counterpart = side.counterpart(problem.path, arguments)
        fatal = problem.fatal or _hides_old_crd(problem, counterpart)
        yield problem._replace(path=side.name(problem.path), fatal=fatal)
    for link in side.links_out:
        if _is_file(side.counterpart(link, arguments)):
            yield UnreadInput(side.name(link), SKIPPED_LINK)


def _repository_of(argument: str) -> Repository | None:
    """Return the repository of an argument, for an input stream that of the working directory."""
    return repository_of(argument if open_descriptor(argument) is None else ".")


def _is_outermost(chart: str) -> bool:
    """Return whether the folder of a chart is not in another chart."""
    return outermost(chart) == chart


def _folders(files: Iterable[str]) -> list[str]:
    """Return the folders of files, each once."""
    return list(dict.fromkeys(os.path.dirname(path) or os.curdir for path in files))


def _unreadable(data: bytes) -> str | None:
    """Return the reason why data is no text, such as a pointer of Git LFS, or something compressed or encrypted."""
    try:
        decode(data)
    except UnreadableError as error:
        return str(error)
    return None


def _hides_old_crd(problem: UnreadInput, counterpart: str) -> bool:
    """Return whether a file that is not read, because a link to it is not followed, may have an old CRD that would count as added.

    `counterpart` is the new path in the place of the link; a link there is not followed either.
    """
    is_link_out = problem.message == SKIPPED_LINK and has_yaml_suffix(problem.path)
    return is_link_out and not os.path.islink(counterpart)


def _may_hold_new_crd(file: OldFile, old: bytes) -> bool:
    """Return whether the new version of a file may have CRDs, or is gone; `old` is the data of the old one."""
    try:
        new = read_bytes(file.path or file.counterpart)
    except UnreadableError:
        return has_yaml_suffix(file.name)
    is_other_pointer = is_lfs_pointer(new) and new != old
    return is_other_pointer or may_hold_crd(new)


def _template(
    layout: ChartLayout,
    path: str,
    folder_of: Callable[[str], OldFolder],
    is_file: Callable[[str], bool] = os.path.isfile,
) -> OldTemplate | None:
    """Return the template of a chart at a path; `folder_of` returns the folder of its outermost chart."""
    location = layout.locate(path)
    if location is None or location.part != TEMPLATES:
        return None
    chart = outermost(location.chart, is_file)
    return OldTemplate(folder_of(chart), inside(location, chart))


def _load_revision(
    revision: str,
    repositories: Sequence[Repository],
    arguments: Sequence[str],
    selection: Selection,
    old: OldSide,
) -> None:
    """Add the files of a revision, as far as they are in the scope of the arguments or may have its CRDs, to the old side."""
    if not repositories:
        raise RepositoryError(
            f"no file or folder named {revision!r}, and {arguments[0]} is in no git repository"
        )
    old.tops += (repository.top for repository in repositories)
    scope = Scope(arguments, selection.filter())
    patches = Patches()
    for repository in repositories:
        files = CommitFiles(repository, named_commit(repository, revision))
        layout = ChartLayout(files.has_file)
        folder_of = partial(_folder_of_commit, files, revision)
        selected: dict[str, tuple[str, bool]] = {}
        for path in files.tree.files:
            absolute = os.path.join(repository.top, path)
            argument = scope.find(absolute, any_name=_is_unusual_template(layout, path))
            spelled = os.path.relpath(absolute) if argument is None else argument[1]
            if argument is not None:
                old.covered.add(argument[0])
                _add_folders(old, files, path, spelled, folder_of)
            is_wanted = argument is not None or scope.filter.wants(absolute)
            if is_wanted and not patches.has(absolute):
                selected[path] = spelled, argument is not None
        for path, content in files.contents(selected):
            spelled, in_scope = selected[path]
            file = OldFile(
                f"{revision}:{path}",
                spelled,
                b"",
                in_scope,
                spelled,
            )
            data = None if content.problem else content.data
            template = partial(
                _template,
                layout,
                f"/{path}",
                folder_of,
                files.has_file,
            )
            old.add(file, data, content.problem, template)
        old.problems += _replaced_links(files, revision, scope)


def _replaced_links(files: CommitFiles, revision: str, scope: Scope) -> Iterator[UnreadInput]:
    """Yield the links out of the repository in a commit that are files now."""
    for link in files.links_out():
        path = os.path.join(files.repository.top, link)
        if scope.find(path) is not None and _is_file(path):
            yield UnreadInput(f"{revision}:{link}", SKIPPED_LINK)


def _is_file(path: str) -> bool:
    """Return whether a path is that of a file, whose CRDs would count as added if a link with old ones was there."""
    return os.path.isfile(path) and not os.path.islink(path)


def _add_folders(
    old: OldSide,
    files: CommitFiles,
    path: str,
    spelled: str,
    folder_of: Callable[[str], OldFolder],
) -> None:
    """Add the chart or kustomization whose file a path of a commit is; ``spelled`` is that path as arguments write it."""
    folder, name = os.path.split(path)
    new_folder = os.path.dirname(spelled) or os.curdir
    if name == CHART and outermost(f"/{folder}", files.has_file) == f"/{folder}":
        old.charts[os.path.normpath(new_folder)] = folder_of(folder)
    if name in KUSTOMIZATIONS:
        old.kustomizations[new_folder] = folder_of(folder)


def _is_unusual_template(layout: ChartLayout, path: str) -> bool:
    """Return whether a path of a commit is that of a template which is not YAML by its name."""
    if f"{TEMPLATES}/" not in path:
        return False
    location = layout.locate(f"/{path}")
    return location is not None and has_unusual_name(location.path)


def _folder_of_commit(files: CommitFiles, revision: str, folder: str) -> OldFolder:
    below = folder.replace(os.sep, "/").lstrip("/")
    return OldFolder(f"{revision}:{below}", below or ".", files)
