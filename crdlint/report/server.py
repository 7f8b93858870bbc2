"""The API server's own messages, one a line: those in the answer to one create request for each document.

The request has the text of the document itself and fieldValidation=Strict. The API server stops at the first of these
that finds something: decoding, strict decoding, validation. Warnings are only sent if the object is accepted.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import groupby
from typing import TYPE_CHECKING, Final

from crdlint.diagnostics.diagnostic import in_server_words
from crdlint.report.escapes import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View

_STAGES: Final = ("decode", "strict", "field", "warning")


class Report:
    """The messages, file by file; a message of several lines stays whole.

    ``hidden`` adds what later requests would be answered, once the findings before are fixed.
    """

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the messages about a file."""
        starts = [crd.line for crd in result.crds]
        of_server = (one for one in result.diagnostics if one.origin == "apiserver")
        for _, found in groupby(of_server, key=lambda one: (one.crd, bisect_right(starts, one.line))):
            listed = list(found)
            for one in listed if self._hidden else _answer(listed):
                yield f"{printable(in_server_words(one).message)}\n"

    def end(self, outcome: Outcome) -> Iterable[str]:
        """Return nothing: the API server has no summary."""
        del outcome
        return ()


def _answer(found: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings about one object that the first request is answered with."""
    visible = [one for one in found if not one.hidden]
    stage = min((_STAGES.index(one.kind) for one in visible if one.kind in _STAGES), default=0)
    return [one for one in visible if one.kind == _STAGES[stage]]
