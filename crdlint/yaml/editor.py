"""Changes of a YAML or JSON text that leave every other character as it is.

Writing a tree anew, with comments or without, would change quotes, widths and blanks that nobody asked to change.
"""

from __future__ import annotations

import json
import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

from crdlint.yaml.edit import Edit
from crdlint.yaml.nodes import Collection, Mapping, Scalar, Sequence
from crdlint.yaml.resolve import WORDS, resolve

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.yaml.nodes import Node


class UneditableError(Exception):
    """The text cannot be edited as asked without changing more than that."""


_PLAIN: Final = re.compile(r"[A-Za-z_./$][A-Za-z0-9_./$+-]*\Z")
_UNQUOTABLE: Final = r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]"  # compiled on first use


def quoted(text: str, *, double: bool = False) -> str:
    """Return a scalar in quotes whose value is ``text``: single ones unless it has characters that need escapes."""
    if double or re.search(_UNQUOTABLE, text):
        return json.dumps(text, ensure_ascii=False)
    return "'" + text.replace("'", "''") + "'"


class Editor:
    """Makes the edits of a document from its nodes, whose marks count in ``text``."""

    def __init__(self, text: str, root: Node) -> None:
        self.text = text
        self.root = root

    @cached_property
    def is_json(self) -> bool:
        """Whether the document is JSON as it stands: what is added has double quotes."""
        root = self.root
        return (
            isinstance(root, Mapping) and root.flow and (not root.items or getattr(root.items[0], "style", "") == '"')
        )

    @cached_property
    def newline(self) -> str:
        """What the document's lines end with."""
        at = self.text.find("\n")
        return "\r\n" if at > 0 and self.text[at - 1] == "\r" else "\n"

    @cached_property
    def _above(self) -> dict[int, tuple[Mapping | Sequence, int]]:
        """The collection that each node is in, and its index there, by the node's identity."""
        above: dict[int, tuple[Mapping | Sequence, int]] = {}
        pending = [self.root]
        while pending:
            node = pending.pop()
            if isinstance(node, Scalar):
                continue
            for i, item in enumerate(node.items):
                if id(item) in above:
                    self._shared.append(item)
                    continue
                above[id(item)] = node, i
                pending.append(item)
        return above

    @cached_property
    def _shared(self) -> list[Node]:
        """Nodes that aliases repeat; complete once ``_above`` is."""
        return []

    def parent(self, node: Node) -> Node | None:
        """Return the collection that a node is in, None for the root."""
        found = self._above.get(id(node))
        return None if found is None else found[0]

    def index(self, node: Node) -> int:
        """Return the index of a node in the collection that it is in."""
        found = self._above.get(id(node))
        if found is None:
            raise UneditableError
        return found[1]

    def is_key(self, node: Node) -> bool:
        """Return whether a node is the key of an entry."""
        found = self._above.get(id(node))
        return found is not None and isinstance(found[0], Mapping) and not found[1] % 2

    def key_of(self, node: Node) -> Scalar | None:
        """Return the key of an entry's value, None for items and the root."""
        found = self._above.get(id(node))
        if found is None or not isinstance(found[0], Mapping) or not found[1] % 2:
            return None
        key = found[0].items[found[1] - 1]
        return key if isinstance(key, Scalar) else None

    def touches_shared(self, edits: Iterable[Edit]) -> bool:
        """Return whether an edit would change what aliases repeat elsewhere."""
        above = self._above
        spans = [(node.start_mark.index, self._end(node)) for node in self._shared if id(node) in above]
        return any(edit.start <= end and start <= edit.end for edit in edits for start, end in spans)

    def value(self, text: str, *, like: Scalar | None = None) -> str:
        """Return a text as a scalar is written: as the one it is ``like`` is quoted, plain where that is possible."""
        style = getattr(like, "style", None)
        if self.is_json or style == '"':
            return quoted(text, double=True)
        if style != "'" and _PLAIN.match(text) and text not in WORDS:
            return text
        return quoted(text)

    def replace(self, node: Node, text: str) -> Edit:
        """Return the edit that writes ``text`` where a scalar or a collection is."""
        return Edit(node.start_mark.index, self.end(node), text)

    def respell(self, node: Scalar, text: str) -> Edit:
        """Return the edit that gives a scalar another text, quoted as it is."""
        if node.style in {"|", ">"}:
            raise UneditableError
        return self.replace(node, self.value(text, like=node))

    def entry(self, mapping: Mapping, name: str) -> tuple[Scalar, Node]:
        """Return the key and value nodes of an entry that is written in a mapping; raise UneditableError without one."""
        found = mapping.find(name)
        if found is None or not isinstance(found[0], Scalar):
            raise UneditableError
        return found[0], found[1]

    def end(self, node: Node) -> int:
        """Return where a node ends, without the breaks and comments behind a block."""
        end = self._end(node)
        if end < node.start_mark.index:
            raise UneditableError  # it ends with an alias of what is above
        return end

    def _end(self, node: Node) -> int:
        while not isinstance(node, Scalar) and not node.flow and node.items:
            start, node = node.start_mark.index, node.items[-1]
            if node.start_mark.index < start:
                return -1
        end: int = node.end_mark.index
        if isinstance(node, Scalar) and node.style in {"|", ">"}:
            start = node.start_mark.index
            end = start + len(self.text[start:end].rstrip())
        return end

    def set(self, mapping: Mapping, name: str, value: str, *, before: str = "", after: str = "") -> Edit:
        """Return the edit that gives an entry a value (as it is written), where it is or as a new one next to another."""
        found = mapping.find(name)
        return self.insert(mapping, name, value, before=before, after=after) if found is None else self.replace(
            found[1], value
        )  # fmt: skip

    def insert(self, mapping: Mapping, name: str, value: str, *, before: str = "", after: str = "") -> Edit:
        """Return the edit that adds an entry right before or after another one; without that one, at the start or end.

        ``value`` is as it is written; lines after its first count their blanks from the mapping's column.
        """
        items = mapping.items
        if mapping.flow:
            double = self.is_json or (bool(items) and self.text[items[0].start_mark.index] == '"')
            key = quoted(name, double=True) if double else name
            if not items:
                at = mapping.start_mark.index + 1
                return Edit(at, at, f"{key}: {value}")
            at = self.end(items[-1])
            return Edit(at, at, f", {key}: {value}")
        indent = " " * items[0].start_mark.column
        value = value.replace("\n", f"{self.newline}{indent}")
        key = self.value(name)
        found = mapping.find(before or after)
        if before:
            at = (items[0] if found is None else found[0]).start_mark.index
            return Edit(at, at, f"{key}:{_apart(value)}{self.newline}{indent}")
        key_node, value_node = (items[-2], items[-1]) if found is None else found
        at = self.line_end(max(self.end(value_node), key_node.end_mark.index))
        return Edit(at, at, f"{self.newline}{indent}{key}:{_apart(value)}")

    def append(self, sequence: Sequence, value: str) -> Edit:
        """Return the edit that adds an item, as it is written, behind the last one."""
        if not sequence.items:
            at = sequence.start_mark.index + 1
            return Edit(at, at, value)
        end = self.end(sequence.items[-1])
        if sequence.flow:
            return Edit(end, end, f", {value}")
        at = self.line_end(end)
        return Edit(at, at, f"{self.newline}{' ' * sequence.start_mark.column}- {value}")

    def line_start(self, at: int) -> int:
        """Return where the line of a character starts."""
        return self.text.rfind("\n", 0, at) + 1

    def line_end(self, at: int) -> int:
        """Return where the line of a character ends, before its break."""
        end = self.text.find("\n", at)
        end = len(self.text) if end < 0 else end
        return end - 1 if self.text[at:end].endswith("\r") else end

    def remove(self, mapping: Mapping, name: str, *, last: bool = True) -> Edit:
        """Return the edit that removes the last entry of a name (or the first), with its lines; other comments stay."""
        items = mapping.items
        numbers = [i for i in range(0, len(items), 2) if getattr(items[i], "value", None) == name]
        if not numbers:
            raise UneditableError
        return self.remove_at(mapping, numbers[-1 if last else 0])

    def remove_at(self, mapping: Mapping, at: int) -> Edit:
        """Return the edit that removes an entry, given the index of its key, with its lines; other comments stay."""
        items = mapping.items
        end = max(self.end(items[at + 1]), items[at].end_mark.index)
        return self._without(mapping, items[at].start_mark.index, end, at, 2)

    def indent(self, node: Node, by: int) -> list[Edit]:
        """Return the edits that move the lines of a node behind its first one to the right."""
        return self.indent_lines(node.start_mark.index, self.end(node), by)

    def name(self, text: str) -> str:
        """Return a key as it is written."""
        return quoted(text, double=True) if self.is_json else text

    def first(self, mapping: Mapping) -> str:
        """Return the name of the first key of a mapping."""
        return getattr(mapping.items[0], "value", "") if mapping.items else ""

    def cut(self, start: int, end: int) -> Edit:
        """Return the edit that removes the characters between two offsets."""
        return Edit(start, end, "")

    def inserted(self, at: int, text: str) -> Edit:
        """Return the edit that inserts a text at an offset."""
        return Edit(at, at, text)

    def indent_lines(self, at: int, end: int, by: int) -> list[Edit]:
        """Return the edits that move the lines that begin between two offsets to the right."""
        text = self.text
        edits = []
        while (at := text.find("\n", at, end)) >= 0:
            at += 1
            if text[at : at + 1] not in {"\n", "\r", ""}:
                edits.append(Edit(at, at, " " * by))
        return edits

    def remove_item(self, sequence: Sequence, index: int) -> Edit:
        """Return the edit that removes an item of a list."""
        item = sequence.items[index]
        start = item.start_mark.index
        if not sequence.flow:
            start = self.text.rindex("-", 0, start)
        return self._without(sequence, start, self.end(item), index, 1)

    def _without(self, collection: Collection, start: int, end: int, index: int, width: int) -> Edit:
        items, text = collection.items, self.text
        if end < start:
            end = start if width == 1 else text.index(":", start) + 1
        following = items[index + width] if index + width < len(items) else None
        if len(items) == width:
            if collection.flow:
                return Edit(start, end, "")
            return Edit(start, end, "{}" if width == 2 else "[]")
        if collection.flow:
            if following is not None:
                return Edit(start, following.start_mark.index, "")
            return Edit(self.end(items[index - 1]), end, "")
        first = self.line_start(start)
        last = text.find("\n", end)
        if not text[first:start].strip(" "):
            if last < 0:  # the last line, without a break
                return Edit(max(first - 1, 0), len(text), "")
            return Edit(first, last + 1, "")
        # Behind a dash: the next entry comes there, unless a comment is between.
        if following is not None and "#" not in text[end : following.start_mark.index]:
            return Edit(start, following.start_mark.index, "")
        return Edit(start, end, "")

    def source(self, node: Node) -> str:
        """Return the text of a node; lines after its first count their blanks from the node's column."""
        start, column = node.start_mark.index, node.start_mark.column
        first, *rest = self.text[start : self.end(node)].split("\n")
        lines = [first.rstrip("\r"), *(_dedented(line, column) for line in rest)]
        return "\n".join(lines)

    def is_text(self, node: Node) -> bool:
        """Return whether a node is a scalar whose value is a string."""
        return isinstance(node, Scalar) and isinstance(resolve(node), str)


def _apart(value: str) -> str:
    """Return what follows the colon of a key: a blank and the value, or a block on the next line."""
    return value if value.startswith(("\n", "\r")) or not value else f" {value}"


def _dedented(line: str, column: int) -> str:
    blanks = len(line) - len(line.lstrip(" "))
    return line[min(blanks, column) :].rstrip("\r")
