"""Parsing of a changed document again: only the entries of the innermost block mapping that contain the change.

The nodes before them are kept, and those after them are moved. The result is the tree that parsing the whole text
makes; where that is not certain, the whole text must be parsed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ruamel.yaml.error import YAMLError

from crdlint.yaml import YAMLDecodeError
from crdlint.yaml.nodes import Mapping, Scalar
from crdlint.yaml.parse import Document, names_of, parse_block

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.yaml.nodes import Node

try:
    from _ruamel_yaml import Mark
except ImportError:  # no wheel for this platform
    Mark = None

# Markers and directives at the start of a line.
_MARKER: Final = re.compile(r"^(?:%|---|\.\.\.)", re.MULTILINE)
# Byte order marks, and line breaks that editors do not count.
_SPECIAL: Final = re.compile("[\ufeff\x85\u2028\u2029]")
_DEEPEST: Final = 1000  # the depth of nodes below which the whole text is parsed
_NEXT: Final = "x-next:\n"  # represents the next entry of the mapping


@dataclass(frozen=True, slots=True)
class _Region:
    """Entries of a block mapping: the indexes of its first item and after its last, and their lines in the text.

    `path` are the collections above the mapping, each with the index of the item that leads to it.
    """

    path: tuple[tuple[Any, int], ...]
    mapping: Mapping
    first: int
    last: int
    start: int
    end: int


def reparse(document: Document, text: str, line_offset: int) -> Document | None:
    """Return a document with another text, or None if the whole text must be parsed.

    The nodes of `document` become those of the result, and it must not be used any more.
    """
    before, root = document.text, document.root
    if not document.is_plain or not isinstance(root, Mapping) or Mark is None:
        return None
    if _is_special(before) or _is_special(text) or "%" in before[: root.start_mark.index]:
        return None
    region = _region(root, before, *_change(before, text))
    made = None if region is None else _parse(region, text[region.start : region.end + len(text) - len(before)])
    if region is None or made is None or not _replace(region, made, len(text) - len(before)):
        return None
    return Document(root, text, line_offset, is_plain=True)


def _is_special(text: str) -> bool:
    return not text.isascii() and _SPECIAL.search(text) is not None


def _parse(region: _Region, text: str) -> Mapping | None:
    """Parse the entries of a region with another text, as part of their mapping, or return None if that is uncertain.

    If the mapping has more entries, the last entry of the result represents the next one.
    """
    items = region.mapping.items
    column = items[region.first].start_mark.column
    if _MARKER.search(text):
        return None
    if region.last < len(items):
        if text and not text.endswith("\n"):
            return None
        text += " " * column + _NEXT
    try:
        made = parse_block(text, len(region.path))
    except (YAMLError, YAMLDecodeError, UnicodeError, ValueError):
        return None
    # The first line must be an entry: an earlier block scalar would contain blank lines and indented comments.
    if not isinstance(made, Mapping) or made.flow or made.start_mark.index != column:
        return None
    if region.last < len(items):
        mark = made.items[-2].start_mark
        if (mark.index, mark.column) != (len(text) - len(_NEXT), column):
            return None
    return made


def _replace(region: _Region, made: Mapping, characters: int) -> bool:
    """Replace the entries of a region, and move what follows; return False if its mapping is not simple then."""
    mapping, first, last = region.mapping, region.first, region.last
    items, line = made.items, mapping.items[first].start_mark.line
    following = mapping.items[last:]
    lines = 0
    if following:
        lines = line + items[-2].start_mark.line - following[0].start_mark.line
        items = items[:-2]
    names = names_of([*mapping.items[:first], *items, *following])
    if names is None:
        return False
    _move(items, region.start, line)
    if following:
        _move([*following, *(item for outer, i in region.path for item in outer.items[i + 1 :])], characters, lines)
        for outer in (mapping, *(outer for outer, _ in region.path)):
            outer.end_mark = _moved(outer.end_mark, characters, lines)
    else:
        mapping.end_mark = _moved(made.end_mark, region.start, line)
    mapping.items[first:last] = items
    mapping.names = names
    if not first:
        mapping.start_mark = _moved(made.start_mark, region.start, line)
    return True


def _change(before: str, after: str) -> tuple[int, int]:
    """Return the start and the end, in the first text, of the part in which two texts differ."""
    start = _common(before, after)
    rest = min(len(before), len(after)) - start
    low, high = 0, rest
    while low < high:  # the length of the common end
        middle = (low + high + 1) // 2
        if before[len(before) - middle : len(before) - low] == after[len(after) - middle : len(after) - low]:
            low = middle
        else:
            high = middle - 1
    return start, len(before) - low


def _common(first: str, second: str) -> int:
    """Return the length of the common start of two texts."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _region(root: Mapping, text: str, start: int, end: int) -> _Region | None:
    """Return the innermost block mapping whose entries contain a part of the text, with these entries, or None."""
    region: _Region | None = None
    path: list[tuple[Any, int]] = []
    node: Node = root
    while not isinstance(node, Scalar) and not node.flow and len(path) < _DEEPEST:
        step = 2 if isinstance(node, Mapping) else 1
        items = node.items
        first = _last_before(items, step, start)
        if first < 0:
            break
        last = _last_before(items, step, max(end - 1, start)) + step
        if isinstance(node, Mapping):
            begin = _line_start(text, items[first])
            stop = _line_start(text, items[last]) if last < len(items) else len(text) if node is root else None
            if begin is not None and stop is not None and begin <= start and end <= stop:
                region = _Region(tuple(path), node, first, last, begin, stop)
        if last - first != step:
            break
        path.append((node, last - 1))
        node = items[last - 1]
    return region


def _last_before(items: list[Any], step: int, index: int) -> int:
    """Return the index of the last item, or key, whose line starts at or before an index of the text, or -1."""
    low, high = 0, len(items) // step
    while low < high:
        middle = (low + high) // 2
        mark = items[middle * step].start_mark
        if mark.index - mark.column <= index:
            low = middle + 1
        else:
            high = middle
    return (low - 1) * step


def _line_start(text: str, key: Node) -> int | None:
    """Return the start of the line of a key, or None if anything but blanks is before it, or if it has an anchor or a tag."""
    mark = key.start_mark
    start = mark.index - mark.column
    is_alone = isinstance(key, Scalar) and key.anchor is None and key.ctag is None
    return start if is_alone and not text[start : mark.index].strip(" ") else None


def _move(nodes: Iterable[Node], characters: int, lines: int) -> None:
    """Move nodes and all nodes below them further down in the text."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        node.start_mark = _moved(node.start_mark, characters, lines)
        node.end_mark = _moved(node.end_mark, characters, lines)
        if not isinstance(node, Scalar):
            pending += node.items


def _moved(mark: Any, characters: int, lines: int) -> Any:
    return Mark(None, mark.index + characters, mark.line + lines, mark.column, None, None)
