"""Markdown for job summaries and comments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import html_text, markdown, printable_line
from crdlint.report.pieces import shown
from crdlint.report.selection import combined
from crdlint.report.summary import counted
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View

_LIMIT: Final = 1_000_000  # bytes; GitHub takes a step's summary of up to 1 MiB
_ICONS: Final = {"error": "🔴", "warning": "🟡", "info": "🔵"}


class Report:
    """A headline and a table for each file, cut with a note if they are too long."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._show_all = view.show_all
        self._tables: list[tuple[str, int]] = []  # with the number of findings in each
        self._room = _LIMIT
        self._left = 0

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the headline contains the totals of all files."""
        findings = list(shown(result, hidden=self._hidden))
        if findings:
            table = _table(result, findings, show_all=self._show_all)
            self._room -= _size(table)
            if self._left or self._room < 0:
                self._left += len(findings)
            else:
                self._tables.append((table, len(findings)))
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete page."""
        head = _head(outcome)
        room = _LIMIT - _size(head)
        left = self._left
        yield head
        for table, findings in self._tables:
            room -= _size(table)
            if room < 0:
                left += findings
            else:
                yield table
        if left:
            yield f"\n… and {counted(left, 'more finding')}, for which there is no room here.\n"


def _head(outcome: Outcome) -> str:
    summary, problems = outcome.summary, outcome.problems
    infos = f", {counted(summary.infos, 'info')}" if summary.infos else ""
    verdict = (
        f"{counted(summary.errors, 'error')}, {counted(summary.warnings, 'warning')}{infos} "
        f"in {counted(summary.crds, 'CRD')}"
    )
    lines = ["## crdlint\n", f"{'❌' if summary.errors or problems else '✅'} {verdict}\n"]
    if problems:
        lines.append(
            "".join(
                f"- <code>{markdown(printable_line(file))}</code> could not be read: {markdown(reason)}\n"
                for file, reason in problems
            )
        )
    return "\n".join(lines)


def _table(result: FileResult, findings: Sequence[Diagnostic], *, show_all: bool) -> str:
    entries = combined(findings, show_all=show_all)
    rows = ["| | place | rule | message |", "| --- | --- | --- | --- |", *(_row(*entry) for entry in entries)]
    file = html_text(printable_line(relative(result.file)))
    head = f"<summary><code>{file}</code>: {counted(len(findings), 'finding')}</summary>"
    opened = " open" if len(entries) <= 20 else ""
    return "\n".join(["", f"<details{opened}>{head}\n", *rows, "\n</details>\n"])


def _row(finding: Diagnostic, others: int) -> str:
    more = f" (and {others:,} more)" if others else ""
    help_ = f"<br>**help:** {markdown(finding.help)}" if finding.help else ""
    position = f"{finding.line}:{finding.column}"
    return f"| {_ICONS[finding.severity]} | {position} | `{finding.rule}` | {markdown(finding.message)}{more}{help_} |"


def _size(text: str) -> int:
    return len(text.encode())
