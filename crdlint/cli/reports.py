"""The reports of a command: one on standard output, and those of `--output`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Generic

import click

from crdlint.cli import console
from crdlint.report import formats
from crdlint.report.formats import AnyReport
from crdlint.report.page import PLAIN
from crdlint.report.pieces import Spool, View, batches

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from crdlint.config.model import FailOn
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Report


class Reports(Generic[AnyReport]):
    """The reports of a run, of a kind; ``write`` writes to standard output."""

    def __init__(
        self,
        kind: formats.Kind[AnyReport],
        format_: str,
        outputs: Iterable[str],
        view: View,
        write: Callable[..., None] | None = None,
    ) -> None:
        """Make the reports; a file of ``outputs`` that cannot be written ends the run."""
        name = formats.choose(format_)
        self.is_text = name == formats.TEXT
        self._write = write or console.out
        self._report = kind(name, view)
        self._spool: Spool | None = None
        plain = view._replace(page=PLAIN)
        try:
            parsed = formats.parse_outputs(outputs, kind.name)
        except formats.OutputError as error:
            raise click.UsageError(f"--output: {error}") from error
        self._files = [formats.Output(path, kind(name, plain)) for name, path in parsed]

    def add(
        self,
        pieces: Callable[[AnyReport], Iterable[str]],
        of_text: Callable[[AnyReport], Iterable[str]] | None = None,
    ) -> None:
        """Add the pieces that a function returns for each report; `of_text` returns those of text on standard output."""
        self.show(of_text if of_text is not None and self.is_text else pieces)
        for file in self._files:
            file.add(pieces)

    def show(self, pieces: Callable[[AnyReport], Iterable[str]]) -> None:
        """Add pieces to the report on standard output only."""
        for text in batches(pieces(self._report)):
            if self._spool is None:
                self._write(text, nl=False)
            else:
                self._spool.write(text)

    def hold(self) -> None:
        """Keep what a text report shows until `release`; raise SpoolError later if it cannot be kept."""
        if self.is_text:
            self._spool = Spool()

    def release(self, headline: str) -> None:
        """Write a line about the run, and after it what was kept."""
        self.note(headline)
        spool, self._spool = self._spool, None
        for text in () if spool is None else spool.pieces():
            self._write(text, nl=False)

    def save(self, pieces: Callable[[AnyReport], Iterable[str]]) -> list[str]:
        """Add the last pieces to the files and write them; return the problems of files that cannot be written."""
        problems = []
        for file in self._files:
            file.add(pieces)
            problem = file.write()
            if problem is not None:
                problems.append(f"--output: {problem}")
        return problems

    def note(self, line: str) -> None:
        """Write a line about the run, which is part of a report in text only."""
        (self._write if self.is_text else console.err)(line)


def add_file(reports: Reports[Report], result: FileResult, *, quiet: bool, infos: bool = True) -> None:
    """Add what the reports have about a file; its notices go to standard error unless the report has them.

    Without `infos`, text on standard output only counts them.
    """
    brief = result
    if not infos:
        brief = replace(result, diagnostics=tuple(d for d in result.diagnostics if d.severity != "info"))
    reports.add(lambda report: report.file(result), lambda report: report.file(brief))
    for notice in () if quiet or reports.is_text else result.notices:
        console.err(f"{result.file}: note: {notice}")


def note_rejections(reports: Reports[Report], rejections: int, fail_on: FailOn | None, *, accepted: bool) -> None:
    """Write how many ignored findings the API server rejects, if there are any."""
    if rejections:
        from crdlint.config.apply import closing_line

        line = closing_line(rejections, fail_on or "error", accepted=accepted)
        if line is not None:
            reports.note(line)
