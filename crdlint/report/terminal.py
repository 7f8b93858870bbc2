"""The page of a terminal, by rich: styles, links, text wrapped to its width, tables, the colours of YAML.

Text from files is never read as markup: it is made into `Text`, and escaped before.
"""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from io import StringIO
from pathlib import Path
from sys import maxsize
from typing import Final, Literal, TextIO

from rich.cells import cell_len, chop_cells
from rich.color import ColorSystem
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from crdlint.light import regex
from crdlint.report.page import Branch, CellPart, Column, Page, Row, widths
from crdlint.safety.escapes import printable

STYLES: Final = {
    "error": "bold red",
    "warning": "yellow",
    "info": "cyan",
    "good": "green",
    "title": "bold",
    "label": "green",
    "gutter": "blue",
    "faint": "bright_black",
    "code": "cyan",
    "key": "blue",
    "string": "green",
    "number": "magenta",
    "comment": "bright_black",
}
_YAML: Final = regex(
    r"""(?P<key>(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[\w$./-]+)(?=:(?:\s|$)))"""
    r"""|(?P<string>"(?:[^"\\]|\\.)*"|(?<!\w)'(?:[^']|'')*')"""
    r"""|(?P<comment>(?:(?<=\s)|^)\#.*)"""
    r"""|(?P<number>(?<![\w.-])(?:-?\d+(?:\.\d+)?|true|false|null)(?![\w.-]))"""
)
_CODE: Final = regex(r"(?P<code>`[^`]+`)")
_LAST_COLUMN: Final = 36  # columns without which a table is stacked
_LEAST: Final = 16  # columns of text behind an indentation
_URLS: Final = ("https://", "http://")
_STEP: Final = regex(r"(?=[.\[])|(?<=,)(?! )|(?<=, )")
# Names in braces, as in `.spec.{a, b}`, are part of a word, and so is the unit of a number.
_WORD: Final = regex(
    r"\s*(?:\{[^\s{},]+(?:, [^\s{},]+)*\}|(?<=\d) (?=(?:ms|s|KiB|MiB)(?!\w))|\S)+\s*|\s+"
)


class Terminal(Page):
    """A terminal of ``width`` columns (None: lines are not wrapped, for colours in a pipe) and ``colors`` (None: no styles)."""

    def __init__(
        self, width: int | None, colors: ColorSystem | None = None, *, links: bool = False
    ) -> None:
        self.width = width
        self._room: Final = maxsize if width is None else width
        self._colors = colors
        self._links = links and colors is not None
        self._styles = {name: Style.parse(style) for name, style in STYLES.items()}

    def styled(self, text: str, style: str, link: str | None = None) -> str:
        """Return text, escaped already, in a style; ``link`` is the URL that it links to."""
        return self._style(style, link).render(text, color_system=self._colors)

    def _style(self, style: str, link: str | None = None) -> Style:
        ansi = self._styles.get(style, _NO_STYLE)
        return ansi + Style(link=link) if link is not None and self._links else ansi

    def wrapped(
        self,
        text: str,
        indent: str,
        first: str | None = None,
        style: str = "",
    ) -> list[str]:
        """Return the lines of a text, escaped, indented and wrapped; the first one begins with ``first``, in a style."""
        lines: list[str] = []
        label = first
        for line in printable(text).split("\n"):
            for piece in self._broken(
                line, cell_len(indent), cell_len(indent if label is None else label)
            ):
                lead = indent if label is None else self.styled(label, style) if style else label
                lines.append(f"{lead}{self._ansi(piece)}" if piece.plain else lead.rstrip())
                label = None
        return lines

    def flow(self, *parts: CellPart) -> list[str]:
        """Return the lines of a text of several parts."""
        text = self._text(parts)
        if cell_len(text.plain) <= self._room:
            return [self._ansi(text)]
        lines = text.divide(breaks(text.plain, self._room))
        for line in lines:
            line.rstrip()
        return list(map(self._ansi, lines))

    def table(self, heads: Sequence[Column], rows: Sequence[Row]) -> Iterator[str]:
        """Yield the lines of a table; without room for its last column, one line for the others and the rest below it."""
        if self.width is None:
            yield from super().table(heads, rows)
            return
        fixed = widths(heads, rows)
        if self.width - sum(fixed[:-1]) - 2 * (len(fixed) - 1) < _LAST_COLUMN:
            yield from self._stacked(rows)
            return
        table = Table(
            box=None,
            padding=(0, 2, 0, 0),
            pad_edge=False,
            header_style=self._styles["title"],
        )
        for head, width in zip(heads, fixed, strict=True):
            is_last = head is heads[-1]
            table.add_column(
                Text(head.title),
                justify="right" if head.right else "left",
                overflow="fold",
                no_wrap=not is_last,
                min_width=None if is_last else width,
            )
        for row in rows:
            table.add_row(*map(self._text, row.cells))
        yield from self._rendered(table)

    def tree(self, root: Branch) -> Iterator[str]:
        """Yield the lines of a tree with guides, each label wrapped behind its guide."""
        from rich.tree import Tree

        if self.width is None:
            yield from super().tree(root)
            return
        top = Tree(self._text(root.label), guide_style=self._styles["faint"])
        pending = [(top, root)]
        while pending:
            tree, branch = pending.pop()
            pending.extend((tree.add(self._text(below.label)), below) for below in branch.branches)
        yield from self._rendered(top)

    def _stacked(self, rows: Iterable[Row]) -> Iterator[str]:
        for row in rows:
            yield from self._rendered(Text("  ").join(map(self._text, row.cells[:-1])))
            yield from self._rendered(Padding(self._text(row.cells[-1]), (0, 0, 0, 2)))

    def _text(self, parts: Iterable[CellPart]) -> Text:
        text = Text()
        for part in parts:
            text.append(part.text, self._style(part.style, part.link))
        return text

    def _rendered(self, part: RenderableType) -> list[str]:
        with self._console.capture() as captured:
            self._console.print(part)
        return [line.rstrip() for line in captured.get().removesuffix("\n").split("\n")]

    def file_link(self, name: str) -> str | None:
        """Return the URL of a file, None if the terminal has no links or there is no such file."""
        return file_link(name) if self._links else None

    def yaml(self, text: str, indent: str = "") -> list[str]:
        """Return the lines of YAML, escaped already, indented and in the colours of its syntax."""
        lines = []
        for line in text.split("\n"):
            coloured = self._coloured(Text(line), _YAML)
            hanging = " " * min(len(line) - len(line.lstrip()) + 2, _LEAST)
            room = max(self._room - len(indent) - len(hanging), _LEAST)
            pieces = coloured.divide(breaks(line, room, used=-len(hanging)))
            for i, piece in enumerate(pieces):
                piece.rstrip()
                lines.append(
                    f"{indent}{hanging if i else ''}{self._ansi(piece)}" if piece.plain else ""
                )
        return lines

    def _ansi(self, text: Text) -> str:
        if self._colors is None:
            return text.plain
        return "".join(
            segment.text
            if segment.style is None
            else segment.style.render(segment.text, color_system=self._colors)
            for segment in text.render(self._console)
        )

    def _broken(self, line: str, indent: int, lead: int) -> Iterator[Text]:
        """Yield a coloured line in pieces that fit behind an indentation, the first one behind a lead."""
        room = max(self._room - indent, _LEAST)
        for piece in self._coloured(Text(line), _CODE).divide(
            breaks(line, room, used=lead - indent)
        ):
            piece.rstrip()
            # What was within a line may be at the start of one now.
            escaped = printable(piece.plain)
            yield piece if escaped == piece.plain else Text(escaped)

    def _coloured(self, text: Text, pattern: re.Pattern[str]) -> Text:
        for match in pattern.finditer(text.plain):
            text.stylize(self._styles[match.lastgroup or ""], *match.span())
        return text

    @cached_property
    def _console(self) -> Console:
        return Console(
            file=StringIO(),
            width=self.width or _UNWRAPPED,
            color_system=None if self._colors is None else _NAMES[self._colors],
            force_terminal=self._colors is not None,
            no_color=self._colors is None,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
        )


_NO_STYLE: Final = Style.null()
_UNWRAPPED: Final = 10_000
_NAMES: Final[dict[ColorSystem, Literal["standard", "256", "truecolor"]]] = {
    ColorSystem.STANDARD: "standard",
    ColorSystem.EIGHT_BIT: "256",
    ColorSystem.TRUECOLOR: "truecolor",
    ColorSystem.WINDOWS: "standard",  # click has colorama translate these
}


def breaks(line: str, room: int, used: int = 0) -> list[int]:
    """Return the offsets at which to break a line: between words, and within words that are too long for it.

    Such a word is broken before the steps of a field path, and behind commas. If it has names in braces, it begins a line.
    A URL is not broken: somebody will copy or click it, and the terminal itself wraps it.
    ``room`` are the columns of a line, ``used`` those of the first line that are occupied.
    """
    offsets: list[int] = []
    for match in _WORD.finditer(line):
        word = match[0].rstrip()
        offset = match.start()
        is_whole = cell_len(word) <= room or word.startswith(_URLS)
        pieces = (
            [word]
            if is_whole
            else [cut for step in _STEP.split(word) for cut in chop_cells(step, room)]
        )
        is_long_list = len(pieces) > 1 and " " in word
        if is_long_list and min(used, offset) > 0:
            offsets.append(offset)
            used = 0
        for piece in filter(None, pieces):
            size = cell_len(piece)
            if used > 0 and used + size > room:
                offsets.append(offset)
                used = 0
            used += size
            offset += len(piece)
        used += len(match[0]) - len(word)
    return offsets


def colors_of(file: TextIO) -> ColorSystem | None:
    """Return the colours that a terminal or a CI log has, by its environment."""
    name = Console(
        file=file,
        force_terminal=True,
        no_color=False,
    ).color_system
    return next((system for system, label in _NAMES.items() if label == name), ColorSystem.STANDARD)


def has_links() -> bool:
    """Return whether the terminal supports links (OSC 8), according to its environment."""
    environment = os.environ
    if "FORCE_HYPERLINK" in environment:
        return environment["FORCE_HYPERLINK"] != "0"
    if Console().legacy_windows or environment.get("TERM", "").startswith(("screen", "tmux")):
        return False
    if environment.get("VTE_VERSION", "").isdecimal():
        return int(environment["VTE_VERSION"]) > 5000  # 0.50.0 crashes at them
    return (
        "WT_SESSION" in environment
        or "KONSOLE_VERSION" in environment
        or environment.get("TERM_PROGRAM")
        in {"iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "WarpTerminal"}
        or environment.get("TERM", "").startswith(
            ("xterm-kitty", "alacritty", "foot", "xterm-ghostty", "contour")
        )
    )


@lru_cache(maxsize=16)
def file_link(name: str) -> str | None:
    """Return the URL of a file, None if there is none of that name."""
    path = Path(name)
    if not path.is_file():
        return None
    return f"file://{socket.gethostname()}{path.absolute().as_uri().removeprefix('file://')}"
