"""Sides of a comparison: a path, a packed chart or a git revision; the files of an old one are loaded.

A new side is checked as files, so of a revision it is a copy. The files of a commit that only are an old side are not copied.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field
from functools import partial
from itertools import chain

from crdlint.files.git import Content, commit_of, has_revision
from crdlint.files.paths import (
    SKIPPED_LINK,
    PathFilter,
    Selection,
    UnreadInput,
    discover,
    has_yaml_suffix,
)
from crdlint.files.patterns import Glob
from crdlint.files.read import UnreadableError, open_descriptor, read_bytes, with_parents
from crdlint.files.repository import Repository, RepositoryError, repository_of
from crdlint.light import dataclass
from crdlint.sources.helm.archive import ArchiveBudget, ArchiveError, members
from crdlint.sources.helm.layout import (
    CHART,
    MAX_BYTES,
    TEMPLATES,
    ChartLayout,
    has_unusual_name,
    inside,
    is_archive,
    may_be_installed,
)
from crdlint.sources.helm.unusual_names import unusual_templates
from crdlint.sources.kustomize import KUSTOMIZATIONS, Patches, kustomization_of
from crdlint.sources.previous.copies import (
    CommitFiles,
    OldFolder,
    export,
    is_at_or_below,
    target_of,
)
from crdlint.sources.previous.crds import OldCharts, OldFile, OldTemplate
from crdlint.sources.previous.old_side import OldSide


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


@dataclass(frozen=True, slots=True)
class Side:
    """Files to compare: their path, and the text that replaces that path in names for users.

    A copy of a revision may have files in `top` that are not below the path. They are named after the `revision`. It has no
    links that lead out of the repository: `links_out` are the paths where these would be.
    """

    path: str
    shown: str
    problems: tuple[str, ...] = ()
    top: str | None = None
    revision: str = ""
    links_out: tuple[str, ...] = ()

    def name(self, file: str) -> str:
        """Return the name for users of a file of this side."""
        if file == self.path:
            return self.shown
        for folder, shown in self._shown_folders:
            if file.startswith(folder):
                return shown + file.removeprefix(folder)
        return file

    def counterpart(self, file: str, arguments: Sequence[str]) -> str:
        """Return the path in the only argument that has the place of a file of this side, empty if there are several."""
        if len(arguments) != 1:
            return ""
        return os.path.normpath(os.path.join(arguments[0], os.path.relpath(file, self.path)))

    def in_names(self, text: str) -> str:
        """Return a text in which the paths of copied files are replaced by the names for users."""
        for folder, shown in self._shown_folders:
            text = text.replace(folder, shown)
        return text

    def folder(self, path: str) -> OldFolder:
        """Return a folder of this side."""
        return OldFolder(self.name(path), path)

    def add_to(self, old: OldSide, arguments: Sequence[str], selection: Selection) -> None:
        """Add the files, charts and kustomizations of this side to the old side of a run with arguments."""
        discovered = discover([self.path], selection)
        old.problems += self._unread(discovered.problems, arguments)
        in_scope = not os.path.isdir(self.path) or Scope(arguments, selection.filter()).has_folder
        layout, patches = ChartLayout(), Patches()
        charts = _folders(path for path in discovered.files if os.path.basename(path) == CHART)
        unusual = chain.from_iterable(map(unusual_templates, charts))
        for path in dict.fromkeys((*discovered.files, *unusual)):
            if patches.has(path):
                continue
            content = _content(path)
            file = OldFile(
                self.name(path),
                "",
                b"",
                in_scope or content.problem is not None,
                self.counterpart(path, arguments),
            )
            old.add(file, content, partial(_template, layout, path, self.folder))
        for path in _folders(discovered.files):
            folder, counterpart = self.folder(path), self.counterpart(path, arguments)
            if path in charts and layout.outermost(path) == path:
                old.charts[counterpart] = folder
            if kustomization_of(path) is not None:
                old.kustomizations[counterpart] = folder

    def _unread(
        self, problems: Iterable[UnreadInput], arguments: Sequence[str]
    ) -> Iterator[UnreadInput]:
        """Yield what of this side is not read, by its names for users."""
        for problem in problems:
            counterpart = self.counterpart(problem.path, arguments)
            fatal = problem.fatal or _hides_old_crd(problem, counterpart)
            yield problem._replace(path=self.name(problem.path), fatal=fatal)
        for link in self.links_out:
            if _is_file(self.counterpart(link, arguments)):
                yield UnreadInput(self.name(link), SKIPPED_LINK)

    @property
    def _shown_folders(self) -> list[tuple[str, str]]:
        """The beginnings of the paths of copied files, and what replaces them in names for users."""
        if self.path == self.shown:
            return []
        end = "" if self.shown.endswith(":") else "/"
        folders = [(self.path + os.sep, self.shown + end)]
        if self.top is not None:
            folders.append((self.top + os.sep, f"{self.revision}:"))
        return folders


@dataclass(frozen=True, slots=True)
class CommitSide:
    """The files of a commit as an old side, in whose place those of the work tree are checked; `revision` is what users call it."""

    files: CommitFiles
    revision: str

    def folder(self, path: str) -> OldFolder:
        """Return a folder of this side."""
        below = path.replace(os.sep, "/").lstrip("/")
        return OldFolder(f"{self.revision}:{below}", below or ".", self.files)

    def add_to(self, old: OldSide, arguments: Sequence[str], selection: Selection) -> None:
        """Add what is in the scope of the arguments of a run, or may have its CRDs, to the old side of the run."""
        files, top = self.files, self.files.repository.top
        old.tops.append(top)
        scope = Scope(arguments, selection.filter())
        layout, patches = ChartLayout(files.has_file), Patches()
        selected: dict[str, OldFile] = {}
        for path in files.tree.files:
            absolute = os.path.join(top, path)
            covering = scope.find(absolute, any_name=_is_unusual_template(layout, path))
            spelled = os.path.relpath(absolute)
            if covering is not None:
                argument, spelled = covering
                old.covered.add(argument)
                self._add_folders(old, layout, path, spelled)
            is_wanted = covering is not None or scope.filter.wants(absolute)
            if is_wanted and not patches.has(absolute):
                selected[path] = OldFile(
                    f"{self.revision}:{path}",
                    spelled,
                    b"",
                    covering is not None,
                    spelled,
                )
        for path, content in files.contents(selected):
            template = partial(_template, layout, f"/{path}", self.folder)
            old.add(selected[path], content, template)
        old.problems += self._replaced_links(scope)

    def _add_folders(
        self,
        old: OldSide,
        layout: ChartLayout,
        path: str,
        spelled: str,
    ) -> None:
        """Add the chart or kustomization whose file a path is; `spelled` is that path as arguments write it."""
        folder, name = os.path.split(path)
        new_folder = os.path.dirname(spelled) or os.curdir
        if name == CHART and layout.outermost(f"/{folder}") == f"/{folder}":
            old.charts[os.path.normpath(new_folder)] = self.folder(folder)
        if name in KUSTOMIZATIONS:
            old.kustomizations[new_folder] = self.folder(folder)

    def _replaced_links(self, scope: Scope) -> Iterator[UnreadInput]:
        """Yield the links out of the repository that are files now."""
        for link in self.files.links_out():
            path = os.path.join(self.files.repository.top, link)
            if scope.find(path) is not None and _is_file(path):
                yield UnreadInput(f"{self.revision}:{link}", SKIPPED_LINK)


def load(
    sides: Iterable[Side | CommitSide],
    arguments: Sequence[str],
    selection: Selection,
    charts: OldCharts,
    *,
    builds: bool,
) -> OldSide:
    """Return the old side of a run with arguments; raise RepositoryError. `charts` renders its charts."""
    old = OldSide(charts, builds)
    for each in sides:
        each.add_to(old, arguments, selection)
    return old


def against(
    source: str, arguments: Sequence[str], folder: str | None
) -> Sequence[Side | CommitSide]:
    """Return the old side of a check of arguments: a file, a directory, or else a git revision of their repositories.

    A packed chart is unpacked to `folder` if that is given. Raise RepositoryError if `source` is none of these, or both
    a path and a revision.
    """
    named = map(_repository_of, arguments)
    repositories = list(dict.fromkeys(filter(None, named)))
    if os.path.lexists(source):
        return [_side_of_path(source, repositories, folder)]
    if not repositories:
        raise RepositoryError(
            f"no file or folder named {source!r}, and {arguments[0]} is in no git repository"
        )
    return [
        CommitSide(CommitFiles(repository, _named_commit(repository, source)), source)
        for repository in repositories
    ]


def _unpacked(archive: str, folder: str, shown: str | None = None) -> Side:
    """Return a packed chart as a side, after its regular files are written to a folder; raise RepositoryError.

    Links in the archive are left out, as Helm does. An empty `.git` marks the folder as a repository, so that no
    reference in a file leads out of it.
    """
    try:
        tops = _unpack(archive, folder)
    except (ArchiveError, UnreadableError) as error:
        raise RepositoryError(f"{archive}: cannot be unpacked: {error}") from error
    except OSError as error:
        reason = f"{error.filename}: {error.strerror}"
        raise RepositoryError(f"{archive}: cannot be unpacked: {reason}") from error
    name = f"{shown or archive}:"
    if len(tops) != 1:
        return Side(folder, name)
    below = tops.pop()
    return Side(os.path.join(folder, below), f"{name}{below}")


def _unpack(archive: str, folder: str) -> set[str]:
    """Write the regular files of an archive to a folder, and return the names at its top."""
    os.makedirs(os.path.join(folder, ".git"), exist_ok=True)
    packed = members(read_bytes(archive, MAX_BYTES), ArchiveBudget(), may_be_installed)
    tops: set[str] = set()
    for name, data in packed:
        tops.add(name.partition("/")[0])
        with open(target_of(folder, name), "wb") as file:
            file.write(data)
    return tops


def _side_of_path(path: str, repositories: Iterable[Repository], folder: str | None) -> Side:
    """Return a path as a side, a packed chart unpacked to `folder`; raise RepositoryError if it is also the name of a revision."""
    may_be_revision = not path.startswith((".", "/"))
    if may_be_revision and any(has_revision(repository, path) for repository in repositories):
        # A checkout must not choose what it is compared with.
        raise RepositoryError(
            f"{path!r} is both a path and a git revision: write `./{path}` or `{path}^{{commit}}`"
        )
    if folder is None or not is_archive(path):
        return Side(path, path)
    return _unpacked(path, folder)


def _named_commit(repository: Repository, revision: str) -> str:
    """Return the commit of a revision that is neither a file nor a folder; raise RepositoryError."""
    try:
        return commit_of(repository, revision)
    except RepositoryError as error:
        message = f"no file, folder or git revision named {revision!r} (repository at {repository.top}): {error}"
        raise RepositoryError(message) from error


def side(source: str, folder: str) -> Side:
    """Return a side from a path, or from a git revision, whose files are written to `folder`, as those of a packed chart.

    A revision means its files below the working directory, and `REVISION:PATH` a file or directory of it. Raise
    RepositoryError if it is neither.
    """
    repository = repository_of(os.curdir)
    if os.path.lexists(source):
        return _side_of_path(source, [] if repository is None else [repository], folder)
    if repository is None:
        raise RepositoryError(
            f"no file or folder named {source!r}, and the working directory is in no git repository"
        )
    return _side_of_revision(repository, source, folder)


def _side_of_revision(repository: Repository, source: str, folder: str) -> Side:
    """Return a side from a git revision of a repository, or from a path of the revision; see `side`."""
    revision, colon, path = source.partition(":")
    below = _below(repository, path if colon else "./")
    commit = _named_commit(repository, revision)
    if below.startswith(".."):
        raise RepositoryError(f"{path} is outside of the repository")
    files = CommitFiles(repository, commit)
    problems = export(files, below, folder)
    root = os.path.normpath(os.path.join(folder, below))
    if not os.path.lexists(root):
        if colon:
            raise RepositoryError(f"{revision} has no YAML or JSON file in {path}")
        os.makedirs(root, exist_ok=True)
    if is_archive(root):
        return _unpacked(root, f"{folder}.unpacked", source)
    shown = source if colon else f"{source}:"
    links = (link for link in files.links_out() if is_at_or_below(link, below))
    return Side(
        root,
        shown,
        tuple(f"{revision}: {problem}" for problem in problems),
        folder,
        revision,
        tuple(os.path.join(folder, link) for link in links),
    )


def _below(repository: Repository, path: str) -> str:
    """Return a path of a revision: from the top of the repository, or from the working directory if it begins with a dot."""
    here = os.path.relpath(os.path.realpath(os.curdir), repository.top)
    is_relative = path.startswith(("./", "../"))
    return os.path.normpath(os.path.join(here, path) if is_relative else path or ".")


def _repository_of(argument: str) -> Repository | None:
    """Return the repository of an argument, for an input stream that of the working directory."""
    return repository_of(argument if open_descriptor(argument) is None else ".")


def _folders(files: Iterable[str]) -> list[str]:
    """Return the folders of files, each once."""
    return list(dict.fromkeys(os.path.dirname(path) or os.curdir for path in files))


def _content(path: str) -> Content:
    try:
        return Content(read_bytes(path))
    except UnreadableError as error:
        return Content(problem=str(error))


def _hides_old_crd(problem: UnreadInput, counterpart: str) -> bool:
    """Return whether a file that is not read, because a link to it is not followed, may have an old CRD that would count as added.

    `counterpart` is the new path in the place of the link; a link there is not followed either.
    """
    is_link_out = problem.message == SKIPPED_LINK and has_yaml_suffix(problem.path)
    return is_link_out and not os.path.islink(counterpart)


def _is_file(path: str) -> bool:
    """Return whether a path is that of a file, whose CRDs would count as added if a link with old ones was there."""
    return os.path.isfile(path) and not os.path.islink(path)


def _template(
    layout: ChartLayout, path: str, folder_of: Callable[[str], OldFolder]
) -> OldTemplate | None:
    """Return the template of a chart at a path; `folder_of` returns the folder of its outermost chart."""
    location = layout.locate(path)
    if location is None or location.part != TEMPLATES:
        return None
    chart = layout.outermost(location.chart)
    return OldTemplate(folder_of(chart), inside(location, chart))


def _is_unusual_template(layout: ChartLayout, path: str) -> bool:
    """Return whether a path of a commit is that of a template which is not YAML by its name."""
    if f"{TEMPLATES}/" not in path:
        return False
    location = layout.locate(f"/{path}")
    return location is not None and has_unusual_name(location.path)
