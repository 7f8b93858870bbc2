"""Edits of a file as a unified diff, for `git apply` and `patch`.

The diff is made from the edits themselves: its size and the work for it grow with them, not with the file. Nothing of a
name or a text ends a line of the diff, so that none can begin another file's diff.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from crdlint.yaml.edit import Edit, apply, differing, in_order

_CONTEXT: Final = 3  # lines
_NO_NEWLINE: Final = "\n\\ No newline at end of file\n"
# As in git: a name with one of these is quoted as a string of C.
_SPECIAL: Final = re.compile(rb'[\x00-\x1f"\\\x7f-\xff]')
_ESCAPES: Final = {
    b'"': '\\"', b"\\": "\\\\", b"\a": "\\a", b"\b": "\\b", b"\f": "\\f", b"\n": "\\n", b"\r": "\\r", b"\t": "\\t",
    b"\v": "\\v",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines ``start`` to ``end`` (0-based, ``end`` excluded) replaced by other lines."""

    start: int
    end: int
    lines: tuple[str, ...]


def patch(name: str, text: str, edits: Iterable[Edit]) -> str:
    """Return the edits of the text of a file as a unified diff, empty if there are none.

    ``name`` is the path of the file, relative to the directory that the diff is applied in.
    """
    lines = _lines(text)
    changes = list(_changes(text, lines, edits))
    if not changes:
        return ""
    out = [f"--- {_quoted(f'a/{name}')}\n", f"+++ {_quoted(f'b/{name}')}\n"]
    moved = 0
    for hunk in _hunks(changes):
        first, last = max(hunk[0].start - _CONTEXT, 0), min(hunk[-1].end + _CONTEXT, len(lines))
        grown = sum(len(change.lines) - (change.end - change.start) for change in hunk)
        before, after = _range(first, last - first), _range(first + moved, last - first + grown)
        out.append(f"@@ -{before} +{after} @@\n")
        out.extend(line if line.endswith("\n") else line + _NO_NEWLINE for line in _body(hunk, lines, first, last))
        moved += grown
    return "".join(out)


def changed_lines(text: str, edits: Iterable[Edit]) -> list[tuple[int, str, str]]:
    """Return the lines that edits remove and add, without context: number (1-based), `-` or `+`, and text."""
    lines = _lines(text)
    return [
        (number, mark, line.rstrip("\n"))
        for change in _changes(text, lines, edits)
        for mark, side in (("-", lines[change.start : change.end]), ("+", change.lines))
        for number, line in enumerate(side, change.start + 1)
    ]


def _lines(text: str) -> list[str]:
    """Return the lines of a text with their newlines, as git counts them."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def _changes(text: str, lines: Sequence[str], edits: Iterable[Edit]) -> Iterator[_Change]:
    """Yield the changes of lines that edits make, in order; edits with a line in common are one change."""
    starts = [0, *accumulate(map(len, lines))]
    end = len(lines) - 1
    group: list[Edit] = []
    first = last = -1
    for edit in in_order(edits):
        top, bottom = (min(bisect_right(starts, offset) - 1, end) for offset in (edit.start, edit.end))
        if group and top > last:
            yield from _change(text, starts, first, last, group)
            group = []
        first = first if group else top
        last = bottom
        group.append(edit)
    if group:
        yield from _change(text, starts, first, last, group)


def _change(text: str, starts: Sequence[int], first: int, last: int, edits: Sequence[Edit]) -> Iterator[_Change]:
    """Yield the change of lines ``first`` to ``last`` (0-based, both included) without unchanged lines at its start and end."""
    base = starts[first]
    before = text[base : starts[last + 1]]
    after = apply(before, [edit.moved(-base) for edit in edits])
    same, old, new = differing(_lines(before), _lines(after))
    if old or new:
        yield _Change(first + same, first + same + len(old), tuple(new))


def _hunks(changes: Iterable[_Change]) -> Iterator[list[_Change]]:
    hunk: list[_Change] = []
    for change in changes:
        if hunk and change.start - hunk[-1].end > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(change)
    if hunk:
        yield hunk


def _body(hunk: Iterable[_Change], lines: Sequence[str], first: int, last: int) -> Iterator[str]:
    next_line = first
    for change in hunk:
        yield from (f" {line}" for line in lines[next_line : change.start])
        yield from (f"-{line}" for line in lines[change.start : change.end])
        yield from (f"+{line}" for line in change.lines)
        next_line = change.end
    yield from (f" {line}" for line in lines[next_line:last])


def _range(start: int, count: int) -> str:
    """Return lines from ``start`` (0-based) on in the form of a hunk header."""
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"


def _quoted(name: str) -> str:
    data = os.fsencode(name)
    if not _SPECIAL.search(data):
        return f"{name}\t" if " " in name else name  # a tab ends a name with blanks
    escaped = _SPECIAL.sub(lambda match: _ESCAPES.get(match[0], f"\\{match[0][0]:03o}").encode(), data)
    return f'"{escaped.decode("ascii")}"'
