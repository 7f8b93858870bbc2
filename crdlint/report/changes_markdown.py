"""Changes of CRDs as Markdown for a pull request: a headline, and a table for each CRD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report.changes import BEHAVIOUR, BREAKS, OTHER, REFUSED, ChangesReport, group_of
from crdlint.report.escapes import html_text, markdown, printable_line
from crdlint.report.page import rule_link
from crdlint.report.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.report.pieces import Outcome

_LIMIT: Final = 60_000  # characters; GitHub takes comments of up to 65,536
_ICONS: Final = {REFUSED: "⛔", BREAKS: "🔴", BEHAVIOUR: "🟡", OTHER: "🔵"}


class Report(ChangesReport):
    """The changes of a run, written at its end and cut with a note if they are too long for a comment."""

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete page."""
        head = f"## {markdown(self._changes.headline())}\n"
        for file, reason in outcome.problems:
            head += f"\n- <code>{markdown(printable_line(file))}</code> could not be read: {markdown(reason)}\n"
        yield head
        room, left = _LIMIT - len(head), 0
        for crd, findings in self._changes.by_crd().items():
            table = _table(crd, findings)
            room -= len(table)
            if room < 0 or left:
                left += len(findings)
            else:
                yield table
        if left:
            yield f"\n… and {counted(left, 'more change')}, for which there is no room here.\n"


def _table(crd: str, findings: Iterable[Diagnostic]) -> str:
    rows = ["| | change | rule | new | old |", "| --- | --- | --- | --- | --- |", *map(_row, findings)]
    return "\n".join([f"\n### <code>{html_text(printable_line(crd))}</code>\n", *rows, ""])


def _row(finding: Diagnostic) -> str:
    group = group_of(finding)
    old = "" if finding.related is None else _location(finding.related.file, finding.related.line)
    rule = f"[{finding.rule}]({rule_link(finding.rule)})"
    return f"| {_ICONS[group]} {group} | {code(finding.message)} | {rule} | {_location(finding.file, finding.line)} | {old} |"


def _location(file: str, line: int) -> str:
    return markdown(printable_line(f"{file}:{line}"))


def code(text: str) -> str:
    """Return `text` as Markdown: its parts in backquotes as code, everything else escaped."""
    return "".join(_code(part) if i % 2 else markdown(part) for i, part in enumerate(text.split("`")))


def _code(text: str) -> str:
    return f"<code>{html_text(printable_line(text)).replace('|', '&#124;')}</code>"
