"""The parts of a document that editors can fold: documents, mappings and lists of several lines, and comments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from lsprotocol.types import FoldingRange, FoldingRangeKind

from crdlint.lsp.roots import roots
from crdlint.lsp.workspace import OpenDocument
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence

_MOST: Final = 20_000  # ranges of a document


def folds_of(document: OpenDocument) -> list[FoldingRange]:
    """Return what can be folded, each with the line that stays visible."""
    lines = document.text.text.split("\n")
    ranges: dict[tuple[int, int], FoldingRangeKind | None] = {}
    ranges |= dict.fromkeys(_comments(lines), FoldingRangeKind.Comment)
    ranges |= dict.fromkeys(_nodes(document, lines))
    shown = list(ranges.items())[:_MOST]
    return [FoldingRange(first, last, kind=kind) for (first, last), kind in shown]


def _nodes(document: OpenDocument, lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of each key whose value is below it, of each item of a list, and of each object."""
    for part, _, root in roots(document.text.text):
        offset = part.line_offset
        pending: list[tuple[Node, Node]] = [(root, root)]
        while pending:
            first, value = pending.pop()
            start = offset + first.start_mark.line
            end = _last_line(lines, offset + value.end_mark.line, start)
            if end > start:
                yield start, end
            pending += _below(value)


def _below(value: Node) -> Iterator[tuple[Node, Node]]:
    """Yield the values in a node, each with the node on whose line it is folded."""
    if isinstance(value, Mapping):
        yield from ((key, below) for key, below in value.pairs() if not isinstance(key, Mapping))
    elif isinstance(value, Sequence):
        yield from ((item, item) for item in value.items if not isinstance(item, Scalar))


def _last_line(lines: list[str], end: int, start: int) -> int:
    """Return the last line of a node that has text: the parser ends a block at the next token."""
    end = min(end, len(lines) - 1)
    is_behind = end > start and not _is_closing(lines[end])
    end -= is_behind
    while end > start and (not lines[end].strip() or lines[end].lstrip().startswith("#")):
        end -= 1
    return end


def _is_closing(line: str) -> bool:
    """Return whether a line ends a collection between braces."""
    return line.lstrip()[:1] in ("]", "}")


def _comments(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and last line of comments of several lines."""
    numbered = enumerate(lines)
    for is_comment, group in groupby(numbered, lambda each: each[1].lstrip().startswith("#")):
        numbers = [number for number, _ in group]
        if is_comment and len(numbers) > 1:
            yield numbers[0], numbers[-1]
