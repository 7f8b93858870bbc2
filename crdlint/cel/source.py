"""The positions of nodes in the text of an expression (cel-go's common/source.go and ast.SourceInfo)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from crdlint.cel.ast import Expr


class Location(NamedTuple):
    """A place in the text: line from 1, column from 0 in code points."""

    line: int
    column: int


NO_LOCATION = Location(-1, -1)


@dataclass(slots=True)
class SourceInfo:
    """The text and what the parser knows of it: id to (start, stop) code-point offsets, id to call before expansion.

    Unless it `locates_line_starts`, a node at the start of a line is located behind the line before, as cel-go did.
    """

    text: str
    offsets: dict[int, tuple[int, int]] = field(default_factory=dict)
    macro_calls: dict[int, Expr] = field(default_factory=dict)
    locates_line_starts: bool = True
    _lines: list[int] | None = None

    @property
    def line_offsets(self) -> list[int]:
        """Offsets at which the lines start, the first at 0."""
        if self._lines is None:
            starts = [0]
            at = self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._lines = starts
        return self._lines

    def location(self, offset: int) -> Location:
        """Return the line and column of a code-point offset."""
        starts = self.line_offsets
        line = max(bisect_right(starts, offset), 1)
        return Location(line, offset - starts[line - 1])

    def location_of(self, node_id: int) -> Location:
        """Return where a node starts, `NO_LOCATION` for an unknown id (GetStartLocation)."""
        span = self.offsets.get(node_id)
        if span is None:
            return NO_LOCATION
        return self.location(span[0]) if self.locates_line_starts else self.location_behind(span[0])

    def location_behind(self, offset: int) -> Location:
        """Return the line and column of an offset, those behind the line before for the start of a line."""
        starts = self.line_offsets
        line = max(bisect_left(starts, offset), 1)
        return Location(line, offset - starts[line - 1])

    def snippet(self, line: int) -> str | None:
        """Return a line of the text without its line feed, None where there is no such line or no text."""
        starts = self.line_offsets
        if not self.text or not 1 <= line <= len(starts):
            return None
        if line == len(starts):
            return self.text[starts[line - 1] :]
        return self.text[starts[line - 1] : starts[line] - 1]
