"""Attributes: names with selected fields, keys and indices, and presence tests. Upstream: interpreter/attributes.go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from crdlint.cel.ast import Uint
from crdlint.cel.eval import values
from crdlint.cel.eval.cost import Frame
from crdlint.cel.eval.errors import NO_SUCH_KEY, Error, no_overload
from crdlint.cel.eval.values import KEYS, MISSING, NONE, PLAIN_LISTS, Optional_, Value, find, kind_of
from crdlint.cel.types import Kind

Run: TypeAlias = Callable[[Frame], Value]
Then: TypeAlias = Callable[[Frame, Value], Value]
Note: TypeAlias = Callable[[Frame, int, Value], None]


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
        value = find(operand, key)
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
    if cls is Uint:
        return int(key) if key < 2**63 else Error(f"unsupported index value {values.go_text(key)} in list")
    if cls is float:
        index = values.lossless_int(key)
        return Error(f"unsupported index value {values.go_text(key)} in list") if index is None else index
    return Error(f"unsupported index type '{values.type_of(key)}' in list")


@dataclass(frozen=True, slots=True)
class Qualifier:
    """One selection: if the value is absent, `get` returns an error and `maybe` returns `MISSING`."""

    id: int
    optional: bool
    get: Then
    maybe: Then


def constant(id_: int, key: Value, *, optional: bool, note: Note) -> Qualifier:
    """Return a selection by a constant key."""

    def get(frame: Frame, operand: Value) -> Value:
        if type(operand) is dict:
            value = operand.get(key, MISSING) if type(key) is str else MISSING
            if value is MISSING:
                value = no_such_key(key)
        else:
            value = select(operand, key, test=False)
        note(frame, id_, value)
        return value

    return Qualifier(id_, optional, get, _noted_if_found(_test(key), id_, note))


def _test(key: Value) -> Then:
    return lambda _, operand: select(operand, key, test=True)


def _noted_if_found(test: Then, id_: int, note: Note) -> Then:
    """Return a selection that records only a value that is present."""

    def maybe(frame: Frame, operand: Value) -> Value:
        value = test(frame, operand)
        if value is not MISSING and type(value) is not Error:
            note(frame, id_, value)
        return value

    return maybe


def presence(id_: int, key: Value, *, note: Note) -> Qualifier:
    """Return a presence test; an absent value is not an error. Upstream: interpreter.testOnlyQualifier."""
    test = _test(key)

    def get(frame: Frame, operand: Value) -> Value:
        value = test(frame, operand)
        result = value if type(value) is Error else value is not MISSING
        note(frame, id_, result)
        return result

    return Qualifier(id_, False, get, _noted_if_found(test, id_, note))


def computed(id_: int, key: Run, *, optional: bool, note: Note, relative: bool, keeps_errors: bool = True) -> Qualifier:
    """Return a selection by a key that is evaluated; `relative` if the key is an expression other than a name.

    Without `keeps_errors`, the error of the key is replaced by one about its type.
    """

    def evaluated(frame: Frame, operand: Value, *, test: bool) -> Value:
        value = key(frame)
        if type(value) is Error and keeps_errors:
            return value
        return select(operand, value, test=test) if type(value) in KEYS else Error(not_a_key(value))

    def noted(frame: Frame, selected: int, value: Value) -> None:
        if relative:
            frame.drop(selected)
        note(frame, selected, value)

    def get(frame: Frame, operand: Value) -> Value:
        value = evaluated(frame, operand, test=False)
        noted(frame, id_, value)
        return value

    return Qualifier(id_, optional, get, _noted_if_found(partial(evaluated, test=True), id_, noted))


def apply(qualifiers: Sequence[Qualifier]) -> Then:
    """Return a function that applies the selections in turn to a value. Upstream: interpreter.applyQualifiers."""

    def run(frame: Frame, value: Value) -> Value:
        optional = False
        if type(value) is Optional_:
            if value.content is MISSING:
                return value
            value, optional = values.native(value.content), True
        elif type(value) is Error:
            return value
        for qualifier in qualifiers:
            if optional or qualifier.optional:
                optional = True
                value = qualifier.maybe(frame, value)
                if value is MISSING:
                    return NONE
            else:
                value = qualifier.get(frame, value)
            if type(value) is Error:
                return value
        return Optional_(value) if optional else value

    return run


@dataclass(slots=True)
class Attribute:
    """A name or another expression, with the selections that the planner adds to it.

    `depth` bounds the number of Python stack frames that its function needs.
    """

    base_id: int
    base: Run
    depth: int
    is_name: bool = False
    qualifiers: list[Qualifier] = field(default_factory=list)
    test_id: int = 0
    note_error: Note | None = None

    @property
    def id(self) -> int:
        """The id by which cel-go refers to it: that of the last selection."""
        return self.qualifiers[-1].id if self.qualifiers else self.base_id

    def add(self, qualifier: Qualifier) -> None:
        """Add a selection."""
        self.qualifiers.append(qualifier)

    def run(self) -> Run:
        """Return the function that computes the value, without recording it for the cost."""
        operand, selected = self.operand(), apply(self.qualifiers)
        return lambda frame: selected(frame, operand(frame))

    def operand(self) -> Run:
        """Return the function for the operand of selections; `note_error` records one selection from an error."""
        base, note = self.base, self.note_error
        if note is None or not self.qualifiers:
            return base
        id_ = self.qualifiers[0].id

        def run(frame: Frame) -> Value:
            value = base(frame)
            if type(value) is Error:
                note(frame, id_, value)
            return value

        return run


@dataclass(slots=True)
class Conditional:
    """`condition ? truthy : falsy`, with selections from either branch. Upstream: interpreter.conditionalAttribute."""

    own_id: int
    condition_id: int
    condition: Run
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

    def run(self) -> Run:
        """Return the function that computes the value of a branch (see `Attribute`)."""
        condition, truthy, falsy = self.condition, self.truthy.run(), self.falsy.run()

        def run(frame: Frame) -> Value:
            value = condition(frame)
            if value is True:
                return truthy(frame)
            return falsy(frame) if value is False else no_overload(value)

        return run
