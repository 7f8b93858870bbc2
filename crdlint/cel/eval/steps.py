"""The operations of a planned expression as Python functions. Upstream: interpreter/interpretable.go, runtimecost.go.

A `Run` returns the value of an expression. The functions here make one from those of its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Final

from crdlint.cel import ast
from crdlint.cel.decls import Implementation
from crdlint.cel.eval.attributes import Qualifier, Run, apply, select
from crdlint.cel.eval.cost import Frame, Tracker
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.errors import COST_LIMIT_EXCEEDED, NO_OVERLOAD, CancelledError, Error, no_overload, with_expr_id
from crdlint.cel.eval.functions import without_trait
from crdlint.cel.eval.values import MISSING, MutableList, MutableMap, Optional_, Value, go_text, go_type, kind_of
from crdlint.cel.types import Kind

_HASHABLE: Final = frozenset({bool, str, float})


def always(value: Value) -> Run:
    """Return a constant."""
    return lambda _: value


def logical(terms: Sequence[Run], id_: int, *, decisive: bool) -> Run:
    """Return `&&` (decided by false) or `||` (by true); both absorb errors."""

    def run(frame: Frame) -> Value:
        error: Error | None = None
        for term in terms:
            value = term(frame)
            if value is decisive:
                return decisive
            if type(value) is not bool and error is None:
                error = with_expr_id(no_overload(value), id_)
        return (not decisive) if error is None else error

    return run


def differs(left: Value, right: Value) -> Value:
    """Return the result of `!=`; values that cannot be compared differ."""
    return equal(left, right) is not True


def unary(resolved: Implementation, argument: Run, id_: int, cost: Tracker | None, *, in_advance: bool = False) -> Run:
    """Return a call with one argument; if `cost` is given, the call is charged, before it is made if `in_advance`."""
    call, strict = resolved.call, resolved.strict

    def run(frame: Frame) -> Value:
        value = result = argument(frame)
        if in_advance and cost is not None:
            frame.reserve_cost(cost((value,), None))
        if not (strict and type(value) is Error):
            result = call(value)
            if type(result) is Error:
                result = with_expr_id(result, id_)
        if cost is not None:
            frame.charge(cost((value,), result))
        return result

    return run


def binary(resolved: Implementation, args: Sequence[Run], id_: int, cost: Tracker | None, *, in_advance: bool) -> Run:
    """Return a call with two arguments, both of which are evaluated; `cost` is charged as in `unary`."""
    call, strict = resolved.call, resolved.strict
    left, right = args

    def run(frame: Frame) -> Value:
        first, other = left(frame), right(frame)
        units: int | None = None
        if strict and type(first) is Error:
            result = first
        elif strict and type(other) is Error:
            result = other
        else:
            if in_advance and cost is not None:
                units = cost((first, other), None)
                frame.reserve_cost(units)
            result = call(first, other)
            if type(result) is Error:
                result = with_expr_id(result, id_)
        if cost is not None:
            frame.charge(cost((first, other), result) if units is None else units)
        return result

    return run


def variadic(resolved: Implementation, args: Sequence[Run], id_: int, cost: Tracker | None) -> Run:
    """Return a call that evaluates no arguments after an error; `cost` is charged if all were evaluated."""
    call, strict = resolved.call, resolved.strict

    def run(frame: Frame) -> Value:
        values: list[Value] = []
        failed: Error | None = None
        for arg in args:
            if failed is not None:
                return failed
            value = arg(frame)
            values.append(value)
            if strict and type(value) is Error:
                failed = value
        result = with_expr_id(call(*values) if failed is None else failed, id_)
        if cost is not None:
            frame.charge(cost(values, result))
        return result

    return run


def missing(function: str, id_: int, *, variadic: bool) -> Implementation:
    """Return what a call without an implementation runs, which returns an error."""
    text = f"{function} {id_}" if variadic else function

    def call(first: Value, *_: Value) -> Value:
        error = without_trait(function, first)
        return error if error is NO_OVERLOAD else Error(f"no such overload: {text}", id_)

    return Implementation(call, variadic=variadic)


def _unwrapped(value: Value, entry: Value, id_: int) -> Value:
    """Return the content of an optional, which may be `MISSING`, or an error; `entry` is `MISSING` for an element of a list."""
    if type(value) is Optional_:
        return value.content
    if type(value) is Error:
        return value
    target = "list element" if entry is MISSING else f"entry '{go_text(entry)}'"
    return Error(f"cannot initialize optional {target} from non-optional value {go_text(value)}", id_)


def list_of(parts: Sequence[Run], optional: frozenset[int], id_: int) -> Run:
    """Return a list literal."""

    def run(frame: Frame) -> Value:
        result: list[Value] = []
        for index, part in enumerate(parts):
            value = part(frame)
            if index in optional:
                value = _unwrapped(value, MISSING, id_)
            if type(value) is Error:
                return value
            if value is not MISSING:
                result.append(value)
        return result

    return run


def map_of(parts: Sequence[Run], optional: frozenset[int], id_: int) -> Run:
    """Return a map literal of keys and values in turn."""
    pairs = list(zip(parts[::2], parts[1::2], strict=True))

    def run(frame: Frame) -> Value:
        entries = MutableMap()
        for index, (key_of, value_of) in enumerate(pairs):
            key = key_of(frame)
            if type(key) is Error:
                return key
            value = value_of(frame)
            if index in optional:
                value = _unwrapped(value, key, id_)
            if type(value) is Error:
                return value
            if value is MISSING:
                entries.remove(key)
            else:
                entries.insert(key, value)
        return entries.frozen()

    return run


def struct_of(
    build: Callable[[dict[str, Value]], Value],
    fields: Sequence[str],
    parts: Sequence[Run],
    optional: frozenset[int],
    id_: int,
) -> Run:
    """Return a message literal."""
    named = list(zip(fields, parts, strict=True))

    def run(frame: Frame) -> Value:
        values: dict[str, Value] = {}
        for index, (name, part) in enumerate(named):
            value = part(frame)
            if index in optional:
                value = _unwrapped(value, name, id_)
            if type(value) is Error:
                return value
            values[name] = value
            if value is MISSING:
                del values[name]
        return with_expr_id(build(values), id_)

    return run


def membership(operand: Run, members: frozenset[tuple[type, Value]]) -> Run:
    """Return `operand in list` for a list of constants. Upstream: interpreter.evalSetMembership."""

    def run(frame: Frame) -> Value:
        value = operand(frame)
        cls = type(value)
        if cls is Error:
            return value
        if cls is bytes:
            raise CancelledError("internal error: runtime error: hash of unhashable type types.Bytes")
        if cls is str or cls in _HASHABLE or isinstance(value, int):
            return (cls, value) in members
        return False

    return run


def or_optional(optional: Run, other: Run, *, unwrap: bool) -> Run:
    """Return `or` of two optionals, or `orValue` of an optional and a value; the second is evaluated only if needed."""

    def run(frame: Frame) -> Value:
        first = optional(frame)
        if type(first) is not Optional_:
            return first
        if first.has_value:
            return first.content if unwrap else first
        return other(frame)

    return run


def attribute(run: Run, id_: int, test_id: int, *, stacked: bool) -> Run:
    """Record the value of an attribute; `test_id` is not 0 for a presence test, which costs nothing."""
    pushed, cost = (test_id, 0) if test_id else (id_, 1)

    def recorded(frame: Frame) -> Value:
        value = run(frame)
        if type(value) is Error:
            value = with_expr_id(value, pushed)
        elif test_id and type(value) is Optional_:
            value = value.has_value
        if stacked:
            frame.attribute(id_, value, pushed, cost)
        else:
            frame.charge(cost)
        return value

    return recorded


def plain_name(head: Run, qualifiers: Sequence[Qualifier], id_: int) -> Run:
    """Return a name with selections, which counts all of them; for the frequent case that needs no stack."""
    select = apply(qualifiers)
    gets = tuple(qualifier.get for qualifier in qualifiers)

    def run(frame: Frame) -> Value:
        value = head(frame)
        if type(value) is Optional_:
            value = select(frame, value)
        else:
            for get in gets:
                if type(value) is Error:
                    break
                value = get(frame, value)
        if type(value) is Error:
            value = with_expr_id(value, id_)
        frame.cost += 1
        if frame.cost > frame.limit:
            raise CancelledError(COST_LIMIT_EXCEEDED)
        return value

    return run


def labelled(run: Run, id_: int) -> Run:
    """Add an id to an error without one."""
    return lambda frame: with_expr_id(run(frame), id_)


def dropping(run: Run, dropped: tuple[int, ...], id_: int) -> Run:
    """Record the value of a step without cost that removes values from the stack."""

    def recorded(frame: Frame) -> Value:
        value = with_expr_id(run(frame), id_)
        for argument in dropped:
            frame.drop(argument)
        frame.push(id_, value)
        return value

    return recorded


def call(run: Run, id_: int, cost: Tracker, ids: Sequence[int]) -> Run:
    """Record the value of a call; its cost counts only if its arguments are on the stack."""

    def recorded(frame: Frame) -> Value:
        value = run(frame)
        values = frame.take(ids)
        if values is not None:
            frame.charge(cost(values, value))
        frame.push(id_, value)
        return value

    return recorded


def constructor(run: Run, ids: Sequence[int], id_: int, cost: int, *, stacked: bool) -> Run:
    """Record the value of a list, map or message literal."""

    def recorded(frame: Frame) -> Value:
        value = run(frame)
        if stacked:
            frame.take(ids)
        frame.charge(cost)
        if stacked:
            frame.push(id_, value)
        return value

    return recorded


# The slots of a comprehension: accumulator, whether it grows in place, first and second variable.
SLOTS: Final = 4
_GROWING: Final = frozenset({MutableList, MutableMap})


def accumulator(slot: int, initial: Run) -> Run:
    """Return the function for the accumulator; an initial empty list or map is a mutable one."""

    def run(frame: Frame) -> Value:
        slots = frame.slots
        value = slots[slot]
        if value is MISSING:
            value = initial(frame)
            kind = kind_of(value)
            if kind is Kind.LIST and not len(value):
                value, slots[slot + 1] = MutableList(), True
            elif kind is Kind.MAP and not len(value):
                value, slots[slot + 1] = MutableMap(), True
            slots[slot] = value
        return value

    return run


def variable(slot: int) -> Run:
    """Return the function for an iteration variable."""

    def run(frame: Frame) -> Value:
        return frame.slots[slot]

    return run


def fold(slot: int, range_: Run, loop: Sequence[Run], *, pairs: bool, id_: int, hides_errors: bool) -> Run:
    """Return a comprehension over a range, with one or two variables; see the dialect for `hides_errors`.

    `loop` has its condition, step and result.
    """
    condition, step, result = loop

    def run(frame: Frame) -> Value:
        over = range_(frame)
        if type(over) is Error:
            return _not_a_range(over, pairs=True, id_=id_) if pairs and hides_errors else over
        kind = kind_of(over)
        if kind is not Kind.LIST and kind is not Kind.MAP:
            return _not_a_range(over, pairs=pairs, id_=id_)
        slots = frame.slots
        slots[slot], slots[slot + 1] = MISSING, False
        mark = frame.mark()
        for slots[slot + 2], slots[slot + 3] in _rounds(over, kind, pairs=pairs):
            if condition(frame) is False:
                break
            slots[slot] = step(frame)
        value = result(frame)
        frame.cut(mark)
        if slots[slot + 1] and type(value) is not Error:
            if type(value) is MutableList:
                return list(value)
            if type(value) is MutableMap:
                return value.frozen()
        return value

    return run


def _not_a_range(value: Value, *, pairs: bool, id_: int) -> Error:
    if pairs:
        return Error(f"unsupported comprehension range type: {go_type(value)}", id_)
    return Error(f"got '{go_type(value)}', expected iterable type")


def _rounds(over: Value, kind: Kind, *, pairs: bool) -> Iterator[tuple[Value, Value]]:
    """Return the values of the variables; a list or map that grows in place is iterated over as it was at the start."""
    items = list(over) if type(over) in _GROWING else over
    if not pairs:
        return zip(items, repeat(MISSING))
    keys = range(len(over)) if kind is Kind.LIST else items
    return ((key, select(over, key, test=False)) for key in keys)


_FROM_ACCUMULATOR: Final = frozenset({"_&&_", "_||_", "_+_", "@mapInsert", "cel.@mapInsert"})


def iterations_independent(fold: ast.Comprehension, resolve: Callable[[ast.Call], Implementation | None]) -> bool:
    """Return whether no iteration leaves values on the stack that change the cost of later ones.

    Then the cost can be counted without a stack; `resolve` returns the implementation of a call. cel-go finds the
    arguments of a call on a stack by expression id (see `cost`). If an iteration leaves the value of a name there, the
    same name in the next iteration removes everything above it. That may include arguments of calls that are not
    complete, whose cost is then not counted. The steps of all macros except those with a filter begin with the
    accumulator, and end by removing everything above it. In a filter, the values below pending arguments are removed
    with them, unless an error makes the call stop before its last argument. So only filters with such calls and with
    literals need a stack.
    """
    if type(fold.iter_range) is ast.ListExpr and not fold.iter_range.elements:
        return True
    step = fold.loop_step
    if type(step) is not ast.Call or not _is_plain(fold.loop_condition, fold.accu_var):
        return False
    if step.function in _FROM_ACCUMULATOR:
        return bool(step.args) and _is_name(step.args[0], fold.accu_var)
    return step.function == "_?_:_" and _leaves_nothing(step.args[0], resolve)


def _is_name(expr: ast.Expr, name: str) -> bool:
    return type(expr) is ast.Ident and expr.name == name


def _is_plain(condition: ast.Expr, accu: str) -> bool:
    """Return whether a condition is a constant or reads only the accumulator."""
    while type(condition) is ast.Call and len(condition.args) == 1:
        condition = condition.args[0]
    return type(condition) is ast.Literal or _is_name(condition, accu)


def _leaves_nothing(root: ast.Expr, resolve: Callable[[ast.Call], Implementation | None]) -> bool:
    pending = [root]
    while pending:
        expr = pending.pop()
        if type(expr) is ast.Select:
            pending.append(expr.operand)
        elif type(expr) is ast.Call:
            args = expr.args if expr.target is None else [expr.target, *expr.args]
            if not _call_leaves_nothing(expr, len(args), resolve):
                return False
            pending.extend(args)
        elif type(expr) is ast.ListExpr:
            if len(expr.elements) >= 2:
                return False
            pending.extend(expr.elements)
        elif type(expr) is not ast.Ident and type(expr) is not ast.Literal:
            return False
    return True


def _call_leaves_nothing(call: ast.Call, count: int, resolve: Callable[[ast.Call], Implementation | None]) -> bool:
    if count < 2 or call.function == "_?_:_":
        return True
    resolved = resolve(call)
    return count == 2 and not (resolved is not None and resolved.variadic)
