"""The keys and items of a document in the order of its text, each with where it begins and ends.

What is asked by position, for a comment or a finding, is found by bisection rather than by another walk.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from crdlint.yaml.edit import BREAK
from crdlint.yaml.nodes import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from crdlint.yaml.nodes import Node

Step: TypeAlias = "str | int"
# 0-based line and column within the document.
Position: TypeAlias = "tuple[int, int]"

# An anchor and a tag before a scalar, and what may stand between them.
_PROPERTIES: Final = re.compile(r"(?:[&!]\S*|\s+|(?<=\s)#[^\n\r]*)*")


class Entry(NamedTuple):
    """A key with its value, or an item of a list: from ``start`` up to ``end``.

    ``begin`` counts in the text, ``parent`` in the list of entries, -1 for those of the root.
    """

    begin: int
    start: Position
    end: Position
    parent: int
    step: Step
    node: Node


class Text(NamedTuple):
    """A scalar: the characters that are its own, from ``begin`` up to ``end``, and its first and last position."""

    begin: int
    end: int
    first: Position
    last: Position


@dataclass(slots=True)
class NodeIndex:
    """A document's entries, outer ones before inner ones, and its scalars, both by where they begin."""

    entries: list[Entry] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def at(self, position: Position) -> int:
        """Return the innermost entry that begins at or before a position, -1 where there is none."""
        return bisect_right(self.entries, position, key=lambda entry: entry.start) - 1

    def below(self, index: int) -> Entry | None:
        """Return the outermost entry of those that begin next at or after an index of the text."""
        at = bisect_left(self.entries, index, key=lambda entry: entry.begin)
        return self.entries[at] if at < len(self.entries) else None

    def text_before(self, index: int) -> Text | None:
        """Return the last scalar that begins at or before an index of the text."""
        at = bisect_right(self.texts, index, key=lambda text: text.begin)
        return self.texts[at - 1] if at else None

    def text_around(self, index: int, position: Position) -> Text | None:
        """Return the scalar that a comment follows, or whose header (``|``) it stands behind."""
        at = bisect_right(self.texts, index, key=lambda text: text.begin)
        if at < len(self.texts) and self.texts[at].first < position:
            return self.texts[at]
        return self.texts[at - 1] if at else None

    def steps(self, at: int) -> list[tuple[Step, Node]]:
        """Return the steps, from the root's, that lead to an entry, each with its node."""
        found = []
        while at >= 0:
            entry = self.entries[at]
            found.append((entry.step, entry.node))
            at = entry.parent
        found.reverse()
        return found


def places_of(root: Node, text: str) -> NodeIndex:
    """Return the places of a document's tree; what an alias stands for counts where it is written."""
    places = NodeIndex()
    seen: set[int] = set()
    # (key, node, parent, step), the next one last; a key of None is an item, a step of None the root.
    pending: list[tuple[Node | None, Node, int, Step | None]] = [(None, root, -1, None)]
    while pending:
        key, node, parent, step = pending.pop()
        is_alias = id(node) in seen
        if node.anchor is not None:
            seen.add(id(node))
        here = parent
        first = node if key is None else key
        if step is not None and not (is_alias and key is None):
            start, end = first.start_mark, (key if key is not None and is_alias else node).end_mark
            here = len(places.entries)
            places.entries.append(
                Entry(start.index, (start.line, start.column), (end.line, end.column), parent, step, node)
            )
        for scalar in (key, None if is_alias else node):
            if isinstance(scalar, Scalar):
                places.texts.append(_text(scalar, text))
        if not is_alias:
            pending.extend(_children(node, here, seen))
        if key is not None and not isinstance(key, Scalar):
            pending.append((None, key, here, None))
    return places


def _children(node: Node, parent: int, seen: set[int]) -> list[tuple[Node | None, Node, int, Step | None]]:
    """Return what is in a node, the first one last; an entry whose key is an alias is left out."""
    found: list[tuple[Node | None, Node, int, Step | None]] = []
    if isinstance(node, Mapping):
        for key, value in node.pairs():
            if id(key) not in seen:
                if key.anchor is not None:
                    seen.add(id(key))
                found.append((key, value, parent, key.value if isinstance(key, Scalar) else "?"))
    elif isinstance(node, Sequence):
        found.extend((None, item, parent, i) for i, item in enumerate(node.items))
    found.reverse()
    return found


def _text(scalar: Scalar, text: str) -> Text:
    start, end = scalar.start_mark, scalar.end_mark
    index = start.index
    if text.startswith(("&", "!"), index):
        match = _PROPERTIES.match(text, index, end.index)
        index = match.end() if match else index
    if scalar.style in {"|", ">"}:
        line = BREAK.search(text, index, end.index)
        index = line.start() if line else end.index
    return Text(index, end.index, (start.line, start.column), (end.line, end.column))
