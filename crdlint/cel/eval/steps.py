"""The operations of a planned expression as Python functions. Upstream: interpreter/interpretable.go, runtimecost.go.

A `Run` returns the value of an expression. The functions here make a `Step` from those of its operands: it also records
the value in the frame, and charges its cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from typing import Final

from crdlint.cel import ast
from crdlint.cel.decls import Implementation
from crdlint.cel.errors import NO_OVERLOAD, NO_SUCH_OVERLOAD, CancelledError, Error, no_overload
from crdlint.cel.eval.attributes import Attribute, Conditional, ProgramStep, Run, select
from crdlint.cel.eval.cost import Frame, Tracker
from crdlint.cel.eval.equality import equal
from crdlint.cel.eval.functions import without_trait
from crdlint.cel.eval.values import (
    MISSING,
    MutableList,
    MutableMap,
    Optional_,
    Value,
    go_text,
    go_type,
    kind_of,
)
from crdlint.cel.types import Kind

_HASHABLE: Final = frozenset({bool, str, float})
LEAF_DEPTH: Final = 6
# The frames of an operation above those of its operands.
_STEP_DEPTH: Final = 2


def depth_over(operands: Sequence[ProgramStep | Attribute | Conditional]) -> int:
    """Return the depth of an operation on some operands."""
    return max((operand.depth for operand in operands), default=LEAF_DEPTH) + _STEP_DEPTH


def always(value: Value) -> Run:
    """Return a constant."""
    return lambda _: value


def differs(left: Value, right: Value) -> Value:
    """Return the result of `!=`; values that cannot be compared differ."""
    return equal(left, right) is not True


def _call_of_one(
    implementation: Implementation,
    args: Sequence[ProgramStep],
    cost: Tracker,
    *,
    in_advance: bool,
) -> Run:
    """Return the function of a call with one argument, which is charged for what it is made with."""
    function, argument = implementation.call, args[0].run
    error_class = Error if implementation.strict else None

    def run(frame: Frame) -> Value:
        value = argument(frame)
        units = cost((value,), None) if in_advance else None
        if units is not None:
            frame.reserve_cost(units)
        result = value if type(value) is error_class else function(value)
        frame.charge(cost((value,), result) if units is None else units)
        return result

    return run


def _call_of_two(
    implementation: Implementation,
    args: Sequence[ProgramStep],
    cost: Tracker,
    *,
    in_advance: bool,
) -> Run:
    """Return the function of a call with two arguments, which is charged for those that it is made with."""
    function = implementation.call
    error_class = Error if implementation.strict else None
    first, second = (arg.run for arg in args)

    def run(frame: Frame) -> Value:
        left, right = values = first(frame), second(frame)
        units = cost(values, None) if in_advance else None
        if units is not None:
            frame.reserve_cost(units)
        if type(left) is error_class:
            result = left
        elif type(right) is error_class:
            result = right
        else:
            result = function(left, right)
        frame.charge(cost(values, result) if units is None else units)
        return result

    return run


# By the number of arguments: calls that need no stack.
_QUICK_CALLS: Final = {1: _call_of_one, 2: _call_of_two}


def stops(implementation: Implementation, count: int) -> bool:
    """Return whether an error in an argument stops a call with `count` arguments, and leaves those before it on the stack."""
    return count > 1 and (implementation.variadic or count > 2)


def missing(function: str, id_: int, *, variadic: bool) -> Implementation:
    """Return what a call without an implementation runs, which returns an error."""
    text = f"{function} {id_}" if variadic else function

    def call(first: Value, *_: Value) -> Value:
        error = without_trait(function, first)
        return error if error is NO_OVERLOAD else Error(f"no such overload: {text}")

    return Implementation(call, variadic=variadic)


def _unwrapped(value: Value, entry: Value) -> Value:
    """Return the content of an optional, which may be `MISSING`, or an error; `entry` is `MISSING` for an element of a list."""
    if type(value) is Optional_:
        return value.content
    if type(value) is Error:
        return value
    target = "list element" if entry is MISSING else f"entry '{go_text(entry)}'"
    return Error(f"cannot initialize optional {target} from non-optional value {go_text(value)}")


def list_of(parts: Sequence[Run], optional: frozenset[int]) -> Run:
    """Return a list literal."""

    def run(frame: Frame) -> Value:
        result: list[Value] = []
        for index, part in enumerate(parts):
            value = part(frame)
            if index in optional:
                value = _unwrapped(value, MISSING)
            if type(value) is Error:
                return value
            if value is not MISSING:
                result.append(value)
        return result

    return run


def map_of(
    keys: Sequence[Run],
    parts: Sequence[Run],
    optional: frozenset[int],
    build: Callable[[MutableMap], Value],
) -> Run:
    """Return a map or message literal, which `build` makes of its entries."""
    pairs = list(zip(keys, parts, strict=True))

    def run(frame: Frame) -> Value:
        entries = MutableMap()
        for index, (key_of, value_of) in enumerate(pairs):
            key = key_of(frame)
            if type(key) is Error:
                return key
            value = value_of(frame)
            if index in optional:
                value = _unwrapped(value, key)
            if type(value) is Error:
                return value
            if value is MISSING:
                entries.remove(key)
            else:
                entries.insert(key, value)
        return build(entries)

    return run


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


def _rounds(over: Value, kind: Kind, *, pairs: bool) -> Iterator[tuple[Value, Value]]:
    """Return the values of the variables; a list or map that grows in place is iterated over as it was at the start."""
    items = list(over) if type(over) in _GROWING else over
    if not pairs:
        return zip(items, repeat(MISSING))
    keys = range(len(over)) if kind is Kind.LIST else items
    return ((key, select(over, key, test=False)) for key in keys)


def is_filter(loop_step: ast.Expr) -> bool:
    """Return whether values that an iteration leaves on the stack may change the cost of later ones.

    The step of any other macro begins with the accumulator, and ends by removing everything above it.
    """
    return type(loop_step) is ast.Call and loop_step.function == "_?_:_"


class StepMaker:
    """Makes the steps of a program; they keep cel-go's stack if `stacked`, which frames must have then."""

    def __init__(self, *, stacked: bool) -> None:
        self._stacked: Final = stacked

    def free(
        self,
        id_: int,
        run: Run,
        depth: int,
        dropped: Sequence[int] = (),
    ) -> ProgramStep:
        """Return a step without cost, which removes values from the stack."""
        if not self._stacked:
            return ProgramStep(id_, run, depth)

        def recorded(frame: Frame) -> Value:
            value = run(frame)
            frame.put(id_, value, dropped)
            return value

        return ProgramStep(id_, recorded, depth)

    def conditional(self, planned: Conditional) -> ProgramStep:
        """Return `a ? b : c`, with the selections from it."""
        dropped = (planned.falsy.id, planned.truthy.id, planned.condition.id)
        run = planned.run(stacked=self._stacked)
        return self.free(planned.id, run, planned.depth, dropped)._replace(
            id=planned.test_id or planned.id
        )

    def attribute(self, planned: Attribute) -> ProgramStep:
        """Return a name or another expression with its selections; a presence test costs nothing itself."""
        id_, test_id = planned.id, planned.test_id
        if not (self._stacked or test_id):
            return ProgramStep(id_, planned.charged(), planned.depth)
        run, dropped = planned.run(stacked=self._stacked), (id_,)

        def selected(frame: Frame) -> Value:
            value = run(frame)
            frame.select(id_, value, dropped)
            return value

        def tested(frame: Frame) -> Value:
            value = run(frame)
            return value.has_value if type(value) is Optional_ else value

        return (
            self.free(test_id, tested, planned.depth, dropped)
            if test_id
            else ProgramStep(id_, selected, planned.depth)
        )

    def logical(self, id_: int, terms: Sequence[ProgramStep], *, decisive: bool) -> ProgramStep:
        """Return `&&` (decided by false) or `||` (by true); both absorb errors."""
        runs = [term.run for term in terms]

        def run(frame: Frame) -> Value:
            error: Error | None = None
            for term in runs:
                value = term(frame)
                if value is decisive:
                    return decisive
                if type(value) is not bool and error is None:
                    error = no_overload(value)
            return (not decisive) if error is None else error

        return self.free(
            id_,
            run,
            depth_over(terms),
            [term.id for term in terms],
        )

    def call(
        self,
        id_: int,
        implementation: Implementation,
        args: Sequence[ProgramStep],
        cost: Tracker,
        *,
        in_advance: bool,
    ) -> ProgramStep:
        """Return a call; one with many arguments evaluates none after an error.

        The cost counts only if all arguments are on the stack; if `in_advance`, a call beyond the limit is not made.
        """
        is_variadic = stops(implementation, len(args))
        depth = depth_over(args)
        quick_call = None if is_variadic or self._stacked else _QUICK_CALLS.get(len(args))
        if quick_call is not None:
            quick = quick_call(
                implementation,
                args,
                cost,
                in_advance=in_advance,
            )
            return ProgramStep(id_, quick, depth)
        function, strict = implementation.call, implementation.strict
        runs, ids = [arg.run for arg in args], [arg.id for arg in args]

        def run(frame: Frame) -> Value:
            values: list[Value] = []
            result: Value = MISSING
            for arg in runs:
                value = arg(frame)
                values.append(value)
                if strict and type(value) is Error and result is MISSING:
                    result = value
                    if is_variadic:
                        break
            arguments, units = frame.take(ids, values), None
            if arguments is not None and in_advance:
                units = cost(arguments, None)
                frame.reserve_cost(units)
            if result is MISSING:
                result = function(*values)
            if arguments is not None:
                frame.charge(cost(arguments, result) if units is None else units)
            frame.put(id_, result)
            return result

        return ProgramStep(id_, run, depth)

    def constructor(
        self,
        id_: int,
        run: Run,
        parts: Sequence[ProgramStep],
        cost: int,
    ) -> ProgramStep:
        """Return a list, map or message literal with a cost."""
        ids = [part.id for part in parts]

        def recorded(frame: Frame) -> Value:
            value = run(frame)
            frame.take(ids, ())
            frame.charge(cost)
            frame.put(id_, value)
            return value

        return ProgramStep(id_, recorded, depth_over(parts))

    def membership(
        self, id_: int, operand: ProgramStep, members: frozenset[tuple[type, Value]]
    ) -> ProgramStep:
        """Return `operand in list` for a list of constants. Upstream: interpreter.evalSetMembership."""

        def run(frame: Frame) -> Value:
            value = operand.run(frame)
            cls = type(value)
            if cls is Error:
                return value
            if cls is bytes:
                raise CancelledError(
                    "internal error: runtime error: hash of unhashable type types.Bytes"
                )
            if cls is str or cls in _HASHABLE or isinstance(value, int):
                return (cls, value) in members
            return False

        return self.free(id_, run, depth_over([operand]))

    def or_optional(
        self,
        id_: int,
        operands: Sequence[ProgramStep],
        *,
        unwrap: bool,
        rejects_values: bool,
    ) -> ProgramStep:
        """Return `or` of two optionals, or `orValue` of an optional and a value; the second is evaluated only if needed.

        `rejects_values` is of the dialect.
        """
        optional, other = operands

        def run(frame: Frame) -> Value:
            first = optional.run(frame)
            if type(first) is not Optional_:
                is_rejected = rejects_values and type(first) is not Error
                return Error(NO_SUCH_OVERLOAD) if is_rejected else first
            if first.has_value:
                return first.content if unwrap else first
            return other.run(frame)

        return self.free(id_, run, depth_over(operands))

    def fold(
        self,
        id_: int,
        slot: int,
        operands: Sequence[ProgramStep],
        *,
        pairs: bool,
        hides_errors: bool,
    ) -> ProgramStep:
        """Return a comprehension of `operands`: initial value, range, condition, step and result.

        `hides_errors` is of the dialect.
        """
        _, over_range, condition, step, result = operands

        def run(frame: Frame) -> Value:
            over = over_range.run(frame)
            if type(over) is Error and not (pairs and hides_errors):
                return over
            kind = kind_of(over)
            if kind is not Kind.LIST and kind is not Kind.MAP:
                unsupported = f"unsupported comprehension range type: {go_type(over)}"
                return Error(
                    unsupported if pairs else f"got '{go_type(over)}', expected iterable type"
                )
            slots = frame.slots
            slots[slot], slots[slot + 1] = MISSING, False
            mark = frame.mark()
            for slots[slot + 2], slots[slot + 3] in _rounds(over, kind, pairs=pairs):
                if condition.run(frame) is False:
                    break
                slots[slot] = step.run(frame)
            value = result.run(frame)
            frame.cut(mark)
            if slots[slot + 1] and type(value) is not Error:
                if type(value) is MutableList:
                    return list(value)
                if type(value) is MutableMap:
                    return value.frozen()
            return value

        return self.free(id_, run, depth_over(operands), [over_range.id])
