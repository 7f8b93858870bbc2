"""Where a property of a CRD is named: by lists of names, paths, rules, and defaults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from lsprotocol.types import Location, Range

from crdlint.cel.ast import Call, Expr, Literal, Select, nodes
from crdlint.cel.source_ranges import SourceRanges
from crdlint.crd.model import CustomResourceDefinition, JSONSchemaProps
from crdlint.crd.positions import Span
from crdlint.kubecel.compilation import Expression
from crdlint.kubecel.declarations import escape
from crdlint.linting.result import FoundRule
from crdlint.lsp.cursor import RULES, SCHEMA, Cursor, member_of, nearest_schema
from crdlint.lsp.steps import Steps
from crdlint.lsp.workspace import OpenDocument
from crdlint.schema import json_paths
from crdlint.schema.traversal import value_schema
from crdlint.schema.value_help import written
from crdlint.yaml.nodes import (
    Mapping,
    Node,
    Scalar,
    Sequence,
    child,
    items_of,
    pairs_of,
    text_of,
    text_or_empty,
)
from crdlint.yaml.scalars import offsets_inside

PATHS: Final = frozenset(
    {"jsonPath", "specReplicasPath", "statusReplicasPath", "labelSelectorPath"}
)
_OPTIONAL_SELECT: Final = "_?._"


class Occurrence(NamedTuple):
    """A place that names a property.

    ``range`` is what a reader looks at, such as a whole path, and ``name`` only the name in it. A name ``in_cel`` is
    escaped as CEL asks.
    """

    range: Range
    name: Range
    in_cel: bool = False

    def renamed(self, new: str) -> str:
        """Return a new name as it is written here."""
        return (escape(new) or new) if self.in_cel else written(new)


class Occurrences:
    """Finds where one property of a CRD is named."""

    def __init__(
        self,
        document: OpenDocument,
        cursor: Cursor,
        crd: CustomResourceDefinition,
        schema: JSONSchemaProps,
    ) -> None:
        self._document: Final = document
        self._cursor: Final = cursor
        self._crd: Final = crd
        self._schema: Final = schema
        self._path: Final = str(schema.path)
        self._name: Final = str(schema.steps[1]) if len(schema.steps) > 1 else ""

    @property
    def is_property(self) -> bool:
        """Whether the schema is that of a property, which has a name."""
        return self._schema.steps[:1] == ("properties",)

    def declarations(self) -> Iterator[Occurrence]:
        """Yield the key of the property in each version that shares the schema."""
        locator = self._cursor.locator
        for version in range(locator.shared_by(self._schema.path)):
            location = locator.find_in(self._schema.path, version)
            yield self._of_span(locator.span_of(location, key=True))

    def uses(self, rules: Iterable[FoundRule]) -> Iterator[Occurrence]:
        """Yield where lists of names, paths, and the given rules name the property."""
        yield from self._in_lists()
        yield from self._in_paths()
        for rule in rules:
            if self._cursor.has(rule.span):
                yield from self._in_rule(rule)

    def in_defaults(self) -> Iterator[Occurrence]:
        """Yield the keys of the property in defaults of objects around it."""
        steps: tuple[str, ...] = (self._name,)
        schema = self._schema.parent
        while schema is not None:
            if schema.default is not None:
                yield from self._in_default(schema, steps)
            steps = (*map(str, _value_step(schema)), *steps)
            schema = schema.parent

    def _in_default(self, schema: JSONSchemaProps, steps: tuple[str, ...]) -> Iterator[Occurrence]:
        locator, path = self._cursor.locator, schema.path.child("default")
        for version in range(locator.shared_by(path)):
            location = locator.find_in(path, version)
            if location.exact:
                for key in _keys(location.node, steps):
                    yield self._of_node(key)

    def _in_lists(self) -> Iterator[Occurrence]:
        """Yield the names in `required` and in the keys of a map list."""
        parent = self._schema.parent
        if parent is None or not self.is_property:
            return
        lists = [(parent.path.child("required"), parent.required)]
        around = parent.parent
        if around is not None and parent.steps[:1] == ("items",):
            keys = around.path.child("x-kubernetes-list-map-keys")
            lists.append((keys, around.x_list_map_keys))
        locator = self._cursor.locator
        for path, names in lists:
            numbers = [number for number, name in enumerate(names) if name == self._name]
            for number in numbers:
                for version in range(locator.shared_by(path)):
                    location = locator.find_in(path.index(number), version)
                    yield self._of_span(locator.span_of(location))

    def _in_paths(self) -> Iterator[Occurrence]:
        """Yield the paths of columns, selectable fields, the subresource scale and rules."""
        for steps, node in _scalars(self._cursor.root):
            root = self._root_of(steps)
            if root is None:
                continue
            text = str(node.value)
            end = self._end_in(text, root)
            offsets = None
            if end is not None and text[:end].endswith(self._name):
                source = self._cursor.document.text
                offsets = offsets_inside(source, node, end - len(self._name), end)
            if offsets is not None:
                start = self._cursor.start
                name = self._document.text.range(start + offsets[0], start + offsets[1])
                yield Occurrence(self._of_node(node).range, name)

    def _root_of(self, steps: Steps) -> JSONSchemaProps | None:
        """Return the schema that the path at some steps starts from, None if no path is there."""
        if steps[-1] in PATHS:
            steps = (*steps[:3], *SCHEMA)
        elif steps[-3:-2] != (RULES,):
            return None
        nearest = nearest_schema(self._crd, steps)
        return None if nearest is None else nearest[0]

    def _end_in(self, text: str, root: JSONSchemaProps) -> int | None:
        """Return the end of the step of a path that leads to the property, None if none does."""
        schema: JSONSchemaProps | None = root
        for name, end in json_paths.steps(text):
            if name == "" or schema is None:
                return None
            schema = value_schema(schema, [0 if name is json_paths.ITEMS else name])
            if schema is not None and str(schema.path) == self._path:
                return end
        return None

    def _in_rule(self, rule: FoundRule) -> Iterator[Occurrence]:
        for part, expression in rule.estimated.compiled.expressions():
            if expression.error is not None:
                continue
            path = rule.estimated.path.child(part)
            for offsets in self._reads(expression):
                for version in range(rule.locator.shared_by(path)):
                    yield self._of_span(
                        rule.locator.span_inside(path, offsets, version), in_cel=True
                    )

    def _reads(self, expression: Expression) -> Iterator[tuple[int, int]]:
        """Yield the offsets of the names that read the property in an expression."""
        ranges = SourceRanges(expression.compiled.expr, expression.compiled.source)
        types = expression.compiled.result.type_map
        for node in nodes(expression.compiled.expr):
            read, offsets = _read_of(node), ranges.of(node)
            if read is None or offsets is None:
                continue
            operand, name = read
            member = member_of(expression.declarations, types.get(operand.id), name)
            schema = None if member is None else member.schema
            if schema is not None and str(schema.path) == self._path:
                end = offsets[1] - (isinstance(node, Select) and node.test_only)
                yield end - len(name), end

    def _of_span(self, span: Span, *, in_cel: bool = False) -> Occurrence:
        range_ = self._document.text.range_of(span)
        return Occurrence(range_, range_, in_cel)

    def _of_node(self, node: Node) -> Occurrence:
        start = self._cursor.start
        range_ = self._document.text.range(
            start + node.start_mark.index, start + node.end_mark.index
        )
        return Occurrence(range_, range_)

    def locations(self, occurrences: Iterable[Occurrence]) -> list[Location]:
        """Return occurrences as places of the document."""
        return [Location(self._document.uri, each.range) for each in occurrences]


def _read_of(node: Expr) -> tuple[Expr, str] | None:
    """Return the operand and the name of the field that a node reads, None if it reads none."""
    if isinstance(node, Select):
        return node.operand, node.field
    if isinstance(node, Call) and node.function == _OPTIONAL_SELECT:
        operand, name = node.args
        return (operand, str(name.value)) if isinstance(name, Literal) else None
    return None


_ANY: Final = "*"  # a step to every item or value


def _value_step(schema: JSONSchemaProps) -> Steps:
    """Return the step from the value of the schema around to that of a schema; none for a schema of the same value."""
    if schema.steps[:1] == ("properties",):
        return (schema.steps[1],)
    return (_ANY,) if schema.steps[:1] in (("items",), ("additionalProperties",)) else ()


def _keys(node: Node, steps: tuple[str, ...]) -> Iterator[Node]:
    """Yield the keys that steps lead to in a value."""
    *before, name = steps
    values = [node]
    for step in before:
        values = [below for value in values for below in _values(value, step)]
    for value in values:
        for key, _ in pairs_of(value):
            if text_of(key) == name:
                yield key


def _values(node: Node, step: str) -> list[Node]:
    """Return the values that a step leads to."""
    if step != _ANY:
        below = child(node, step)
        return [] if below is None else [below]
    if isinstance(node, Mapping):
        return [value for _, value in node.pairs()]
    return list(items_of(node))


def _scalars(root: Node) -> Iterator[tuple[Steps, Scalar]]:
    """Yield the scalars of a node that are paths or may be, with their steps."""
    names = PATHS | {"fieldPath"}
    pending: list[tuple[Node, Steps]] = [(root, ())]
    while pending:
        node, steps = pending.pop()
        if isinstance(node, Mapping):
            pending += [(value, (*steps, text_or_empty(key))) for key, value in node.pairs()]
        elif isinstance(node, Sequence):
            pending += [(item, (*steps, number)) for number, item in enumerate(node.items)]
        elif isinstance(node, Scalar) and steps and steps[-1] in names:
            yield steps, node
