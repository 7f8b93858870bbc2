"""Markdown for job summaries and comments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import markdown, markdown_with_code, printable_line
from crdlint.report.locations import uri
from crdlint.report.page import rule_link
from crdlint.report.pieces import Outcome, Report, View
from crdlint.report.words import advice, combined, counted, describe_others, headline, where

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult

_LIMIT: Final = 1_000_000  # bytes; GitHub takes a step's summary of up to 1 MiB
_ICONS: Final = {"error": "🔴", "warning": "🟡", "info": "🔵"}
_TABLE: Final = "\n| | finding | place |\n| --- | --- | --- |\n"


class Markdown(Report):
    """Totals and one table for the run, cut with a note if it is too long."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._rows: list[str] = []
        self._room = _LIMIT
        self._left = 0

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the first line contains the totals of all files."""
        for finding, others in combined(self._shown(result), show_all=self._view.show_all):
            row = _row(finding, others)
            self._room -= len(row.encode())
            if self._left or self._room < 0:
                self._left += 1 + len(others)
            else:
                self._rows.append(row)
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete page."""
        head = _head(outcome)
        room = _LIMIT - len(head.encode())
        yield head
        yield _TABLE if self._rows else ""
        for i, row in enumerate(self._rows):
            room -= len(row.encode())
            if room < 0:
                self._left += len(self._rows) - i
                break
            yield row
        if self._left:
            yield f"\n… and {counted(self._left, 'more finding')}, for which there is no room here.\n"


def _head(outcome: Outcome) -> str:
    summary, problems = outcome.summary, outcome.problems
    counts = [counted(summary.errors, "error"), counted(summary.warnings, "warning")]
    counts += [counted(summary.infos, "info")] if summary.infos else []
    mark = "❌" if summary.errors or problems else "✅"
    head = f"## crdlint\n\n{mark} {', '.join(counts)} in {counted(summary.crds, 'CRD')}\n"
    lines = (
        f"- <code>{markdown(printable_line(file))}</code> could not be read: {markdown(why)}\n"
        for file, why in problems
    )
    return "".join([head, "\n" * bool(problems), *lines])


def _row(finding: Diagnostic, others: Sequence[Diagnostic]) -> str:
    rule = f"[`{finding.rule}`]({rule_link(finding.rule)})"
    help_ = f"<br>**help:** {markdown_with_code(advice(finding))}" if advice(finding) else ""
    more = f"<br>{markdown(describe_others(finding, others))}" if others else ""
    position = f"[{markdown(printable_line(f'{finding.file}:{finding.line}'))}]({_link(finding)})"
    about = f"<br>{markdown(printable_line(where(finding)))}" if where(finding) else ""
    text = f"{markdown_with_code(headline(finding))} ({rule})"
    return f"| {_ICONS[finding.severity]} | {text}{help_}{more} | {position}{about} |\n"


def _link(finding: Diagnostic) -> str:
    """Return the URL of the line of a finding: within GitHub Actions that of the commit, else a relative one."""
    environment = os.environ
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    base = "".join(f"{environment[name]}/{'blob/' * (name == names[1])}" for name in names if name in environment)
    return f"{base if all(name in environment for name in names) else ''}{uri(finding.file)}#L{finding.line}"
