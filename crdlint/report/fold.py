"""Long texts made readable: dumps of structs folded, and the user's own line with carets under the exact characters."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from crdlint.report.escapes import printable_line

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic

# A bad value longer than this many characters is folded in the terminal; JSON output has it whole.
_LONGEST: Final = 80
_HEAD: Final = 60
_VALUE: Final = re.compile(r": (?:Invalid|Unsupported|Duplicate) value: (?=[\[{\"])")
_QUOTED: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def fold(message: str) -> str:
    """Return a message with its bad value cut to its beginning where that is long."""
    if len(message) <= _LONGEST:
        return message
    last_bracket = len(message) if message.endswith(("]", "}")) else max(map(message.rfind, ("]: ", "}: "))) + 1
    for match in _VALUE.finditer(message):
        start = match.end()
        end = _end_of_quoted(message, start) if message[start] == '"' else last_bracket
        if end > start:
            size = end - start
            cut = f"{message[: start + _HEAD]}… ({size:,} characters){message[end:]}"
            return cut if size > _LONGEST else message
    return message


def _end_of_quoted(message: str, start: int) -> int:
    """Return the end of the quoted value at ``start``, 0 if it does not end where a detail or nothing follows."""
    quoted = _QUOTED.match(message, start)
    if quoted is None or not (quoted.end() == len(message) or message.startswith(": ", quoted.end())):
        return 0
    return quoted.end()


_WIDTHS: Final = re.compile("[^\x00-\u02ff…]")  # characters that may take no column, or two


def columns(text: str) -> int:
    """Return how many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(
        -1 if unicodedata.combining(char) else unicodedata.east_asian_width(char) in "WF"
        for char in _WIDTHS.findall(text)
    )
    return len(text) + wide


def fitting(text: str, room: int) -> str:
    """Return as much of the start of a text as fits into ``room`` columns."""
    if text.isascii():
        return text[: max(room, 0)]
    return text[: sum(width <= room for width in accumulate(map(columns, text)))]


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
        printable_line(part.replace("\t", "    "))
        for part in (line[max(start - room, 0) : start], line[start : min(end, start + room)], line[end : end + room])
    )
    if columns(before) + columns(marked) + columns(after) > room or end - start > room:
        before, marked, after = _window(before, marked, after, room)
    carets = " " * columns(before) + "^" * max(columns(marked), 1)
    return number, (before + marked + after).rstrip(), carets


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
