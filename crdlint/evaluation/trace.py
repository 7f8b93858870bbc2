"""The tree of the sub-expressions of an evaluation, those that decided its value, and values as text and JSON."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from crdlint.light import dataclass, replace

# Iterations of a loop that are part of the tree, besides the one that decides its value.
_ITERATIONS: Final = 3
_MAX_DEPTH: Final = 200
_LOGICAL: Final = ("_&&_", "_||_")


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A sub-expression and its result.

    `text`: its source, in one line.
    `type`: its type, as text.
    `value`: its value, `MISSING` if it was not evaluated or if its value alone was not recorded.
    `cost`: the cost of its evaluation with that of its parts (cost units).
    `evaluated`: whether it was evaluated.
    `node`: its node in the expression.
    `parts`: the sub-expressions in it.
    `binding`: the element of the loop for which it was evaluated, such as `z = "a"`.
    `left_out`: the number of iterations that the tree leaves out.
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

    @property
    def is_verdict(self) -> bool:
        """Whether its value is a bool or an error, which decides a logical expression."""
        return type(self.value) in (bool, Error)


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
        return replace(
            step,
            value=value,
            cost=cost,
            evaluated=True,
        )

    def _step(
        self,
        node: ast.Expr,
        start: int,
        end: int,
        bound: Mapping[str, Value],
        depth: int,
    ) -> TraceStep:
        """Return the step of a node that is evaluated at most once in the events from `start` to `end`."""
        parts: Sequence[TraceStep] = ()
        left_out = 0
        if depth <= _MAX_DEPTH:
            parts, left_out = self._parts(node, start, end, bound, depth)
        value = self._value_of(node, self._last(node.id, start, end), bound)
        if value is MISSING:
            value = _first_error(parts)
        cost = self._cost(node, start, end)
        return TraceStep(
            text=" ".join(self._ranges.text(node).split()),
            type=type_text(self._compiled.result.type_map.get(node.id, DYN)),
            value=value,
            cost=cost or 0,
            evaluated=cost is not None,
            node=node,
            parts=tuple(parts),
            left_out=left_out,
        )

    def _parts(
        self,
        node: ast.Expr,
        start: int,
        end: int,
        bound: Mapping[str, Value],
        depth: int,
    ) -> tuple[Sequence[TraceStep], int]:
        """Return the steps of the parts of a node, and the number of iterations left out."""
        written = [part for part in written_parts(node, self._compiled.source) if _is_shown(part)]
        if isinstance(node, ast.Comprehension):
            return self._iterations(node, written, (start, end), bound, depth)
        return [self._step(part, start, end, bound, depth + 1) for part in written], 0

    def _iterations(
        self,
        node: ast.Comprehension,
        written: Sequence[ast.Expr],
        events: tuple[int, int],
        bound: Mapping[str, Value],
        depth: int,
    ) -> tuple[Sequence[TraceStep], int]:
        """Return the steps of a loop: its range, and its body for each iteration that is shown."""
        start, end = events
        range_ = node.iter_range
        ranges = [part for part in written if part is range_]
        body = [part for part in written if part is not range_]
        steps = [self._step(part, start, end, bound, depth + 1) for part in ranges]
        over = self._value_of(range_, self._last(range_.id, start, end), bound)
        turns = self._between(node.loop_condition.id, start, end)
        count = len(turns)
        ended_early = bool(turns) and self._events[turns[-1]].value is False
        if ended_early:
            count -= 1  # A condition that is false ends the loop before its body.
        # The last iteration decides the value if the loop ended early.
        shown = sorted({*range(min(count, _ITERATIONS)), *range(count)[-1:]})
        ends = [*turns[1:], end]
        for index in shown:
            names = _binding(node, over, index)
            inner = {**bound, **dict(names)}
            for part in body:
                step = self._step(
                    part,
                    turns[index] + 1,
                    ends[index],
                    inner,
                    depth + 1,
                )
                steps.append(replace(step, binding=names))
        return steps, count - len(shown)

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

    def _cost(self, node: ast.Expr, start: int, end: int) -> int | None:
        """Return the cost of a node and its parts, None if it was not evaluated."""
        ids = self._ids.get(node.id)
        if ids is None:
            ids = self._ids[node.id] = frozenset(part.id for part in nodes(node))
        firsts, lasts = [], []
        for id_ in ids:
            positions = self._between(id_, start, end)
            if positions:
                firsts.append(positions[0])
                lasts.append(positions[-1])
        if not firsts:
            return None
        first = min(firsts)
        before = self._events[first - 1].cost if first else 0
        return self._events[max(lasts)].cost - before


def _first_error(parts: Sequence[TraceStep]) -> Value:
    """Return the error with which the evaluation of a name ends, `MISSING` without one."""
    for part in parts:
        if part.error is not None:
            return part.value
    return MISSING


def _is_shown(node: ast.Expr) -> bool:
    """Return whether a part is a step of its own: constants and the variables of rules explain nothing."""
    if isinstance(node, ast.Ident):
        return False
    return any(
        not isinstance(part, (ast.Literal, ast.ListExpr, ast.MapExpr)) for part in nodes(node)
    )


def _binding(node: ast.Comprehension, over: Value, index: int) -> tuple[tuple[str, Value], ...]:
    """Return the variables of an iteration with their values."""
    if over is MISSING:
        return ()
    if kind_of(over) is Kind.LIST:
        key, content = index, element(over, index)
        single = content
    else:
        single = key = next(islice(over, index, None))
        content = find(over, key)
    if node.iter_var2:
        return (node.iter_var, key), (node.iter_var2, content)
    return ((node.iter_var, single),)


def deciding(step: TraceStep) -> Iterator[TraceStep]:
    """Yield the sub-expressions that decided the value of a step, which is a bool or an error."""
    parts = _deciding_parts(step)
    if not parts:
        yield step
    for part in parts:
        for decider in deciding(part):
            yield _bound(decider, part.binding)


def _deciding_parts(step: TraceStep) -> Sequence[TraceStep]:
    """Return the parts that decided the value of a step, none if it decided itself."""
    evaluated = [part for part in step.parts if part.evaluated]
    match step.node:
        case ast.Comprehension():
            return _deciding_iterations(step, evaluated)
        case ast.Call(function="_&&_" | "_||_"):
            return _agreeing(step, evaluated) or evaluated
        case ast.Call(function="!_"):
            return evaluated
        case ast.Call(function="_?_:_"):
            return [part for part in evaluated if part.is_verdict]
    failed = [part for part in evaluated if part.error is not None]
    return failed[:1] if step.error is not None else ()


def _deciding_iterations(step: TraceStep, parts: Iterable[TraceStep]) -> Sequence[TraceStep]:
    """Return the bodies of a loop that decided its value: the last one, or else all."""
    bodies = [part for part in parts if part.binding]
    verdicts = [part for part in bodies if part.is_verdict]
    agreeing = _agreeing(step, verdicts)
    others_disagree = len(agreeing) < len(verdicts)
    if others_disagree or step.error is not None:
        return agreeing[-1:]
    return agreeing


def _agreeing(step: TraceStep, parts: Iterable[TraceStep]) -> list[TraceStep]:
    """Return the parts with the value of the step or with an error."""
    return [part for part in parts if part.value is step.value or part.error is not None]


def reasons(steps: Iterable[TraceStep]) -> Iterator[str]:
    """Yield the sub-expressions that decided a rule with their values, a line each."""
    for step in steps:
        yield _reason(step)
        for part in step.parts:
            if part.value is not MISSING:
                yield f"  {_reason(part)}"


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
            return _optional_pieces(item)
        # Each element takes at least one character of the text.
        kind = kind_of(item)
        if kind is Kind.LIST:
            elements = ((part,) for part in islice(item, longest))
            return enclosed("[", elements, "]")
        if kind is Kind.MAP:
            keys = islice(_keys(item), longest)
            entries = ((key, Written(": "), find(item, key)) for key in keys)
            return enclosed("{", entries, "}")
        return _scalar(item)

    text = write(value, pieces, longest)
    if len(text) > longest:
        return f"{text[:longest]}…"
    return text


def _optional_pieces(optional: Optional_) -> str | list[Value]:
    if not optional.has_value:
        return "optional.none()"
    return [Written("optional.of("), optional.content, Written(")")]


def _keys(value: Value) -> list[Value]:
    """Return the keys of a map or the fields of an object that are set."""
    return [key for key in value if key in value]


def _double_text(value: float) -> str:
    """Return a double so that it does not look like an int."""
    text = format_float(value)
    looks_like_int = isfinite(value) and not any(char in text for char in ".e")
    return f"{text}.0" if looks_like_int else text


def _bytes_text(value: bytes) -> str:
    if value.isascii():
        return f"b{quote(value.decode('ascii'))}"
    return f"{len(value):,} bytes"


# By the class of a value: its text.
_SCALAR_TEXTS: Final[dict[type, Callable[[Any], str]]] = {
    type(None): lambda _: "null",
    bool: lambda value: str(value).lower(),
    str: quote,
    Uint: lambda value: f"{int(value)}u",
    float: _double_text,
    bytes: _bytes_text,
    Duration: lambda value: f"duration({quote(str(value))})",
    Timestamp: lambda value: f"timestamp({quote(str(value))})",
    Error: lambda value: f"error: {value.message}",
}


def _scalar(value: Value) -> str:
    text_of = _SCALAR_TEXTS.get(type(value))
    if text_of is not None:
        return text_of(value)
    if isinstance(value, Type):
        return format_type(value)
    plain = native(value)
    is_wrapped = plain is not value and isinstance(plain, (dict, list, str, int, float))
    return to_text(plain) if is_wrapped else str(value)


# By the class of a value: what JSON has for it.
_JSON_SCALARS: Final[dict[type, Callable[[Any], Any]]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    int: lambda value: value,
    str: lambda value: value,
    Uint: int,
    float: lambda value: value if isfinite(value) else format_float(value),
    Duration: str,
    Timestamp: str,
}


def to_json(value: Value, depth: int = 0) -> Any:
    """Return a value as JSON: times, durations, bytes and other types without a JSON type as their text."""
    to_scalar = _JSON_SCALARS.get(type(value))
    if to_scalar is not None:
        return to_scalar(value)
    if type(value) is Optional_:
        return to_json(value.content, depth) if value.has_value else None
    if depth >= _DEEPEST:
        return to_text(value)
    kind = kind_of(value)
    if kind is Kind.LIST:
        return [to_json(item, depth + 1) for item in value]
    if kind is Kind.MAP:
        return {_json_key(key): to_json(find(value, key), depth + 1) for key in _keys(value)}
    return to_text(value)


def _json_key(key: Value) -> str:
    return key if type(key) is str else to_text(key)
