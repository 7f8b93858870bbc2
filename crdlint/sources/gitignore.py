"""What git ignores below a folder: .gitignore at every level and .git/info/exclude, as gitignore(5) ranks them.

The user's own core.excludesFile is left out: what is checked must not depend on whose machine it is.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class _Level:
    """Patterns of one file, relative to ``base``, an absolute folder with a closing separator."""

    base: str
    spec: GitIgnoreSpec


@dataclass(frozen=True, slots=True)
class Ignored:
    """The patterns in force in one folder, the strongest (deepest) first."""

    levels: tuple[_Level, ...] = ()

    def below(self, folder: str) -> Ignored:
        """Return the patterns in force in ``folder``, an absolute path; a repository of its own starts anew."""
        inherited = self.levels
        if os.path.lexists(os.path.join(folder, ".git")):
            inherited = _levels(folder, _info_exclude(Path(folder)))
        own = _levels(folder, Path(folder, ".gitignore"))
        return Ignored(own + inherited) if own or inherited is not self.levels else self

    def matches(self, path: str, *, folder: bool = False) -> bool:
        """Return whether git ignores an absolute path, those above it not being ignored."""
        for level in self.levels:
            relative = path[len(level.base) :].replace(os.sep, "/")
            verdict = level.spec.check_file(relative + "/" if folder else relative).include
            if verdict is not None:
                return verdict
        return False


def patterns(lines: Iterable[str]) -> GitIgnoreSpec:
    """Return the patterns of gitignore lines; a line that is no pattern is passed over, as git does."""
    from pathspec import GitIgnoreSpec  # 30 ms that most runs do not need

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines([line for line in lines if _is_pattern(line)])


def ignored_in(folder: str) -> Ignored:
    """Return the patterns in force in an absolute folder: those of its repository's root down to itself.

    Where there is no repository, only those of the folder itself count.
    """
    above = [Path(folder), *Path(folder).parents]
    root = next((i for i, path in enumerate(above) if os.path.lexists(path / ".git")), 0)
    found = Ignored()
    for path in reversed(above[: root + 1]):
        found = found.below(str(path))
    return found


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _levels(base: str, file: Path) -> tuple[_Level, ...]:
    try:
        lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ()
    return (_Level(os.path.join(base, ""), patterns(lines)),) if lines else ()


def _info_exclude(root: Path) -> Path:
    """Return where a repository keeps info/exclude: a worktree's ``.git`` is a file that leads there."""
    git = root / ".git"
    try:
        if git.is_file():
            git = root / git.read_text(encoding="utf-8").removeprefix("gitdir:").strip()
        common = git / "commondir"
        if common.is_file():
            git = git / common.read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        pass
    return git / "info" / "exclude"
