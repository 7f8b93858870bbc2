"""Reviewdog's diagnostic format, as one object: fixes become suggestions on pull requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.report import words
from crdlint.report.edit_ranges import TextPositions, is_printable
from crdlint.report.escapes import json_text, printable, printable_line
from crdlint.report.page import rule_link
from crdlint.report.pieces import shown
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View

_SEVERITIES: Final = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}
_HEAD: Final = '{\n"source": {"name": "crdlint"},\n"diagnostics": ['


class Report:
    """The object of a run, a finding a line."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._before = f"{_HEAD}\n"

    def file(self, result: FileResult) -> Iterator[str]:
        """Return the findings of a file."""
        return self._diagnostics(shown(result, hidden=self._hidden), TextPositions(result.text))

    def _diagnostics(self, findings: Iterable[Diagnostic], positions: TextPositions) -> Iterator[str]:
        for finding in findings:
            yield f"{self._before}{json_text(_diagnostic(finding, positions))}"
            self._before = ",\n"

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the inputs that could not be read, and the end of the object."""
        yield from self._diagnostics(outcome.unreadable(), TextPositions(""))
        yield "\n]\n}\n" if self._before == ",\n" else f"{_HEAD}]\n}}\n"


def _diagnostic(finding: Diagnostic, positions: TextPositions) -> dict[str, Any]:
    start, end = positions.index(finding.line, finding.column), positions.index(finding.end_line, finding.end_column)
    made: dict[str, Any] = {
        "message": printable(words.message(finding)),
        "location": {
            "path": printable_line(relative(finding.file)),
            "range": _range(finding.line, positions.byte_column(start), finding.end_line, positions.byte_column(end)),
        },
        "severity": _SEVERITIES[finding.severity],
        "code": {"value": finding.rule, "url": rule_link(finding.rule)},
    }
    if finding.fix is not None and is_printable(finding.fix):
        edit = positions.combined(finding.fix)
        made["suggestions"] = [
            {"range": _range(edit.line, edit.column, edit.end_line, edit.end_column), "text": edit.text}
        ]
    return made


def _range(line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    return {"start": {"line": line, "column": column}, "end": {"line": end_line, "column": end_column}}
