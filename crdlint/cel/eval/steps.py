"""The operations of a planned expression as Python functions. Upstream: interpreter/interpretable.go, runtimecost.go.

A `Run` returns the value of an expression. The functions here make one from those of its operands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from crdlint.cel.eval.attributes import Qualifier, Run, apply
from crdlint.cel.eval.cost import Frame, Tracker
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.errors import COST_LIMIT_EXCEEDED, NO_OVERLOAD, CancelledError, Error, no_overload, with_expr_id
from crdlint.cel.eval.functions import Resolved, without_trait
from crdlint.cel.eval.values import MISSING, MutableMap, Optional_, Value, go_text

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


def unary(resolved: Resolved, argument: Run, id_: int, cost: Tracker | None, *, in_advance: bool = False) -> Run:
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


def binary(resolved: Resolved, args: Sequence[Run], id_: int, cost: Tracker | None, *, in_advance: bool) -> Run:
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


def variadic(resolved: Resolved, args: Sequence[Run], id_: int, cost: Tracker | None) -> Run:
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


def missing(function: str, id_: int, *, variadic: bool) -> Resolved:
    """Return what a call without an implementation runs, which returns an error."""
    text = f"{function} {id_}" if variadic else function

    def call(first: Value, *_: Value) -> Value:
        error = without_trait(function, first)
        return error if error is NO_OVERLOAD else Error(f"no such overload: {text}", id_)

    return Resolved(call, strict=True, variadic=variadic)


def _unwrapped(value: Value, entry: Value, id_: int) -> Value:
    """Return the content of an optional, which may be `MISSING`, or an error; `entry` is `MISSING` for an element of a list."""
    if type(value) is Optional_:
        return value.content
    if type(value) is Error:
        return value
    target = "list element" if entry is MISSING else f"entry '{go_text(entry)}'"
    return Error(f"cannot initialize optional {target} from non-optional value {go_text(value)}", id_)


def list_of(elements: Sequence[Run], optional: frozenset[int], id_: int) -> Run:
    """Return a list literal."""

    def run(frame: Frame) -> Value:
        result: list[Value] = []
        for index, element in enumerate(elements):
            value = element(frame)
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
