"""Nothing but the API server's own sentences, one a line, to be compared with kubectl's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import printable
from crdlint.report.pieces import shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.report.pieces import Outcome
    from crdlint.results import FileResult


class Report:
    """The sentences, file by file; a message of several lines stays whole."""

    def __init__(self, *, hidden: bool) -> None:
        del hidden  # the API server reports none of those

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the sentences about a file."""
        for one in shown(result, hidden=False):
            if one.origin == "apiserver":
                yield f"{printable(one.message)}\n"

    def end(self, outcome: Outcome) -> Iterable[str]:
        """Return nothing: the API server has no summary."""
        del outcome
        return ()
