"""Markdown for job summaries and comments."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final

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
        parts.append(
            "\n".join(f"- `{file}` could not be read: {_cell(reason)}" for file, reason in checked.problems) + "\n"
        )
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
        head = f"<summary><code>{html.escape(relative(result.file))}</code>: {_count(len(found), 'finding')}</summary>"
        opened = " open" if len(found) <= 20 else ""
        yield "\n".join([f"<details{opened}>{head}\n", *rows, "\n</details>\n"]), len(found)


def _row(one: Diagnostic) -> str:
    help_ = f"<br>**help:** {_cell(one.help)}" if one.help else ""
    return f"| {_ICONS[one.severity]} | {one.line}:{one.column} | `{one.rule}` | {_cell(one.message)}{help_} |"


def _cell(text: str) -> str:
    """Return a text as it may stand in a table's cell."""
    escaped = html.escape(text, quote=False)
    for char in "\\`*_[]|":
        escaped = escaped.replace(char, f"\\{char}")
    return escaped.replace("\r", "").replace("\n", "<br>").encode("utf-8", "replace").decode()


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
