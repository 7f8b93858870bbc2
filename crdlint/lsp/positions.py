"""Positions of the protocol: 0-based lines, and columns in the code units that client and server agreed on."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from lsprotocol.types import Position, PositionEncodingKind, Range

from crdlint.yaml.edit import line_and_column, line_starts

if TYPE_CHECKING:
    from crdlint.crd.positions import Span
    from crdlint.diagnostics.diagnostic import Diagnostic

_CODECS: Final = {
    PositionEncodingKind.Utf8: ("utf-8", 1),
    PositionEncodingKind.Utf16: ("utf-16-le", 2),
    PositionEncodingKind.Utf32: ("utf-32-le", 4),
}


class Text:
    """A text whose characters are found by positions of the protocol, and positions by characters.

    Lines end with CR LF, LF or CR. A position outside of the text is moved to the closest one inside.
    """

    def __init__(self, text: str, encoding: PositionEncodingKind | str = PositionEncodingKind.Utf16) -> None:
        self.text: Final = text
        self.encoding: Final = PositionEncodingKind(encoding)

    @cached_property
    def starts(self) -> list[int]:
        """Where each line starts."""
        return line_starts(self.text)

    @cached_property
    def _is_ascii(self) -> bool:
        return self.text.isascii()

    def line(self, number: int) -> str:
        """Return a line without its break, by its 0-based number; the empty text for a line that does not exist."""
        if not 0 <= number < len(self.starts):
            return ""
        return self.text[self.starts[number] : self._end(number)]

    def index(self, position: Position) -> int:
        """Return the index of the character at a position."""
        if position.line >= len(self.starts):
            return len(self.text)
        start, end = self.starts[position.line], self._end(position.line)
        if self._is_ascii:
            return min(start + position.character, end)
        codec, width = _CODECS[self.encoding]
        data = self.text[start:end].encode(codec, "surrogatepass")[: position.character * width]
        return start + len(data.decode(codec, "ignore"))

    def position(self, index: int) -> Position:
        """Return the position of a character."""
        line, column = line_and_column(self.starts, max(0, min(index, len(self.text))))
        return Position(line, self._units(self.starts[line], column))

    def range(self, start: int, end: int) -> Range:
        """Return the range of the characters from ``start`` up to ``end``."""
        return Range(self.position(start), self.position(end))

    def index_at(self, line: int, column: int) -> int:
        """Return the index of the character at a 1-based line and column in characters."""
        number = min(max(line, 1), len(self.starts)) - 1
        return min(self.starts[number] + max(column - 1, 0), self._end(number))

    def range_of(self, span: Span | Diagnostic) -> Range:
        """Return the range of a span or finding."""
        start = self.index_at(span.line, span.column)
        return self.range(start, max(start, self.index_at(span.end_line, span.end_column)))

    def _end(self, number: int) -> int:
        """Return where a line ends, before its break."""
        if number + 1 == len(self.starts):
            return len(self.text)
        end = self.starts[number + 1] - 1
        return end - 1 if end > self.starts[number] and self.text[end - 1 : end + 1] == "\r\n" else end

    def _units(self, start: int, count: int) -> int:
        if self._is_ascii:
            return count
        codec, width = _CODECS[self.encoding]
        return len(self.text[start : start + count].encode(codec, "surrogatepass")) // width


def changed(text: Text, change: Range | None, new: str) -> Text:
    """Return a text with a range replaced, or with all of it replaced for None."""
    if change is None:
        return Text(new, text.encoding)
    start = text.index(change.start)
    end = max(start, text.index(change.end))
    return Text(text.text[:start] + new + text.text[end:], text.encoding)
