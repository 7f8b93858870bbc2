"""Which files to check: paths, folders and globs from the command line to files, in a fixed order, each once."""

from __future__ import annotations

import glob
import os
import re
import stat
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.sources.gitignore import Ignored, ignored_in, patterns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pathspec import GitIgnoreSpec

STDIN: Final = "-"
_SUFFIXES: Final = (".yaml", ".yml", ".json")
_NEVER_ENTERED: Final = frozenset({".git", ".hg", ".svn"})


@dataclass(frozen=True, slots=True)
class Problem:
    """An input that could not be read: its path and why; where ``fatal`` is not set it was passed over on purpose."""

    path: str
    message: str
    fatal: bool = True


@dataclass(frozen=True, slots=True)
class Selection:
    """Which files to take: gitignore patterns relative to the working directory.

    ``include`` stands in for the usual suffixes in folders; ``exclude`` holds for files that are named as well.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True


@dataclass(frozen=True, slots=True)
class Found:
    """What discovery gives: files in order, and what could not be entered."""

    files: tuple[str, ...]
    problems: tuple[Problem, ...]


def open_descriptor(path: str) -> int | None:
    """Return the number of the open descriptor that a path such as ``-`` or ``/dev/fd/63`` names, None for a file.

    Only the spelling counts, so a link in a checkout cannot name one.
    """
    if path == STDIN:
        return 0
    match = _DESCRIPTOR.fullmatch(path)
    return int(match[1] or 0) if match is not None else None


_DESCRIPTOR: Final = re.compile(r"/dev/stdin|(?:/dev/fd|/proc/self/fd)/([0-9]{1,6})")


def discover(arguments: Sequence[str], selection: Selection) -> Found:
    """Find the files of paths, folders and globs: arguments in their order, a folder's files by name, then its folders.

    A named file is taken whatever its suffix and though git ignores it. Links to folders are followed only where named,
    so there are no loops.
    """
    walk = _Walk(selection.gitignore, _compiled(selection.include), _compiled(selection.exclude))
    for argument in arguments:
        if argument == STDIN:
            walk.add(STDIN)
        elif os.path.lexists(argument) or not glob.has_magic(argument):
            walk.named(argument)
        else:
            walk.expanded(argument)
    return Found(tuple(walk.files), tuple(walk.problems))


def _compiled(lines: tuple[str, ...]) -> GitIgnoreSpec | None:
    return patterns(lines) if lines else None


@dataclass(slots=True)
class _Walk:
    """The files found so far, and whether git ignores something that was met."""

    gitignore: bool
    include: GitIgnoreSpec | None
    exclude: GitIgnoreSpec | None
    files: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    left_out: bool = False

    def add(self, path: str) -> None:
        key = os.path.realpath(path) if path != STDIN else STDIN
        if key not in self.seen:
            self.seen.add(key)
            self.files.append(path)

    def named(self, path: str) -> None:
        """Take what an argument names; an open pipe is read too, for `crdlint check <(kustomize build)`."""
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            self.problems.append(Problem(path, reason(error)))
            return
        if stat.S_ISDIR(mode):
            self.folder(path)
        elif not _matches(self.exclude, path):
            self.add(path)

    def expanded(self, pattern: str) -> None:
        """Take what a glob that the shell left alone matches, except what git ignores."""
        matched = sorted(glob.glob(pattern, recursive=True))
        if not matched:
            self.problems.append(Problem(pattern, "no file matches"))
        folders: dict[str, Ignored] = {}
        for path in matched:
            if os.path.isdir(path):
                if not pattern.endswith("**"):  # it has matched the files below already
                    self.folder(path)
                continue
            folder = os.path.dirname(os.path.abspath(path))
            if folder not in folders:
                folders[folder] = self._in_force(folder)
            taken = self._is_wanted(path) or not pattern.endswith("*")
            if taken and not folders[folder].matches(os.path.abspath(path)):
                self.named(path)

    def _in_force(self, folder: str) -> Ignored:
        return ignored_in(folder) if self.gitignore else Ignored()

    def folder(self, top: str) -> None:
        """Take the files below a folder: those that git tracks though it ignores them come last."""
        self.left_out = False
        self._enter(top)
        if self.left_out:
            from crdlint.sources.git import tracked_though_ignored

            for name in tracked_though_ignored(top):
                path = os.path.normpath(os.path.join(top, name))
                if self._is_wanted(path) and os.path.isfile(path):
                    self.named(path)

    def _enter(self, top: str) -> None:
        pending = [(top, self._in_force(os.path.abspath(top)))]
        while pending:
            folder, ignored = pending.pop()
            try:
                with os.scandir(folder) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError as error:
                self.problems.append(Problem(folder, reason(error)))
                continue
            folders = []
            for entry in listed:
                path = os.path.normpath(entry.path)
                if entry.is_dir(follow_symlinks=False):
                    if entry.name not in _NEVER_ENTERED and not self._is_left_out(path, ignored, folder=True):
                        folders.append(path)
                elif self._is_wanted(path) and not self._is_left_out(path, ignored):
                    self.entry(entry, path)
            pending.extend(
                (path, ignored.below(os.path.abspath(path)) if self.gitignore else ignored)
                for path in reversed(folders)
            )

    def entry(self, entry: os.DirEntry[str], path: str) -> None:
        """Take a file of a folder; what would block or never end is passed over with a word."""
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            self.problems.append(Problem(path, reason(error)))
            return
        if stat.S_ISREG(mode):
            self.add(path)
        elif not stat.S_ISDIR(mode):
            self.problems.append(Problem(path, "skipped: not a regular file", fatal=False))

    def _is_wanted(self, path: str) -> bool:
        return path.endswith(_SUFFIXES) if self.include is None else _matches(self.include, path)

    def _is_left_out(self, path: str, ignored: Ignored, *, folder: bool = False) -> bool:
        if _matches(self.exclude, path + "/" if folder else path):
            return True
        left_out = bool(ignored.levels) and ignored.matches(os.path.abspath(path), folder=folder)
        self.left_out |= left_out
        return left_out


def _matches(spec: GitIgnoreSpec | None, path: str) -> bool:
    """Return whether patterns match a path, seen from the working directory where it lies below that."""
    if spec is None:
        return False
    closing = "/" if path.endswith("/") else ""
    relative = os.path.relpath(path)
    if relative.startswith(".."):
        relative = os.path.abspath(path).lstrip(os.sep)
    return spec.match_file(relative.replace(os.sep, "/") + closing)


def reason(error: Exception) -> str:
    """Return why a path could not be used, in the system's words."""
    return (isinstance(error, OSError) and error.strerror) or str(error)
