"""Lines as an editor counts them, which are fewer than those of YAML 1.1."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

BREAK: Final = re.compile(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Return where each line of a text begins."""
    return [0, *(match.end() for match in BREAK.finditer(text))]


def place_of(starts: list[int], index: int) -> tuple[int, int]:
    """Return the line and column of a character, both 0-based, by where lines begin."""
    line = bisect_right(starts, index) - 1
    return line, index - starts[line]


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their breaks."""
    return BREAK.split(text) if "\r" in text else text.split("\n")
