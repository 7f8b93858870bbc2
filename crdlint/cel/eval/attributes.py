"""Attributes: names with selected fields, keys and indices, and presence tests. Upstream: interpreter/attributes.go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TypeAlias

from crdlint.cel.ast import Uint
from crdlint.cel.errors import NO_SUCH_KEY, Error, no_overload
from crdlint.cel.eval import values
from crdlint.cel.eval.cost import Frame
from crdlint.cel.eval.values import (
    KEYS,
    MISSING,
    NONE,
    PLAIN_LISTS,
    Optional_,
    Value,
    find,
    kind_of,
)
from crdlint.cel.types import Kind
from crdlint.light import NamedTuple, dataclass

Run: TypeAlias = Callable[[Frame], Value]
_Selection: TypeAlias = Callable[[Frame, Value], Value]


class ProgramStep(NamedTuple):
    """A part of a program: its id in the costs, its function, and a bound of the Python stack frames that it needs."""

    id: int
    run: Run
    depth: int


def not_a_key(value: Value) -> str:
    """Return the text of the error for a value that cannot be used to select."""
    return f"invalid qualifier type: {values.go_type(value)}"


def no_such_key(key: Value) -> Error:
    """Return the error for a field or key that is absent."""
    return Error(f"{NO_SUCH_KEY}{values.go_text(key)}")


def select(operand: Value, key: Value, *, test: bool) -> Value:
    """Return the value of a key, index or field of `operand`, or an error as a value. Upstream: interpreter.refQualify.

    With `test`, an absent value is `MISSING` instead of an error.
    """
    kind = kind_of(operand)
    if kind is Kind.MAP:
        value = find(operand, key) if type(operand) is dict else operand.find(key)
        return no_such_key(key) if value is MISSING and not test else value
    if kind is Kind.LIST:
        return _select_index(operand, key, test=test)
    if kind is Kind.ERROR:
        return operand
    own = getattr(operand, "cel_select", None)
    if own is not None:
        return own(key, test=test)
    return MISSING if test else no_such_key(key)


def _select_index(operand: Value, key: Value, *, test: bool) -> Value:
    index = _index(key)
    if type(index) is Error:
        return index
    if not 0 <= index < len(operand):
        return MISSING if test else Error(f"index out of bounds: {values.go_text(key)}")
    if type(operand) in PLAIN_LISTS:
        return operand[index]
    own = getattr(operand, "cel_get", None)
    return operand[index] if own is None else own(key)


def _index(key: Value) -> Value:
    """Return a list index, or an error if the key is not an integer. Upstream: types.IndexOrError."""
    cls = type(key)
    if cls is int:
        return key
    if cls is Uint or cls is float:
        index = values.lossless_int(key)
        return (
            Error(f"unsupported index value {values.go_text(key)} in list")
            if index is None
            else index
        )
    return Error(f"unsupported index type '{values.type_of(key)}' in list")


@dataclass(frozen=True, slots=True)
class Qualifier:
    """One selection.

    `id`: its id.
    `key`: its key, if that is constant.
    `computed`: the function that returns another key: a value of `KEYS`, or an error.
    `optional`: whether an absent value is no error.
    `tests`: whether it is true where a value is present. Upstream: interpreter.testOnlyQualifier.
    `drops`: whether the key is an expression other than a name, whose value is on the stack.
    """

    id: int
    key: Value = None
    computed: Run | None = None
    optional: bool = False
    tests: bool = False
    drops: bool = False

    def select(self, frame: Frame, operand: Value, *, maybe: bool) -> Value:
        """Return the selected value, and record it; if `maybe`, an absent value is `MISSING`, and not recorded."""
        key = self.key if self.computed is None else self.computed(frame)
        value = key if type(key) is Error else select(operand, key, test=maybe or self.tests)
        if maybe and (value is MISSING or type(value) is Error):
            return value
        if self.tests and not maybe and type(value) is not Error:
            value = value is not MISSING
        frame.select(self.id, value, (self.id,) if self.drops else ())
        return value

    def select_from_error(self, frame: Frame, error: Error) -> None:
        """Charge the selection from an operand that is an error, in versions that evaluate the key first."""
        if self.computed is not None:
            self.computed(frame)
        if not self.optional:
            frame.select(self.id, error, (self.id,) if self.drops else ())


def checked_key(run: Run, *, keeps_errors: bool) -> Run:
    """Return a computed key as a key or an error; without `keeps_errors`, its own error becomes one about its type."""

    def checked(frame: Frame) -> Value:
        value = run(frame)
        return (
            value
            if type(value) in KEYS or (type(value) is Error and keeps_errors)
            else Error(not_a_key(value))
        )

    return checked


@dataclass(slots=True)
class Attribute:
    """A name or another expression, with the selections that the planner adds to it. Upstream: interpreter.applyQualifiers.

    `base_id`, `base`: the id and the function of the name or expression.
    `depth`: a bound of the Python stack frames that its function needs.
    `counts_errors`: whether the first selection is recorded if there is an error in place of a value.
    `is_hidden`: whether it is a global variable that a macro hides. cel-go selects from it outside of the macros, where
        it neither counts the selections nor knows the variables of macros.
    `qualifiers`: the selections.
    `test_id`: the id of a presence test, 0 without one.
    """

    base_id: int
    base: Run
    depth: int
    counts_errors: bool = False
    is_hidden: bool = False
    qualifiers: list[Qualifier] = field(default_factory=list)
    test_id: int = 0

    @property
    def id(self) -> int:
        """The id by which cel-go refers to it: that of the last selection."""
        return self.qualifiers[-1].id if self.qualifiers else self.base_id

    def add(self, qualifier: Qualifier) -> None:
        """Add a selection."""
        self.qualifiers.append(qualifier)

    def run(self, *, stacked: bool) -> Run:
        """Return the function that computes the value, without recording it for the cost."""
        has_only_fields = not stacked and self._has_only_fields()
        run = self._of_fields() if has_only_fields else self._of_any_value()
        return _unrecorded(run) if self.is_hidden else run

    def charged(self) -> Run:
        """Return the function that computes the value without a stack, and charges one unit for it."""
        if self._has_only_fields() and not self.is_hidden:
            return self._of_fields(units=1)
        run = self.run(stacked=False)

        def charged(frame: Frame) -> Value:
            value = run(frame)
            frame.charge(1)
            return value

        return charged

    def _has_only_fields(self) -> bool:
        """Return whether all selections are fields by their names, which must be there."""
        return not any(each.computed or each.optional for each in self.qualifiers)

    def _of_any_value(self) -> Run:
        base, selected = self.base, self._selected()
        return lambda frame: selected(frame, base(frame))

    def _of_fields(self, units: int = 0) -> Run:
        """Return the function for the most frequent case: fields by their names; it charges `units` for the last value."""
        base, selected = self.base, self._selected()
        keys = [(each.key, each.tests) for each in self.qualifiers]

        def run(frame: Frame) -> Value:
            value = base(frame)
            is_special = type(value) is Error or type(value) is Optional_
            if is_special:
                value = selected(frame, value)
            for key, tests in () if is_special else keys:
                value = select(value, key, test=tests)
                frame.cost += 1
                if frame.cost > frame.limit:
                    frame.charge(0)
                if type(value) is Error:
                    break
                if tests:
                    value = value is not MISSING
            frame.cost += units
            if frame.cost > frame.limit:
                frame.charge(0)
            return value

        return run

    def _selected(self) -> _Selection:
        """Return the function that selects from the value of the base, which may be an error or an optional value."""
        qualifiers, counts_errors = tuple(self.qualifiers), self.counts_errors

        def selected(frame: Frame, value: Value) -> Value:
            if type(value) is Error:
                if counts_errors and qualifiers:
                    qualifiers[0].select_from_error(frame, value)
                return value
            optional = type(value) is Optional_
            if type(value) is Optional_:
                if value.content is MISSING:
                    return value
                value = values.native(value.content)
            for qualifier in qualifiers:
                optional = optional or qualifier.optional
                value = qualifier.select(frame, value, maybe=optional)
                if value is MISSING:
                    return NONE
                if type(value) is Error:
                    return value
            return Optional_(value) if optional else value

        return selected


def _unrecorded(run: Run) -> Run:
    """Return a function that computes a value, and leaves no cost behind."""

    def unrecorded(frame: Frame) -> Value:
        cost, mark = frame.cost, frame.mark()
        value = run(frame)
        frame.cost = cost
        frame.cut(mark)
        return value

    return unrecorded


@dataclass(slots=True)
class Conditional:
    """`condition ? truthy : falsy`, with selections from either branch. Upstream: interpreter.conditionalAttribute."""

    own_id: int
    condition: ProgramStep
    truthy: Attribute | Conditional
    falsy: Attribute | Conditional
    depth: int
    test_id: int = 0

    @property
    def id(self) -> int:
        """The id by which cel-go refers to it: that of the last selection, or else its own."""
        selected = self.truthy.id
        return selected if selected == self.falsy.id else self.own_id

    def add(self, qualifier: Qualifier) -> None:
        """Add a selection to both branches."""
        self.truthy.add(qualifier)
        self.falsy.add(qualifier)

    def run(self, *, stacked: bool) -> Run:
        """Return the function that computes the value of a branch (see `Attribute`)."""
        condition = self.condition.run
        truthy, falsy = self.truthy.run(stacked=stacked), self.falsy.run(stacked=stacked)

        def run(frame: Frame) -> Value:
            value = condition(frame)
            if value is True:
                return truthy(frame)
            return falsy(frame) if value is False else no_overload(value)

        return run
