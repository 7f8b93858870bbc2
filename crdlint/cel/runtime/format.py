"""The function `'...'.format([...])` (cel-go's ext/formatting.go for versions 1 to 3, formatting_v2.go for version 4).

Versions 1 to 3 print doubles as golang.org/x/text/message does for en_US.
"""

from __future__ import annotations

from math import inf, isfinite, isnan
from typing import TYPE_CHECKING, Final

from crdlint.cel.runtime.errors import FunctionError
from crdlint.cel.runtime.floats import en_us_fixed, en_us_scientific, shortest
from crdlint.cel.runtime.format_syntax import VERSION_1, VERSION_4, FormatSyntaxError, pieces
from crdlint.cel.runtime.strings import refuse_long
from crdlint.cel.runtime.values import type_of
from crdlint.cel.types import Kind
from crdlint.golang.numbers import format_float
from crdlint.golang.quote import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from crdlint.cel.runtime.format_syntax import Accepted, Clause
    from crdlint.cel.runtime.values import Value

_DEFAULT_PRECISION: Final = 6
# fmt and x/text take no larger number in a format: one more digit after this is too many.
_LARGE_NUMBER: Final = 10**6
_BAD_STRING: Final = 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string'
_SPECIAL: Final = {"NaN": float("nan"), "Infinity": inf, "-Infinity": -inf}
_BASES: Final = frozenset("boxX")
_INTEGERS: Final = (Kind.INT, Kind.UINT)


def format_string(text: str, args: Sequence[Value]) -> str:
    """Return the text with each clause replaced by an argument, as versions 1 to 3 do; raise FunctionError."""
    return _format(text, args, VERSION_1, _clause_1)


def format_string_v4(text: str, args: Sequence[Value]) -> str:
    """Return the text with each clause replaced by an argument, as version 4 does; raise FunctionError."""
    return _format(text, args, VERSION_4, _clause_4)


def _format(
    text: str,
    args: Sequence[Value],
    dialect: Mapping[str, Accepted],
    write: Callable[[Clause, Value], str],
) -> str:
    parts: list[str] = []
    index = length = 0
    try:
        for piece in pieces(text, len(args)):
            if isinstance(piece, str):
                parts.append(piece)
                continue
            value, accepted = args[index], dialect[piece.verb]
            type_ = type_of(value)
            if type_.kind not in accepted.kinds:
                raise FunctionError(accepted.refusal(type_.name))
            parts.append(write(piece, value))
            index += 1
            length += len(parts[-1])
            refuse_long(length)
    except FormatSyntaxError as error:
        raise FunctionError(str(error)) from None
    return "".join(parts)


def _clause_1(clause: Clause, value: Value) -> str:
    if clause.verb == "s":
        return _string_1(value)
    if clause.verb == "d":
        return str(int(value))
    if clause.verb in _BASES:
        return _in_base(value, clause.verb)
    if type(value) is str:
        if value not in _SPECIAL:
            raise FunctionError(VERSION_1[clause.verb].refusal("string"))
        value = _SPECIAL[value]
    precision = _DEFAULT_PRECISION if clause.precision is None else clause.precision
    if _too_large(precision):
        return "%!(NOVERB)"
    # cel-go gives what is written as precision to x/text as a width.
    return en_us_fixed(value, precision) if clause.verb == "f" else en_us_scientific(value, precision)


def _clause_4(clause: Clause, value: Value) -> str:
    if clause.verb == "s":
        return _string_4(value)
    if clause.verb == "d":
        return _decimal_4(value)
    if clause.verb in _BASES:
        return _in_base(value, clause.verb)
    precision = _DEFAULT_PRECISION if clause.precision is None else clause.precision
    if type_of(value).kind in _INTEGERS:
        return _integer_as_float(value, clause.verb, precision)
    special = _special(value)
    if special is not None:
        return special
    if _too_large(precision):
        return f"%!(NOVERB)%!(EXTRA float64={format_float(value)})"
    return f"{value:.{precision}{clause.verb}}"


def _too_large(number: int) -> bool:
    return number > 10 * _LARGE_NUMBER + 9


def _integer_as_float(value: int, verb: str, precision: int) -> str:
    """Return what fmt prints of an integer for a clause of floats, which it does not know for integers."""
    kind = "int64" if type(value) is int else "uint64"
    if _too_large(precision):
        return f"%!(NOVERB)%!(EXTRA {kind}={value})"
    if value == 0 and precision == 0:
        digits = " " if verb == "e" else ""
    else:
        digits = f"{'-' if value < 0 else ''}{abs(value):0{max(precision, 1)}d}"
    return f"%!{verb}({kind}={digits})"


def _in_base(value: Value, verb: str) -> str:
    if type(value) is str:
        value = value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return value.hex().upper() if verb == "X" else value.hex()
    return format(int(value), verb)


def _special(value: float) -> str | None:
    if isfinite(value):
        return None
    return "NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _string_1(value: Value) -> str:
    kind = type_of(value).kind
    if kind is Kind.LIST or kind is Kind.MAP:
        return _walk(value, _pieces_1)
    return _plain_1(value, kind)


def _plain_1(value: Value, kind: Kind) -> str:
    if kind is Kind.DOUBLE:
        return format_float(value)
    if kind is Kind.BYTES:
        try:
            return str(value, "utf-8")
        except UnicodeDecodeError:
            raise _failure(_BAD_STRING) from None
    return _simple(value, kind)


def _simple(value: Value, kind: Kind) -> str:
    if kind is Kind.BOOL:
        return "true" if value else "false"
    if kind is Kind.NULL:
        return "null"
    if kind is Kind.TYPE:
        return str(value.name)
    return str(int(value)) if kind in _INTEGERS else str(value)


def _pieces_1(value: Value) -> list[Value] | str:
    kind = type_of(value).kind
    if kind is Kind.LIST:
        return _list_pieces(value)
    if kind is Kind.MAP:
        return _map_pieces(sorted(((_key_1(key), _value_of(value, key)) for key in value), key=_first), ":")
    if kind not in VERSION_1["s"].kinds:
        raise _failure(f"no formatting function for {type_of(value).name}")
    if kind is Kind.DOUBLE:
        return f"{value:.6f}" if isfinite(value) else quote(format_float(value))
    text = _plain_1(value, kind)
    if kind is Kind.STRING:
        return quote(text)
    if kind is Kind.BYTES:
        return f"b{quote(text)}"
    if kind is Kind.TIMESTAMP or kind is Kind.DURATION:
        return f"{kind.name.lower()}({quote(text)})"
    return text


def _value_of(values: Mapping[Value, Value], key: Value) -> Value:
    """Return the value of a key, which an object's field that is null does not have."""
    try:
        return values[key]
    except KeyError:
        raise _failure(f"could not find key: {quote(key)}") from None


def _key_1(key: Value) -> str:
    kind = type_of(key).kind
    if kind is Kind.STRING:
        return quote(key)
    if kind is Kind.BOOL or kind in _INTEGERS:
        return _simple(key, kind)
    raise _failure(f"no formatting function for map key of type {type_of(key).name}")


def _string_4(value: Value) -> str:
    return _walk(value, _pieces_4)


def _pieces_4(value: Value) -> list[Value] | str:
    type_ = type_of(value)
    if type_.kind is Kind.LIST:
        return _list_pieces(value)
    if type_.kind is Kind.MAP:
        return _map_pieces(sorted(((_string_4(key), _value_of(value, key)) for key in value), key=_first), ": ")
    if type_.kind not in VERSION_4["s"].kinds:
        raise FunctionError(VERSION_4["s"].refusal(type_.name))
    if type_.kind is Kind.DOUBLE:
        return _decimal_4(value)
    if type_.kind is Kind.BYTES:
        return str(value, "utf-8", "surrogateescape")
    if type_.kind is Kind.TIMESTAMP:
        return str(type(value)(value.nanoseconds))
    return _simple(value, type_.kind)


def _decimal_4(value: Value) -> str:
    if type_of(value).kind is not Kind.DOUBLE:
        return str(int(value))
    return _special(value) or shortest(value)


class _Written(str):
    """Text among values that are still to be written."""

    __slots__ = ()


def _walk(value: Value, pieces_of: Callable[[Value], list[Value] | str]) -> str:
    parts: list[str] = []
    stack = [value]
    while stack:
        at = stack.pop()
        if type(at) is _Written:
            parts.append(at)
            continue
        written = pieces_of(at)
        if isinstance(written, str):
            parts.append(written)
        else:
            stack.extend(reversed(written))
    return "".join(parts)


def _list_pieces(values: Sequence[Value]) -> list[Value]:
    result: list[Value] = [_Written("[")]
    for index, value in enumerate(values):
        if index:
            result.append(_Written(", "))
        result.append(value)
    result.append(_Written("]"))
    return result


def _map_pieces(entries: Sequence[tuple[str, Value]], colon: str) -> list[Value]:
    result: list[Value] = [_Written("{")]
    for index, (key, value) in enumerate(entries):
        result.append(_Written(f"{', ' if index else ''}{key}{colon}"))
        result.append(value)
    result.append(_Written("}"))
    return result


def _first(entry: tuple[str, Value]) -> str:
    return entry[0]


def _failure(message: str) -> FunctionError:
    return FunctionError(f"error during formatting: {message}")
