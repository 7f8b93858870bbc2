"""Where the paths of a custom resource stand in its file.

A resource is not converted as a CRD is, so nothing is moved; but the server prints paths as texts in which a key's own
dots and brackets cannot be told from its steps. Such texts are followed by the keys that there are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import Locator, SourceLocation
from crdlint.yaml.nodes import Mapping, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.paths import Path, Step
    from crdlint.yaml.nodes import Node

_BOUNDARY: Final = re.compile(r"[.\[\]]")
_ENDS: Final = frozenset({"", ".", "[", "]"})  # what may follow a key
_INDEX: Final = re.compile(r"\[([0-9]{1,9})\]")
_DEAD_ENDS: Final = 50_000  # wrong ways tried for the texts of one object; without odd keys there are none
_FEWEST_DEAD_ENDS: Final = 100  # those tried for each text after that


class ResourceLocator(Locator):
    """Finds paths in one custom resource."""

    def __init__(self, root: Node, line_offset: int = 0, text: str = "") -> None:
        super().__init__(root, line_offset, text)
        # The lengths of the keys of the mappings that texts were followed into, sorted, by the mapping's identity.
        self._lengths: dict[int, list[int]] = {}
        self._dead_ends = 0

    def find_text(self, text: str) -> SourceLocation:
        """Follow a path as it is printed as far as the document goes."""
        return self._follow_text(self._start, text)

    def _first(self, chain: list[Path]) -> SourceLocation:
        """Return the root: nothing of a resource has moved."""
        del chain
        return self._start

    @property
    def _start(self) -> SourceLocation:
        return SourceLocation(self.root, None, exact=True)

    def _enter(self, place: SourceLocation, step: Step) -> SourceLocation:
        if not place.exact:
            return place
        found = self._entry(place.node, step)
        if found is not None:
            return SourceLocation(found[1], found[0], exact=True)
        if place.node.__class__ is Mapping and step.__class__ is str and _BOUNDARY.search(str(step)):
            return self._follow_text(place, str(step))
        return SourceLocation(place.node, place.key, exact=False)

    def _follow_text(self, start: SourceLocation, text: str) -> SourceLocation:
        """Follow a printed path; where keys can be read in two ways, the way that leads to its end."""
        deepest, reached = start, -1
        most = max(_DEAD_ENDS, self._dead_ends + _FEWEST_DEAD_ENDS)
        stack = [self._ways(start, text, 0)]
        while stack and self._dead_ends < most:
            way = next(stack[-1], None)
            if way is None:
                stack.pop()
                self._dead_ends += 1
                continue
            place, at = way
            if at == len(text):
                return place
            if at > reached:
                deepest, reached = place, at
            stack.append(self._ways(place, text, at))
        return SourceLocation(deepest.node, deepest.key, exact=not text)

    def _ways(self, place: SourceLocation, text: str, at: int) -> Iterator[tuple[SourceLocation, int]]:
        """Yield the places that the next key or index of a text may lead to, the shortest key first, and what comes after."""
        node = place.node
        if node.__class__ is Sequence:
            index = _INDEX.match(text, at)
            if index is not None and int(index[1]) < len(node.items):
                yield SourceLocation(node.items[int(index[1])], None, exact=True), index.end()
            return
        if node.__class__ is not Mapping:
            return
        opening = text[at : at + 1]
        closing = "]" if opening == "[" else ""
        start = at + 1 if opening in {".", "["} else at
        known = self._index(node)
        lengths = self._lengths.get(id(node))
        if lengths is None:
            lengths = self._lengths[id(node)] = sorted(set(map(len, known)))
        for length in lengths:
            end = start + length
            following = text[end : end + 1]
            if end > len(text) or following not in _ENDS or (closing and following != closing):
                continue
            found = known.get(text[start:end])
            if found is not None:
                yield SourceLocation(found[1], found[0], exact=True), end + len(closing)
