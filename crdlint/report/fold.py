"""Long server messages made readable: dumps of structs folded, and the columns of a text."""

from __future__ import annotations

import re
from itertools import accumulate
from typing import Final

# A bad value longer than this many characters is folded in the terminal; JSON output has it whole.
_LONGEST: Final = 120
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
