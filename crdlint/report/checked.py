"""A run that is over, for reports written at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.report.pieces import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Report
    from crdlint.report.summary import Summary


@dataclass(frozen=True, slots=True)
class Checked:
    """A run: its files' results in order, (file, reason) of inputs that could not be read, and the figures.

    ``hidden`` adds what the API server would report only after other findings are fixed.
    """

    results: Sequence[FileResult]
    problems: Sequence[tuple[str, str]]
    summary: Summary
    hidden: bool = False

    def pieces(self, report: Report) -> Iterator[str]:
        """Yield the pieces of a report of the run."""
        for result in self.results:
            yield from report.file(result)
        yield from report.end(Outcome(self.problems, self.summary))
