"""An index of the keys and items of a document in the order of its text, with the start and end of each.

Lookups by position, for comments, use bisection instead of another traversal.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from crdlint.yaml.edit import BREAK
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Mark, Node
    from crdlint.yaml.parse import Document

# 1-based line and column in the file.
Position: TypeAlias = "tuple[int, int]"

# An anchor and a tag before a scalar, and the text between them.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*|\s+|(?<=\s)#[^\n\r]*)*")


class Entry(NamedTuple):
    """A key with its value, or an item of a list, from `start` up to `end`; `begin` is an offset in the text."""

    begin: int
    start: Position
    end: Position


class Text(NamedTuple):
    """A scalar: its characters from `begin` up to `end`, and its first and last position."""

    begin: int
    end: int
    first: Position
    last: Position


@dataclass(slots=True)
class NodeIndex:
    """The entries of a document, outer ones before inner ones, and its scalars, both sorted by their start."""

    entries: list[Entry] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def below(self, index: int) -> Entry | None:
        """Return the outermost of the next entries that begin at or after an offset."""
        number = bisect_left(self.entries, index, key=lambda entry: entry.begin)
        return self.entries[number] if number < len(self.entries) else None

    def is_text(self, index: int) -> bool:
        """Return whether an offset is inside of a scalar."""
        number = bisect_right(self.texts, index, key=lambda text: text.begin)
        return number > 0 and index < self.texts[number - 1].end

    def text_around(self, index: int, position: Position) -> Text | None:
        """Return the scalar that a comment follows, or whose header (`|`) precedes it on the line."""
        number = bisect_right(self.texts, index, key=lambda text: text.begin)
        if number < len(self.texts) and self.texts[number].first < position:
            return self.texts[number]
        return self.texts[number - 1] if number else None


def node_index(document: Document) -> NodeIndex:
    """Return the index of a document; aliased nodes are at the position of their anchor."""
    index = NodeIndex()
    seen: set[int] = set()
    first_line = document.line_offset + 1

    def position(mark: Mark) -> Position:
        return mark.line + first_line, mark.column + 1

    # (key, node) in reverse order; a key of None is an item.
    pending: list[tuple[Node | None, Node]] = [] if document.root is None else [(None, document.root)]
    while pending:
        key, node = pending.pop()
        is_alias = id(node) in seen
        if node.anchor is not None:
            seen.add(id(node))
        if node is not document.root and not (is_alias and key is None):
            start, end = (key or node).start_mark, (key if key is not None and is_alias else node).end_mark
            index.entries.append(Entry(start.index, position(start), position(end)))
        for scalar in (key, None if is_alias else node):
            if isinstance(scalar, Scalar):
                begin, end = _begin(scalar, document.text), scalar.end_mark
                index.texts.append(Text(begin, end.index, position(scalar.start_mark), position(end)))
        if not is_alias:
            pending.extend(_children(node, seen))
        if key is not None and not isinstance(key, Scalar):
            pending.append((None, key))
    return index


def _children(node: Node, seen: set[int]) -> list[tuple[Node | None, Node]]:
    """Return the children of a node in reverse order, without entries whose key is an alias."""
    children: list[tuple[Node | None, Node]] = []
    if isinstance(node, Mapping):
        for key, value in node.pairs():
            if id(key) not in seen:
                if key.anchor is not None:
                    seen.add(id(key))
                children.append((key, value))
    elif isinstance(node, Sequence):
        children.extend((None, item) for item in node.items)
    children.reverse()
    return children


def _begin(scalar: Scalar, text: str) -> int:
    """Return the offset of the characters of a scalar, after its properties and the header of a block."""
    index, end = scalar.start_mark.index, scalar.end_mark.index
    if text.startswith(("&", "!"), index):
        match = _PROPERTIES.match(text, index, end)
        index = match.end() if match else index
    if scalar.style in {"|", ">"}:
        line = BREAK.search(text, index, end)
        index = line.start() if line else end
    return int(index)
