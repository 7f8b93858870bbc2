"""Values at run time, their types, equality, order and sums (cel-go's common/types).

A value is a bool, int, `Uint`, float, str, bytes, None, list, mapping, `Duration`, `Timestamp` or `Type`; any other
class says what it is by an attribute `cel_type` and has an `==` of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isnan
from typing import TYPE_CHECKING, Any, Final

from crdlint.cel.ast import Uint
from crdlint.cel.runtime.errors import FunctionError
from crdlint.cel.runtime.floats import shortest
from crdlint.cel.types import (
    BOOL,
    BYTES,
    DOUBLE,
    DURATION,
    DYN,
    INT,
    NULL,
    STRING,
    TIMESTAMP,
    TYPE,
    UINT,
    Kind,
    Type,
    list_type,
    map_type,
)
from crdlint.safety import work

if TYPE_CHECKING:
    from typing import TypeAlias

    Value: TypeAlias = Any

MIN_INT: Final = -(2**63)
MAX_INT: Final = 2**63 - 1
MAX_UINT: Final = 2**64 - 1
NO_SUCH_OVERLOAD: Final = "no such overload"
LIST: Final = list_type(DYN)
MAP: Final = map_type(DYN, DYN)

_SECOND: Final = 10**9
_NUMBERS: Final = frozenset({Kind.INT, Kind.UINT, Kind.DOUBLE})
_ORDERED: Final = frozenset({Kind.BOOL, Kind.STRING, Kind.BYTES, Kind.DURATION, Kind.TIMESTAMP})
COMPARABLE: Final = _NUMBERS | _ORDERED


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A signed length of time in nanoseconds, of 64 bits."""

    nanoseconds: int

    def __str__(self) -> str:
        """The seconds, e.g. `1.5s`, as `string()` gives them."""
        whole, rest = divmod(abs(self.nanoseconds), _SECOND)
        seconds = whole + rest / _SECOND
        return f"{shortest(-seconds if self.nanoseconds < 0 else seconds)}s"


@dataclass(frozen=True, slots=True, order=True)
class Timestamp:
    """A moment in nanoseconds since 1970-01-01T00:00:00Z, written with an offset of seconds east of UTC."""

    nanoseconds: int
    offset: int = field(default=0, compare=False)

    def __str__(self) -> str:
        """The moment as RFC 3339 with as many digits of the second as it has, at its offset (time.RFC3339Nano)."""
        seconds, rest = divmod(self.nanoseconds, _SECOND)
        days, second = divmod(seconds + self.offset, 86400)
        year, month, day = _civil(days)
        fraction = f".{rest:09d}".rstrip("0") if rest else ""
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        return f"{year:04d}-{month:02d}-{day:02d}T{clock}{fraction}{self._zone()}"

    def _zone(self) -> str:
        if not self.offset:
            return "Z"
        minutes = abs(self.offset) // 60
        return f"{'-' if self.offset < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"


_TYPES: Final[dict[type, Type]] = {
    bool: BOOL,
    int: INT,
    Uint: UINT,
    float: DOUBLE,
    str: STRING,
    bytes: BYTES,
    type(None): NULL,
    list: LIST,
    tuple: LIST,
    range: LIST,
    dict: MAP,
    Duration: DURATION,
    Timestamp: TIMESTAMP,
    Type: TYPE,
}


def type_of(value: Value) -> Type:
    """Return the type of a value, without the types of what it holds."""
    known = _TYPES.get(type(value))
    if known is not None:
        return known
    own = getattr(value, "cel_type", None)
    if isinstance(own, Type):
        return own
    return MAP if isinstance(value, Mapping) else LIST


def compare(first: Value, second: Value) -> int:
    """Return -1, 0 or 1 by the order of two values (traits.Comparer); raise FunctionError where there is none."""
    kinds = type_of(first).kind, type_of(second).kind
    if kinds[0] in _NUMBERS and kinds[1] in _NUMBERS:
        return _compare_numbers(first, second, kinds)
    if kinds[0] is not kinds[1] or kinds[0] not in _ORDERED:
        raise FunctionError(NO_SUCH_OVERLOAD)
    return int(first > second) - int(first < second)


def equal(first: Value, second: Value) -> bool:
    """Whether two values are the same to CEL: numbers by value, other values of two types never (types.Equal)."""
    stack = [(first, second)]
    while stack:
        one, other = stack.pop()
        own = getattr(one, "cel_equal", None)
        if own is not None:
            if own(other) is not True:
                return False
            continue
        kinds = type_of(one).kind, type_of(other).kind
        if kinds[0] in _NUMBERS and kinds[1] in _NUMBERS:
            if _is_nan(one) or _is_nan(other) or _compare_numbers(one, other, kinds):
                return False
        elif kinds[0] is not kinds[1]:
            return False
        elif kinds[0] is Kind.LIST or kinds[0] is Kind.MAP:
            if len(one) != len(other):
                return False
            work.spend(len(one))
            if kinds[0] is Kind.LIST:
                stack.extend(zip(one, other, strict=True))
            elif all(key in other for key in one):
                stack.extend((one[key], other[key]) for key in one)
            else:
                return False
        elif kinds[0] is Kind.TYPE:
            if one.name != other.name:
                return False
        elif one != other:
            return False
    return True


def add(first: Value, second: Value) -> Value:
    """Return the sum of two numbers of one type or two durations; raise FunctionError if there is none."""
    kinds = type_of(first).kind, type_of(second).kind
    if kinds[0] is not kinds[1]:
        raise FunctionError(NO_SUCH_OVERLOAD)
    if kinds[0] is Kind.DOUBLE:
        return first + second
    if kinds[0] is Kind.INT:
        return _in_range(first + second, "integer overflow")
    if kinds[0] is Kind.UINT:
        total = int(first) + int(second)
        if total > MAX_UINT:
            raise FunctionError("unsigned integer overflow")
        return Uint(total)
    if kinds[0] is Kind.DURATION:
        return Duration(_in_range(first.nanoseconds + second.nanoseconds, "integer overflow"))
    raise FunctionError(NO_SUCH_OVERLOAD)


def _civil(days: int) -> tuple[int, int, int]:
    """Return year, month and day of the days since 1970-01-01, also outside the years that datetime knows."""
    era, of_era = divmod(days + 719468, 146097)
    year_of_era = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    # The year of this reckoning begins with March.
    march = (5 * of_year + 2) // 153
    day = of_year - (153 * march + 2) // 5 + 1
    month = march + 3 if march < 10 else march - 9
    return era * 400 + year_of_era + (month <= 2), month, day


def _in_range(value: int, message: str) -> int:
    if not MIN_INT <= value <= MAX_INT:
        raise FunctionError(message)
    return value


def _is_nan(value: Value) -> bool:
    return type(value) is float and isnan(value)


def _compare_numbers(first: Value, second: Value, kinds: tuple[Kind, Kind]) -> int:
    if _is_nan(first) or _is_nan(second):
        raise FunctionError("NaN values cannot be ordered")
    if Kind.DOUBLE in kinds:
        # cel-go compares as doubles, so that integers beyond 2**53 equal their neighbours.
        first, second = float(first), float(second)
    else:
        first, second = int(first), int(second)
    return int(first > second) - int(first < second)
