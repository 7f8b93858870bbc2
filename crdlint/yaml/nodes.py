"""The YAML tree: libyaml's scalar events as leaves, flat lists as collections, marks kept as libyaml gives them.

A scalar node *is* ruamel.yaml's ``ScalarEvent`` (value, style, implicit, tag, anchor, start_mark, end_mark), so a leaf
costs nothing beyond the event. Marks have 0-based ``line`` and ``column`` in characters and ``index`` in the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from ruamel.yaml.events import ScalarEvent as Scalar

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


__all__ = ["Collection", "Mapping", "Node", "Scalar", "Sequence"]


class Collection:
    """What mappings and sequences share: their items, flow or block style, anchor and marks."""

    __slots__ = ("anchor", "end_mark", "flow", "items", "start_mark")

    def __init__(self, event: Any) -> None:
        self.items: list[Node] = []
        self.start_mark = event.start_mark
        self.end_mark = event.end_mark
        self.anchor: str | None = event.anchor
        self.flow: bool = event.flow_style


class Mapping(Collection):
    """A mapping: ``items`` is flat, key, value, key, value, in document order, duplicates kept.

    ``names`` are the texts of its keys where it is ``simple``, else None. It is simple if every key is a scalar that
    stands for its own text, none twice and none a merge (``<<``): then ``names`` are the keys that the API server sees.
    """

    __slots__ = ("names",)

    def __init__(self, event: Any, names: tuple[str, ...] | None = None) -> None:
        self.items = []
        self.start_mark = event.start_mark
        self.end_mark = event.end_mark
        self.anchor = event.anchor
        self.flow = event.flow_style
        self.names = names

    @property
    def simple(self) -> bool:
        """Whether the keys stand for their own texts."""
        return self.names is not None

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Yield (key node, value node) in document order."""
        items = iter(self.items)
        return zip(items, items, strict=True)

    def find(self, key: str) -> tuple[Node, Node] | None:
        """Return the last (key node, value node) whose key is the scalar text ``key``, or None; merge keys are not followed."""
        items = self.items
        for i in range(len(items) - 2, -1, -2):
            node = items[i]
            if node.__class__ is Scalar and node.value == key:
                return node, items[i + 1]
        return None


class Sequence(Collection):
    """A sequence: ``items`` in document order."""

    __slots__ = ()


Node: TypeAlias = "Scalar | Mapping | Sequence"
