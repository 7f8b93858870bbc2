"""The files to check: paths, directories and globs of the command line as files, in a fixed order, each once."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import field
from typing import Final

from crdlint.files.patterns import Glob, IgnoreLines, States, compiled
from crdlint.files.read import STDIN, entries_of, is_folder, open_descriptor, reason, with_parents
from crdlint.files.repository import (
    LINK_OUT,
    IgnorePatterns,
    RepositoryError,
    ignored_in,
    is_below,
    leads_out,
    repository_of,
    repository_top,
)
from crdlint.light import NamedTuple, dataclass
from crdlint.safety.escapes import trace

YAML_SUFFIXES: Final = (".yaml", ".yml", ".json")
NEVER_ENTERED: Final = frozenset({".git", ".hg", ".svn"})
_DOWNLOAD: Final = "crdlint reads files only: curl -sSfL {} | crdlint check -"
_DANGLING: Final = "skipped: a link that leads to no file"
SKIPPED_LINK: Final = f"skipped: {LINK_OUT}, or of the directory to check"


class UnreadInput(NamedTuple):
    """An input that could not be read: its path and the reason; if not `fatal`, it was skipped intentionally."""

    path: str
    message: str
    fatal: bool = True


class Selection(NamedTuple):
    """The selection of files: gitignore patterns relative to the working directory.

    `include` replaces the usual suffixes in directories; `exclude` also applies to files that are named. `stdin_name`
    is the file name of standard input, if known.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    gitignore: bool = True
    stdin_name: str | None = None

    def filter(self) -> PathFilter:
        """Return the selection as a filter of paths."""
        return PathFilter(
            *(compiled(lines) if lines else None for lines in (self.include, self.exclude))
        )


class Found(NamedTuple):
    """The result of discovery: files in order, read errors, and the numbers of paths that git ignores and `exclude` matches."""

    files: tuple[str, ...]
    problems: tuple[UnreadInput, ...]
    ignored: int = 0
    excluded: int = 0


def has_yaml_suffix(path: str) -> bool:
    """Return whether a file is YAML or JSON by its name; as in Helm, `.YAML` is as good as `.yaml`."""
    return path.lower().endswith(YAML_SUFFIXES)


def discover(arguments: Sequence[str], selection: Selection) -> Found:
    """Find the files of paths, directories and globs, in order: a directory's files by name, then its subdirectories.

    A named file is included regardless of its suffix and of .gitignore. Links to directories are followed if they are
    named, or lead to another part of the repository, each directory once, so there are no loops. A link to a file that is
    not named is followed within the repository and within the named directories.
    """
    walk = _FileWalk(selection.gitignore, selection.filter())
    for path in filter(os.path.isdir, arguments):
        walk.reach(os.path.realpath(path))
    for argument in arguments:
        if open_descriptor(argument) is not None:
            name = selection.stdin_name if argument == STDIN else None
            if name is not None and walk.filter.excludes(name):
                walk.excluded += 1
            else:
                walk.add(argument, key=argument)
            continue
        glob = None if os.path.lexists(argument) else Glob.of(argument)
        if glob is None:
            walk.named(argument)
        else:
            walk.expanded(glob)
    return Found(
        tuple(walk.files),
        tuple(walk.problems),
        walk.ignored,
        walk.excluded,
    )


class PathFilter(NamedTuple):
    """Selects files by their path alone."""

    include: IgnoreLines | None
    exclude: IgnoreLines | None

    def wants(self, path: str) -> bool:
        """Return whether a file below a directory has one of the usual suffixes or matches `include`."""
        return has_yaml_suffix(path) if self.include is None else _matches(self.include, path)

    def excludes(self, path: str) -> bool:
        """Return whether a file, or a directory with a closing slash, matches `exclude`."""
        return _matches(self.exclude, path)

    def matches(self, glob: Glob, path: str, states: States) -> bool:
        """Return whether a glob selects a file; a glob that ends in a `*` does not determine the suffix."""
        takes_file = glob.accepts(states) and not glob.only_folders
        return takes_file and (not glob.open_end or self.wants(path))


@dataclass(slots=True)
class _FileWalk:
    """The files so far.

    - `ignored`, `excluded`: the numbers of files and directories that were skipped
    - `tops`: the real paths of the directories that are named or that links lead to
    - `parents`: those and what they are in
    - `bases`: the real paths of the directories that globs start in
    """

    gitignore: bool
    filter: PathFilter
    files: list[str] = field(default_factory=list)
    problems: dict[UnreadInput, None] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    tops: set[str] = field(default_factory=set)
    parents: set[str] = field(default_factory=set)
    bases: set[str] = field(default_factory=set)
    # Indexes of links in `files`, by what they lead to
    links: dict[str, int] = field(default_factory=dict)
    # The real paths of folders with files, by how their files name them
    real_folders: dict[str, str] = field(default_factory=dict)
    ignored: int = 0
    excluded: int = 0

    def reach(self, top: str) -> None:
        self.tops.add(top)
        self.parents.update(with_parents(top))

    def add(self, path: str, *, key: str = "", is_link: bool = False) -> None:
        """Add a file once: by its own name, if that comes after the name of a link that a walk has found.

        `key` is by what an input is known to be the same, the path that links lead to by default.
        """
        key = key or os.path.realpath(path)
        if key not in self.seen:
            self.seen.add(key)
            if is_link:
                self.links[key] = len(self.files)
            self.files.append(path)
        elif not is_link and key in self.links:
            self.files[self.links.pop(key)] = path

    def _real_path(self, path: str) -> str:
        """Return the real path of a file that is no link; its folder is looked up once."""
        folder, name = os.path.split(path)
        if folder not in self.real_folders:
            self.real_folders[folder] = os.path.realpath(folder)
        return os.path.join(self.real_folders[folder], name)

    def add_unnamed(self, path: str) -> None:
        """Add an input that a walk has found, unless links lead from it to a place that no argument names, or nowhere."""
        if self._is_left_by_link(path):
            return
        if os.path.islink(path) and os.path.isfile(path):
            self.add(path, is_link=True)
        else:
            self.named(path)

    def _is_left_by_link(self, path: str) -> bool:
        """Report a path from which links lead nowhere, or away, and return whether it is one."""
        if os.path.islink(path) and not os.path.exists(path):
            self._report(path, _DANGLING, fatal=False)
            return True
        return self._is_link_out(path)

    def _is_link_out(self, path: str) -> bool:
        """Report a path that links lead away from all that the arguments name, and return whether it is one."""
        is_out = leads_out(path, self.tops | self.bases)
        if is_out:
            self._report(path, SKIPPED_LINK, fatal=False)
        return is_out

    def named(self, path: str) -> None:
        """Add the input that an argument names; of a directory, the files come last that git ignores but tracks."""
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as error:
            is_url = path.startswith(("https://", "http://"))
            self._report(path, _DOWNLOAD.format(path) if is_url else reason(error))
            return
        if stat.S_ISDIR(mode):
            before = self.ignored
            self._enter(path)
            if self.ignored > before:
                self._add_tracked(path, None)
        elif self.filter.excludes(path):
            trace(f"{path}: skipped: it matches --exclude")
            self.excluded += 1
        else:
            self.add(path)

    def expanded(self, glob: Glob) -> None:
        """Add the files that a glob matches, except for ignored ones."""
        before = len(self.seen), len(self.problems), self.ignored, self.excluded
        top = glob.base or os.curdir
        self.bases.add(os.path.realpath(top))
        self._match(glob)
        if self.ignored > before[2]:
            self._add_tracked(top, glob)
        if before == (len(self.seen), len(self.problems), self.ignored, self.excluded):
            self._report(glob.text, "no file matches")

    def _add_tracked(self, top: str, glob: Glob | None) -> None:
        from crdlint.files.git import tracked_files

        files, names = set(self.files), []
        try:
            repository = repository_of(top)
            names = [] if repository is None else tracked_files(repository, top)
        except RepositoryError as error:
            self._report(
                top, f"ignored files that git tracks are not checked: {error}", fatal=False
            )
        for name in names:
            path = os.path.normpath(os.path.join(top, name))
            is_new = path not in files and self._selects(glob, name, path)
            if is_new and os.path.isfile(path):
                self.add_unnamed(path)

    def _selects(self, glob: Glob | None, name: str, path: str) -> bool:
        """Return whether a glob, or a directory for None, takes a path that has a name below its start."""
        if glob is None:
            return self.filter.wants(path)
        return self.filter.matches(glob, path, glob.states_of(name))

    def _report(self, path: str, message: str, *, fatal: bool = True) -> None:
        self.problems[UnreadInput(path, message, fatal)] = None

    def _in_force(self, folder: str) -> IgnorePatterns:
        def report(path: str, message: str) -> None:
            self._report(os.path.relpath(path), f"skipped: {message}", fatal=False)

        if not self.gitignore:
            return IgnorePatterns(report)
        return ignored_in(os.path.abspath(folder), report)

    def _below(self, ignored: IgnorePatterns, folder: str) -> IgnorePatterns:
        return ignored.below(os.path.abspath(folder)) if self.gitignore else ignored

    def _entries(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            return entries_of(folder or os.curdir)
        except OSError as error:
            self._report(folder or os.curdir, reason(error))
            return []

    def _enter(self, top: str) -> None:
        pending = [(top, self._in_force(top))]
        while pending:
            folder, ignored = pending.pop()
            folders = []
            for entry in self._entries(folder):
                path = os.path.normpath(entry.path)
                enters = self._enters(entry, ignored)
                is_wanted = entry.name not in NEVER_ENTERED if enters else self.filter.wants(path)
                if not is_wanted or self._is_left_out(path, ignored, folder=enters):
                    continue
                if enters:
                    folders.append(path)
                else:
                    self.entry(entry, path)
            pending.extend((path, self._below(ignored, path)) for path in reversed(folders))

    def _enters(self, entry: os.DirEntry[str], ignored: IgnorePatterns) -> bool:
        """Return whether an entry is a directory, or leads to one of the repository that the walk has not reached."""
        if not entry.is_symlink():
            return entry.is_dir()
        return is_folder(entry) and self._leads_on(entry, ignored)

    def _leads_on(self, entry: os.DirEntry[str], ignored: IgnorePatterns) -> bool:
        """Return whether a link to a directory leads to one of the repository that the walk has not reached."""
        real = os.path.realpath(entry.path)
        if real in self.parents:  # a loop
            return False
        path = os.path.normpath(entry.path)
        is_left_out = self.filter.excludes(f"{path}/") or self._is_ignored(
            path, ignored, folder=True
        )
        if not is_left_out and self._is_link_out(path):
            return False
        repository = repository_top(os.path.realpath(os.path.dirname(entry.path)))
        is_near = is_below(real, repository) and os.path.lexists(os.path.join(repository, ".git"))
        if not is_near or not self.tops.isdisjoint(with_parents(real)):
            return False
        self.reach(real)
        return True

    def _match(self, glob: Glob) -> None:
        """Walk the directories that a glob may match, each once."""
        top = glob.base or os.curdir
        if not os.path.isdir(top):
            return
        pending = [(glob.base, glob.start(), self._in_force(top))]
        while pending:
            folder, states, ignored = pending.pop()
            folders = []
            for entry in self._entries(folder):
                path, enters = folder + entry.name, is_folder(entry)
                after = glob.step(states, entry.name, is_link=enters and entry.is_symlink())
                fits = bool(after) if enters else self.filter.matches(glob, path, after)
                if not fits or self._is_left_out(path, ignored, folder=enters):
                    continue
                is_whole = glob.accepts_whole(after)
                if is_whole or not enters:
                    self.add_unnamed(path)
                if enters and glob.leads_on(after, is_whole=is_whole):
                    folders.append((f"{path}/", after, self._below(ignored, path)))
            pending.extend(reversed(folders))

    def entry(self, entry: os.DirEntry[str], path: str) -> None:
        """Add a file of a directory, but no link to a directory. Reading it reports that it is a pipe or a device."""
        is_link = entry.is_symlink()
        if is_link and self._is_left_by_link(path):
            return
        try:
            mode = entry.stat().st_mode
        except OSError as error:
            self._report(path, reason(error))
            return
        if not stat.S_ISDIR(mode):
            self.add(path, key="" if is_link else self._real_path(path), is_link=is_link)

    def _is_left_out(self, path: str, ignored: IgnorePatterns, *, folder: bool = False) -> bool:
        if self.filter.excludes(path + "/" if folder else path):
            trace(f"{path}: skipped: it matches --exclude")
            self.excluded += 1
            return True
        if folder and _has_modules_of_others(path):
            trace(f"{path}: skipped: it has the modules of others")
            self.excluded += 1
            return True
        is_ignored = self._is_ignored(path, ignored, folder=folder)
        if is_ignored:
            trace(f"{path}: skipped: git ignores it")
        self.ignored += is_ignored
        return is_ignored

    def _is_ignored(self, path: str, ignored: IgnorePatterns, *, folder: bool) -> bool:
        return bool(ignored.levels) and ignored.matches(os.path.abspath(path), folder=folder)


def _matches(patterns: IgnoreLines | None, path: str) -> bool:
    """Return whether patterns match a path, which is made relative to the working directory if it is below it."""
    if patterns is None:
        return False
    closing = "/" if path.endswith("/") else ""
    relative = os.path.relpath(path)
    if relative.startswith(".."):
        relative = os.path.abspath(path).lstrip(os.sep)
    return patterns.match(relative.replace(os.sep, "/") + closing)


def _has_modules_of_others(folder: str) -> bool:
    """Return whether a package manager has written a folder: npm, or the go command with `go mod vendor`."""
    name = os.path.basename(folder)
    is_of_go = name == "vendor" and os.path.isfile(os.path.join(folder, "modules.txt"))
    return is_of_go or name == "node_modules"
