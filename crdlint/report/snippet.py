"""The user's own line with a caret under the exact characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import printable_line
from crdlint.report.fold import columns, fitting

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic


def snippet(lines: list[str], diagnostic: Diagnostic, width: int) -> tuple[str, str, str] | None:
    """Return (line number, the line or a window of it, the carets below), or None if the line does not exist."""
    if not 1 <= diagnostic.line <= len(lines):
        return None
    number = str(diagnostic.line)
    line = lines[diagnostic.line - 1]
    start = min(diagnostic.column - 1, len(line))
    end = min(diagnostic.end_column - 1, len(line)) if diagnostic.end_line == diagnostic.line else len(line)
    end = max(end, start + 1)
    room = max(width - len(number) - 3, 20)
    # Only the part of the line that fits: it may be a megabyte long, with a finding for each word.
    before, marked, after = (
        _shown(part)
        for part in (line[max(start - room, 0) : start], line[start : min(end, start + room)], line[end : end + room])
    )
    if columns(before) + columns(marked) + columns(after) > room or end - start > room:
        before, marked, after = _window(before, marked, after, room)
    carets = " " * columns(before) + "^" * max(columns(marked), 1)
    return number, (before + marked + after).rstrip(), carets


def _shown(text: str) -> str:
    return printable_line(text.replace("\t", "    "))


def _window(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """Cut a long line to the text around the caret; lengths are in columns."""
    if columns(marked) > room * 2 // 3:
        marked = fitting(marked, room * 2 // 3 - 1) + "…"
        after = ""
    left = room - columns(marked) - 2
    keep = max(left * 2 // 3, left - columns(after))
    if columns(before) > keep:
        before = "…" + fitting(before[::-1], keep - 1)[::-1]
    keep = room - columns(before) - columns(marked)
    if columns(after) > keep:
        after = fitting(after, keep - 1) + "…"
    return before, marked, after
