"""Where text is shown. `Page` is a file or a pipe; `crdlint.report.terminal` has the page of a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Final

from crdlint.light import NamedTuple, regex
from crdlint.safety.escapes import printable


class CellPart(NamedTuple):
    """A part of a cell or a line: text, escaped already, its style and the URL that it links to."""

    text: str
    style: str = ""
    link: str | None = None


class Column(NamedTuple):
    """A column of a table: its title and its minimum width; the text of a column of numbers is ``right``-aligned."""

    title: str
    width: int = 0
    right: bool = False


class Row(NamedTuple):
    """A row of a table."""

    cells: Sequence[Sequence[CellPart]]


class Branch(NamedTuple):
    """A branch of a tree: its label, escaped already, and the branches below it."""

    label: Sequence[CellPart]
    branches: Sequence[Branch] = ()


class Page:
    """A file or a pipe: no styles (``crdlint.report.terminal`` names them), and no wrapped lines, which can be searched."""

    width: int | None = None  # columns; None does not wrap

    def styled(self, text: str, style: str, link: str | None = None) -> str:
        """Return text, escaped already, in a style; ``link`` is the URL that it links to."""
        del style, link
        return text

    def wrapped(
        self,
        text: str,
        indent: str,
        first: str | None = None,
        style: str = "",
    ) -> list[str]:
        """Return the lines of a text, escaped and indented; the first one begins with ``first``, which has a style."""
        del style
        lines = printable(text).split("\n")
        leads = [indent if first is None else first, *[indent] * (len(lines) - 1)]
        return [f"{lead}{line}".rstrip() for lead, line in zip(leads, lines, strict=True)]

    def flow(self, *parts: CellPart) -> list[str]:
        """Return the lines of a text of several parts."""
        return [self._joined(parts)]

    def _joined(self, parts: Iterable[CellPart]) -> str:
        return "".join(self.styled(part.text, part.style, part.link) for part in parts)

    def table(self, heads: Sequence[Column], rows: Sequence[Row]) -> Iterator[str]:
        """Yield the lines of a table; without titles it has no head."""
        fixed = widths(heads, rows)
        if any(head.title for head in heads):
            titles = [Row([[CellPart(head.title)] for head in heads])]
            yield from (self.styled(line, "title") for line in self._rows(heads, titles, fixed))
        yield from self._rows(heads, rows, fixed)

    def _rows(
        self, heads: Sequence[Column], rows: Iterable[Row], fixed: Sequence[int]
    ) -> Iterator[str]:
        last = len(heads) - 1
        for row in rows:
            cells = []
            for i, (head, cell) in enumerate(zip(heads, row.cells, strict=True)):
                text = self._joined(cell)
                padding = " " * (0 if i == last and not head.right else fixed[i] - _width(cell))
                cells.append(f"{padding}{text}" if head.right else f"{text}{padding}")
            yield "  ".join(cells)

    def tree(self, root: Branch) -> Iterator[str]:
        """Yield the lines of a tree, each level indented by two columns."""
        stack = [(root, "")]
        while stack:
            branch, indent = stack.pop()
            yield indent + self._joined(branch.label)
            stack.extend((below, f"{indent}  ") for below in reversed(branch.branches))

    def file_link(self, name: str) -> str | None:
        """Return the URL of a file, or None if this page has no links."""
        del name
        return None

    def yaml(self, text: str, indent: str = "") -> list[str]:
        """Return the lines of YAML, escaped already, indented and in the colours of its syntax."""
        return [f"{indent}{line}" if line else "" for line in text.split("\n")]


_WIDTHS: Final = regex("[^\x00-\u02ff…]")  # characters that may take no column, or two


def columns(text: str) -> int:
    """Return how many terminal columns a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    wide = sum(
        -1 if unicodedata.combining(char) else unicodedata.east_asian_width(char) in "WF"
        for char in _WIDTHS.findall(text)
    )
    return len(text) + wide


def fitting(text: str, room: int) -> str:
    """Return as much of the start of a text as fits into ``room`` columns."""
    if text.isascii():
        return text[: max(room, 0)]
    return text[: sum(width <= room for width in accumulate(map(columns, text)))]


def _width(cell: Iterable[CellPart]) -> int:
    return sum(columns(part.text) for part in cell)


def widths(heads: Sequence[Column], rows: Sequence[Row]) -> list[int]:
    """Return the columns of a terminal that each column of a table needs."""
    return [
        max(head.width, len(head.title), *(_width(row.cells[i]) for row in rows))
        for i, head in enumerate(heads)
    ]


PLAIN: Final = Page()
_RULES: Final = "https://crdlint.github.io/crdlint/rules"


def rule_link(rule: str) -> str:
    """Return the URL of the page that describes a rule."""
    return f"{_RULES}/{rule}/"
