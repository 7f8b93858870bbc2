"""The operations of a planned expression as Python functions. Upstream: interpreter/interpretable.go, runtimecost.go.

A `Run` returns the value of an expression. A `Then` takes the value of the first operand and continues with it. So a
chain of calls on calls, however long, is a list of functions and needs no more stack frames than one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.attributes import apply
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.errors import COST_LIMIT_EXCEEDED, NO_OVERLOAD, CancelledError, Error, no_overload, with_expr_id
from crdlint.cel.eval.functions import Resolved, without_trait
from crdlint.cel.eval.values import MISSING, MutableMap, Optional_, go_text, go_type

if TYPE_CHECKING:
    from crdlint.cel.eval.attributes import Qualifier, Run, Then
    from crdlint.cel.eval.cost import Frame, Tracker
    from crdlint.cel.eval.values import Value


_HASHABLE: Final = frozenset({bool, str, float})


def logical(rest: Sequence[Run], id_: int, *, decisive: bool) -> Then:
    """Return `&&` (decided by false) or `||` (by true) with the terms after the first; both absorb errors."""
    terms = tuple(rest)

    def run(frame: Frame, value: Value) -> Value:
        if value is decisive:
            return decisive
        error: Error | None = None if type(value) is bool else _failure(value, id_)
        for term in terms:
            value = term(frame)
            if value is decisive:
                return decisive
            if type(value) is not bool and error is None:
                error = _failure(value, id_)
        return (not decisive) if error is None else error

    return run


def _failure(value: Value, id_: int) -> Error:
    return with_expr_id(no_overload(value), id_)


def differs(left: Value, right: Value) -> Value:
    """Return the result of `!=`; values that cannot be compared differ."""
    return equal(left, right) is not True


def nullary(call: Callable[[], Value], id_: int, cost: Tracker | None) -> Run:
    """Return a call without arguments; if `cost` is given, the call is charged."""

    def run(frame: Frame) -> Value:
        result = with_expr_id(call(), id_)
        if cost is not None:
            frame.charge(cost((), result))
        return result

    return run


def unary(resolved: Resolved, id_: int, cost: Tracker | None, *, in_advance: bool = False) -> Then:
    """Return a call with one argument; if `cost` is given, the call is charged, before it is made if `in_advance`."""
    call, strict = resolved.call, resolved.strict

    def run(_: Frame, value: Value) -> Value:
        if strict and type(value) is Error:
            return value
        result = call(value)
        return with_expr_id(result, id_) if type(result) is Error else result

    if cost is None:
        return run

    def counted(frame: Frame, value: Value) -> Value:
        if in_advance:
            frame.reserve_cost(cost((value,), None))
        result = run(frame, value)
        frame.charge(cost((value,), result))
        return result

    return counted


def binary(resolved: Resolved, second: Run, id_: int, cost: Tracker | None, *, in_advance: bool) -> Then:
    """Return a call with two arguments, both of which are evaluated; `cost` is charged as in `unary`."""
    call, strict = resolved.call, resolved.strict

    def run(frame: Frame, first: Value) -> Value:
        other = second(frame)
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


def variadic(resolved: Resolved, rest: Sequence[Run], id_: int, cost: Tracker | None) -> Then:
    """Return a call that evaluates no arguments after an error; `cost` is charged if all were evaluated."""
    call, strict = resolved.call, resolved.strict
    others = tuple(rest)

    def run(frame: Frame, first: Value) -> Value:
        value, values = first, [first]
        for other in others:
            if strict and type(value) is Error:
                return value
            value = other(frame)
            values.append(value)
        result = value if strict and type(value) is Error else call(*values)
        if type(result) is Error:
            result = with_expr_id(result, id_)
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


def list_of(rest: Sequence[Run], optional: frozenset[int], id_: int) -> Then:
    """Return a list literal with the elements after the first."""
    others = tuple(rest)

    def run(frame: Frame, value: Value) -> Value:
        result: list[Value] = []
        for index in range(len(others) + 1):
            if index:
                value = others[index - 1](frame)
            if index in optional:
                value = _unwrapped(value, MISSING, id_)
            if type(value) is Error:
                return value
            if value is not MISSING:
                result.append(value)
        return result

    return run


def map_of(rest: Sequence[Run], optional: frozenset[int], id_: int) -> Then:
    """Return a map literal; `rest` contains the first value, then further keys and values in turn."""
    others = tuple(rest)

    def run(frame: Frame, key: Value) -> Value:
        entries = MutableMap()
        for index in range(0, len(others), 2):
            if index:
                key = others[index - 1](frame)
            if type(key) is Error:
                return key
            value = others[index](frame)
            if index // 2 in optional:
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
    rest: Sequence[Run],
    optional: frozenset[int],
    id_: int,
) -> Then:
    """Return a message literal with the fields after the first."""
    others = tuple(rest)

    def run(frame: Frame, value: Value) -> Value:
        values: dict[str, Value] = {}
        for index, name in enumerate(fields):
            if index:
                value = others[index - 1](frame)
            if index in optional:
                value = _unwrapped(value, name, id_)
            if type(value) is Error:
                return value
            values[name] = value
            if value is MISSING:
                del values[name]
        return with_expr_id(build(values), id_)

    return run


def membership(members: frozenset[tuple[type, Value]]) -> Then:
    """Return `value in list` for a list of constants. Upstream: interpreter.evalSetMembership."""

    def run(_: Frame, value: Value) -> Value:
        cls = type(value)
        if cls is Error:
            return value
        if cls is bytes:
            raise CancelledError("internal error: runtime error: hash of unhashable type types.Bytes")
        if cls is str or cls in _HASHABLE or isinstance(value, int):
            return (cls, value) in members
        return False

    return run


def or_optional(second: Run, *, unwrap: bool) -> Then:
    """Return `or` of two optionals, or `orValue` of an optional and a value; the second is evaluated only if needed."""

    def run(frame: Frame, first: Value) -> Value:
        if type(first) is not Optional_:
            return first
        if first.has_value:
            return first.content if unwrap else first
        return second(frame)

    return run


def not_a_range(value: Value, *, pairs: bool, id_: int) -> Error:
    """Return the error for a comprehension over a value that is neither a list nor a map."""
    if pairs:
        return Error(f"unsupported comprehension range type: {go_type(value)}", id_)
    return Error(f"got '{go_type(value)}', expected iterable type")


def attribute(id_: int, test_id: int, *, stacked: bool) -> Then:
    """Return a function that records an attribute; `test_id` is not 0 for a presence test, which costs nothing."""
    pushed, cost = (test_id, 0) if test_id else (id_, 1)

    def run(frame: Frame, value: Value) -> Value:
        if type(value) is Error:
            value = with_expr_id(value, pushed)
        elif test_id and type(value) is Optional_:
            value = value.has_value
        if stacked:
            frame.attribute(id_, value, pushed, cost)
        else:
            frame.charge(cost)
        return value

    return run


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


def dropping(dropped: tuple[int, ...], id_: int) -> Then:
    """Return a function that records a step without cost that removes values from the stack."""

    def run(frame: Frame, value: Value) -> Value:
        if type(value) is Error:
            value = with_expr_id(value, id_)
        for argument in dropped:
            frame.drop(argument)
        frame.push(id_, value)
        return value

    return run


def call(id_: int, cost: Tracker, ids: tuple[int, ...]) -> Then:
    """Return a function that records a call; its cost counts only if its arguments are on the stack."""

    def run(frame: Frame, value: Value) -> Value:
        values = frame.take(ids)
        if values is not None:
            frame.charge(cost(values, value))
        frame.push(id_, value)
        return value

    return run


def constructor(ids: tuple[int, ...], id_: int, cost: int, *, stacked: bool) -> Then:
    """Return a function that records a list, map or message literal."""

    def run(frame: Frame, value: Value) -> Value:
        if stacked:
            frame.take(ids)
        frame.charge(cost)
        if stacked:
            frame.push(id_, value)
        return value

    return run
