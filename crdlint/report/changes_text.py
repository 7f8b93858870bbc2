"""Changes of CRDs for people: a headline, then the findings grouped by their effect."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from crdlint.report.changes import GROUPS, ChangesReport
from crdlint.report.escapes import printable_line
from crdlint.report.fold import fold
from crdlint.report.page import rule_link
from crdlint.report.summary import counted
from crdlint.resources.dump import dump

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.report.pieces import Outcome, View


class Report(ChangesReport):
    """The changes of a run, written at its end."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._page = view.page
        self._quiet = view.quiet
        self._examples = view.examples

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete report."""
        del outcome
        changes = self._changes
        if not self._quiet:
            yield f"{self._page.styled(changes.headline(), 'title')}\n"
        for name, by_crd in changes.groups():
            number = sum(map(len, by_crd.values()))
            title = f"{name}: {counted(number, 'change')}"
            yield f"\n{self._page.styled(title, 'title')}\n"
            for crd, findings in by_crd.items():
                yield f"\n  {self._page.styled(printable_line(crd), 'title')}\n"
                for finding in findings:
                    yield from (f"{line}\n" for line in self._finding(finding))
        counts = changes.counts()
        if counts and not self._quiet:
            yield f"\n{', '.join(f'{name}: {counts[name]:,}' for name in GROUPS if counts[name])}\n"

    def _finding(self, finding: Diagnostic) -> Iterator[str]:
        page = self._page
        head = page.styled(f"{finding.severity}[{finding.rule}]", finding.severity, rule_link(finding.rule))
        position = printable_line(f"{finding.file}:{finding.line}:{finding.column}")
        yield f"    {head} {page.styled(position, '', page.file_link(finding.file))}"
        if finding.related is not None:
            yield printable_line(
                f"      before: {finding.related.file}:{finding.related.line}:{finding.related.column}"
            )
        yield from page.wrapped(fold(finding.message), "      ")
        if finding.help:
            yield from page.wrapped(finding.help, "            ", "      help: ", "label")
        if self._examples and finding.example is not None:
            yield "      valid before, and not any more:"
            for line in dump(json.loads(finding.example)):
                yield from (f"        {part}" for part in line.splitlines())
