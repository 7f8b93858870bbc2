"""Edits of a YAML or JSON text that keep every other character, as dumping the tree again, even with comments, would not."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from crdlint.light import regex
from crdlint.yaml.edit import Edit, runs
from crdlint.yaml.nodes import (
    Collection,
    Mapping,
    Node,
    Scalar,
    Sequence,
    is_json,
    key_names,
    text_or_empty,
)
from crdlint.yaml.resolve import WORDS, resolve


class UneditableError(Exception):
    """The text cannot be edited without changing something else."""


_PLAIN: Final = regex(r"(?!\.[0-9])[A-Za-z_./$][A-Za-z0-9_./$+-]*\Z")
_LINE_START: Final = regex(r"\n(?=[^\r\n])")
_COMMENT: Final = regex(r"(?<=\s)#")
_UNQUOTABLE: Final = r"[^\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd]"  # compiled on first use


def quoted(text: str, *, double: bool = False) -> str:
    """Quote a scalar: with single quotes, unless `double` is set or the text needs escapes.

    >>> print(quoted("it's"))
    'it''s'
    """
    if double or re.search(_UNQUOTABLE, text):
        import json  # only edits need it

        return json.dumps(text, ensure_ascii=False)
    return "'" + text.replace("'", "''") + "'"


def as_key(text: str) -> str:
    """Format a key: in quotes if YAML reads the text as a boolean or null."""
    return f'"{text}"' if text in WORDS else text


def is_plain(text: str) -> bool:
    """Return whether a text needs no quotes: a scalar of letters that YAML reads as this text."""
    return _PLAIN.match(text) is not None and text not in WORDS


class Editor:
    """Creates the edits of a document from its nodes, whose marks are offsets in `text`.

    >>> from crdlint.yaml.parse import parse_first
    >>> document = parse_first("{a: 1, b: 2}")
    >>> Editor(document.text, document.root).remove(document.root, "a")
    Edit(start=1, end=7, text='')
    """

    def __init__(self, text: str, root: Node) -> None:
        self.text = text
        self.root = root

    @cached_property
    def is_json(self) -> bool:
        """Whether the document is JSON, so that new keys and values need double quotes."""
        return is_json(self.root)

    @cached_property
    def newline(self) -> str:
        """The line ending of the document."""
        line_feed = self.text.find("\n")
        return "\r\n" if line_feed > 0 and self.text[line_feed - 1] == "\r" else "\n"

    @cached_property
    def _tree(self) -> tuple[dict[int, tuple[Mapping | Sequence, int]], dict[int, Node]]:
        """The parent collection of each node and its index in it, and the nodes that aliases repeat, by identity."""
        parents: dict[int, tuple[Mapping | Sequence, int]] = {}
        shared: dict[int, Node] = {}
        pending = [] if isinstance(self.root, Scalar) else [self.root]
        while pending:
            node = pending.pop()
            for i, item in enumerate(node.items):
                if id(item) in parents:
                    shared[id(item)] = item
                    continue
                parents[id(item)] = node, i
                if not isinstance(item, Scalar):
                    pending.append(item)
        return parents, shared

    @cached_property
    def _shared(self) -> list[tuple[int, int]]:
        """The parts of the text that aliases repeat, in order; they do not touch each other."""
        if "*" not in self.text:
            return []
        shared = self._tree[1].values()
        spans: list[tuple[int, int]] = []
        for start, end in sorted((node.start_mark.index, self._end(node)) for node in shared):
            touches_last = bool(spans) and start <= spans[-1][1]
            if touches_last:
                spans[-1] = spans[-1][0], max(spans[-1][1], end)
            elif start <= end:
                spans.append((start, end))
        return spans

    def _position(self, node: Node | None) -> tuple[Mapping | Sequence | None, int]:
        return self._tree[0].get(id(node), (None, 0))

    def parent(self, node: Node | None) -> Mapping | Sequence | None:
        """Return the collection that contains a node, or None for the root and for None."""
        return self._position(node)[0]

    def index(self, node: Node) -> int:
        """Return the index of a node in its collection."""
        parent, index = self._position(node)
        if parent is None:
            raise UneditableError
        return index

    def is_key(self, node: Node) -> bool:
        """Return whether a node is the key of an entry."""
        parent, index = self._position(node)
        return isinstance(parent, Mapping) and not index % 2

    def key_of(self, node: Node | None) -> Scalar | None:
        """Return the key of the value of an entry, or None for items, the root and None."""
        parent, index = self._position(node)
        if not isinstance(parent, Mapping) or not index % 2:
            return None
        key = parent.items[index - 1]
        return key if isinstance(key, Scalar) else None

    def name_of(self, node: Node | None) -> str:
        """Return the text of the key of the value of an entry, or "" for items, the root and None."""
        return text_or_empty(self.key_of(node))

    def touches_shared(self, edits: Iterable[Edit]) -> bool:
        """Return whether an edit would change a node that aliases repeat elsewhere."""
        return any(map(self._touches_shared, edits))

    def _touches_shared(self, edit: Edit) -> bool:
        spans = self._shared
        count = bisect_right(spans, (edit.end, len(self.text)))
        return count > 0 and edit.start <= spans[count - 1][1]

    def value(self, text: str, *, like: Scalar | None = None) -> str:
        """Format a text as a scalar: quoted like the scalar `like`, or plain if possible."""
        style = getattr(like, "style", None)
        if self.is_json or style == '"':
            return quoted(text, double=True)
        if style == "'" or not is_plain(text):
            return quoted(text)
        return text

    def replace(self, node: Node, text: str) -> Edit:
        """Return the edit that replaces a scalar or a collection by `text`, also a value that is left empty."""
        start, end = node.start_mark.index, self.end(node)
        follows_colon = start == end and self.text[start - 1 : start] == ":"
        return Edit(start, end, f" {text}" if follows_colon else text)

    def write(self, node: Node, text: str) -> Edit:
        """Return the edit that replaces a value by a text of one line; a block gives way to a value next to its key."""
        key = self.key_of(node)
        if isinstance(node, Scalar) or node.flow or key is None:
            return self.replace(node, text)
        start, end = node.start_mark.index, self.end(node)
        if _COMMENT.search(self.text, start, end):
            raise UneditableError  # it would be lost
        colon = self.text.index(":", key.end_mark.index) + 1
        return Edit(colon, end, f" {text}{self.text[colon:start].rstrip()}")

    def respell(self, node: Scalar, text: str) -> Edit:
        """Return the edit that replaces the value of a scalar and keeps its quotes."""
        if node.style in {"|", ">"}:
            raise UneditableError
        return self.replace(node, self.value(text, like=node))

    def entry(self, mapping: Mapping, name: str) -> tuple[Scalar, Node]:
        """Return the key and value nodes of an entry of a mapping; raise UneditableError if it does not exist."""
        entry = mapping.find(name)
        if entry is None or not isinstance(entry[0], Scalar):
            raise UneditableError
        return entry[0], entry[1]

    def end(self, node: Node) -> int:
        """Return the end of a node, without the line breaks and comments after a block."""
        end = self._end(node)
        if end < node.start_mark.index:
            raise UneditableError  # it ends with an alias of an earlier node
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

    def set(
        self,
        mapping: Mapping,
        name: str,
        value: str,
        *,
        before: str = "",
        after: str = "",
    ) -> Edit:
        """Return the edit that sets the value of an entry, which is added next to another entry if it does not exist."""
        entry = mapping.find(name)
        if entry is None:
            return self.insert(
                mapping,
                name,
                value,
                before=before,
                after=after,
            )
        return self.replace(entry[1], value)

    def insert(
        self,
        mapping: Mapping,
        name: str,
        value: str,
        *,
        before: str = "",
        after: str = "",
    ) -> Edit:
        """Return the edit that adds an entry before or after another one; without that one, at the start or the end.

        `value` is YAML; its lines after the first are indented relative to the column of the mapping.
        """
        if mapping.flow:
            return self._insert_in_flow(mapping, name, value)
        items = mapping.items
        indent = " " * items[0].start_mark.column
        value = value.replace("\n", f"{self.newline}{indent}")
        written = f"{self.value(name)}:{apart(value)}"
        neighbour = mapping.find(before or after)
        if before:
            following = items[0] if neighbour is None else neighbour[0]
            offset = following.start_mark.index
            return Edit(offset, offset, f"{written}{self.newline}{indent}")
        key_node, value_node = neighbour or (items[-2], items[-1])
        offset = self.line_end(max(self.end(value_node), key_node.end_mark.index))
        return Edit(offset, offset, f"{self.newline}{indent}{written}")

    def _insert_in_flow(self, mapping: Mapping, name: str, value: str) -> Edit:
        """Return the edit that adds an entry at the end of a mapping in braces, with quotes as the others have."""
        first = mapping.items[0].start_mark.index if mapping.items else None
        has_double_quotes = first is not None and self.text[first] == '"'
        use_double = self.is_json or has_double_quotes
        key = quoted(name, double=True) if use_double else self.value(name)
        if first is None:
            offset = mapping.start_mark.index + 1
            return Edit(offset, offset, f"{key}: {value}")
        return self._append_to_flow(mapping, mapping.items[-2].start_mark.index, f"{key}: {value}")

    def append(self, sequence: Sequence, value: str) -> Edit:
        """Return the edit that adds an item (YAML) at the end of a list."""
        if not sequence.items:
            offset = sequence.start_mark.index + 1
            return Edit(offset, offset, value)
        if sequence.flow:
            return self._append_to_flow(sequence, sequence.items[-1].start_mark.index, value)
        offset = self.line_end(self.end(sequence.items[-1]))
        return Edit(offset, offset, f"{self.newline}{' ' * sequence.start_mark.column}- {value}")

    def _append_to_flow(self, collection: Collection, last: int, text: str) -> Edit:
        """Return the edit that adds an item after the one at the offset `last`: in a line of its own if that has one."""
        end, line = self.end(collection.items[-1]), self.line_start(last)
        indent = self.text[line:last]
        if line <= collection.start_mark.index or indent.strip():
            return Edit(end, end, f", {text}")
        rest = self.text[end : self.line_end(end)]
        if not rest.lstrip().startswith("#"):
            return Edit(end, end, f",{self.newline}{indent}{text}")
        return Edit(end, end + len(rest), f",{rest}{self.newline}{indent}{text}")

    def line_start(self, offset: int) -> int:
        """Return the start of the line that contains an offset."""
        return self.text.rfind("\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Return the end of the line that contains an offset, before its line break."""
        end = self.text.find("\n", offset)
        end = len(self.text) if end < 0 else end
        return end - 1 if self.text[offset:end].endswith("\r") else end

    def remove(self, mapping: Mapping, name: str) -> Edit:
        """Return the edit that removes the last entry with a name, including its lines; other comments are kept."""
        index = mapping.index_of(name)
        if index < 0:
            raise UneditableError
        return self.remove_at(mapping, index)

    def remove_all(self, mapping: Mapping, names: tuple[str, ...]) -> Iterator[Edit]:
        """Yield the edits that remove the entries with some names; in flow style, adjacent entries are removed by one edit."""
        keys = [getattr(key, "value", None) for key in mapping.items[::2]]
        gone = [i for i, key in enumerate(keys) if key in names]
        for adjacent in runs(gone) if mapping.flow else ([i] for i in gone):
            yield self.remove_at(mapping, 2 * adjacent[0], len(adjacent))

    def name(self, text: str) -> str:
        """Format a key."""
        return quoted(text, double=True) if self.is_json else as_key(text)

    def first(self, mapping: Mapping) -> str:
        """Return the name of the first key of a mapping."""
        return "".join(key_names(mapping)[:1])

    def inserted(self, offset: int, text: str) -> Edit:
        """Return the edit that inserts a text at an offset."""
        return Edit(offset, offset, text)

    def indent_lines(self, start: int, end: int, by: int) -> list[Edit]:
        """Return the edits that indent the lines that start between two offsets."""
        return [
            Edit(match.end(), match.end(), " " * by)
            for match in _LINE_START.finditer(self.text, start, end + 1)
        ]

    def shifted(self, start: int, end: int, by: int) -> Iterator[Edit]:
        """Yield the edits that indent the lines between two offsets by more blanks, or by fewer if `by` is negative."""
        first = self.line_start(start)
        for edit in (Edit(first, first, " " * by), *self.indent_lines(first, end, by)):
            last = edit.start - min(by, 0)
            if self.text[edit.start : last].strip(" "):
                raise UneditableError
            yield Edit(edit.start, last, edit.text)

    def remove_at(self, collection: Mapping | Sequence, index: int, count: int = 1) -> Edit:
        """Return the edit that removes entries, by the index of the first key, or items, including their lines."""
        items = collection.items
        is_mapping = isinstance(collection, Mapping)
        after = index + (2 * count if is_mapping else count)
        start, end = items[index].start_mark.index, self.end(items[after - 1])
        if is_mapping:
            end = max(end, items[after - 2].end_mark.index)
        elif not collection.flow:
            start = self.text.rindex("-", 0, start)
        if after - index == len(items):
            return Edit(start, end, _empty(collection))
        following = items[after].start_mark.index if after < len(items) else None
        if not collection.flow:
            return self._remove_lines(start, end, following)
        if following is not None:
            return Edit(start, following, "")
        return Edit(self.end(items[index - 1]), end, "")

    def _remove_lines(self, start: int, end: int, following: int | None) -> Edit:
        """Return the edit that removes a part of a block and its lines; `following` is the start of the next part."""
        first = self.line_start(start)
        begins_line = not self.text[first:start].strip(" ")
        if begins_line:
            line_feed = self.text.find("\n", end)
            if line_feed < 0:  # The last line may have no break.
                return Edit(max(first - 1, 0), len(self.text), "")
            return Edit(first, line_feed + 1, "")
        # After a dash: the next entry moves there, unless there is a comment between them.
        if following is not None and "#" not in self.text[end:following]:
            end = following
        return Edit(start, end, "")

    def source(self, node: Node) -> str:
        """Return the text of a node; its lines after the first are indented relative to its column."""
        text = self.text[node.start_mark.index : self.end(node)]
        return re.sub(rf"\r*\n {{0,{node.start_mark.column}}}", "\n", text).rstrip("\r")

    def is_text(self, node: Node) -> bool:
        """Return whether a node is a scalar with a string value."""
        return isinstance(node, Scalar) and isinstance(resolve(node), str)


def _empty(collection: Mapping | Sequence) -> str:
    """Return what is left of a collection without its last part: braces or brackets that a block needs."""
    if collection.flow:
        return ""
    return "{}" if isinstance(collection, Mapping) else "[]"


def apart(value: str) -> str:
    """Return the text after the colon of a key: a space and the value, or a block on the next line."""
    return value if value.startswith(("\n", "\r")) or not value else f" {value}"
