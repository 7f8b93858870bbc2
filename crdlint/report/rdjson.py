"""Reviewdog's diagnostic format, as one object: fixes become suggestions on pull requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crdlint.report.edit_ranges import Places, is_printable
from crdlint.report.escapes import json_text, printable, printable_line
from crdlint.report.page import rule_link
from crdlint.report.pieces import shown
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        """Yield the findings of a file."""
        places = Places(result.text)
        for one in shown(result, hidden=self._hidden):
            yield f"{self._before}{json_text(_diagnostic(one, places))}"
            self._before = ",\n"

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the end of the object."""
        del outcome
        yield "\n]\n}\n" if self._before == ",\n" else f"{_HEAD}]\n}}\n"


def _diagnostic(one: Diagnostic, places: Places) -> dict[str, Any]:
    text = one.message if not one.help else f"{one.message}\n\nHelp: {one.help}"
    start, end = places.index(one.line, one.column), places.index(one.end_line, one.end_column)
    made: dict[str, Any] = {
        "message": printable(text),
        "location": {
            "path": printable_line(relative(one.file)),
            "range": _range(one.line, places.byte_column(start), one.end_line, places.byte_column(end)),
        },
        "severity": _SEVERITIES[one.severity],
        "code": {"value": one.rule, "url": rule_link(one.rule)},
    }
    if one.fix is not None and is_printable(one.fix):
        edit = places.whole(one.fix)
        made["suggestions"] = [
            {"range": _range(edit.line, edit.column, edit.end_line, edit.end_column), "text": edit.text}
        ]
    return made


def _range(line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    return {"start": {"line": line, "column": column}, "end": {"line": end_line, "column": end_column}}
