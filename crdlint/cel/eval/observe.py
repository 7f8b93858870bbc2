"""Functions that record each step for the cost. Upstream: costTrackerFactory.Observe in interpreter/runtimecost.go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.cel.eval.attributes import apply
from crdlint.cel.eval.errors import COST_LIMIT_EXCEEDED, CancelledError, Error, with_expr_id
from crdlint.cel.eval.values import Optional_

if TYPE_CHECKING:
    from collections.abc import Sequence

    from crdlint.cel.eval.attributes import Qualifier, Run, Then
    from crdlint.cel.eval.cost import Tracker
    from crdlint.cel.eval.frame import Frame
    from crdlint.cel.eval.values import Value


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
