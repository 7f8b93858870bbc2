"""Markdown for job summaries and comments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import html_text, markdown, printable_line
from crdlint.report.uris import relative

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.diagnostics import Diagnostic
    from crdlint.report.checked import Checked

_LIMIT: Final = 1_000_000  # bytes; GitHub takes a step's summary of up to 1 MiB
_ICONS: Final = {"error": "🔴", "warning": "🟡", "info": "🔵"}


def render(checked: Checked) -> str:
    """Return a headline and a table for each file, cut with a word on it where they are too long."""
    summary = checked.summary
    verdict = (
        f"{_count(summary.errors, 'error')}, {_count(summary.warnings, 'warning')} in {_count(summary.crds, 'CRD')}"
    )
    parts = ["## crdlint\n", f"{'❌' if summary.errors or checked.problems else '✅'} {verdict}\n"]
    if checked.problems:
        lines = [
            f"- <code>{markdown(printable_line(file))}</code> could not be read: {markdown(reason)}\n"
            for file, reason in checked.problems
        ]
        parts.append("".join(lines))
    room = _LIMIT - sum(len(part.encode()) for part in parts)
    left = 0
    for part, findings in _files(checked):
        size = len(part.encode("utf-8", "replace"))
        if left or size > room:
            left += findings
            continue
        room -= size
        parts.append(part)
    if left:
        parts.append(f"… and {_count(left, 'more finding')}, for which there is no room here.\n")
    return "\n".join(parts)


def _files(checked: Checked) -> Iterator[tuple[str, int]]:
    """Yield the part about each file with findings, and how many those are."""
    for result in checked.results:
        found = list(checked.shown(result))
        if not found:
            continue
        rows = ["| | place | rule | message |", "| --- | --- | --- | --- |", *map(_row, found)]
        file = html_text(printable_line(relative(result.file)))
        head = f"<summary><code>{file}</code>: {_count(len(found), 'finding')}</summary>"
        opened = " open" if len(found) <= 20 else ""
        yield "\n".join([f"<details{opened}>{head}\n", *rows, "\n</details>\n"]), len(found)


def _row(one: Diagnostic) -> str:
    help_ = f"<br>**help:** {markdown(one.help)}" if one.help else ""
    return f"| {_ICONS[one.severity]} | {one.line}:{one.column} | `{one.rule}` | {markdown(one.message)}{help_} |"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
