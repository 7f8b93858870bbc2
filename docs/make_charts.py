"""Draws the table of benchmarks/peers.py as bars, and keeps what is short on one line, when mkdocs builds the site."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from html import escape, unescape
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_PAGE: Final = "speed.md"
_BEGIN: Final = "<!-- peers: begin -->"
_END: Final = "<!-- peers: end -->"
_OWN: Final = "crdlint"  # the rows that begin with it
_SHORT: Final = 28  # characters of code that is not broken between lines
_LINE: Final = 36  # characters of code that is not, where a table does not need the room: a line of a narrow page
_FIGURE: Final = 12  # characters of a cell that is not broken, such as a date
_BLOCK: Final = re.compile(r"<pre.*?</pre>", re.DOTALL)
_CODE: Final = re.compile(r"<code>(?=([^<]+)</code>)")
_CELL: Final = re.compile(rf"<td>(?=[^<]{{1,{_FIGURE}}}</td>)")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Put the bars above the table that they are drawn from, which the site folds."""
    del config, files
    if page.file.src_uri != _PAGE:
        return markdown
    folded = f'<details class="figures" markdown>\n<summary>All figures</summary>\n\n{_BEGIN}'
    drawn = markdown.replace(_BEGIN, f"{bars(markdown)}\n\n{folded}")
    return drawn.replace(_END, f"{_END}\n\n</details>")


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Mark short code outside of blocks, and short cells, which the stylesheet does not break."""
    del page, config, files
    parts = _BLOCK.split(html)
    blocks = [*_BLOCK.findall(html), ""]
    marked = (_CELL.sub('<td class="short">', _CODE.sub(_code, part)) for part in parts)
    return "".join(f"{part}{block}" for part, block in zip(marked, blocks, strict=True))


def _code(found: re.Match[str]) -> str:
    """Return the tag of code with the class of its length."""
    length = len(unescape(found[1]))
    if length <= _SHORT:
        return '<code class="short">'
    return '<code class="line">' if length <= _LINE else found[0]


def bars(page: str) -> str:
    """Return a chart for each column of CPU seconds of the table in a page."""
    head, _, *rows = _cells(page.partition(_BEGIN)[2])
    charts = (
        _chart(title, [(row[0], row[column]) for row in rows if row[column]])
        for column, title in enumerate(head[:-1])
        if column
    )
    return f'<div class="charts">{"".join(charts)}</div>'


def _cells(text: str) -> Iterator[list[str]]:
    """Yield the rows of the first table of a text."""
    for line in text.strip().splitlines():
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def _chart(title: str, values: Sequence[tuple[str, str]]) -> str:
    """Return the bars of programs, the quickest first."""
    ordered = sorted(values, key=lambda each: float(each[1]))
    most = float(ordered[-1][1])
    rows = "".join(_bar(name, seconds, float(seconds) / most) for name, seconds in ordered)
    return f'<table class="bars"><caption>{escape(title)}</caption><tbody>{rows}</tbody></table>'


def _bar(name: str, seconds: str, part: float) -> str:
    own = ' class="own"' if name.startswith(_OWN) else ""
    bar = f'<span style="width: {part:.1%}"></span>'
    return f'<tr{own}><th scope="row">{escape(name)}</th><td>{bar}</td><td>{seconds} s</td></tr>'
