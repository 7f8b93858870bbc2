"""Where a field path of the internal CRD stands in the user's file.

Conversion moved things about: paths are led back to v1's places first (what all versions share stands in the first
one), then followed down the YAML tree, merge keys and aliases included. What is missing is pointed at by the key of
its deepest parent that is there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from crdlint.crd.paths import SHARED, Key
from crdlint.yaml.nodes import Mapping, Scalar, Sequence, entry
from crdlint.yaml.scalars import position_inside
from crdlint.yaml.values import entries

if TYPE_CHECKING:
    from collections.abc import Mapping as MappingOf
    from collections.abc import Sequence as SequenceOf

    from crdlint.crd.paths import Path, Step
    from crdlint.yaml.nodes import Node
    from crdlint.yaml.parse import YAMLProblem

_FIRST: Final[list[Step]] = ["spec", "versions", 0]

# Internal places and v1's, by their first two or three steps; the longest comes first.
_MOVED: Final[tuple[tuple[SequenceOf[Step], SequenceOf[Step]], ...]] = (
    (["spec", "conversion", "webhookClientConfig"], ["spec", "conversion", "webhook", "clientConfig"]),
    (
        ["spec", "conversion", "conversionReviewVersions"],
        ["spec", "conversion", "webhook", "conversionReviewVersions"],
    ),
    (["spec", "version"], [*_FIRST, "name"]),
    *((internal.split("."), [*_FIRST, name]) for internal, name in SHARED.items()),
)
_MOVED_STEPS: Final = max(len(internal) for internal, _ in _MOVED)
_RENAMED: Final[MappingOf[Step, Step]] = {"JSONPath": "jsonPath"}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the file: 1-based lines and columns in characters, the end just past the last character."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class SourceLocation:
    """How far a path could be followed: the node and its key (None for list items and the root).

    ``exact`` tells that the whole path is there; else the node is the deepest parent that is.
    """

    node: Node
    key: Node | None
    exact: bool


class Locator:
    """Finds paths in one document; ``line_offset`` is the number of lines of the file above the document's first.

    ``text`` is the document's: what the marks of its nodes count in.
    """

    def __init__(self, root: Node, line_offset: int = 0, text: str = "") -> None:
        self.root = root
        self.text = text
        self.line_offset = line_offset
        # The mappings looked into so far, by identity: findings come in clusters.
        self._indexes: dict[int, dict[str, tuple[Node, Node]]] = {}
        # Where the paths asked for so far and those above them lead, from the depth on at which nothing is moved.
        self._places: dict[Path, SourceLocation] = {}

    def span(self, path: Path, *, key: bool = False) -> Span:
        """Return where to look for ``path``: a scalar itself, a collection's key, for what is missing its parent's key.

        ``key`` asks for the key of a scalar too. A list item is pointed at where it starts.
        """
        return self.span_of(self.find(path), key=key)

    def span_of(self, place: SourceLocation, *, key: bool = False) -> Span:
        """Return where to look for a place; see ``span``."""
        by_key = place.key is not None and (key or not place.exact or not _has_text(place.node))
        return node_span(place.key if by_key and place.key is not None else place.node, self.line_offset)

    def span_inside(self, path: Path, part: tuple[int, int]) -> Span:
        """Return where a part of the text at ``path`` stands, by code points; the whole where that cannot be told."""
        node = self.find(path).node
        if isinstance(node, Scalar):
            place = position_inside(self.text, node, *part)
            if place is not None:
                line, column, end_line, end_column = place
                return Span(line + self.line_offset, column, end_line + self.line_offset, end_column)
        return self.span(path)

    def shared_by(self, path: Path) -> int:
        """Return how many versions share what ``path`` leads to, 1 for what is one version's own or no version's."""
        if ".".join(map(str, path.steps()[:2])) not in SHARED:
            return 1
        versions = self._follow(["spec", "versions"]).node
        return max(len(versions.items), 1) if isinstance(versions, Sequence) else 1

    def find_in(self, path: Path, version: int) -> SourceLocation:
        """Follow a path as ``find`` does; what all versions share, in the version of an index."""
        if not version:
            return self.find(path)
        steps = path.steps()
        return self._follow(["spec", "versions", version, SHARED[".".join(map(str, steps[:2]))], *steps[2:]])

    def find(self, path: Path) -> SourceLocation:
        """Follow a path from the root as far as the document goes; what paths share is followed once."""
        places = self._places
        chain: list[Path] = []
        at: Path | None = path
        while at is not None and at not in places:
            chain.append(at)
            at = at.parent
        place = self._first(chain) if at is None else places[at]
        for one in reversed(chain):
            places[one] = place = self._enter(place, one.step)
        return place

    def _first(self, chain: list[Path]) -> SourceLocation:
        """Return where a chain of paths, the deepest first, starts; those that moved are followed and taken off it."""
        top = chain[-_MOVED_STEPS:]
        del chain[-_MOVED_STEPS:]
        place = self._follow(_as_given(top[0].steps()))
        if len(top) == _MOVED_STEPS:
            self._places[top[0]] = place
        return place

    def _follow(self, steps: list[Step]) -> SourceLocation:
        place = SourceLocation(self.root, None, exact=True)
        for step in steps:
            place = self._enter(place, step)
        return place

    def _enter(self, place: SourceLocation, step: Step) -> SourceLocation:
        """Return the place a step further; a name with dots that is no key is taken for several."""
        if not place.exact:
            return place
        node, key = place.node, place.key
        steps = [step]
        while steps:
            step = steps.pop()
            found = self._entry(node, step) or self._entry(node, _RENAMED.get(step, step))
            if found is not None:
                key, node = found
            elif node.__class__ is Mapping and step.__class__ is str and "." in str(step):
                steps.extend(reversed(str(step).split(".")))
            else:
                return SourceLocation(node, key, exact=False)
        return SourceLocation(node, key, exact=True)

    def _entry(self, node: Node, step: Step) -> tuple[Node | None, Node] | None:
        """Return what `crdlint.yaml.nodes.entry` does, with merge keys followed."""
        if node.__class__ is Mapping and step.__class__ is not int:
            return self._index(node).get(str(step))
        return entry(node, step) if node.__class__ is Sequence else None

    def _index(self, mapping: Mapping) -> dict[str, tuple[Node, Node]]:
        index = self._indexes.get(id(mapping))
        if index is None:
            index = {name: (key, value) for name, key, value in entries(mapping)}
            self._indexes[id(mapping)] = index
        return index


def _has_text(node: Node) -> bool:
    """Tell whether a node is a scalar that takes up characters of the file (an empty value does not)."""
    return node.__class__ is Scalar and node.start_mark.index < node.end_mark.index


def _as_given(steps: list[Step]) -> list[Step]:
    """Lead the steps of an internal path back to v1's."""
    for internal, given in _MOVED:
        if steps[: len(internal)] == internal and Key not in map(type, steps[: len(internal)]):
            return [*given, *steps[len(internal) :]]
    return steps


def problem_span(problem: YAMLProblem) -> Span:
    """Return the span of the character at which a document cannot be read."""
    return Span(problem.line + 1, problem.column + 1, problem.line + 1, problem.column + 2)


def node_span(node: Node, line_offset: int = 0) -> Span:
    """Return a node's span: scalars whole, of block scalars the indicator, of collections where they start.

    A block mapping starts with its first key, a block sequence with its first dash; a flow collection that ends on its
    first line is whole.
    """
    while node.__class__ is Mapping and not node.flow and node.items:
        node = node.items[0]
    start, end = node.start_mark, node.end_mark
    if isinstance(node, Scalar):
        whole = node.style not in {"|", ">"} and start.index < end.index
    else:
        whole = node.flow and start.line == end.line
    line, column = start.line + 1 + line_offset, start.column + 1
    if not whole:
        return Span(line, column, line, column + 1)
    return Span(line, column, end.line + 1 + line_offset, end.column + 1)
