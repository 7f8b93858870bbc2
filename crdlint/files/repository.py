"""The git repository of a path, found without running git.

A directory of the checkout may look like a repository without a work tree, with a configuration that runs commands. So
only the repository of a `.git` in a parent directory is used, and every call of git gets that repository explicitly.
"""

from __future__ import annotations

import itertools
import os
import stat
from typing import Final, NamedTuple

from crdlint.files.read import UnreadableError, entries_of, is_folder, read_bytes

_POINTER: Final = b"gitdir: "
_LONGEST_POINTER: Final = 65_536  # bytes
_FOLDERS: Final = ("info", "logs", "objects", "refs", "reftable")  # all that git reads, the hooks aside


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
        return (
            os.path.lexists(os.path.join(self.folder, "HEAD"))
            and os.path.isdir(os.path.join(self.shared, "objects"))
            and os.path.isdir(os.path.join(self.shared, "refs"))
        )

    def require_regular_files(self, *, below: bool = False) -> None:
        """Raise RepositoryError if a file is a pipe or a device, which git would wait for or read.

        With `below`, files in directories, such as objects, are included.
        """
        tops = dict.fromkeys((self.folder, self.shared))
        pending = [*tops, *(os.path.join(*parts) for parts in itertools.product(tops, _FOLDERS) if below)]
        pending += _alternates(os.path.join(self.shared, "objects")) if below else ()
        seen: set[str] = set()
        while pending:
            folder = pending.pop()
            for entry in _entries(folder):
                if is_folder(entry):
                    path = os.path.realpath(entry.path) if entry.is_symlink() else entry.path
                    if folder not in tops and path not in seen:
                        seen.add(path)
                        pending.append(path)
                elif not entry.is_file(follow_symlinks=False) and _is_special(entry.path):
                    raise RepositoryError(f"{entry.path} is not a regular file")


def _entries(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of a directory, none if git cannot read it either."""
    try:
        return entries_of(folder)
    except OSError:
        return []


def _alternates(objects: str) -> list[str]:
    """Return the directories with objects of other repositories that git reads, too."""
    try:
        data = read_bytes(os.path.join(objects, "info", "alternates"), _LONGEST_POINTER)
    except UnreadableError:
        return []
    return [os.path.join(objects, os.fsdecode(line)) for line in data.split(b"\n") if line and b"\0" not in line]


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
    folder = start
    while folder == start or folder not in ceilings:
        repository = repository_at(folder)
        if repository is not None and repository.is_valid:
            repository.require_regular_files()
            return repository
        if repository is not None and not os.path.isdir(os.path.join(folder, ".git")):
            raise RepositoryError(f"{folder}/.git leads to {repository.folder}, which is not a git repository")
        parent = os.path.dirname(folder)
        if parent == folder:
            break
        folder = parent
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
    current = folder
    while not os.path.lexists(os.path.join(current, ".git")) and os.path.dirname(current) != current:
        current = os.path.dirname(current)
    return current


def is_below(path: str, folder: str) -> bool:
    """Return whether a real path is inside of a directory."""
    return path.startswith(os.path.join(folder, ""))
