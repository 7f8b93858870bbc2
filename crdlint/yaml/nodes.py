"""The YAML tree: libyaml's scalar events as leaves, and collections with flat lists of items; marks are libyaml's.

A scalar node *is* ruamel.yaml's `ScalarEvent` (value, style, tag, anchor, start_mark, end_mark), so that
leaves need no other object. Marks have 0-based `line` and `column` in characters, and `index` in the text.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, TypeAlias

from ruamel.yaml.events import ScalarEvent

from crdlint.light import dataclass, regex

_MANY: Final = 64  # items of a mapping whose keys are found by an index


@dataclass(frozen=True, slots=True)
class Mark:
    """A position with line and column as an editor counts them; `yaml_line` is the line as YAML counts it."""

    index: int
    line: int
    column: int
    yaml_line: int


class Collection:
    """The common part of mappings and sequences: items, flow or block style, anchor and marks."""

    __slots__ = ("anchor", "end_mark", "flow", "items", "start_mark")

    def __init__(self, event: Any) -> None:
        self.items: list[Node] = []
        self.start_mark = event.start_mark
        self.end_mark = event.end_mark
        self.anchor: str | None = event.anchor
        self.flow: bool = event.flow_style


class Mapping(Collection):
    """A mapping; `items` is a flat list of keys and values in document order, including duplicates.

    `names` are the texts of its keys if it is `simple`, else None. It is simple if every key is a scalar whose value is
    its text, and there are no duplicates and no merge keys (`<<`). Then `names` are the keys that the API server sees.
    `json` is set if its whole document is JSON.
    """

    __slots__ = ("_indexes", "json", "names")

    def __init__(self, event: Any, names: tuple[str, ...] | None = None) -> None:
        self.items = []
        self.start_mark = event.start_mark
        self.end_mark = event.end_mark
        self.anchor = event.anchor
        self.flow = event.flow_style
        self.names = names
        self.json = False
        self._indexes: dict[str, int] | None = None

    @property
    def simple(self) -> bool:
        """Whether the values of all keys are their texts."""
        return self.names is not None

    def replace(self, names: tuple[str, ...], items: list[Node]) -> None:
        """Replace the keys and values, of which `names` are the texts of the keys."""
        self.names, self.items, self._indexes = names, items, None

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Yield (key node, value node) in document order."""
        items = iter(self.items)
        return zip(items, items, strict=True)

    def find(self, key: str) -> tuple[Node, Node] | None:
        """Return the last (key node, value node) whose key has the text `key`, or None; merge keys are not followed."""
        index = self.index_of(key)
        return None if index < 0 else (self.items[index], self.items[index + 1])

    def index_of(self, key: str) -> int:
        """Return the index of the last key with a text, or -1."""
        items = self.items
        if len(items) > _MANY:
            if self._indexes is None:
                keys = enumerate(items[::2])
                self._indexes = {node.value: 2 * i for i, node in keys if node.__class__ is Scalar}
            return self._indexes.get(key, -1)
        for i in range(len(items) - 2, -1, -2):
            node = items[i]
            if node.__class__ is Scalar and node.value == key:
                return i
        return -1


class Sequence(Collection):
    """A sequence; `items` are in document order."""

    __slots__ = ()


Scalar: TypeAlias = ScalarEvent
Node: TypeAlias = "Scalar | Mapping | Sequence"
_BLOCK_STYLES: Final = frozenset("|>")


def is_block_text(node: Node) -> bool:
    """Return whether a node is a text of lines below a `|` or `>`."""
    return isinstance(node, Scalar) and node.style in _BLOCK_STYLES


# A dash and a word: an item of a list whose space is missing.
_GLUED_ITEM: Final = regex(r"-(?=[A-Za-z_$]\S*\Z)")


def is_glued_item(text: str) -> bool:
    """Return whether a text was probably meant to be the only item of a list, as in `-spec`."""
    return _GLUED_ITEM.match(text) is not None


def is_json(root: Node) -> bool:
    """Return whether a document is JSON, which the API server decodes without conversion from YAML."""
    return root.__class__ is Mapping and root.json


def entry(node: Node | None, step: str | int) -> tuple[Node | None, Node] | None:
    """Return the key and value of a field, or None and an item; None if there is none. Merge keys are not followed."""
    if isinstance(node, Mapping):
        return node.find(step) if isinstance(step, str) else None
    if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
        return None, node.items[step]
    return None


def child(node: Node | None, *steps: str | int) -> Node | None:
    """Return the value that fields and items lead to from a node, or None if one of them is missing."""
    for step in steps:
        position = entry(node, step)
        node = None if position is None else position[1]
    return node


def nodes_of(root: Node | None) -> Iterator[Node]:
    """Yield all nodes of a document, each once even if aliases refer to it, in no particular order."""
    pending = [] if root is None else [root]
    seen = {id(root)}
    while pending:
        node = pending.pop()
        yield node
        if isinstance(node, Collection):
            new = {id(item): item for item in node.items if id(item) not in seen}
            seen.update(new)
            pending += new.values()


def items_of(node: Node | None) -> list[Node]:
    """Return the items of a list, none if the node is not a list."""
    return node.items if isinstance(node, Sequence) else []


def text_of(node: Node | None) -> str | None:
    """Return the text of a scalar, or None if the node is not one."""
    return str(node.value) if isinstance(node, Scalar) else None


def text_or_empty(node: Node | None) -> str:
    """Return the text of a scalar, "" if the node is not one."""
    return str(node.value) if isinstance(node, Scalar) else ""


def key_names(mapping: Mapping) -> list[str]:
    """Return the texts of the keys of a mapping, "" for a key that is not a scalar."""
    return list(map(text_or_empty, mapping.items[::2]))


def pairs_of(node: Node | None) -> Iterator[tuple[Node, Node]]:
    """Yield the keys and values of a mapping, none if the node is not one."""
    if isinstance(node, Mapping):
        yield from node.pairs()
