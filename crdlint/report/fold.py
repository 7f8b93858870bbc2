"""Long server messages made readable: dumps of structs folded, text wrapped."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from typing import Final

# A bad value longer than this many characters is folded in the terminal; JSON output has it whole.
_LONGEST: Final = 120
_HEAD: Final = 60
_DUMP: Final = re.compile(
    r"(: (?:Invalid|Unsupported|Duplicate) value: )([\[{].*[\]}]|\"(?:[^\"\\]|\\.)*\")(: |$)", re.DOTALL
)


def fold(message: str) -> str:
    """Return a message with its bad value cut to its beginning where that is long."""

    def cut(match: re.Match[str]) -> str:
        value = match[2]
        if len(value) <= _LONGEST:
            return match[0]
        return f"{match[1]}{value[:_HEAD]}… ({len(value):,} characters){match[3]}"

    return _DUMP.sub(cut, message, count=1)


def wrapped(text: str, width: int, indent: str, first: str | None = None) -> list[str]:
    """Return the lines of a text wrapped to a width in columns; lines of its own are kept."""
    lines: list[str] = []
    whole = max(width, len(indent) + 16)
    for i, line in enumerate(text.split("\n")):
        lead = first if first is not None and i == 0 else indent
        wrapper = _Wrapper(
            whole,
            initial_indent=lead,
            subsequent_indent=indent,
            break_on_hyphens=False,
            drop_whitespace=True,
            expand_tabs=False,
            replace_whitespace=False,
        )
        lines += wrapper.wrap(line) or [lead.rstrip()]
    return lines


class _Wrapper(textwrap.TextWrapper):
    """Breaks words too long for a line before the steps of a field path, and behind commas."""

    def _split(self, text: str) -> list[str]:
        room = self.width - len(self.subsequent_indent)
        return [
            piece
            for word in super()._split(text)
            for piece in (_STEP.split(word) if len(word) > room else [word])
            if piece
        ]


_STEP: Final = re.compile(r"(?=[.\[])|(?<=,)")


def columns(text: str) -> int:
    """Return how many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )
