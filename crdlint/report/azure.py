"""Issues of Azure Pipelines: logging commands, escaped as azure-pipelines-task-lib does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report import words
from crdlint.report.escapes import issue_data, issue_property, printable_line
from crdlint.report.pieces import shown
from crdlint.report.summary import counted
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View


class Report:
    """A command for each error and warning, and a line of the log for each info, which Azure has no command for."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the findings of a file."""
        for finding in shown(result, hidden=self._hidden):
            yield _line(finding)

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the unreadable inputs, and the totals."""
        for file, reason in outcome.problems:
            yield f"##vso[task.logissue type=error;sourcepath={issue_property(relative(file))};]{issue_data(reason)}\n"
        summary = outcome.summary
        yield f"{counted(summary.errors, 'error')}, {counted(summary.warnings, 'warning')}, {counted(summary.infos, 'info')}\n"


def _line(finding: Diagnostic) -> str:
    file, line, column = relative(finding.file), finding.line, finding.column
    text = f"{finding.rule}: {words.message(finding)}"
    if finding.severity == "info":
        return printable_line(f"{file}:{line}:{column}: info {text}".partition("\n")[0]) + "\n"
    values = {
        "type": finding.severity,
        "sourcepath": file,
        "linenumber": line,
        "columnnumber": column,
        "code": finding.rule,
    }
    properties = "".join(f"{name}={issue_property(str(value))};" for name, value in values.items())
    return f"##vso[task.logissue {properties}]{issue_data(text)}\n"
