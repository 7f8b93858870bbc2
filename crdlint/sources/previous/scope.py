"""The files that a run would check if they still existed: those that its arguments name or contain."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.files.globs import Glob
from crdlint.files.read import open_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.files.paths import PathFilter


@dataclass(slots=True)
class Scope:
    """The arguments of a run, and the selection of the files below its directories."""

    arguments: Sequence[str]
    filter: PathFilter
    _tops: dict[str, str] = field(default_factory=dict)
    _globs: list[tuple[str, Glob]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Separate globs from files and folders."""
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

    def find(self, path: str) -> tuple[str, str] | None:
        """Return the argument that covers an absolute path, and the path as the run would spell it, or None."""
        return next((spelling for spelling in self._spellings(path) if not self.filter.excludes(spelling[1])), None)

    def _spellings(self, path: str) -> Iterator[tuple[str, str]]:
        top = path
        while True:
            argument = self._tops.get(top)
            if argument is not None:
                name = os.path.normpath(os.path.join(argument, os.path.relpath(path, top)))
                if top == path or self.filter.wants(name):
                    yield argument, name
            parent = os.path.dirname(top)
            if parent == top:
                break
            top = parent
        for base, glob in self._globs:
            if path.startswith(base):
                below = path[len(base) :]
                name = os.path.normpath(glob.base + below)
                if self.filter.matches(glob, name, glob.states_of(below)):
                    yield glob.text, name
