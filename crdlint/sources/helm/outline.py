"""The YAML structure of a masked template as far as indentation shows it: documents, keys, and multi-line texts.

It determines the position of directives before parsing, because their output decides whether the text can be parsed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from crdlint.files.recognition import GROUP, KIND, is_near_kind

_BLOCK_SCALAR: Final = re.compile(r"(?:^|[\s:-])[|>][-+0-9]*(?:\s+#.*)?$")
_DASHES: Final = re.compile(r"(?:- +)+")
_KEPT: Final = 3


@dataclass(slots=True, eq=False)
class Part:
    """A document: its lines (1-based, exclusive end), the lines of its first and last content, and its probable kind.

    `kind` is that of the object, empty if unknown. `named` is true if there is a name in its metadata, and `mentions`
    if the kind or the group of a CRD occurs anywhere.
    """

    start: int
    end: int = 0
    first: int = 0
    last: int = 0
    kind: str = ""
    named: bool = False
    mentions: bool = False

    @property
    def may_be_crd(self) -> bool:
        """Whether it may be or contain a CRD: its kind is a CRD, also misspelled, a list, or unknown."""
        return (self.mentions and (self.kind in {KIND, ""} or self.kind.endswith("List"))) or is_near_kind(self.kind)


@dataclass(frozen=True, slots=True)
class Where:
    """The position of a directive: the first keys on the path from the document's root, the last ones, and the document.

    `within_text` is true inside of a multi-line text, the value of the last key; `in_comment` inside of a comment.
    """

    head: tuple[str, ...]
    tail: tuple[str, ...]
    part: Part
    within_text: bool = False
    in_comment: bool = False

    @property
    def key(self) -> str:
        """The last key of the path, empty at the root."""
        return self.tail[-1] if self.tail else ""

    @property
    def is_label(self) -> bool:
        """Whether it is in the labels or annotations of an object."""
        return self.head[:2] in {("metadata", "labels"), ("metadata", "annotations")}


@dataclass(slots=True)
class Outline:
    """The documents of a text, the structural position of each output, and the next content after lines."""

    parts: list[Part] = field(default_factory=list)
    positions: list[Where] = field(default_factory=list)
    contents: dict[int, tuple[int, Where]] = field(default_factory=dict)

    def part_at(self, line: int) -> Part:
        """Return the document that a line belongs to."""
        return self.parts[max(bisect_right(self.parts, line, key=lambda part: part.start) - 1, 0)]


@dataclass(slots=True)
class _Walk:
    """The state of the walk over the lines: the open keys and their indentation."""

    part: Part
    indents: list[int] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    scalar: int = -1  # the indentation of the key of a multi-line text, -1 outside

    def enter(self, line: str, content: str) -> None:
        """Enter the key of a line that has one."""
        depth = len(line) - len(line.lstrip(" "))
        dashes = _DASHES.match(content)
        if dashes is not None:
            depth += dashes.end()
            content = content[dashes.end() :]
        level = bisect_left(self.indents, depth)
        del self.indents[level:], self.keys[level:]
        colon = content.find(": ")
        colon = len(content) - 1 if colon < 0 and content.endswith(":") else colon
        if colon <= 0:
            return
        key = content[:colon].strip("\"' ")
        self.indents.append(depth)
        self.keys.append(key)
        if depth == 0 and key == "kind":
            self.part.kind = content[colon + 1 :].partition("#")[0].strip("\"' \t")
        if len(self.keys) == 2 and self.keys == ["metadata", "name"]:
            self.part.named = True
        if _BLOCK_SCALAR.search(content):
            self.scalar = depth

    def where(self, column: int, *, in_text: bool, in_comment: bool) -> Where:
        """Return the structural position of content with the indentation `column`."""
        count = len(self.keys) if in_text else bisect_left(self.indents, column)
        head, tail = self.keys[: min(count, _KEPT)], self.keys[max(count - _KEPT, 0) : count]
        return Where(tuple(head), tuple(tail), self.part, in_text, in_comment)


def outline(lines: Sequence[str], positions: Sequence[tuple[int, int]], openings: Sequence[int]) -> Outline:
    """Determine the structure of a text, in linear time.

    `positions` are those of outputs, as line (1-based) and indentation; `openings` are lines whose next content is
    needed. Both are sorted by line.
    """
    result = Outline([Part(1)])
    walk = _Walk(result.parts[0])
    next_position = next_opening = 0
    for number, line in enumerate(lines, 1):
        content = line.strip()
        if line.startswith("---"):
            walk.part.end = number
            walk = _Walk(Part(number + 1))
            result.parts.append(walk.part)
            content = ""
        depth = len(line) - len(line.lstrip(" "))
        in_text = walk.scalar >= 0 and (not content or depth > walk.scalar)
        in_comment = not in_text and content.startswith("#")
        if content:
            walk.part.mentions = walk.part.mentions or KIND in content or f"{GROUP}/" in content
        if content and not in_comment:
            walk.part.first = walk.part.first or number
            walk.part.last = number
            if not in_text:
                walk.scalar = -1
                walk.enter(line, content)
            while next_opening < len(openings) and openings[next_opening] <= number:
                result.contents[openings[next_opening]] = (
                    number,
                    walk.where(depth + 1, in_text=in_text, in_comment=False),
                )
                next_opening += 1
        while next_position < len(positions) and positions[next_position][0] == number:
            result.positions.append(walk.where(positions[next_position][1], in_text=in_text, in_comment=in_comment))
            next_position += 1
    walk.part.end = len(lines) + 1
    return result
