"""The syntax tree of a CEL expression, and the positions of its nodes. Upstream: cel-go's common/ast, common/source.go.

Node ids are those of cel-go's parser. `SourceInfo.offsets` maps them to positions in the text. Nodes must not be changed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Generator, Iterator
from dataclasses import field
from typing import Any, Final, TypeAlias, TypeVar

from crdlint.light import NamedTuple, dataclass

_Result = TypeVar("_Result")


class Uint(int):
    """An unsigned integer, distinguished from `int` by its class."""

    __slots__ = ()


Value: TypeAlias = bool | int | Uint | float | str | bytes | None


@dataclass(slots=True)
class Unspecified:
    """The placeholder for an expression that could not be parsed."""

    id: int


@dataclass(slots=True)
class Literal:
    """A constant of the class bool, int, Uint, float, str, bytes or NoneType."""

    id: int
    value: Value


@dataclass(slots=True)
class Ident:
    """An identifier, with its leading dot if the text has one."""

    id: int
    name: str


@dataclass(slots=True)
class Select:
    """`operand.field`, or the presence test `has(operand.field)`."""

    id: int
    operand: Expr
    field: str
    test_only: bool = False


@dataclass(slots=True)
class Call:
    """A call of a function or operator, or of a member function if `target` is set."""

    id: int
    function: str
    target: Expr | None
    args: list[Expr]


@dataclass(slots=True)
class ListExpr:
    """A list literal; `optional_indices` are the indices of elements written as `?e`."""

    id: int
    elements: list[Expr]
    optional_indices: list[int]


@dataclass(slots=True)
class StructField:
    """A field of a message literal: `field: value`."""

    id: int
    field: str
    value: Expr
    optional: bool = False


@dataclass(slots=True)
class StructExpr:
    """A message literal."""

    id: int
    type_name: str
    fields: list[StructField]


@dataclass(slots=True)
class MapEntry:
    """An entry of a map literal: `key: value`."""

    id: int
    key: Expr
    value: Expr
    optional: bool = False


@dataclass(slots=True)
class MapExpr:
    """A map literal."""

    id: int
    entries: list[MapEntry]


@dataclass(slots=True)
class Comprehension:
    """A fold over a range, which a macro generates.

    `iter_range`: the list or map.
    `iter_var`: the variable of the items, or of the keys if there is a second one.
    `iter_var2`: the variable of the values, empty if there is only one iteration variable.
    `accu_var`, `accu_init`: the accumulator, and its value before the first iteration.
    `loop_condition`: ends the loop where it is false.
    `loop_step`: the value of the accumulator after an iteration.
    `result`: the value of the fold.
    """

    id: int
    iter_range: Expr
    iter_var: str
    iter_var2: str
    accu_var: str
    accu_init: Expr
    loop_condition: Expr
    loop_step: Expr
    result: Expr


Expr: TypeAlias = (
    Unspecified | Literal | Ident | Select | Call | ListExpr | StructExpr | MapExpr | Comprehension
)


def children(expr: Expr) -> list[Expr]:
    """Return the child nodes in the order of the text."""
    if isinstance(expr, Call):
        return expr.args if expr.target is None else [expr.target, *expr.args]
    if isinstance(expr, Select):
        return [expr.operand]
    if isinstance(expr, ListExpr):
        return expr.elements
    if isinstance(expr, MapExpr):
        return [part for entry in expr.entries for part in (entry.key, entry.value)]
    if isinstance(expr, StructExpr):
        return [field.value for field in expr.fields]
    if isinstance(expr, Comprehension):
        return [expr.iter_range, expr.accu_init, expr.loop_condition, expr.loop_step, expr.result]
    return []


def nodes(root: Expr) -> Iterator[Expr]:
    """Yield every node, parents before children."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(children(node)))


def calls(root: Expr, functions: Container[str]) -> Iterator[Call]:
    """Yield the calls of some functions, parents before children."""
    for node in nodes(root):
        if isinstance(node, Call) and node.function in functions:
            yield node


def operands(root: Expr, *operators: str) -> list[Expr]:
    """Return the operands of some operators at the top of an expression, however they are nested, in the order of the text."""
    split: list[Expr] = []
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, Call) and node.function in operators and len(node.args) == 2:
            stack += reversed(node.args)
        else:
            split.append(node)
    return split


_LEAVES: Final = {Unspecified: "unspecified", Literal: "literal", Ident: "ident"}
_INNER: Final = {
    Select: "select",
    Call: "call",
    ListExpr: "list_",
    MapExpr: "map_",
    StructExpr: "struct",
    Comprehension: "comprehension",
}


def visit(root: Expr, visitor: object, results: dict[int, _Result]) -> _Result:
    """Compute the result of each node from those of its children; store it in `results` by id, and return that of the root.

    `visitor` has a method for each class of nodes. Those of nodes with children are generators: they yield the children
    in the order of evaluation, receive their results and return their own. They are on an explicit stack, so that only
    memory limits the depth.
    """
    leaves: dict[type, Callable[[Any], _Result]] = {
        cls: getattr(visitor, name) for cls, name in _LEAVES.items()
    }
    inner: dict[type, Callable[[Any], Any]] = {
        cls: getattr(visitor, name) for cls, name in _INNER.items()
    }
    stack: list[tuple[int, Any]] = []
    node = root
    while True:
        result: _Result | None = None
        leaf = leaves.get(type(node))
        if leaf is None:
            stack.append((node.id, inner[type(node)](node)))
        else:
            result = results[node.id] = leaf(node)
        while stack:
            try:
                node = stack[-1][1].send(result)
                break
            except StopIteration as done:
                result = results[stack.pop()[0]] = done.value
        else:
            return results[root.id]


def visit_all(exprs: list[Expr]) -> Generator[Expr, _Result, list[_Result]]:
    """Yield several children of a node to `visit`, and return their results."""
    results: list[_Result] = []
    for expr in exprs:
        results.append((yield expr))  # noqa: PERF401
    return results


class Location(NamedTuple):
    """A position in the text: 1-based line, 0-based column in code points."""

    line: int
    column: int


NO_LOCATION = Location(-1, -1)


@dataclass(slots=True)
class SourceInfo:
    """The text, and source ranges (start, end) in code points by node id.

    Unless `locates_line_starts`, a node at the start of a line is located after the end of the previous line, as in
    older versions of cel-go.
    """

    text: str
    offsets: dict[int, tuple[int, int]] = field(default_factory=dict)
    locates_line_starts: bool = True
    _lines: list[int] | None = None

    @property
    def line_offsets(self) -> list[int]:
        """The offsets of the line starts; the first is 0."""
        if self._lines is None:
            self._lines = [0, *(line_feed.end() for line_feed in re.finditer("\n", self.text))]
        return self._lines

    def location(self, offset: int, *, at_line_start: bool = True) -> Location:
        """Return the location of a code-point offset; that of a line start is there, or behind the line before it."""
        starts = self.line_offsets
        line = max((bisect_right if at_line_start else bisect_left)(starts, offset), 1)
        return Location(line, offset - starts[line - 1])

    def offset_of(self, location: Location) -> int:
        """Return the code-point offset of a location in the text."""
        return self.line_offsets[location.line - 1] + location.column

    def location_of(self, node_id: int) -> Location:
        """Return the start of a node, `NO_LOCATION` for an unknown id. Upstream: SourceInfo.GetStartLocation."""
        span = self.offsets.get(node_id)
        return (
            NO_LOCATION
            if span is None
            else self.location(span[0], at_line_start=self.locates_line_starts)
        )

    def snippet(self, line: int) -> str | None:
        """Return a line of the text without its line feed, or None if the line does not exist or there is no text."""
        starts = self.line_offsets
        if not self.text or not 1 <= line <= len(starts):
            return None
        return self.text[starts[line - 1] :].partition("\n")[0]
