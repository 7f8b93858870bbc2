"""Annotations of GitHub Actions: workflow commands, escaped as actions/toolkit does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report import words
from crdlint.report.escapes import command_data, command_property
from crdlint.report.pieces import Spool, shown
from crdlint.report.summary import counted
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice"}


class Report:
    """A command for each finding, the most severe first: GitHub shows ten of each level for a step."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._spools = {severity: Spool() for severity in _LEVELS}

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: a later file may have more severe findings."""
        for finding in shown(result, hidden=self._hidden):
            self._spools[finding.severity].write(_command(finding))
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the unreadable inputs, then errors, warnings and infos."""
        for file, reason in outcome.problems:
            yield f"::error file={command_property(relative(file))}::{command_data(reason)}\n"
        for spool in self._spools.values():
            yield from spool.pieces()
        summary = outcome.summary
        counts = (("error", summary.errors), ("warning", summary.warnings), ("info", summary.infos))
        yield f"crdlint: {', '.join(counted(number, noun) for noun, number in counts)} in {counted(summary.files, 'file')}\n"


def _command(finding: Diagnostic) -> str:
    values = {
        "file": relative(finding.file),
        "line": finding.line,
        "endLine": finding.end_line,
        "title": words.headline(finding),
    }
    if finding.line == finding.end_line:  # columns go with one line only
        values |= {"col": finding.column, "endColumn": max(finding.end_column - 1, finding.column)}
    properties = ",".join(f"{name}={command_property(str(value))}" for name, value in values.items())
    text = f"{finding.file}:{finding.line}:{finding.column}: {finding.rule}: {words.message(finding)}"
    return f"::{_LEVELS[finding.severity]} {properties}::{command_data(text)}\n"
