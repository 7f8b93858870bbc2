"""Positions of field paths of the internal CRD in the user's file.

Conversion moves fields, so paths are first mapped to v1's (for fields that all versions share, those of the first
version). Then they are followed through the YAML tree, including merge keys and aliases. A missing field is reported at
the key of its closest existing ancestor.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping as MappingOf
from collections.abc import Sequence as SequenceOf
from functools import cached_property
from itertools import takewhile
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import Code, FieldError
from crdlint.crd.paths import SHARED, Key, Path, Step
from crdlint.light import NamedTuple
from crdlint.yaml.json_values import entries
from crdlint.yaml.nodes import Mapping, Node, Scalar, Sequence, child, entry, text_or_empty
from crdlint.yaml.scalars import position_inside

if TYPE_CHECKING:
    from crdlint.yaml.parse import YAMLProblem

_FIRST: Final[list[Step]] = ["spec", "versions", 0]

_CONVERSION: Final[list[Step]] = ["spec", "conversion"]

# Internal paths and v1's, by their first two or three steps; the longest comes first.
_MOVED: Final[tuple[tuple[SequenceOf[Step], SequenceOf[Step]], ...]] = (
    ([*_CONVERSION, "webhookClientConfig"], [*_CONVERSION, "webhook", "clientConfig"]),
    (
        [*_CONVERSION, "conversionReviewVersions"],
        [*_CONVERSION, "webhook", "conversionReviewVersions"],
    ),
    (["spec", "version"], [*_FIRST, "name"]),
    *((internal.split("."), [*_FIRST, name]) for internal, name in SHARED.items()),
)
_MOVED_STEPS: Final = max(len(internal) for internal, _ in _MOVED)
_RENAMED: Final[MappingOf[Step, Step]] = {"JSONPath": "jsonPath"}
# The positions of a node.
_start: Final = attrgetter("start_mark.line", "start_mark.column")
_end: Final = attrgetter("end_mark.line", "end_mark.column")


class Span(NamedTuple):
    """A range in the file: 1-based lines and columns in characters, with an exclusive end."""

    line: int
    column: int
    end_line: int
    end_column: int


class SourceLocation(NamedTuple):
    """The location of a path: node and key (None for items and the root), those of its closest ancestor if it is not `exact`."""

    node: Node
    key: Node | None
    exact: bool


_LONGEST_BLOCK: Final = 2_000  # characters
_MOST_LINES: Final = 8


def block_of(text: str, start: int) -> str:
    """Return the line that contains an offset and those below it that are indented more, at most eight, without the indent.

    >>> block_of("a: 1", 3)
    'a: 1'
    """
    start = text.rfind("\n", 0, start) + 1
    first, *below = text[start : start + _LONGEST_BLOCK].split("\n")[: _MOST_LINES + 1]
    indent = len(first) - len(first.lstrip(" "))
    deeper = takewhile(lambda line: line.startswith(" " * (indent + 1)), below)
    lines = [line[indent:].rstrip("\r") for line in (first, *deeper)]
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], "…"]
    return "\n".join(lines)


class Locator:
    """Locates paths in a document, whose `text` the marks of its nodes refer to; `line_offset` lines are before it."""

    def __init__(self, root: Node, line_offset: int = 0, text: str = "") -> None:
        self.root = root
        self.text = text
        self.line_offset = line_offset
        # Indexes of mappings by identity, because findings come in clusters.
        self._indexes: dict[int, dict[str, tuple[Node, Node]]] = {}
        # Locations of paths and their ancestors, from the depth on at which conversion moves nothing.
        self._locations: dict[Path, SourceLocation] = {}
        # Positions (see `position_inside`) of parts of nodes, by the identity of the node, start and end.
        self._inside: dict[tuple[int, int, int], tuple[int, int, int, int] | None] = {}

    def span(self, path: Path, *, key: bool = False) -> Span:
        """Return the span to report for `path`: a scalar's text, a collection's key, the parent's key if it is missing.

        `key` selects the key also for a scalar. A list item is reported at its start.
        """
        return self.span_of(self.find(path), key=key)

    def span_of(self, location: SourceLocation, *, key: bool = False) -> Span:
        """Return the span to report for a location; see `span`."""
        node = location.node
        # An empty value has no text.
        has_text = node.__class__ is Scalar and node.start_mark.index < node.end_mark.index
        use_key = key or not location.exact or not has_text
        if use_key and location.key is not None:
            node = location.key
        return node_span(node, self.line_offset)

    def lines(self, path: Path) -> str:
        """Return the lines of a path; see `block_of`."""
        location = self.find(path)
        return block_of(self.text, (location.key or location.node).start_mark.index)

    def span_inside(self, path: Path, part: tuple[int, int], version: int = 0) -> Span:
        """Return the span of a part of the text at `path`, by code points, or of the whole text if that is uncertain.

        See `find_in` for `version`.
        """
        location = self.find_in(path, version)
        node = location.node
        key = id(node), *part  # an alias gives one text many paths
        if key not in self._inside and isinstance(node, Scalar):
            self._inside[key] = position_inside(self.text, node, *part)
        position = self._inside.get(key)
        if position is None:
            return self.span_of(location)
        line, column, end_line, end_column = position
        return Span(
            line + self.line_offset,
            column,
            end_line + self.line_offset,
            end_column,
        )

    def shared_by(self, path: Path) -> int:
        """Return the number of versions that share the field at `path`, 1 for a field of one version or of no version."""
        if ".".join(map(str, path.steps()[:2])) not in SHARED:
            return 1
        return self._versions

    @cached_property
    def _versions(self) -> int:
        """The number of versions, at least 1."""
        versions = self._follow(["spec", "versions"]).node
        return max(len(versions.items), 1) if isinstance(versions, Sequence) else 1

    def find_in(self, path: Path, version: int) -> SourceLocation:
        """Locate a path as `find` does; fields that all versions share are located in the version with the given index."""
        if not version:
            return self.find(path)
        steps = path.steps()
        shared = SHARED.get(".".join(map(str, steps[:2])))
        if shared is None:
            return self.find(path)
        return self._follow(["spec", "versions", version, shared, *steps[2:]])

    def find(self, path: Path) -> SourceLocation:
        """Locate a path as far as the document contains it; common parts of paths are followed once."""
        locations = self._locations
        chain: list[Path] = []
        current: Path | None = path
        while current is not None and current not in locations:
            chain.append(current)
            current = current.parent
        location = self._first(chain) if current is None else locations[current]
        for part in reversed(chain):
            locations[part] = location = self._enter(location, part.step)
        return location

    def missing(self, path: Path) -> tuple[Mapping | Scalar, str] | None:
        """Return the first field of a path that the document lacks, and its mapping, or the null in the place of one.

        The name is empty if the path leads to the null. Return None if the document has all fields of the path.
        """
        location = SourceLocation(self.root, None, exact=True)
        for step in _as_given(_single_steps(path)):
            name = _RENAMED.get(step, step) if step.__class__ is str else step
            location = self._enter(location, name)
            if not location.exact:
                owner = location.node
                return (owner, str(name)) if isinstance(owner, (Mapping, Scalar)) else None
        node = location.node
        is_null = isinstance(node, Scalar) and not node.value
        return (node, "") if isinstance(node, Scalar) and is_null else None

    def _first(self, chain: list[Path]) -> SourceLocation:
        """Return the location of the start of a chain of paths, deepest first; moved steps are removed from the chain.

        Conversion to the internal version moves fields by their first steps, such as `spec.version` from
        `spec.versions[0].name`, so these are located together.
        """
        top = chain[-_MOVED_STEPS:]
        del chain[-_MOVED_STEPS:]
        location = self._follow(_as_given(top[0].steps()))
        if len(top) == _MOVED_STEPS:
            self._locations[top[0]] = location
        return location

    def _follow(self, steps: list[Step]) -> SourceLocation:
        location = SourceLocation(self.root, None, exact=True)
        for step in steps:
            location = self._enter(location, step)
        return location

    def _enter(self, location: SourceLocation, step: Step) -> SourceLocation:
        """Return the location one step further; a name with dots that is not a key is treated as several steps."""
        if not location.exact:
            return location
        node, key = location.node, location.key
        steps = [step]
        while steps:
            step = steps.pop()
            entry = self._entry(node, step) or self._entry(node, _RENAMED.get(step, step))
            if entry is not None:
                key, node = entry
                continue
            names = _names(step) if node.__class__ is Mapping else ()
            if len(names) < 2:
                return SourceLocation(node, key, exact=False)
            steps.extend(reversed(names))
        return SourceLocation(node, key, exact=True)

    def _entry(self, node: Node, step: Step) -> tuple[Node | None, Node] | None:
        """Return what `crdlint.yaml.nodes.entry` does, with merge keys followed."""
        if node.__class__ is Mapping and step.__class__ is not int:
            name = str(step)
            return node.find(name) if node.simple else self._index(node).get(name)
        return entry(node, step) if node.__class__ is Sequence else None

    def _index(self, mapping: Mapping) -> dict[str, tuple[Node, Node]]:
        if id(mapping) not in self._indexes:
            self._indexes[id(mapping)] = {
                name: (key, value) for name, key, value in entries(mapping)
            }
        return self._indexes[id(mapping)]


def _single_steps(path: Path) -> list[Step]:
    """Return the steps of a path, with each name of several fields (`a.b`) as several steps."""
    steps: list[Step] = []
    for step in path.steps():
        if step.__class__ is str:
            steps += str(step).split(".")
        else:
            steps.append(step)
    return steps


def _names(step: Step) -> SequenceOf[str]:
    """Return the names that dots separate in a step, none for an index or a key."""
    return str(step).split(".") if step.__class__ is str else ()


def _as_given(steps: list[Step]) -> list[Step]:
    """Map the steps of an internal path to v1's."""
    for internal, of_v1 in _MOVED:
        head = steps[: len(internal)]
        if head == internal and Key not in map(type, head):
            return [*of_v1, *steps[len(internal) :]]
    return steps


def problem_span(problem: YAMLProblem) -> Span:
    """Return the span of the character at which parsing failed."""
    return Span(
        problem.line + 1,
        problem.column + 1,
        problem.line + 1,
        problem.column + 2,
    )


def node_span(node: Node, line_offset: int = 0) -> Span:
    """Return the span of a node: the text of a scalar, the indicator of a block scalar, the start of a collection.

    A block mapping starts with its first key, a block sequence with its first dash. A flow collection on a single line
    has its whole span.
    """
    while node.__class__ is Mapping and not node.flow and node.items:
        node = node.items[0]
    start, end = node.start_mark, node.end_mark
    if isinstance(node, Scalar):
        has_range = node.style not in {"|", ">"} and start.index < end.index
    else:
        has_range = node.flow and start.line == end.line
    line, column = start.line + 1 + line_offset, start.column + 1
    if not has_range:
        return Span(line, column, line, column + 1)
    return Span(
        line,
        column,
        end.line + 1 + line_offset,
        end.column + 1,
    )


_SCHEMA: Final = ["schema", "openAPIV3Schema"]
# What steps in a schema add to the path of its values.
_BELOW: Final[dict[str | int, str]] = {
    "items": "[]",
    "additionalProperties": ".*",
    "allOf": "",
    "anyOf": "",
    "oneOf": "",
    "not": "",
}


class UserPath(NamedTuple):
    """A path as users know it, and the version of the CRD that it belongs to, empty for none."""

    path: str
    version: str = ""


class UserPaths:
    """The paths of positions in a CRD as users know them."""

    def __init__(self, root: Node) -> None:
        self._root: Final = root
        self._finder: Final = _StepFinder(root)
        self._versions: Final[dict[str | int, str]] = {}  # their names by their steps
        # The last value of a keyword, and the path that all positions in it have.
        self._of_keyword: tuple[Node, UserPath] | None = None

    def path_at(self, line: int, column: int) -> UserPath:
        """Return the path of a position (1-based lines and columns of the document)."""
        position = (line - 1, column - 1)
        if self._of_keyword is not None and _contains(self._of_keyword[0], position):
            return self._of_keyword[1]
        steps = self._finder.steps_at(position)
        if steps[:2] == ["spec", "versions"] and len(steps) > 2:
            version = self._version(steps[2])
            if steps[3:5] == _SCHEMA:
                return self._in_schema(steps, 5, version)
            return UserPath(_printed(steps), version)
        if steps[:3] == ["spec", "validation", _SCHEMA[1]]:
            return self._in_schema(steps, 3)
        return UserPath(_printed(steps))

    def _in_schema(self, steps: list[str | int], start: int, version: str = "") -> UserPath:
        """Return the path for steps of which those from `start` on are in a schema."""
        path, length = _value_path(steps[start:])
        user_path = UserPath(path, version)
        keyword = start + length
        if keyword < len(steps) and steps[keyword] != "properties":
            self._of_keyword = (self._finder.node_after(keyword), user_path)
        return user_path

    def _version(self, step: str | int) -> str:
        """Return the name of the version at a step below `spec.versions`, empty without one."""
        if step not in self._versions:
            name = child(self._root, "spec", "versions", step, "name")
            self._versions[step] = text_or_empty(name)
        return self._versions[step]


def user_path_in_object(root: Node, line: int, column: int) -> str:
    """Return the path of a position in a custom resource."""
    return f".{_printed(steps_at(root, (line - 1, column - 1)))}"


def steps_at(root: Node, position: tuple[int, int]) -> list[str | int]:
    """Return the keys and indexes that lead to the node at a position (0-based); a key that is no scalar is empty."""
    return _StepFinder(root).steps_at(position)


_FEW: Final = 16  # nodes, whose starts are not worth keeping


class _StepFinder:
    """Finds the steps to positions, each from the last node on the way to the previous one that it is in as well.

    `_nodes` are the nodes on that way, one more than `_steps`. `_starts` are the positions of the entries of nodes that were
    searched twice, by the identity of their list; empty for one that was searched once.
    """

    def __init__(self, root: Node) -> None:
        self._nodes: Final = [root]
        self._steps: Final[list[str | int]] = []
        self._starts: Final[dict[int, list[tuple[int, int]]]] = {}

    def steps_at(self, position: tuple[int, int]) -> list[str | int]:
        """Return what `steps_at` does."""
        self._leave(position)
        while self._enter(self._nodes[-1], position):
            pass
        return [*self._steps]

    def node_after(self, step: int) -> Node:
        """Return the node after one of the last steps, by its index."""
        return self._nodes[step + 1]

    def _leave(self, position: tuple[int, int]) -> None:
        """Go back to a node that a position is in."""
        while self._steps and not _contains(self._nodes[-1], position):
            self._nodes.pop()
            self._steps.pop()

    def _enter(self, node: Node, position: tuple[int, int]) -> bool:
        """Go on to the value that a position is in, and return whether a node has such a value."""
        if not isinstance(node, (Mapping, Sequence)):
            return False
        stride = 2 if isinstance(node, Mapping) else 1
        i = self._entry_before(node.items, stride, position)
        if i < 0:
            return False
        name, value = node.items[i * stride], node.items[i * stride + stride - 1]
        if position > _end(value) and position > _end(name):
            return False
        key = text_or_empty(name)
        self._steps.append(i if stride == 1 else key)
        self._nodes.append(value)
        return True

    def _entry_before(
        self,
        nodes: SequenceOf[Node],
        stride: int,
        position: tuple[int, int],
    ) -> int:
        """Return the index of the last entry, each of `stride` nodes, that starts at or before a position; -1 for none."""
        if len(nodes) <= _FEW:
            indexes = range(len(nodes) - stride, -1, -stride)
            return next((i // stride for i in indexes if _start(nodes[i]) <= position), -1)
        starts = self._starts.get(id(nodes))
        if starts is None:
            self._starts[id(nodes)] = []
            firsts = range(0, len(nodes), stride)  # a slice of the nodes would be a copy
            return bisect_right(firsts, position, key=lambda index: _start(nodes[index])) - 1
        if not starts:
            starts += map(_start, nodes[::stride])
        return bisect_right(starts, position) - 1


def _contains(node: Node, position: tuple[int, int]) -> bool:
    """Return whether a position (0-based) is in a node, and not in the entry before or after it."""
    return bool(_start(node) <= position < _end(node))


def _value_path(steps: list[str | int]) -> tuple[str, int]:
    """Return the path of the values of the schema that `steps` lead to from the root of a schema, and how many of them do."""
    path, left = "", list(reversed(steps))
    while left:
        step = left.pop()
        if step == "properties" and left:
            path += f".{left.pop()}"
        elif step in _BELOW:
            path += _BELOW[step]
        else:
            left.append(step)
            break
        if left and isinstance(left[-1], int):
            left.pop()
    return path or ".", len(steps) - len(left)


def _printed(steps: list[str | int]) -> str:
    texts = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps]
    return "".join(texts).removeprefix(".")


# The keyword that a value violates, by the reason.
_OF_VALUES: Final[MappingOf[Code | None, str]] = {
    Code.TYPE: "type",
    Code.FORMAT: "format",
    Code.ENUM: "enum",
    Code.LEAST: "minimum",
    Code.MOST: "maximum",
    Code.MULTIPLE: "multipleOf",
    Code.PATTERN: "pattern",
    Code.TOO_SHORT: "minLength",
    Code.TOO_LONG: "maxLength",
}


def contradicting(error: FieldError, because: str, locator: Locator) -> SourceLocation | None:
    """Return the keyword that makes the place of an error wrong, None if unknown or not written; `because` is that of its rule."""
    keyword = _violated_keyword(error, because, locator)
    if keyword is None:
        return None
    location = locator.find(keyword)
    return location if location.exact else None


def _violated_keyword(error: FieldError, because: str, locator: Locator) -> Path | None:
    path = error.at or error.path
    keyword = _OF_VALUES.get(error.code)
    if keyword is not None:
        schema = _schema_of_value(path, locator)
        if schema is not None:
            return schema.child(keyword)
    if not because:
        return None
    *of_list, keyword = because.split("/")
    schema = _before(path, "items") if of_list else path.parent
    return None if schema is None else schema.child(keyword)


def _before(path: Path | None, step: str) -> Path | None:
    """Return what the last such step of a path is below."""
    while path is not None and path.step != step:
        path = path.parent
    return path and path.parent


def _schema_of_value(path: Path, locator: Locator) -> Path | None:
    """Return the schema of a value in a default, None for another path."""
    schema = _before(path, "default")
    if schema is None:
        return None
    below: list[Path] = []
    while path.step != "default" and path.parent is not None:
        below.append(path)
        path = path.parent
    for part in reversed(below):
        if isinstance(part.step, int):
            schema = schema.child("items")
        else:
            named = schema.child("properties").key(str(part.step))
            schema = named if locator.find(named).exact else schema.child("additionalProperties")
    return schema
