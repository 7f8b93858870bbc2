"""Declarations of CEL's standard functions and types. Upstream: cel-go's common/stdlib."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from crdlint.cel import types
from crdlint.cel.decls import Env, Overload, Variable, member, overload
from crdlint.cel.types import BOOL, BYTES, DOUBLE, DURATION, DYN, INT, STRING, TIMESTAMP, UINT, Type

if TYPE_CHECKING:
    from crdlint.cel.dialect import CELDialect

_A: Final = types.type_param("A")
_B: Final = types.type_param("B")
_LIST: Final = types.list_type(_A)
_MAP: Final = types.map_type(_A, _B)
_NUMBERS: Final = (DOUBLE, INT, UINT)
_RELATIONS: Final = {
    "_<_": "less",
    "_<=_": "less_equals",
    "_>_": "greater",
    "_>=_": "greater_equals",
}

# The fields of timestamps, and those that durations have as well.
GETTERS: Final = {
    "getFullYear": "year",
    "getMonth": "month",
    "getDayOfYear": "day_of_year",
    "getDayOfMonth": "day_of_month",
    "getDate": "day_of_month_1_based",
    "getDayOfWeek": "day_of_week",
    "getHours": "hours",
    "getMinutes": "minutes",
    "getSeconds": "seconds",
    "getMilliseconds": "milliseconds",
}
_OF_DURATIONS: Final = frozenset({"hours", "minutes", "seconds", "milliseconds"})


def with_zone(field: str) -> str:
    """Return the id of the overload that reads a field of a timestamp in a time zone."""
    return f"timestamp_to_{field}{'_tz' if field == 'seconds' else '_with_tz'}"


def _id(type_: Type) -> str:
    """Return the name of a type in the ids of overloads."""
    return {INT: "int64", UINT: "uint64", DURATION: "duration", TIMESTAMP: "timestamp"}.get(
        type_, type_.name
    )


def _closed(
    function: str,
    name: str,
    *types: Type,
    arguments: int = 2,
) -> Iterator[Overload]:
    """Yield the overloads of an operator whose arguments and result have the same type."""
    for type_ in types:
        yield overload(
            function,
            f"{name}_{_id(type_)}",
            (type_,) * arguments,
            type_,
        )


def _comparisons() -> Iterator[Overload]:
    for function, name in _RELATIONS.items():
        for left in (BOOL, INT, UINT, DOUBLE, STRING, BYTES, TIMESTAMP, DURATION):
            yield overload(
                function,
                f"{name}_{_id(left)}",
                (left, left),
                BOOL,
            )
            for right in _NUMBERS:
                if left in _NUMBERS and right is not left:
                    yield overload(
                        function,
                        f"{name}_{_id(left)}_{_id(right)}",
                        (left, right),
                        BOOL,
                    )


def _sizes() -> Iterator[Overload]:
    for type_ in (BYTES, _LIST, _MAP, STRING):
        yield overload("size", f"size_{type_.name}", (type_,), INT)
        yield member("size", f"{type_.name}_size", (type_,), INT)


def _conversions(function: str, to: Type, *others: Type) -> Iterator[Overload]:
    for type_ in (to, *others):
        yield overload(
            function,
            f"{_id(type_)}_to_{_id(to)}",
            (type_,),
            to,
        )


def _getters() -> Iterator[Overload]:
    for function, field in GETTERS.items():
        yield member(function, f"timestamp_to_{field}", (TIMESTAMP,), INT)
        yield member(function, with_zone(field), (TIMESTAMP, STRING), INT)
        if field in _OF_DURATIONS:
            yield member(function, f"duration_to_{field}", (DURATION,), INT)


TYPES: Final = tuple(Variable(type_.name, types.type_type(type_)) for type_ in types.STANDARD_TYPES)
_BY_DYN: Final = {"list": types.list_type(types.DYN), "map": types.map_type(types.DYN, types.DYN)}
# The names of types since cel-go 0.29, which finds them by their runtime types.
TYPES_BY_DYN: Final = tuple(
    Variable(type_.name, types.type_type(_BY_DYN.get(type_.name, type_)))
    for type_ in types.STANDARD_TYPES
)

FUNCTIONS: Final[tuple[Overload, ...]] = (
    overload("_?_:_", "conditional", (BOOL, _A, _A), _A),
    overload("_&&_", "logical_and", (BOOL, BOOL), BOOL),
    overload("_||_", "logical_or", (BOOL, BOOL), BOOL),
    overload("!_", "logical_not", (BOOL,), BOOL),
    overload("@not_strictly_false", "not_strictly_false", (BOOL,), BOOL),
    overload("_==_", "equals", (_A, _A), BOOL),
    overload("_!=_", "not_equals", (_A, _A), BOOL),
    *_closed("_+_", "add", BYTES, DOUBLE),
    overload("_+_", "add_duration_duration", (DURATION, DURATION), DURATION),
    overload("_+_", "add_duration_timestamp", (DURATION, TIMESTAMP), TIMESTAMP),
    overload("_+_", "add_timestamp_duration", (TIMESTAMP, DURATION), TIMESTAMP),
    *_closed("_+_", "add", INT, _LIST, STRING, UINT),
    *_closed("_/_", "divide", *_NUMBERS),
    *_closed("_%_", "modulo", INT, UINT),
    *_closed("_*_", "multiply", *_NUMBERS),
    *_closed("-_", "negate", DOUBLE, INT, arguments=1),
    *_closed("_-_", "subtract", DOUBLE),
    overload("_-_", "subtract_duration_duration", (DURATION, DURATION), DURATION),
    *_closed("_-_", "subtract", INT),
    overload("_-_", "subtract_timestamp_duration", (TIMESTAMP, DURATION), TIMESTAMP),
    overload("_-_", "subtract_timestamp_timestamp", (TIMESTAMP, TIMESTAMP), DURATION),
    *_closed("_-_", "subtract", UINT),
    *_comparisons(),
    overload("_[_]", "index_list", (_LIST, INT), _A),
    overload("_[_]", "index_map", (_MAP, _A), _B),
    overload("@in", "in_list", (_A, _LIST), BOOL),
    overload("@in", "in_map", (_A, _MAP), BOOL),
    *_sizes(),
    overload("type", "type", (_A,), types.type_type(_A)),
    *_conversions("bool", BOOL, STRING),
    *_conversions("bytes", BYTES, STRING),
    *_conversions("double", DOUBLE, INT, STRING, UINT),
    *_conversions("duration", DURATION, INT, STRING),
    overload("dyn", "to_dyn", (_A,), DYN),
    *_conversions("int", INT, DOUBLE, DURATION, STRING, TIMESTAMP, UINT),
    *_conversions("string", STRING, BOOL, BYTES, DOUBLE, DURATION, INT, TIMESTAMP, UINT),
    *_conversions("timestamp", TIMESTAMP, INT, STRING),
    *_conversions("uint", UINT, DOUBLE, INT, STRING),
    member("contains", "contains_string", (STRING, STRING), BOOL),
    member("endsWith", "ends_with_string", (STRING, STRING), BOOL),
    member("startsWith", "starts_with_string", (STRING, STRING), BOOL),
    overload("matches", "matches", (STRING, STRING), BOOL),
    member("matches", "matches_string", (STRING, STRING), BOOL),
    *_getters(),
)

# cel-go 0.29 no longer declares a conversion that always fails.
_SINCE_029: Final = tuple(function for function in FUNCTIONS if function.id != "int64_to_duration")


@cache
def standard(dialect: CELDialect) -> Env:
    """Return the environment with the standard library of a dialect."""
    functions = FUNCTIONS if dialect.converts_int_to_duration else _SINCE_029
    return (
        Env()
        .extend(TYPES_BY_DYN if dialect.types_names_by_dyn else TYPES)
        .with_functions(functions)
    )


# What each function does, in one sentence, for editors and prompts.
DOCS: Final = {
    "bool": "Converts a string to a bool.",
    "bytes": "Converts a string to its bytes in UTF-8.",
    "contains": "Returns whether a string contains another one.",
    "double": "Converts a number or string to a double.",
    "duration": "Parses a duration, such as `1h30m`.",
    "dyn": "Returns the value without a static type, so that any use of it compiles.",
    "endsWith": "Returns whether a string ends with another one.",
    "getDate": "Returns the day of the month of a timestamp, from 1.",
    "getDayOfMonth": "Returns the day of the month of a timestamp, from 0.",
    "getDayOfWeek": "Returns the day of the week of a timestamp, 0 for Sunday.",
    "getDayOfYear": "Returns the day of the year of a timestamp, from 0.",
    "getFullYear": "Returns the year of a timestamp.",
    "getHours": "Returns the hour of a timestamp, or the hours of a duration.",
    "getMilliseconds": "Returns the milliseconds of a timestamp or duration.",
    "getMinutes": "Returns the minute of a timestamp, or the minutes of a duration.",
    "getMonth": "Returns the month of a timestamp, 0 for January.",
    "getSeconds": "Returns the second of a timestamp, or the seconds of a duration.",
    "int": "Converts a number, string or timestamp to an int.",
    "matches": "Returns whether a regular expression (RE2) matches a part of a string.",
    "size": "Returns the number of elements of a list, entries of a map, characters of a string, or bytes.",
    "startsWith": "Returns whether a string starts with another one.",
    "timestamp": "Parses a timestamp (RFC 3339).",
    "type": "Returns the type of a value.",
    "uint": "Converts a number or string to a uint.",
    "string": "Converts a value to a string.",
}
