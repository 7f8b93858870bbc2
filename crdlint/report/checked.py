"""What a run gives to a report that is written as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.diagnostics import Diagnostic
    from crdlint.report.summary import Summary
    from crdlint.results import FileResult


@dataclass(frozen=True, slots=True)
class Checked:
    """A run: its files' results in order, (file, reason) of inputs that could not be read, and the figures.

    ``hidden`` shows what the API server would say once other findings are mended, too.
    """

    results: Sequence[FileResult]
    problems: Sequence[tuple[str, str]]
    summary: Summary
    hidden: bool = False

    def shown(self, result: FileResult) -> Iterator[Diagnostic]:
        """Yield the findings of a file that are to be told."""
        return (one for one in result.diagnostics if self.hidden or not one.hidden)

    def diagnostics(self) -> Iterator[Diagnostic]:
        """Yield the findings of all files that are to be told."""
        for result in self.results:
            yield from self.shown(result)

    def notices(self) -> Iterator[tuple[str, str]]:
        """Yield what was passed over or taken for granted, with the file."""
        for result in self.results:
            for notice in result.notices:
                yield result.file, notice
