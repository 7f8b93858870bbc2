"""The formats by name, and where each is written."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crdlint.diagnostics.spelling import nearest
from crdlint.report.pieces import Spool, SpoolError
from crdlint.safety import atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crdlint.linting.result import FileResult
    from crdlint.report.checked import Checked
    from crdlint.report.pieces import Outcome, Report

TEXT: Final = "text"
AUTO: Final = "auto"
# Name: module, what it is for. Each has a class `Report`.
WHOLE: Final = {
    "concise": ("crdlint.report.concise", "a line for each finding"),
    "server": ("crdlint.report.server", "nothing but the API server's sentences"),
    "json": ("crdlint.report.json", "for programs (docs/json-output.md)"),
    "sarif": ("crdlint.report.sarif", "SARIF 2.1.0, for code scanning"),
    "junit": ("crdlint.report.junit", "JUnit XML, for test reports"),
    "github": ("crdlint.report.github", "annotations of GitHub Actions"),
    "gitlab": ("crdlint.report.gitlab", "GitLab's Code Quality"),
    "checkstyle": ("crdlint.report.checkstyle", "Checkstyle XML"),
    "markdown": ("crdlint.report.markdown", "for job summaries and comments"),
}
NAMES: Final = (AUTO, TEXT, *WHOLE)


class OutputError(ValueError):
    """An output that cannot be; ``str`` says why."""


def choose(name: str) -> str:
    """Return the format that a name stands for: `auto` is GitHub's within its Actions, else text."""
    if name != AUTO:
        return name
    return "github" if os.environ.get("GITHUB_ACTIONS") == "true" else TEXT


def report(name: str, *, hidden: bool) -> Report:
    """Return a new report in a format of `WHOLE`; ``hidden`` adds the findings that others hide."""
    made: Report = import_module(WHOLE[name][0]).Report(hidden=hidden)
    return made


def render(name: str, checked: Checked) -> str:
    """Return a run that is over in a format of `WHOLE`."""
    return "".join(checked.pieces(report(name, hidden=checked.hidden)))


def parse_outputs(given: Iterable[str]) -> list[tuple[str, Path]]:
    """Return the formats and files of `FORMAT=FILE` arguments. Raises OutputError."""
    found: list[tuple[str, Path]] = []
    for one in given:
        name, equals, file = one.partition("=")
        if not equals or not file:
            raise OutputError(f"{one!r} is not FORMAT=FILE")
        if name not in WHOLE:
            near = nearest(name, WHOLE)
            hint = f"did you mean {near}?" if near else f"there are {', '.join(WHOLE)}"
            raise OutputError(f"there is no format {name!r} for files: {hint}")
        path = Path(file)
        if any(os.path.realpath(path) == os.path.realpath(other) for _, other in found):
            raise OutputError(f"{file} is written to twice")
        if path.is_dir() or not path.absolute().parent.is_dir():
            raise OutputError(f"{file} cannot be written: {'it is a folder' if path.is_dir() else 'no such folder'}")
        found.append((name, path))
    return found


class Output:
    """A report that is written to a file at the end of the run."""

    def __init__(self, name: str, path: Path, *, hidden: bool) -> None:
        self._path = path
        self._report = report(name, hidden=hidden)
        self._spool = Spool()
        self._problem: str | None = None

    def file(self, result: FileResult) -> None:
        """Add what a file has to the report."""
        self._add(lambda: self._report.file(result))

    def end(self, outcome: Outcome) -> str | None:
        """Write the file; return why it cannot be written, None if it is."""
        self._add(lambda: self._report.end(outcome))
        if self._problem is None:
            try:
                atomic.write(self._path, self._spool.data())
            except OSError as error:
                self._problem = error.strerror or str(error)
        return None if self._problem is None else f"{self._path} cannot be written: {self._problem}"

    def _add(self, pieces: Callable[[], Iterable[str]]) -> None:
        if self._problem is None:
            try:
                for piece in pieces():
                    self._spool.write(piece)
            except SpoolError as error:
                self._problem = str(error)
