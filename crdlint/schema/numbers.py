"""Validation of numbers. Upstream: kube-openapi pkg/validation/validate (numberValidator, values.go), swag v0.23.

Bounds are float64 in a schema. For an integer, they are converted to int64 if they are in the range of the schema's type.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial
from operator import gt, lt
from typing import Any, Final, TypeAlias

from crdlint.crd.errors import INVALID, Code, Reason
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import ValuePath
from crdlint.golang.printing import format_float, is_json_integer
from crdlint.schema.value_errors import Violation, invalid, nowhere

Check: TypeAlias = Callable[[Any, ValuePath, list[Violation]], None]

_MIN_INT64: Final = -(2**63)
_MAX_INT64: Final = 2**63 - 1
_FLOAT32_OVERFLOW: Final = 2.0**128 - 2.0**103  # larger numbers cannot be rounded to a float32
FORMATS: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


def integer_range(format_: str) -> tuple[int, int]:
    """Return the minimum and maximum of an integer format: int32, or int64 for any other."""
    return (-(2**31), 2**31 - 1) if format_ == "int32" else (_MIN_INT64, _MAX_INT64)


def to_int64(value: float) -> int:
    """Convert a float64 to int64 as Go does: truncated, and the smallest int64 if out of range (on amd64)."""
    return int(value) if _MIN_INT64 <= value < 2.0**63 else _MIN_INT64


def checks(
    schema: JSONSchemaProps, types: tuple[str, ...], format_: str, kind: type
) -> list[Check]:
    """Return the checks of a number (`int` or `float`) in upstream's order."""
    type_ = types[0] if len(types) == 1 and types[0] in FORMATS else ""
    if format_ not in FORMATS.get(type_, ()):
        format_ = ""
    result: list[Check] = []
    if (type_ == "integer" and (kind is float or format_ == "int32")) or format_ == "float":
        result.append(_in_range(type_, format_))
    for bound, what, check in (
        (schema.multiple_of, "MultipleOf", _multiple_of),
        (
            schema.minimum,
            "Minimum boundary",
            partial(_limit, Code.LEAST, exclusive=schema.exclusive_minimum),
        ),
        (
            schema.maximum,
            "Maximum boundary",
            partial(_limit, Code.MOST, exclusive=schema.exclusive_maximum),
        ),
    ):
        if bound is None:
            continue
        fits = _fits(bound, type_, format_)
        if not fits:
            result.append(_misfit(what, type_, format_))
        result.append(check(to_int64(bound) if fits and kind is int else bound, as_float=not fits))
    return result


def _fits(value: float, type_: str, format_: str) -> bool:
    """Return whether a number is in the range of its type and format. Upstream: validate.IsValueValidAgainstRange."""
    if type_ == "integer":
        low, high = integer_range(format_)
        # Upstream parses the shortest text of a float64, for which -2**63 is out of range.
        shown = value if value.__class__ is int else Decimal(repr(value))
        return shown == int(shown) and low <= shown <= high
    return format_ != "float" or abs(value) < _FLOAT32_OVERFLOW


_OF_VALUE: Final = "Checked"
_KEYWORDS: Final = {
    "MultipleOf": "multipleOf",
    "Minimum boundary": "minimum",
    "Maximum boundary": "maximum",
}


def _misfit(what: str, type_: str, format_: str) -> Check:
    as_format = f"with format {format_}" if format_ else "(default format)"
    words = f"{what} value must be of type {type_} {as_format}"

    keyword = _KEYWORDS.get(what)
    reason = (
        Reason(Code.RANGE, (type_, format_))
        if keyword is None
        else Reason(Code.UNFIT_LIMIT, (keyword,))
    )

    def add(_value: float, value_path: ValuePath, violations: list[Violation]) -> None:
        violations.append(nowhere(value_path, lambda text: f"{words} in {text}", reason))

    return add


def _in_range(type_: str, format_: str) -> Check:
    add = _misfit(_OF_VALUE, type_, format_)

    def check(value: float, value_path: ValuePath, violations: list[Violation]) -> None:
        if not _fits(value, type_, format_):
            add(value, value_path, violations)

    return check


def _shown(number: float) -> str:
    return format_float(number) if number.__class__ is float else str(number)


def _limit(code: Code, limit: float, *, exclusive: bool, as_float: bool) -> Check:
    """Return the check of a number against its minimum (Code.LEAST) or its maximum (Code.MOST)."""
    reason = Reason(code, (_shown(limit), exclusive))
    word, exceeds = ("greater", lt) if code is Code.LEAST else ("less", gt)
    words = f"should be {word} than{'' if exclusive else ' or equal to'} {_shown(limit)}"

    def check(value: float, value_path: ValuePath, violations: list[Violation]) -> None:
        number = float(value) if as_float else value
        if exceeds(number, limit) or (exclusive and number == limit):
            violations.append(invalid(value_path, number, words, reason))

    return check


def _multiple_of(factor: float, *, as_float: bool) -> Check:
    shown = _shown(factor)
    reason, unfit = Reason(Code.MULTIPLE, (shown,)), Reason(Code.UNFIT_LIMIT, ("multipleOf",))

    def detail(text: str) -> str:
        return f"factor MultipleOf declared for {text} must be positive: {shown}"

    def check(value: float, value_path: ValuePath, violations: list[Violation]) -> None:
        number = float(value) if as_float else value
        if factor <= 0:
            violations.append(Violation(INVALID, value_path, factor, detail, reason=unfit))
            return
        if isinstance(factor, int):
            is_multiple = number % factor == 0
        else:
            is_multiple = is_json_integer(1 / factor * number if factor < 1 else number / factor)
        if not is_multiple:
            violations.append(
                invalid(value_path, number, f"should be a multiple of {shown}", reason)
            )

    return check
