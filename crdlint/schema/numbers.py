"""Checks of numbers (kube-openapi pkg/validation/validate: numberValidator, values.go; swag v0.23's conversions).

Bounds are float64 in a schema. For an integer they are cut to int64 where they lie in the range of the schema's type.
"""

from __future__ import annotations

from math import isinf, isnan
from typing import TYPE_CHECKING, Any, Final

from crdlint.crd.errors import Code, Reason
from crdlint.golang.numbers import format_float
from crdlint.schema.value_errors import Violation, invalid, nowhere

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from crdlint.crd.model import JSONSchemaProps
    from crdlint.schema.value_errors import ValuePath

    Check: TypeAlias = Callable[[Any, ValuePath, list[Violation]], None]

_MIN_INT64: Final = -(2**63)
_MAX_INT64: Final = 2**63 - 1
_SAFE: Final = 2**53 - 1
_EPSILON: Final = 1e-9
_MAX_FLOAT: Final = 1.7976931348623157e308
_FLOAT32_OVERFLOW: Final = 2.0**128 - 2.0**103  # from here on a float64 rounds to no float32
_FORMATS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


def integer_range(format_: str) -> tuple[int, int]:
    """Return the least and the greatest integer of a format, those of int64 for any other than int32."""
    return (-(2**31), 2**31 - 1) if format_ == "int32" else (_MIN_INT64, _MAX_INT64)


def to_int64(value: float) -> int:
    """Return Go's int64 of a float64: without its fraction; of what does not fit amd64 makes the least int64."""
    return int(value) if _MIN_INT64 <= value < 2.0**63 else _MIN_INT64


def is_json_integer(value: float) -> bool:
    """Tell whether a float64 counts as an integer (swag.IsFloat64AJSONInteger): so does one a little above a whole."""
    if isnan(value) or isinf(value) or not -_SAFE <= value <= _SAFE:
        return False
    if value == int(value):
        return True
    # A negative number wraps around on its way to uint64.
    if not int(value):
        return False
    whole = float(int(value) if value > 0 else int(value) + 2**64)
    return abs(value - whole) / min(abs(value) + whole, _MAX_FLOAT) < _EPSILON


def checks(schema: JSONSchemaProps, types: tuple[str, ...], format_: str, kind: type) -> list[Check]:
    """Return the checks of a number that is an ``int`` or a ``float``, in upstream's order."""
    type_ = types[0] if len(types) == 1 and types[0] in _FORMATS else ""
    if format_ not in _FORMATS.get(type_, ()):
        format_ = ""
    found: list[Check] = []
    if (type_ == "integer" and (kind is float or format_ == "int32")) or format_ == "float":
        found.append(_in_range(type_, format_))
    for bound, what, check in (
        (schema.multiple_of, "MultipleOf", _multiple_of),
        (schema.minimum, "Minimum boundary", _minimum),
        (schema.maximum, "Maximum boundary", _maximum),
    ):
        if bound is None:
            continue
        fits = _fits(bound, type_, format_)
        if not fits:
            found.append(_misfit(what, type_, format_))
        native = fits and kind is int
        found.append(check(schema, to_int64(bound) if native else bound, as_float=not fits))
    return found


def _fits(value: float, type_: str, format_: str) -> bool:
    """Tell whether a number lies in the range of its type and format (IsValueValidAgainstRange)."""
    if type_ == "integer":
        low, high = integer_range(format_)
        return value == int(value) and low <= int(value) <= high
    return format_ != "float" or abs(value) < _FLOAT32_OVERFLOW


_OF_VALUE: Final = "Checked"


def _misfit(what: str, type_: str, format_: str) -> Check:
    as_format = f"with format {format_}" if format_ else "(default format)"

    # Of the schema's own numbers, which no value can change, there is none.
    reason = Reason(Code.RANGE, (type_, format_)) if what == _OF_VALUE else None

    def add(_value: float, place: ValuePath, found: list[Violation]) -> None:
        found.append(nowhere(place, lambda text: f"{what} value must be of type {type_} {as_format} in {text}", reason))

    return add


def _in_range(type_: str, format_: str) -> Check:
    add = _misfit(_OF_VALUE, type_, format_)

    def check(value: float, place: ValuePath, found: list[Violation]) -> None:
        if not _fits(value, type_, format_):
            add(value, place, found)

    return check


def _shown(number: float) -> str:
    return format_float(number) if number.__class__ is float else str(number)


def _minimum(schema: JSONSchemaProps, bound: float, *, as_float: bool) -> Check:
    exclusive = schema.exclusive_minimum
    reason = Reason(Code.LEAST, (_shown(bound), exclusive))
    words = f"should be greater than{'' if exclusive else ' or equal to'} {_shown(bound)}"

    def check(value: float, place: ValuePath, found: list[Violation]) -> None:
        given = float(value) if as_float else value
        if given < bound or (exclusive and given == bound):
            found.append(invalid(place, given, words, reason))

    return check


def _maximum(schema: JSONSchemaProps, bound: float, *, as_float: bool) -> Check:
    exclusive = schema.exclusive_maximum
    reason = Reason(Code.MOST, (_shown(bound), exclusive))
    words = f"should be less than{'' if exclusive else ' or equal to'} {_shown(bound)}"

    def check(value: float, place: ValuePath, found: list[Violation]) -> None:
        given = float(value) if as_float else value
        if given > bound or (exclusive and given == bound):
            found.append(invalid(place, given, words, reason))

    return check


def _multiple_of(_schema: JSONSchemaProps, factor: float, *, as_float: bool) -> Check:
    shown = _shown(factor)
    reason = Reason(Code.MULTIPLE, (shown,))

    def check(value: float, place: ValuePath, found: list[Violation]) -> None:
        given = float(value) if as_float else value
        if factor <= 0:
            found.append(_not_positive(place, factor, shown))
        elif isinstance(factor, int):
            if given % factor:
                found.append(invalid(place, given, f"should be a multiple of {shown}", reason))
        elif not is_json_integer(1 / factor * given if factor < 1 else given / factor):
            found.append(invalid(place, given, f"should be a multiple of {shown}", reason))

    return check


def _not_positive(place: ValuePath, factor: float, shown: str) -> Violation:
    return Violation(
        "FieldValueInvalid",
        place,
        factor,
        lambda text: f"factor MultipleOf declared for {text} must be positive: {shown}",
    )
