"""Long server messages made readable: dumps of structs folded, text wrapped."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from typing import Final

from crdlint.report.escapes import printable

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


def wrapped(text: str, width: int | None, indent: str, first: str | None = None) -> list[str]:
    """Return the printable lines of a text, indented and wrapped to ``width`` columns; None does not wrap."""
    leads = [indent if first is None else first]
    lines: list[str] = []
    for line in printable(text).split("\n"):
        lead = leads.pop() if leads else indent
        if width is None:
            lines.append(f"{lead}{line}".rstrip())
        else:
            # What was within a line may be at the start of one now.
            lines += map(printable, _broken(line, width, indent, lead))
    return lines


def _broken(line: str, width: int, indent: str, lead: str) -> list[str]:
    whole = max(width, len(indent) + 16)
    wrapper = _Wrapper(
        whole,
        initial_indent=lead,
        subsequent_indent=indent,
        break_on_hyphens=False,
        drop_whitespace=True,
        expand_tabs=False,
        replace_whitespace=False,
    )
    return wrapper.wrap(line) or [lead.rstrip()]


class _Wrapper(textwrap.TextWrapper):
    """Breaks words too long for a line before the steps of a field path, and behind commas."""

    def _split(self, text: str) -> list[str]:
        room = self.width - len(self.subsequent_indent)
        return [
            piece
            for word in super()._split(text)
            for piece in (_STEP.split(word) if len(word) > room else [word])
            for piece in (_CHUNK.findall(piece) if len(piece) > _LONGEST_CHUNK else [piece])
            if piece
        ]


_STEP: Final = re.compile(r"(?=[.\[])|(?<=,)")
# textwrap copies the rest of a word for each line of it.
_LONGEST_CHUNK: Final = 4096
_CHUNK: Final = re.compile(f".{{1,{_LONGEST_CHUNK}}}", re.DOTALL)


def columns(text: str) -> int:
    """Return how many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
