"""What git ignores below a folder: .gitignore at every level and .git/info/exclude, as gitignore(5) ranks them.

The user's own core.excludesFile has no effect: what is checked must not depend on whose machine it is.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.inputs.patterns import compiled
from crdlint.inputs.repository import repository_at

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.inputs.patterns import Patterns

    # Takes the path of a file that cannot be read, and why.
    Report = Callable[[str, str], None]

MAX_BYTES: Final = 1024 * 1024
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


def _do_not_report(_path: str, _reason: str) -> None:
    """Do nothing with a file that cannot be read."""


@dataclass(frozen=True, slots=True)
class _Level:
    """Patterns of one file, relative to ``base``, an absolute folder with a closing separator."""

    base: str
    patterns: Patterns


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns in force in one folder, the strongest (deepest) first. ``report`` takes what cannot be read."""

    levels: tuple[_Level, ...] = ()
    report: Report = _do_not_report

    def below(self, folder: str) -> Ignored:
        """Return the patterns in force in ``folder``, an absolute path; a repository of its own starts anew."""
        inherited = self.levels
        if os.path.lexists(os.path.join(folder, ".git")):
            repository = repository_at(folder)
            exclude = None if repository is None else os.path.join(repository.shared, "info", "exclude")
            inherited = () if exclude is None else self._read(folder, exclude, follow_link=True)
        # Like git, read no .gitignore through a link, which may lead out of the repository.
        own = self._read(folder, os.path.join(folder, ".gitignore"), follow_link=False)
        return Ignored(own + inherited, self.report) if own or inherited is not self.levels else self

    def matches(self, path: str, *, folder: bool = False) -> bool:
        """Return whether git ignores an absolute path, given that it ignores no folder above it."""
        for level in self.levels:
            relative = path[len(level.base) :].replace(os.sep, "/")
            decision = level.patterns.decision(os.fsencode(relative), folder=folder)
            if decision is not None:
                return decision
        return False

    def _read(self, base: str, path: str, *, follow_link: bool) -> tuple[_Level, ...]:
        from crdlint.inputs.read import UnreadableError, read_bytes

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
    """Return the patterns in force in an absolute folder: those of its repository's root down to itself.

    Without a repository, only those of the folder itself count.
    """
    above = [folder]
    while not os.path.lexists(os.path.join(above[-1], ".git")):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            del above[1:]
            break
        above.append(parent)
    found = Ignored(report=report)
    for path in reversed(above):
        found = found.below(path)
    return found
