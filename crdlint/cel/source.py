"""The positions of nodes in the text of an expression. Upstream: cel-go's common/source.go and ast.SourceInfo."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import NamedTuple


class Location(NamedTuple):
    """A position in the text: 1-based line, 0-based column in code points."""

    line: int
    column: int


NO_LOCATION = Location(-1, -1)


@dataclass(slots=True)
class SourceInfo:
    """The text, and source ranges (start, end) in code points by node id.

    Unless `locates_line_starts`, a node at the start of a line is located after the end of the previous line, as in
    older versions of cel-go.
    """

    text: str
    offsets: dict[int, tuple[int, int]] = field(default_factory=dict)
    locates_line_starts: bool = True
    _lines: list[int] | None = None

    @property
    def line_offsets(self) -> list[int]:
        """The offsets of the line starts; the first is 0."""
        if self._lines is None:
            starts = [0]
            line_feed = self.text.find("\n")
            while line_feed >= 0:
                starts.append(line_feed + 1)
                line_feed = self.text.find("\n", line_feed + 1)
            self._lines = starts
        return self._lines

    def location(self, offset: int) -> Location:
        """Return the line and column of a code-point offset."""
        starts = self.line_offsets
        line = max(bisect_right(starts, offset), 1)
        return Location(line, offset - starts[line - 1])

    def offset_of(self, location: Location) -> int:
        """Return the code-point offset of a location in the text."""
        return self.line_offsets[location.line - 1] + location.column

    def location_of(self, node_id: int) -> Location:
        """Return the start of a node, `NO_LOCATION` for an unknown id. Upstream: SourceInfo.GetStartLocation."""
        span = self.offsets.get(node_id)
        if span is None:
            return NO_LOCATION
        return self.location(span[0]) if self.locates_line_starts else self.location_behind(span[0])

    def location_behind(self, offset: int) -> Location:
        """Return the location of an offset; the start of a line is located after the end of the previous line."""
        starts = self.line_offsets
        line = max(bisect_left(starts, offset), 1)
        return Location(line, offset - starts[line - 1])

    def snippet(self, line: int) -> str | None:
        """Return a line of the text without its line feed, or None if the line does not exist or there is no text."""
        starts = self.line_offsets
        if not self.text or not 1 <= line <= len(starts):
            return None
        if line == len(starts):
            return self.text[starts[line - 1] :]
        return self.text[starts[line - 1] : starts[line] - 1]
