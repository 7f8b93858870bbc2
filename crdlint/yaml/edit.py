"""Edits of ranges of characters, and the lines of a text as editors count them (YAML 1.1 has more line breaks)."""

from __future__ import annotations

import sys
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Final, TypeAlias

from crdlint.light import dataclass, regex
from crdlint.phrases import differing

BREAK: Final = regex(r"\r\n|\r|\n")


def line_starts(text: str) -> list[int]:
    """Return the offset of each line start."""
    return [0, *(match.end() for match in BREAK.finditer(text))]


def line_and_column(starts: list[int], index: int) -> tuple[int, int]:
    """Return the line and column of a character, both 0-based, by where lines begin."""
    line = bisect_right(starts, index) - 1
    return line, index - starts[line]


def split_lines(text: str) -> list[str]:
    """Return the lines of a text without their line breaks."""
    return BREAK.split(text) if "\r" in text else text.split("\n")


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the characters `start` to `end` of a text with another text."""

    start: int
    end: int
    text: str

    def moved(self, by: int) -> Edit:
        """Return the edit for a text with `by` more characters before it."""
        return Edit(self.start + by, self.end + by, self.text)


def in_order(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits in order, without duplicates and without edits that overlap an earlier one."""
    end = 0
    for edit in sorted(set(edits), key=lambda each: (each.start, each.end, each.text)):
        if edit.start >= end:
            yield edit
            end = edit.end


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the edits applied (see `in_order`).

    >>> apply("a: 1", [Edit(3, 4, "2")])
    'a: 2'
    """
    edits = tuple(edits)
    if len(edits) == 1:  # as most changes
        (edit,) = edits
        return f"{text[: edit.start]}{edit.text}{text[edit.end :]}"
    out: list[str] = []
    end = 0
    for edit in in_order(edits):
        out += (text[end : edit.start], edit.text)
        end = edit.end
    return "".join((*out, text[end:]))


def changed_lines(text: str, edits: Iterable[Edit]) -> tuple[list[str], list[str]]:
    """Return the lines that edits replace, and those that they write instead."""
    ordered = list(in_order(edits))
    start = text.rfind("\n", 0, ordered[0].start) + 1
    end = text.find("\n", ordered[-1].end)
    before = text[start : end if end >= 0 else len(text)]
    after = apply(before, [edit.moved(-start) for edit in ordered])
    return differing(before.split("\n"), after.split("\n"))[1:]


def runs(numbers: Iterable[int]) -> list[list[int]]:
    """Return ascending numbers in lists of those that follow each other."""
    lists: list[list[int]] = []
    for number in numbers:
        if lists and number == lists[-1][-1] + 1:
            lists[-1].append(number)
        else:
            lists.append([number])
    return lists


def composed(first: Iterable[Edit], second: Iterable[Edit]) -> list[Edit]:
    """Return edits with the same result as applying `first` to a text and then `second` to the changed text."""
    rest = list(_pieces(first))[::-1]
    out: list[_Piece] = []
    end = 0
    for edit in in_order(second):
        out += _cut(rest, edit.start - end)
        _cut(rest, edit.end - edit.start)
        out.append((0, len(edit.text), edit.text))
        end = edit.end
    return list(_as_edits([*out, *reversed(rest)]))


# A part of a changed text: the characters `start` to `end` of the original text for None, or of a new text.
_Piece: TypeAlias = "tuple[int, int, str | None]"


def _pieces(edits: Iterable[Edit]) -> Iterator[_Piece]:
    end = 0
    for edit in in_order(edits):
        yield end, edit.start, None
        yield 0, len(edit.text), edit.text
        end = edit.end
    yield end, sys.maxsize, None


def _cut(rest: list[_Piece], length: int) -> list[_Piece]:
    """Remove and return pieces with `length` characters from the end of a list in reverse order."""
    pieces: list[_Piece] = []
    while length > 0:
        start, end, text = rest.pop()
        middle = min(start + length, end)
        pieces.append((start, middle, text))
        if middle < end:
            rest.append((middle, end, text))
        length -= middle - start
    return pieces


def _as_edits(pieces: Iterable[_Piece]) -> Iterator[Edit]:
    position, new = 0, ""
    for start, end, text in pieces:
        if text is not None:
            new += text[start:end]
        elif start < end:
            if new or start > position:
                yield Edit(position, start, new)
            position, new = end, ""
