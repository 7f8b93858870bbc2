"""Validation of numbers. Upstream: kube-openapi pkg/validation/validate (numberValidator, values.go), swag v0.23.

Bounds are float64 in a schema. For an integer, they are converted to int64 if they are in the range of the schema's type.
"""

from __future__ import annotations

from collections.abc import Callable
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
    schema: JSONSchemaProps,
    types: tuple[str, ...],
    format_: str,
    kind: type,
) -> list[Check]:
    """Return the checks of a number (`int` or `float`) in upstream's order."""
    type_ = types[0] if len(types) == 1 and types[0] in FORMATS else ""
    if format_ not in FORMATS.get(type_, ()):
        format_ = ""
    result: list[Check] = []
    is_narrower = type_ == "integer" and (kind is float or format_ == "int32")
    if is_narrower or format_ == "float":
        result.append(_in_range(type_, format_))
    at_least = partial(_limit, Code.LEAST, exclusive=schema.exclusive_minimum)
    at_most = partial(_limit, Code.MOST, exclusive=schema.exclusive_maximum)
    limits = (
        (schema.multiple_of, "MultipleOf", _multiple_of),
        (schema.minimum, "Minimum boundary", at_least),
        (schema.maximum, "Maximum boundary", at_most),
    )
    for bound, what, check in limits:
        if bound is None:
            continue
        if _fits(bound, type_, format_):
            number = to_int64(bound) if kind is int else bound
            result.append(check(number, as_float=False))
        else:
            result.append(_misfit(what, type_, format_))
            result.append(check(bound, as_float=True))
    return result


def _fits(value: float, type_: str, format_: str) -> bool:
    """Return whether a number is in the range of its type and format. Upstream: validate.IsValueValidAgainstRange."""
    if type_ == "integer":
        from decimal import Decimal  # few schemas limit numbers

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
    reason = Reason(Code.RANGE, (type_, format_))
    if what in _KEYWORDS:
        reason = Reason(Code.UNFIT_LIMIT, (_KEYWORDS[what],))

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


def _limit(
    code: Code,
    limit: float,
    *,
    exclusive: bool,
    as_float: bool,
) -> Check:
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
    words = f"should be a multiple of {shown}"

    def detail(text: str) -> str:
        return f"factor MultipleOf declared for {text} must be positive: {shown}"

    def check(value: float, value_path: ValuePath, violations: list[Violation]) -> None:
        number = float(value) if as_float else value
        if factor <= 0:
            violations.append(Violation(INVALID, value_path, factor, detail, reason=unfit))
        elif not _is_multiple(number, factor):
            violations.append(invalid(value_path, number, words, reason))

    return check


def _is_multiple(number: float, factor: float) -> bool:
    if isinstance(factor, int):
        return number % factor == 0
    quotient = 1 / factor * number if factor < 1 else number / factor
    return is_json_integer(quotient)
