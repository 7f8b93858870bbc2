"""Changes of a YAML or JSON text that leave every other character as it is.

Writing a tree anew, with comments or without, would change quotes, widths and blanks that are none of our business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.yaml.nodes import Mapping


@dataclass(frozen=True, slots=True)
class Edit:
    """The characters ``start`` to ``end`` of a text are to be replaced."""

    start: int
    end: int
    text: str

    def moved(self, by: int) -> Edit:
        """Return the edit for a text that has ``by`` more characters before this one's."""
        return Edit(self.start + by, self.end + by, self.text)


def in_order(edits: Iterable[Edit]) -> Iterator[Edit]:
    """Yield the edits that are made, in order: each of equal ones once, and none inside another one."""
    at = 0
    for edit in sorted(set(edits), key=lambda one: (one.start, one.end, one.text)):
        if edit.start >= at:
            yield edit
            at = edit.end


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with edits made (see ``in_order``)."""
    out: list[str] = []
    at = 0
    for edit in in_order(edits):
        out += (text[at : edit.start], edit.text)
        at = edit.end
    return "".join((*out, text[at:]))


def set_entry(text: str, mapping: Mapping, key: str, value: str, *, before: str) -> Edit:
    """Return the edit that gives a key a plain value, where it stands or, as a new one, right before another key.

    Offsets count in the text that the mapping's marks count in.
    """
    found = mapping.find(key)
    if found is not None:
        return Edit(found[1].start_mark.index, found[1].end_mark.index, value)
    if mapping.flow:
        return _into_flow(text, mapping, key, value)
    following = mapping.find(before)
    at = (mapping.items[0] if following is None else following[0]).start_mark
    return Edit(at.index, at.index, f"{key}: {value}{_line_break(text, at.index)}{' ' * at.column}")


def remove_entry(text: str, mapping: Mapping, key: str) -> Edit:
    """Return the edit that takes a key and its value, a scalar, out of a mapping that has it."""
    items = mapping.items
    index = next(i for i in range(0, len(items), 2) if getattr(items[i], "value", None) == key)
    start, end = items[index].start_mark.index, items[index + 1].end_mark.index
    if index + 2 < len(items):
        return Edit(start, items[index + 2].start_mark.index, "")
    if index:  # the last of several: what stands behind the one before goes too, but for a comment
        before = items[index - 1].end_mark.index
        return Edit(before if mapping.flow else max(text.rfind("\n", before, start), before), end, "")
    return Edit(start, end, "" if mapping.flow else "{}")


def _line_break(text: str, at: int) -> str:
    """Return what the line of a character ends with, or the line before it if it is the last one."""
    end = text.find("\n", at)
    end = text.rfind("\n", 0, at) if end < 0 else end
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _into_flow(text: str, mapping: Mapping, key: str, value: str) -> Edit:
    if not mapping.items:
        at = mapping.start_mark.index + 1
        return Edit(at, at, f'"{key}": {value}')
    quoted = text[mapping.items[0].start_mark.index] == '"'
    name = f'"{key}"' if quoted else key
    at = mapping.items[-1].end_mark.index
    return Edit(at, at, f", {name}: {value}")
