"""The user's own line with a caret under the exact characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.escapes import printable
from crdlint.report.fold import columns

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic


def snippet(lines: list[str], diagnostic: Diagnostic, width: int) -> tuple[str, str, str] | None:
    """Return (line number, the line or a window of it, the carets below), None where there is no such line."""
    if not 1 <= diagnostic.line <= len(lines):
        return None
    number = str(diagnostic.line)
    line = lines[diagnostic.line - 1]
    start = min(diagnostic.column - 1, len(line))
    end = min(diagnostic.end_column - 1, len(line)) if diagnostic.end_line == diagnostic.line else len(line)
    end = max(end, start + 1)
    room = max(width - len(number) - 3, 20)
    before, marked, after = (_shown(part) for part in (line[:start], line[start:end], line[end:]))
    if columns(before) + columns(marked) + columns(after) > room:
        before, marked, after = _window(before, marked, after, room)
    carets = " " * columns(before) + "^" * max(columns(marked), 1)
    return number, (before + marked + after).rstrip(), carets


def _shown(text: str) -> str:
    return printable(text.replace("\t", "    "))


def _window(before: str, marked: str, after: str, room: int) -> tuple[str, str, str]:
    """Cut a long line to what stands around the caret."""
    if len(marked) > room * 2 // 3:
        marked = marked[: room * 2 // 3 - 1] + "…"
        after = ""
    left = room - len(marked) - 2
    keep = max(left * 2 // 3, left - len(after))
    if len(before) > keep:
        before = "…" + before[len(before) - keep + 1 :] if keep > 1 else "…"
    keep = room - len(before) - len(marked)
    if len(after) > keep:
        after = after[: max(keep - 1, 0)] + "…"
    return before, marked, after
