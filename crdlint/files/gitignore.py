"""The files that git ignores below a directory: .gitignore at every level and .git/info/exclude, as in gitignore(5).

The user's own core.excludesFile is ignored, because the checked files must not depend on the machine.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.files.patterns import compiled
from crdlint.files.repository import repository_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.files.patterns import Patterns

    # Receives the path of a file that cannot be read, and the reason.
    Report = Callable[[str, str], None]

MAX_BYTES: Final = 1024 * 1024
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def _do_not_report(_path: str, _reason: str) -> None:
    """Ignore a file that cannot be read."""


class _Level(NamedTuple):
    """The patterns of one file, relative to `base`, an absolute directory with a closing separator."""

    base: str
    patterns: Patterns


class Ignored(NamedTuple):
    """The patterns that apply in one directory, those with the highest precedence first; `report` receives read errors."""

    levels: tuple[_Level, ...] = ()
    report: Report = _do_not_report

    def below(self, folder: str) -> Ignored:
        """Return the patterns that apply in `folder`, an absolute path; a nested repository has only its own patterns."""
        inherited = self.levels
        if os.path.lexists(os.path.join(folder, ".git")):
            repository = repository_at(folder)
            exclude = None if repository is None else os.path.join(repository.shared, "info", "exclude")
            inherited = () if exclude is None else self._read(folder, exclude, follow_link=True)
        # Like git, do not follow a link to a .gitignore, because its target may be outside of the repository.
        own = self._read(folder, os.path.join(folder, ".gitignore"), follow_link=False)
        return Ignored(own + inherited, self.report) if own or inherited is not self.levels else self

    def matches(self, path: str, *, folder: bool = False) -> bool:
        """Return whether git ignores an absolute path, provided that it ignores none of its parent directories."""
        for level in self.levels:
            relative = path[len(level.base) :].replace(os.sep, "/")
            decision = level.patterns.decision(os.fsencode(relative), folder=folder)
            if decision is not None:
                return decision
        return False

    def _read(self, base: str, path: str, *, follow_link: bool) -> tuple[_Level, ...]:
        from crdlint.files.read import UnreadableError, read_bytes

        if not os.path.lexists(path):
            return ()
        try:
            data = read_bytes(path, MAX_BYTES, follow_link=follow_link)
        except UnreadableError as error:
            self.report(path, str(error))
            return ()
        lines = data.removeprefix(_BYTE_ORDER_MARK).split(b"\n")
        return (_Level(os.path.join(base, ""), compiled(line.removesuffix(b"\r") for line in lines)),)


def ignored_in(folder: str, report: Report) -> Ignored:
    """Return the patterns that apply in an absolute directory: those from the root of its repository down to itself.

    Without a repository, only the patterns of the directory itself apply.
    """
    folders = [folder]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        parent = os.path.dirname(folders[-1])
        if parent == folders[-1]:
            del folders[1:]
            break
        folders.append(parent)
    ignored = Ignored(report=report)
    for path in reversed(folders):
        ignored = ignored.below(path)
    return ignored
