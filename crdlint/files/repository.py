"""The git repository of a path, found without running git, and the files that it ignores.

A directory of the checkout may look like a repository without a work tree, with a configuration that runs commands. So
only the repository of a `.git` in a parent directory is used, and every call of git gets that repository explicitly.

Files are ignored by .gitignore at every level and .git/info/exclude, as in gitignore(5). The user's own core.excludesFile
is not read, because the checked files must not depend on the machine.
"""

from __future__ import annotations

import itertools
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Final

from crdlint.files.patterns import IgnoreLines, compiled
from crdlint.files.read import UnreadableError, entries_of, is_folder, read_bytes, with_parents
from crdlint.light import NamedTuple

_POINTER: Final = b"gitdir: "
_LONGEST_POINTER: Final = 65_536  # bytes
# All that git reads, the hooks aside.
_FOLDERS: Final = (
    "info",
    "logs",
    "objects",
    "refs",
    "reftable",
)


class RepositoryError(Exception):
    """A repository, or an archive in place of it, cannot be read; `str()` is the reason."""


class Repository(NamedTuple):
    """A repository: the top directory of its work tree, its `.git` directory, and the one that all its work trees share."""

    top: str
    folder: str
    shared: str

    @property
    def is_valid(self) -> bool:
        """Whether git accepts the directory as a repository."""
        folders = [os.path.join(self.shared, name) for name in ("objects", "refs")]
        return os.path.lexists(os.path.join(self.folder, "HEAD")) and all(
            map(os.path.isdir, folders)
        )

    def require_regular_files(self, *, below: bool = False) -> None:
        """Raise RepositoryError for a pipe or device, which git would wait for; with `below`, also in directories."""
        tops = dict.fromkeys((self.folder, self.shared))
        pending = list(tops)
        if below:
            pending += itertools.starmap(os.path.join, itertools.product(tops, _FOLDERS))
            pending += _alternates(os.path.join(self.shared, "objects"))
        seen: set[str] = set()
        while pending:
            folder = pending.pop()
            entries: list[os.DirEntry[str]] = []
            with suppress(OSError):  # git cannot read it either
                entries = entries_of(folder)
            for entry in entries:
                if is_folder(entry):
                    path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
                    if folder not in tops and path not in seen:
                        seen.add(path)
                        pending.append(path)
                elif not entry.is_file(follow_symlinks=False) and _is_special(entry.path):
                    raise RepositoryError(f"{entry.path} is not a regular file")


def _alternates(objects: str) -> list[str]:
    """Return the directories with objects of other repositories that git reads, too."""
    try:
        data = read_bytes(os.path.join(objects, "info", "alternates"), _LONGEST_POINTER)
    except UnreadableError:
        return []
    return [
        os.path.join(objects, os.fsdecode(line))
        for line in data.split(b"\n")
        if line and b"\0" not in line
    ]


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) or stat.S_ISBLK(mode)


def repository_of(path: str) -> Repository | None:
    """Return the repository whose work tree contains a path, or None; raise RepositoryError.

    The path itself need not exist. As in git, directories in GIT_CEILING_DIRECTORIES end the search.
    """
    start = os.path.realpath(path)
    while not os.path.isdir(start):
        start = os.path.dirname(start)
    ceilings = os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep)
    for folder in with_parents(start):
        if folder != start and folder in ceilings:
            break
        repository = repository_at(folder)
        if repository is not None and repository.is_valid:
            repository.require_regular_files()
            return repository
        if repository is not None and not os.path.isdir(os.path.join(folder, ".git")):
            raise RepositoryError(
                f"{folder}/.git leads to {repository.folder}, which is not a git repository"
            )
    return None


def repository_at(top: str) -> Repository | None:
    """Return the repository of a directory's `.git`, which may be invalid, or None if there is no `.git`."""
    folder = os.path.join(top, ".git")
    if not os.path.isdir(folder):
        target = _target(folder)
        if target is None:
            return None
        folder = os.path.join(top, target.removeprefix(_POINTER.decode()))
    common = _target(os.path.join(folder, "commondir"))
    shared = folder if common is None else os.path.join(folder, common)
    return Repository(top, os.path.normpath(folder), os.path.normpath(shared))


def _target(path: str) -> str | None:
    """Return the line of a file that refers to a directory, or None if there is no such file or line."""
    try:
        line = read_bytes(path, _LONGEST_POINTER).rstrip(b"\r\n")
    except UnreadableError:
        return None
    return os.fsdecode(line) if line and b"\0" not in line and b"\n" not in line else None


def repository_top(folder: str) -> str:
    """Return the real path of the repository of a real path, or the root of the file system if there is none."""
    *_, root = with_parents(folder)
    return next(_tops(folder), root)


def from_top(name: str) -> str:
    """Return a path of git's output, which is relative to the repository of the working directory, as an absolute path."""
    return os.path.join(repository_top(os.path.realpath(os.curdir)), name)


LINK_OUT: Final = "a link that leads out of the repository"


def leads_out(path: str, tops: Iterable[str] = ()) -> bool:
    """Return whether links lead from a path to a place outside of the repository that has the path, and of other directories.

    `tops` are the real paths of those directories. Without them, a path that is in no repository leads out of none.
    """
    # Not os.path.abspath, which ignores that `..` after a link is in another directory.
    folder = os.path.dirname(os.path.join(os.path.realpath(os.curdir), path))
    within = [*tops, *map(os.path.realpath, itertools.islice(_tops(folder), 1))]
    real = os.path.realpath(path)
    return bool(within) and not any(real == top or is_below(real, top) for top in within)


def _tops(folder: str) -> Iterator[str]:
    return (
        parent for parent in with_parents(folder) if os.path.lexists(os.path.join(parent, ".git"))
    )


def is_below(path: str, folder: str) -> bool:
    """Return whether a real path is inside of a directory."""
    return path.startswith(os.path.join(folder, ""))


_LARGEST: Final = 1024 * 1024  # bytes of a .gitignore
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class _Level(NamedTuple):
    """The patterns of one file, relative to `base`, an absolute directory with a closing separator."""

    base: str
    patterns: IgnoreLines


class IgnorePatterns(NamedTuple):
    """The patterns for one directory, highest precedence first. `report` takes path and reason of an unreadable file."""

    report: Callable[[str, str], None]
    levels: tuple[_Level, ...] = ()

    def below(self, folder: str) -> IgnorePatterns:
        """Return the patterns that apply in `folder`, an absolute path; a nested repository has only its own patterns."""
        inherited = self.levels
        if os.path.lexists(os.path.join(folder, ".git")):
            repository = repository_at(folder)
            inherited = () if repository is None else self._of_repository(folder, repository)
        # Like git, do not follow a link to a .gitignore, because its target may be outside of the repository.
        own = self._read(folder, os.path.join(folder, ".gitignore"), follow_link=False)
        return IgnorePatterns(self.report, own + inherited)

    def _of_repository(self, folder: str, repository: Repository) -> tuple[_Level, ...]:
        """Return the patterns that a repository has beside its work tree, whose top is `folder`."""
        exclude = os.path.join(repository.shared, "info", "exclude")
        return self._read(folder, exclude, follow_link=True)

    def matches(self, path: str, *, folder: bool = False) -> bool:
        """Return whether git ignores an absolute path, provided that it ignores none of its parent directories."""
        for level in self.levels:
            relative = path[len(level.base) :].replace(os.sep, "/")
            decision = level.patterns.decision(os.fsencode(relative), folder=folder)
            if decision is not None:
                return decision
        return False

    def _read(self, base: str, path: str, *, follow_link: bool) -> tuple[_Level, ...]:
        if not os.path.lexists(path):
            return ()
        try:
            data = read_bytes(path, _LARGEST, follow_link=follow_link)
        except UnreadableError as error:
            self.report(path, str(error))
            return ()
        lines = data.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
        return (
            _Level(os.path.join(base, ""), compiled(line.removesuffix(b"\r") for line in lines)),
        )


def ignored_in(folder: str, report: Callable[[str, str], None]) -> IgnorePatterns:
    """Return the patterns for an absolute directory: from its repository's root down to it, its own without a repository."""
    parents = list(with_parents(folder))
    tops = (i for i, path in enumerate(parents) if os.path.lexists(os.path.join(path, ".git")))
    ignored = IgnorePatterns(report)
    for path in reversed(parents[: next(tops, 0) + 1]):
        ignored = ignored.below(path)
    return ignored
