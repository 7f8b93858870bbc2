"""The API server's own messages, one a line: those in the answer to one create request for each document.

The request has the text of the document itself and fieldValidation=Strict, or Warn if unknown fields are warnings. The API
server stops at the first of these that finds something: decoding, strict decoding, validation. Warnings are only sent if the
object is accepted.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING, Final

from crdlint.diagnostics.diagnostic import in_server_words
from crdlint.report.escapes import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic, Kind
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View

_STAGES: Final = ("decode", "strict", "field", "warning")


class Report:
    """The messages, file by file; a message of several lines keeps its lines.

    `hidden` adds the messages for later requests, after the earlier findings are fixed.
    """

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the messages about a file."""
        starts = [crd.line for crd in result.crds]
        of_server = (finding for finding in result.diagnostics if finding.origin == "apiserver")
        for _, of_crd in groupby(of_server, key=lambda finding: (finding.crd, bisect_right(starts, finding.line))):
            listed = list(of_crd)
            for finding in listed if self._hidden else _answer(listed):
                yield f"{printable(in_server_words(finding).message)}\n"

    def end(self, outcome: Outcome) -> Iterable[str]:
        """Return nothing: the API server has no summary."""
        del outcome
        return ()


def _answer(findings: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings about one object that the API server reports for the first request."""
    visible = [finding for finding in findings if not finding.hidden]
    stages = [_stage(finding) for finding in visible]
    first = min((stage for stage in stages if stage in _STAGES), key=_STAGES.index, default=None)
    return [finding for finding, stage in zip(visible, stages, strict=True) if stage == first]


def _stage(finding: Diagnostic) -> Kind:
    return "warning" if finding.rule == "unknown-field" and finding.severity != "error" else finding.kind
