"""How other tools identify files (paths, URIs), findings (fingerprints without lines) and edits (ranges, unified diffs)."""

from __future__ import annotations

import hashlib
import os
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Final
from urllib.parse import quote

from crdlint.diagnostics import Diagnostic, Fix
from crdlint.light import dataclass, regex
from crdlint.phrases import differing
from crdlint.safety.escapes import printable
from crdlint.yaml.edit import Edit, apply, in_order, line_and_column, line_starts


def relative(path: str) -> str:
    """Return a path relative to the working directory where it is below that, with forward slashes."""
    file = Path(path)
    if file.is_absolute():
        with suppress(ValueError):
            file = file.relative_to(Path.cwd())
    return file.as_posix()


def uri(path: str) -> str:
    """Return a path as a URI reference."""
    text = relative(path)
    return ("file://" if text.startswith("/") else "") + quote(
        text, safe="/~!$&'()*+,;=@", errors="surrogateescape"
    )


def fingerprints(diagnostics: Iterable[Diagnostic]) -> Iterator[tuple[Diagnostic, str]]:
    """Yield each finding of a file with a fingerprint, a hash of file, CRD, rule, path and detail. Equal ones are numbered."""
    seen: Counter[str] = Counter()
    for finding in diagnostics:
        identity = "\0".join(
            (relative(finding.file), finding.crd or "", finding.rule, finding.field, finding.detail)
        )
        seen[identity] += 1
        yield (
            finding,
            hashlib.sha256(
                f"{identity}\0{seen[identity]}".encode("utf-8", "surrogatepass")
            ).hexdigest()[:32],
        )


@dataclass(frozen=True, slots=True)
class EditRange:
    """A replacement of characters: 1-based lines and columns, ``end_column`` just past the last character."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def is_printable(fix: Fix) -> bool:
    """Return whether no edit of a fix has characters that control a terminal or reorder text."""
    texts = (edit.text.replace("\r\n", "\n") for edit in fix.edits)
    return all(printable(text) == text for text in texts)


class TextPositions:
    """Finds the lines and columns of edits in the text of a file; the lines are counted with the first edit."""

    def __init__(self, text: str) -> None:
        self._text = text

    def ranges(self, fix: Fix) -> list[EditRange]:
        """Return the edits of a fix, in order."""
        return list(map(self._range, fix.edits))

    def combined(self, fix: Fix) -> EditRange:
        """Return the edits of a fix as one, with columns in bytes of UTF-8."""
        start, end = fix.edits[0].start, max(edit.end for edit in fix.edits)
        text = apply(self._text[start:end], [edit.moved(-start) for edit in fix.edits])
        replaced = self._range(Edit(start, end, text))
        return EditRange(
            replaced.line,
            self.byte_column(start),
            replaced.end_line,
            self.byte_column(end),
            text,
        )

    def byte_column(self, index: int) -> int:
        """Return the 1-based column of a character in bytes of UTF-8."""
        line, _ = line_and_column(self._starts, index)
        return len(self._text[self._starts[line] : index].encode("utf-8", "surrogatepass")) + 1

    def column_in_bytes(self, line: int, column: int) -> int:
        """Return a 1-based column in bytes of UTF-8; of a file that could not be read, the column itself."""
        return self.byte_column(self.index(line, column)) if self._text else column

    def index(self, line: int, column: int) -> int:
        """Return the index of a character, given its 1-based line and column."""
        starts = self._starts
        return min(starts[min(line, len(starts)) - 1] + column - 1, len(self._text))

    def _range(self, edit: Edit) -> EditRange:
        starts = self._starts
        line, column = line_and_column(starts, edit.start)
        end_line, end_column = line_and_column(starts, edit.end)
        return EditRange(
            line + 1,
            column + 1,
            end_line + 1,
            end_column + 1,
            edit.text,
        )

    @cached_property
    def _starts(self) -> list[int]:
        return line_starts(self._text)


_CONTEXT: Final = 3  # lines
_NO_NEWLINE: Final = "\n\\ No newline at end of file\n"
# As in git: a name with one of these is quoted as a string of C.
_SPECIAL: Final = regex(rb'[\x00-\x1f"\\\x7f-\xff]')
_ESCAPES: Final = {
    b'"': '\\"',
    b"\\": "\\\\",
    b"\a": "\\a",
    b"\b": "\\b",
    b"\f": "\\f",
    b"\n": "\\n",
    b"\r": "\\r",
    b"\t": "\\t",
    b"\v": "\\v",
}


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines ``start`` to ``end`` (0-based, ``end`` excluded) replaced by other lines."""

    start: int
    end: int
    lines: tuple[str, ...]


def patch(name: str, text: str, edits: Iterable[Edit]) -> str:
    """Return the edits of a file's text as a unified diff, empty without any; ``name`` is relative to where it is applied."""
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
        out.extend(
            line if line.endswith("\n") else line + _NO_NEWLINE
            for line in _body(hunk, lines, first, last)
        )
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
        top, bottom = (
            min(bisect_right(starts, offset) - 1, end) for offset in (edit.start, edit.end)
        )
        if group and top > last:
            yield from _change(text, starts, first, last, group)
            group = []
        first = first if group else top
        last = bottom
        group.append(edit)
    if group:
        yield from _change(text, starts, first, last, group)


def _change(
    text: str,
    starts: Sequence[int],
    first: int,
    last: int,
    edits: Sequence[Edit],
) -> Iterator[_Change]:
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


def _body(
    hunk: Iterable[_Change],
    lines: Sequence[str],
    first: int,
    last: int,
) -> Iterator[str]:
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
    escaped = _SPECIAL.sub(
        lambda match: _ESCAPES.get(match[0], f"\\{match[0][0]:03o}").encode(), data
    )
    return f'"{escaped.decode("ascii")}"'
