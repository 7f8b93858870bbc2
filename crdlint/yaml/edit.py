"""The lines of a text as editors count them (fewer than those of YAML 1.1), and edits of its characters."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, TypeAlias

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


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters ``start`` to ``end`` of a text by another text."""

    start: int
    end: int
    text: str

    def moved(self, by: int) -> Edit:
        """Return the edit for a text that has ``by`` more characters before this one's."""
        return Edit(self.start + by, self.end + by, self.text)


def in_order(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits that are made, in order: each of equal ones once, and none inside another one."""
    at = 0
    for edit in sorted(set(edits), key=lambda one: (one.start, one.end, one.text)):
        if edit.start >= at:
            yield edit
            at = edit.end


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with edits made (see ``in_order``)."""
    out: list[str] = []
    at = 0
    for edit in in_order(edits):
        out += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*out, text[at:]))


def composed(first: Iterable[Edit], second: Iterable[Edit]) -> list[Edit]:
    """Return the edits that do at once what ``first`` do to a text and then ``second`` to the changed text."""
    rest = list(_pieces(first))[::-1]
    out: list[_Piece] = []
    at = 0
    for edit in in_order(second):
        out += _cut(rest, edit.start - at)
        _cut(rest, edit.end - edit.start)
        out.append((0, 0, edit.text))
        at = edit.end
    return list(_as_edits([*out, *reversed(rest)]))


# What a changed text is made of: characters (from, to) of the first text, or a new text.
_Piece: TypeAlias = "tuple[int, int, str | None]"


def _pieces(edits: Iterable[Edit]) -> Iterator[_Piece]:
    at = 0
    for edit in in_order(edits):
        yield at, edit.start, None
        yield 0, 0, edit.text
        at = edit.end
    yield at, sys.maxsize, None


def _cut(rest: list[_Piece], length: int) -> list[_Piece]:
    """Take pieces of some characters together off the end of a list, where the first piece is."""
    taken: list[_Piece] = []
    while length > 0:
        start, end, text = rest.pop()
        size = end - start if text is None else len(text)
        if size > length:
            left, right = ((start, start + length, None), (start + length, end, None)) if text is None else (
                (0, 0, text[:length]), (0, 0, text[length:]),
            )  # fmt: skip
            rest.append(right)
            taken.append(left)
            break
        taken.append((start, end, text))
        length -= size
    return taken


def _as_edits(pieces: Iterable[_Piece]) -> Iterator[Edit]:
    at, new = 0, ""
    for start, end, text in pieces:
        if text is not None:
            new += text
        elif start < end:
            if new or start > at:
                yield Edit(at, start, new)
            at, new = end, ""
