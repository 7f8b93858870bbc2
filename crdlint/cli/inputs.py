"""The inputs of `crdlint validate`: found, read, and reported if they cannot be read."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from crdlint.cli.bugs import Bugs
from crdlint.files.paths import discover
from crdlint.files.read import UnreadableError, open_descriptor, read_text
from crdlint.runner.task import shown_name
from crdlint.safety.bugs import collected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from crdlint.files.paths import Found, Selection
    from crdlint.safety.bugs import Bug

    # Takes a place and a message.
    Report = Callable[[str, str], None]


@dataclass(slots=True)
class Inputs:
    """The inputs of a run. ``problems``, places and messages, make the exit status 2; ``notices`` do not."""

    selection: Selection
    problems: dict[tuple[str, str], None] = field(default_factory=dict)
    notices: dict[str, None] = field(default_factory=dict)
    bugs: Bugs = field(default_factory=Bugs)
    unreadable: set[str] = field(default_factory=set)
    _streams: dict[str, str] = field(default_factory=dict)  # texts that can be read only once

    def discover(self, paths: Sequence[str], report: Report | None = None) -> Found:
        """Return the files of paths, and report what cannot be read: as problems by default."""
        discovered = discover(paths, self.selection)
        for problem in discovered.problems:
            (report or (self.problem if problem.fatal else self.notice))(problem.path, problem.message)
        return discovered

    def read(self, path: str, report: Report, *, only_crds: bool = False) -> str | None:
        """Return the text of an input; None if it cannot be read (this is reported) or cannot contain a CRD."""
        if path in self._streams:
            return self._streams[path]
        is_stream = open_descriptor(path) is not None
        try:
            text = read_text(path, only_crds=only_crds and not is_stream)
        except UnreadableError as error:
            self.unreadable.add(path)
            report(shown_name(path), str(error))
            return None
        if is_stream and text is not None:
            self._streams[path] = text
        return text

    def problem(self, file: str, message: str) -> None:
        """Report an input that cannot be read, once."""
        self.problems[file, message] = None

    def notice(self, file: str, message: str) -> None:
        """Report a notice once; it has no effect on the exit status."""
        self.notices[f"{file}: {message}"] = None

    @contextmanager
    def bugs_of(self, path: str) -> Iterator[None]:
        """Report the internal errors within as those of an input."""
        bugs: list[Bug] = []
        with collected(bugs):
            yield
        self.bugs.add(shown_name(path), bugs)
