"""The tree of the sub-expressions of an evaluation, those that decided its value, and values as text and JSON."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import isfinite
from typing import Any, Final

from crdlint.cel import ast
from crdlint.cel.ast import Uint, nodes
from crdlint.cel.compiler import Compiled
from crdlint.cel.errors import Error, format_type
from crdlint.cel.eval.cost import Event
from crdlint.cel.eval.values import (
    MISSING,
    Duration,
    Optional_,
    Timestamp,
    Value,
    element,
    find,
    kind_of,
    native,
)
from crdlint.cel.source_ranges import SourceRanges
from crdlint.cel.types import DYN, Kind, Type, Written, enclosed, write
from crdlint.golang.printing import format_float
from crdlint.golang.text import quote
from crdlint.kubecel.cost.explain import written_parts
from crdlint.kubecel.declarations import type_text

_ITERATIONS: Final = (
    3  # of a loop that are part of the tree, besides the one that decides its value
)
_MAX_DEPTH: Final = 200
_LOGICAL: Final = ("_&&_", "_||_")


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A sub-expression: its text, type, value and cost with its parts (cost units).

    `value` is `MISSING` if it was not evaluated, or if its value alone was not recorded; `evaluated` distinguishes
    the two. `binding` is the element of the loop for which it was evaluated, such as `z = "a"`. `left_out` is the
    number of iterations that the tree leaves out. `node` is the node of the expression.
    """

    text: str
    type: str
    value: Value
    cost: int
    evaluated: bool
    node: ast.Expr
    parts: tuple[TraceStep, ...] = ()
    binding: tuple[tuple[str, Value], ...] = ()
    left_out: int = 0

    @property
    def error(self) -> str | None:
        """The text of the error in which it ends, None for any other value."""
        return self.value.message if type(self.value) is Error else None


class TraceTree:
    """The steps of one evaluation, from the events that it recorded."""

    def __init__(
        self, compiled: Compiled, events: Sequence[Event], variables: Mapping[str, Value]
    ) -> None:
        self._compiled = compiled
        self._events = events
        self._variables = variables
        self._ranges = SourceRanges(compiled.expr, compiled.source)
        self._positions: dict[int, list[int]] = {}
        for position, event in enumerate(events):
            self._positions.setdefault(event.id, []).append(position)
        self._ids: dict[int, frozenset[int]] = {}

    def root(self, value: Value, cost: int) -> TraceStep:
        """Return the tree of the whole expression, whose value and cost are known."""
        step = self._step(self._compiled.expr, 0, len(self._events), {}, 0)
        return replace(step, value=value, cost=cost, evaluated=True)

    def _step(
        self, node: ast.Expr, start: int, end: int, bound: Mapping[str, Value], depth: int
    ) -> TraceStep:
        """Return the step of a node that is evaluated at most once in the events from `start` to `end`."""
        value = self._value_of(node, self._last(node.id, start, end), bound)
        parts, left_out = (
            ((), 0) if depth > _MAX_DEPTH else self._parts(node, start, end, bound, depth)
        )
        cost, any_event = self._cost(node, start, end)
        if value is MISSING:  # the evaluation of a name ends at its first error
            value = next((part.value for part in parts if part.error is not None), MISSING)
        return TraceStep(
            " ".join(self._ranges.text(node).split()),
            type_text(self._compiled.result.type_map.get(node.id, DYN)),
            value,
            cost,
            any_event,
            node,
            parts,
            left_out=left_out,
        )

    def _parts(
        self, node: ast.Expr, start: int, end: int, bound: Mapping[str, Value], depth: int
    ) -> tuple[tuple[TraceStep, ...], int]:
        written = [part for part in written_parts(node, self._compiled.source) if _is_shown(part)]
        if not isinstance(node, ast.Comprehension):
            return tuple(self._step(part, start, end, bound, depth + 1) for part in written), 0
        range_ = node.iter_range
        steps = [
            self._step(part, start, end, bound, depth + 1) for part in written if part is range_
        ]
        body = [part for part in written if part is not range_]
        over = self._value_of(range_, self._last(range_.id, start, end), bound)
        turns = self._between(node.loop_condition.id, start, end)
        # A condition that is false ends the loop before its body. The last iteration decides the value if it ended early.
        count = len(turns) - bool(turns and self._events[turns[-1]].value is False)
        shown = sorted({*range(min(count, _ITERATIONS)), *range(count)[-1:]})
        for index in shown:
            first, last = turns[index] + 1, turns[index + 1] if index + 1 < len(turns) else end
            names = _binding(node, over, index)
            inner = {**bound, **dict(names)}
            steps += [
                replace(self._step(part, first, last, inner, depth + 1), binding=names)
                for part in body
            ]
        return tuple(steps), count - len(shown)

    def _value_of(self, node: ast.Expr, position: int | None, bound: Mapping[str, Value]) -> Value:
        if position is not None:
            return self._events[position].value
        if isinstance(node, ast.Ident):
            return bound.get(node.name, self._variables.get(node.name, MISSING))
        return node.value if isinstance(node, ast.Literal) else MISSING

    def _between(self, id_: int, start: int, end: int) -> list[int]:
        positions = self._positions.get(id_, [])
        return positions[bisect_left(positions, start) : bisect_left(positions, end)]

    def _last(self, id_: int, start: int, end: int) -> int | None:
        positions = self._between(id_, start, end)
        return positions[-1] if positions else None

    def _cost(self, node: ast.Expr, start: int, end: int) -> tuple[int, bool]:
        """Return the cost of a node and its parts, and whether it was evaluated."""
        ids = self._ids.get(node.id)
        if ids is None:
            ids = self._ids[node.id] = frozenset(part.id for part in nodes(node))
        spans = [
            (positions[first], positions[last - 1])
            for id_ in ids
            if (positions := self._positions.get(id_))
            and (first := bisect_left(positions, start)) < (last := bisect_left(positions, end))
        ]
        if not spans:
            return 0, False
        first, last = min(pair[0] for pair in spans), max(pair[1] for pair in spans)
        return self._events[last].cost - (self._events[first - 1].cost if first else 0), True


def _is_shown(node: ast.Expr) -> bool:
    """Return whether a part is a step of its own: constants and the variables of rules explain nothing."""
    if isinstance(node, ast.Ident):
        return False
    return any(
        not isinstance(part, (ast.Literal, ast.ListExpr, ast.MapExpr)) for part in nodes(node)
    )


def _binding(node: ast.Comprehension, over: Value, index: int) -> tuple[tuple[str, Value], ...]:
    if over is MISSING:
        return ()
    if kind_of(over) is Kind.LIST:
        key, content = index, element(over, index)
        item = content
    else:
        item = key = next(key for number, key in enumerate(over) if number == index)
        content = find(over, key)
    return (
        ((node.iter_var, key), (node.iter_var2, content))
        if node.iter_var2
        else ((node.iter_var, item),)
    )


def deciding(step: TraceStep) -> Iterator[TraceStep]:
    """Yield the sub-expressions that decided the value of a step, which is a bool or an error."""
    parts = [part for part in step.parts if part.evaluated]
    node = step.node
    below: Sequence[TraceStep] = ()
    if isinstance(node, ast.Call) and node.function in _LOGICAL:
        below = [
            part for part in parts if part.value is step.value or part.error is not None
        ] or parts
    elif isinstance(node, ast.Call) and node.function == "!_":
        below = parts
    elif isinstance(node, ast.Call) and node.function == "_?_:_":
        below = [part for part in parts if type(part.value) in (bool, Error)]
    elif isinstance(node, ast.Comprehension):
        bodies = [part for part in parts if part.binding and type(part.value) in (bool, Error)]
        decided = [part for part in bodies if part.value is step.value or part.error is not None]
        below = decided[-1:] if len(decided) < len(bodies) or step.error is not None else decided
    elif step.error is not None:
        below = [part for part in parts if part.error is not None][:1]
    if not below:
        yield step
        return
    for part in below:
        yield from (_bound(decider, part.binding) for decider in deciding(part))


def reasons(steps: Iterable[TraceStep]) -> Iterator[str]:
    """Yield the sub-expressions that decided a rule with their values, a line each."""
    for step in steps:
        yield _reason(step)
        yield from (f"  {_reason(part)}" for part in step.parts if part.value is not MISSING)


def _reason(step: TraceStep) -> str:
    binding = "".join(f"{name} = {to_text(value)}: " for name, value in step.binding)
    return f"{binding}{step.text} = {to_text(step.value)}"


def _bound(step: TraceStep, binding: tuple[tuple[str, Value], ...]) -> TraceStep:
    names = {name for name, _ in step.binding}
    added = tuple(pair for pair in binding if pair[0] not in names)
    return replace(step, binding=(*added, *step.binding))


_LONGEST: Final = 10_000  # characters of the text of a value
_DEEPEST: Final = 100


def to_text(value: Value, longest: int = _LONGEST) -> str:
    """Return a value in the notation of CEL, cut after `longest` characters."""

    def pieces(item: Value) -> str | list[Value]:
        if type(item) is Optional_:
            return (
                [Written("optional.of("), item.content, Written(")")]
                if item.has_value
                else "optional.none()"
            )
        # Each element takes at least one character of the text.
        if kind_of(item) is Kind.LIST:
            return enclosed("[", ((part,) for part in islice(item, longest)), "]")
        if kind_of(item) is Kind.MAP:
            return enclosed(
                "{",
                ((key, Written(": "), find(item, key)) for key in islice(_keys(item), longest)),
                "}",
            )
        return _scalar(item)

    text = write(value, pieces, longest)
    return text if len(text) <= longest else f"{text[:longest]}…"


def _keys(value: Value) -> list[Value]:
    """Return the keys of a map or the fields of an object that are set."""
    return [key for key in value if key in value]


def _scalar(value: Value) -> str:
    if value is None:
        return "null"
    if type(value) is bool:
        return str(value).lower()
    if type(value) is str:
        return quote(value)
    if type(value) is Uint:
        return f"{int(value)}u"
    if type(value) is float:
        text = format_float(value)
        return text if not isfinite(value) or any(char in text for char in ".e") else f"{text}.0"
    if type(value) is bytes:
        return "b" + quote(value.decode("latin-1")) if value.isascii() else f"{len(value):,} bytes"
    if type(value) is Duration or type(value) is Timestamp:
        return f"{'duration' if type(value) is Duration else 'timestamp'}({quote(str(value))})"
    if type(value) is Error:
        return f"error: {value.message}"
    if isinstance(value, Type):
        return format_type(value)
    plain = native(value)
    return (
        to_text(plain)
        if isinstance(plain, (dict, list, str, int, float)) and plain is not value
        else str(value)
    )


def to_json(value: Value, depth: int = 0) -> Any:
    """Return a value as JSON: times, durations, bytes and other types without a JSON type as their text."""
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is Uint:
        return int(value)
    if type(value) is float:
        return value if isfinite(value) else format_float(value)
    if type(value) is Optional_:
        return to_json(value.content, depth) if value.has_value else None
    if type(value) is Duration or type(value) is Timestamp:
        return str(value)
    if depth < _DEEPEST:
        kind = kind_of(value)
        if kind is Kind.LIST:
            return [to_json(item, depth + 1) for item in value]
        if kind is Kind.MAP:
            return {
                key if type(key) is str else to_text(key): to_json(find(value, key), depth + 1)
                for key in _keys(value)
            }
    return to_text(value)
