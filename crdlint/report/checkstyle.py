"""Checkstyle's XML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report import words
from crdlint.report.pieces import shown
from crdlint.report.xml import XML

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View


class Report:
    """The whole document: an element for each file."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._xml = XML()
        self._xml.open("checkstyle", {"version": "4.3"})

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the element of a file."""
        self._xml.open("file", {"name": result.file})
        for finding in shown(result, hidden=self._hidden):
            position = {"line": finding.line, "column": finding.column, "severity": finding.severity}
            self._xml.element(
                "error", {**position, "message": words.message(finding), "source": f"crdlint.{finding.rule}"}
            )
            yield self._xml.take()
        self._xml.close("file")
        yield self._xml.take()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the elements of inputs that could not be read, and the end."""
        for file, reason in outcome.problems:
            self._xml.open("file", {"name": file})
            about = {"line": 1, "severity": "error", "message": reason, "source": "crdlint.unreadable"}
            self._xml.element("error", about)
            self._xml.close("file")
        self._xml.close("checkstyle")
        yield self._xml.take()
