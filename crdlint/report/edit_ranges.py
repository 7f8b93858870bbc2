"""The edits of a fix by line and column, as reports write them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.report.escapes import printable
from crdlint.yaml.edit import Edit, apply, line_and_column, line_starts

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Fix


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
        self._starts: list[int] = []

    def ranges(self, fix: Fix) -> list[EditRange]:
        """Return the edits of a fix, in order."""
        return [self._range(edit) for edit in fix.edits]

    def combined(self, fix: Fix) -> EditRange:
        """Return the edits of a fix as one, with columns in bytes of UTF-8."""
        start, end = fix.edits[0].start, max(edit.end for edit in fix.edits)
        text = apply(self._text[start:end], [edit.moved(-start) for edit in fix.edits])
        replaced = self._range(Edit(start, end, text))
        return EditRange(replaced.line, self.byte_column(start), replaced.end_line, self.byte_column(end), text)

    def byte_column(self, index: int) -> int:
        """Return the 1-based column of a character in bytes of UTF-8."""
        line, _ = line_and_column(self._line_starts(), index)
        return len(self._text[self._starts[line] : index].encode("utf-8", "surrogatepass")) + 1

    def index(self, line: int, column: int) -> int:
        """Return the index of a character, given its 1-based line and column."""
        starts = self._line_starts()
        return min(starts[min(line, len(starts)) - 1] + column - 1, len(self._text))

    def _range(self, edit: Edit) -> EditRange:
        starts = self._line_starts()
        line, column = line_and_column(starts, edit.start)
        end_line, end_column = line_and_column(starts, edit.end)
        return EditRange(line + 1, column + 1, end_line + 1, end_column + 1, edit.text)

    def _line_starts(self) -> list[int]:
        if not self._starts:
            self._starts = line_starts(self._text)
        return self._starts
