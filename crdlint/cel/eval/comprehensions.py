"""Comprehensions: the accumulator, made when first asked for, and the rounds (evalFold in interpreter/interpretable.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.attributes import select
from crdlint.cel.eval.errors import Error
from crdlint.cel.eval.steps import not_a_range
from crdlint.cel.eval.values import MISSING, MutableList, MutableMap, element, kind_of
from crdlint.cel.types import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.cel.eval.attributes import Run, Then
    from crdlint.cel.eval.frame import Frame
    from crdlint.cel.eval.values import Value

# The slots of a comprehension: accumulator, whether it grows in place, first and second variable.
SLOTS: Final = 4
_GROWING: Final = frozenset({MutableList, MutableMap})


def accumulator(slot: int, initial: Run) -> Run:
    """Return what gives the accumulator; an empty list or map that it begins with is one to add to in place."""

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
    """Return what gives a variable of a round."""

    def run(frame: Frame) -> Value:
        return frame.slots[slot]

    return run


def fold(slot: int, condition: Run, step: Run, result: Run, *, pairs: bool, id_: int) -> Then:
    """Return the comprehension over a value, with one or two variables."""

    def run(frame: Frame, over: Value) -> Value:
        if type(over) is Error:
            return over
        kind = kind_of(over)
        if kind is not Kind.LIST and kind is not Kind.MAP:
            return not_a_range(over, pairs=pairs, id_=id_)
        slots = frame.slots
        slots[slot], slots[slot + 1] = MISSING, False
        mark = frame.mark()
        if pairs:
            for slots[slot + 2], slots[slot + 3] in _pairs(over, kind):
                going_on = condition(frame)
                if going_on is not True and type(going_on) is bool:
                    break
                slots[slot] = step(frame)
        else:
            # What grows in place is gone through as it was.
            for slots[slot + 2] in list(over) if type(over) in _GROWING else over:
                going_on = condition(frame)
                if going_on is not True and type(going_on) is bool:
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


def _pairs(over: Value, kind: Kind) -> Iterator[tuple[Value, Value]]:
    if kind is Kind.MAP:
        keys = list(over) if type(over) in _GROWING else over
        return ((key, select(over, key, test=False)) for key in keys)
    return ((index, element(over, index)) for index in range(len(over)))
