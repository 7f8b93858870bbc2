"""A line for each finding: `file:line:column: severity[rule]: headline`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import printable_line
from crdlint.report.pieces import shown
from crdlint.report.words import headline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View


class Report:
    """The lines."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden

    def file(self, result: FileResult) -> Iterator[str]:
        """Return a line for each finding."""
        return map(_line, shown(result, hidden=self._hidden))

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Return a line for each input that could not be read."""
        return map(_line, outcome.unreadable())


def _line(finding: Diagnostic) -> str:
    position = f"{finding.file}:{finding.line}:{finding.column}"
    versions = f" (Kubernetes {', '.join(finding.versions)})" if finding.versions else ""
    return printable_line(f"{position}: {finding.severity}[{finding.rule}]: {headline(finding)}{versions}") + "\n"
