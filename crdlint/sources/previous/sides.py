"""The two sides of a comparison as files: a path as it is, or a git revision as a copy of its files."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from crdlint.files.git import commit_of, has_revision
from crdlint.files.paths import has_yaml_suffix
from crdlint.files.read import UnreadableError, read_bytes
from crdlint.files.repository import RepositoryError, repository_of
from crdlint.sources.helm.archive import MAX_BYTES, ArchiveError, Budget, members
from crdlint.sources.helm.layout import ARCHIVES, CHART
from crdlint.sources.kustomize import KUSTOMIZATIONS
from crdlint.sources.previous.copies import CommitFiles, is_safe, target_of

if TYPE_CHECKING:
    from crdlint.files.repository import Repository


# A revision neither configures crdlint nor hides files from it.
_LEFT_OUT: Final = frozenset({".crdlint.yaml", ".crdlint.yml", "crdlint.toml", "pyproject.toml", ".gitignore"})


@dataclass(frozen=True, slots=True)
class Side:
    """Files to compare: their path, and the text that replaces that path in names for users.

    A copy of a revision may have files in `top` that are not below the path. They are named after the `revision`.
    """

    path: str
    shown: str
    problems: tuple[str, ...] = ()
    top: str | None = None
    revision: str = ""

    def name(self, file: str) -> str:
        """Return the name for users of a file of this side."""
        if self.path == self.shown:
            return file
        if file == self.path:
            return self.shown
        if file.startswith(self.path + os.sep):
            return f"{self.shown}{'' if self.shown.endswith(':') else '/'}{file[len(self.path) + 1 :]}"
        if self.top is not None and file.startswith(self.top + os.sep):
            return f"{self.revision}:{file[len(self.top) + 1 :]}"
        return file

    def in_names(self, text: str) -> str:
        """Return a text in which the paths of copied files are replaced by the names for users."""
        if self.path == self.shown:
            return text
        for path in filter(None, (self.path, self.top)):
            text = text.replace(path + os.sep, self.name(os.path.join(path, "x"))[:-1])
        return text


def is_archive(path: str) -> bool:
    """Return whether a path is that of a packed chart by its name."""
    return path.endswith(ARCHIVES) and os.path.isfile(path)


def unpacked(archive: str, folder: str, shown: str | None = None) -> Side:
    """Return a packed chart as a side, after its regular files are written to a folder; raise RepositoryError.

    Links in the archive are left out, as Helm does. An empty `.git` marks the folder as a repository, so that no
    reference in a file leads out of it.
    """
    tops: set[str] = set()
    try:
        os.makedirs(os.path.join(folder, ".git"), exist_ok=True)
        for member in members(read_bytes(archive, MAX_BYTES), Budget(), ("",)):
            name = posixpath.normpath(member.name)
            tops.add(name.partition("/")[0])
            with open(target_of(folder, name), "wb") as file:
                file.write(member.data)
    except (ArchiveError, UnreadableError) as error:
        raise RepositoryError(f"{archive}: cannot be unpacked: {error}") from error
    except OSError as error:
        raise RepositoryError(f"{archive}: cannot be unpacked: {error.filename}: {error.strerror}") from error
    below = tops.pop() if len(tops) == 1 else ""
    return Side(os.path.join(folder, below) if below else folder, f"{shown or archive}:{below}")


def side_of_path(path: str, repositories: Iterable[Repository], folder: str | None) -> Side:
    """Return a path as a side; a packed chart is unpacked to `folder` if that is given.

    Raise RepositoryError if it is the name of a revision of one of the repositories as well.
    """
    if not path.startswith((".", "/")) and any(has_revision(repository, path) for repository in repositories):
        # A checkout must not choose what it is compared with.
        message = f"{path!r} is both a path and a git revision: write `./{path}` or `{path}^{{commit}}`"
        raise RepositoryError(message)
    return Side(path, path) if folder is None or not is_archive(path) else unpacked(path, folder)


def named_commit(repository: Repository, revision: str) -> str:
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
    revision, colon, path = source.partition(":")
    if os.path.lexists(source):
        return side_of_path(source, [] if repository is None else [repository], folder)
    if repository is None:
        raise RepositoryError(f"no file or folder named {source!r}, and the working directory is in no git repository")
    here = os.path.relpath(os.path.realpath(os.curdir), repository.top)
    below = here if not colon else os.path.join(here, path) if path.startswith(("./", "../")) else path
    below = os.path.normpath(below or ".")
    commit = named_commit(repository, revision)
    if below.startswith(".."):
        raise RepositoryError(f"{path} is outside of the repository")
    problems = _export(CommitFiles(repository, commit), below, folder)
    root = os.path.join(folder, below) if below != "." else folder
    if not os.path.lexists(root):
        if colon:
            raise RepositoryError(f"{revision} has no YAML or JSON file in {path}")
        os.makedirs(root, exist_ok=True)
    if is_archive(root):
        return unpacked(root, f"{folder}.unpacked", source)
    shown = source if colon else f"{source}:"
    return Side(root, shown, tuple(f"{revision}: {problem}" for problem in problems), folder, revision)


def _export(files: CommitFiles, below: str, folder: str) -> list[str]:
    """Write what a commit has below a path to a folder, and return the problems.

    These are YAML and JSON files, all files of charts, and what kustomizations and links in charts refer to.
    """
    os.makedirs(os.path.join(folder, ".git"), exist_ok=True)  # no reference leads out of the copy
    objects = files.tree.files
    inside = [path for path in objects if below == "." or path == below or path.startswith(f"{below}/")]
    charts = _charts(objects, inside, below)
    paths = [path for path in inside if has_yaml_suffix(path) or path == below]
    if charts:
        paths = list(dict.fromkeys((*paths, *(path for path in objects if path.startswith(tuple(charts))))))
    paths = [path for path in paths if is_safe(path) and posixpath.basename(path) not in _LEFT_OUT]
    problems = []
    for path, content in files.contents(paths):
        if content.problem is not None:
            problems.append(f"{path}: {content.problem}")
            continue
        try:
            with open(target_of(folder, path), "xb") as file:
                file.write(content.data)
        except OSError as error:
            problems.append(f"{path}: {error.strerror}")
    written = set(paths)
    for references in _references(files, charts, inside):
        try:
            files.copy((path for path in references() if posixpath.basename(path) not in _LEFT_OUT), folder, written)
        except RepositoryError as error:  # noqa: PERF203  a chart at a time
            problems.append(str(error))
    return problems


def _charts(paths: Container[str], inside: Iterable[str], below: str) -> list[str]:
    """Return the folders, with a closing slash, of the charts below a path and of those that contain the path."""
    charts = [path.removesuffix(CHART) for path in inside if posixpath.basename(path) == CHART]
    parents = [f"{parent}/" if str(parent) != "." else "" for parent in PurePosixPath(below).parents]
    return [*charts, *(parent for parent in parents if f"{parent}{CHART}" in paths)]


def _references(
    files: CommitFiles, charts: Iterable[str], inside: Iterable[str]
) -> Iterator[Callable[[], Iterable[str]]]:
    """Yield functions that return paths that the charts with links, and all kustomizations, refer to."""
    for chart in charts:
        if any(link.startswith(chart) for link in files.tree.links):
            yield partial(list, [chart.rstrip("/") or "."])
    folders = {posixpath.dirname(path) or "." for path in inside if posixpath.basename(path) in KUSTOMIZATIONS}
    if folders:
        yield partial(files.with_references, folders)
