"""The git repository of a path, found without running git.

A directory of the checkout may look like a repository without a work tree, with a configuration that runs commands. So
only the repository of a `.git` in a parent directory is used, and every call of git gets that repository explicitly.
"""

from __future__ import annotations

import itertools
import os
from typing import Final, NamedTuple

_POINTER: Final = b"gitdir: "
_LONGEST_POINTER: Final = 65_536  # bytes
_FILES: Final = ("HEAD", "config", "config.worktree", "index", "packed-refs", "shallow")


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

    def require_regular_files(self) -> None:
        """Raise RepositoryError if a file of the repository is a pipe or a device, which git would wait for or read."""
        for folder, name in itertools.product((self.folder, self.shared), _FILES):
            path = os.path.join(folder, name)
            if os.path.exists(path) and not os.path.isfile(path):
                raise RepositoryError(f"{path} is not a regular file")


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
    from crdlint.inputs.read import UnreadableError, read_bytes

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
