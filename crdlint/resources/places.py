"""Positions of the paths of a custom resource in its file.

Unlike a CRD, a resource is not converted, so no field is moved. But the server prints paths as texts in which dots and
brackets of a key look like steps. Such texts are resolved with the keys that exist in the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import Locator, SourceLocation
from crdlint.yaml.nodes import Mapping, Node, Sequence

if TYPE_CHECKING:
    from crdlint.crd.paths import Path, Step

_BOUNDARY: Final = re.compile(r"[.\[\]]")
_ENDS: Final = frozenset({"", ".", "[", "]"})  # the text after a key
_INDEX: Final = re.compile(r"\[([0-9]{1,9})\]")
_DEAD_ENDS: Final = (
    50_000  # the number of wrong alternatives that are tried for one object; there are none without unusual keys
)
_FEWEST_DEAD_ENDS: Final = 100  # the number that is tried for each text after that


class ResourceLocator(Locator):
    """Locates paths in one custom resource."""

    def __init__(self, root: Node, line_offset: int = 0, text: str = "") -> None:
        super().__init__(root, line_offset, text)
        # The sorted lengths of the keys of mappings, by the identity of the mapping.
        self._lengths: dict[int, list[int]] = {}
        self._dead_ends = 0

    def shared_by(self, path: Path) -> int:
        """Return 1, since a resource has no versions."""
        del path
        return 1

    def find_text(self, text: str) -> SourceLocation:
        """Locate a printed path as far as the document contains it."""
        return self._follow_text(self._start, text)

    def _first(self, chain: list[Path]) -> SourceLocation:
        """Return the root, because no field of a resource is moved."""
        del chain
        return self._start

    @property
    def _start(self) -> SourceLocation:
        return SourceLocation(self.root, None, exact=True)

    def _enter(self, location: SourceLocation, step: Step) -> SourceLocation:
        if not location.exact:
            return location
        entry = self._entry(location.node, step)
        if entry is not None:
            return SourceLocation(entry[1], entry[0], exact=True)
        if location.node.__class__ is Mapping and step.__class__ is str and _BOUNDARY.search(str(step)):
            return self._follow_text(location, str(step))
        return SourceLocation(location.node, location.key, exact=False)

    def _follow_text(self, start: SourceLocation, text: str) -> SourceLocation:
        """Locate a printed path; if keys are ambiguous, choose the alternative that leads to the end of the path."""
        deepest, reached = start, -1
        most = max(_DEAD_ENDS, self._dead_ends + _FEWEST_DEAD_ENDS)
        stack = [self._ways(start, text, 0)]
        while stack and self._dead_ends < most:
            way = next(stack[-1], None)
            if way is None:
                stack.pop()
                self._dead_ends += 1
                continue
            location, position = way
            if position == len(text):
                return location
            if position > reached:
                deepest, reached = location, position
            stack.append(self._ways(location, text, position))
        return SourceLocation(deepest.node, deepest.key, exact=not text)

    def _ways(self, location: SourceLocation, text: str, position: int) -> Iterator[tuple[SourceLocation, int]]:
        """Yield the possible locations of the next key or index, the shortest key first, and the position after it."""
        node = location.node
        if node.__class__ is Sequence:
            index = _INDEX.match(text, position)
            if index is not None and int(index[1]) < len(node.items):
                yield SourceLocation(node.items[int(index[1])], None, exact=True), index.end()
            return
        if node.__class__ is not Mapping:
            return
        opening = text[position : position + 1]
        closing = "]" if opening == "[" else ""
        start = position + 1 if opening in {".", "["} else position
        known = self._index(node)
        lengths = self._lengths.get(id(node))
        if lengths is None:
            lengths = self._lengths[id(node)] = sorted(set(map(len, known)))
        for length in lengths:
            end = start + length
            following = text[end : end + 1]
            if end > len(text) or following not in _ENDS or (closing and following != closing):
                continue
            entry = known.get(text[start:end])
            if entry is not None:
                yield SourceLocation(entry[1], entry[0], exact=True), end + len(closing)
