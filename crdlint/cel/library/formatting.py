"""The function `'...'.format([...])`. Upstream: cel-go's ext/formatting.go, versions 1 to 3 of the strings library.

Doubles are printed as golang.org/x/text/message prints them for en_US.
"""

from __future__ import annotations

from math import inf, isfinite, isnan
from operator import itemgetter
from typing import TYPE_CHECKING, Final

from crdlint.cel.eval.errors import FunctionError
from crdlint.cel.eval.go_text import Written, enclosed, write
from crdlint.cel.eval.values import type_of
from crdlint.cel.library.format import CLAUSES, FormatSyntaxError, pieces
from crdlint.cel.types import Kind
from crdlint.golang.numbers import format_fixed, format_float
from crdlint.golang.text import quote
from crdlint.safety import work

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from crdlint.cel.eval.values import Value
    from crdlint.cel.library.format import Clause

_DEFAULT_PRECISION: Final = 6
# In fmt and x/text, a number in a format is too large if a digit follows a larger number than this.
_LARGE_NUMBER: Final = 10**6
_BAD_STRING: Final = 'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string'
_SPECIAL: Final = {"NaN": float("nan"), "Infinity": inf, "-Infinity": -inf}
_BASES: Final = frozenset("boxX")
_INTEGERS: Final = (Kind.INT, Kind.UINT)


def format_string(text: str, args: Sequence[Value], *, spaced: bool = False) -> str:
    """Return the text with each clause replaced by an argument; raise FunctionError if a clause or an argument is invalid.

    `spaced` puts narrow spaces around the multiplication sign in powers of ten, as older versions of x/text do.
    """
    parts: list[str] = []
    index = 0
    try:
        for piece in pieces(text, len(args)):
            if isinstance(piece, str):
                parts.append(piece)
                continue
            value, accepted = args[index], CLAUSES[piece.verb]
            type_ = type_of(value)
            if type_.kind not in accepted.kinds:
                raise FunctionError(accepted.rejection(type_.name))
            parts.append(_clause(piece, value, spaced=spaced))
            index += 1
            work.spend_text(len(parts[-1]), parts[-1])
    except FormatSyntaxError as error:
        raise FunctionError(str(error)) from None
    return "".join(parts)


def _clause(clause: Clause, value: Value, *, spaced: bool) -> str:
    if clause.verb == "s":
        kind = type_of(value).kind
        return write(value, _pieces) if kind is Kind.LIST or kind is Kind.MAP else _plain(value, kind)
    if clause.verb == "d":
        return str(int(value))
    if clause.verb in _BASES:
        return _in_base(value, clause.verb)
    if type(value) is str:
        if value not in _SPECIAL:
            raise FunctionError(CLAUSES[clause.verb].rejection("string"))
        value = _SPECIAL[value]
    precision = _DEFAULT_PRECISION if clause.precision is None else clause.precision
    if precision > 10 * _LARGE_NUMBER + 9:
        return "%!(NOVERB)"
    # cel-go passes the precision to x/text as a width.
    if clause.verb == "f":
        return _en_us_fixed(value, precision)
    return _en_us_scientific(value, precision, spaced=spaced)


def _in_base(value: Value, verb: str) -> str:
    if type(value) is str:
        value = value.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        return value.hex().upper() if verb == "X" else value.hex()
    return format(int(value), verb)


def _plain(value: Value, kind: Kind) -> str:
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


def _pieces(value: Value) -> list[Value] | str:
    kind = type_of(value).kind
    if kind is Kind.LIST:
        work.spend(4 * len(value))
        return enclosed("[", ((item,) for item in value), "]")
    if kind is Kind.MAP:
        work.spend(4 * len(value))
        entries = sorted(((_key(key), _value_of(value, key)) for key in value), key=itemgetter(0))
        return enclosed("{", ((Written(f"{key}:"), content) for key, content in entries), "}")
    text = _nested(value, kind)
    work.spend_text(len(text), text)
    return text


def _nested(value: Value, kind: Kind) -> str:
    """Return the text of a value inside a list or map."""
    if kind not in CLAUSES["s"].kinds:
        raise _failure(f"no formatting function for {type_of(value).name}")
    if kind is Kind.DOUBLE:
        return f"{value:.6f}" if isfinite(value) else quote(format_float(value))
    text = _plain(value, kind)
    if kind is Kind.STRING:
        return quote(text)
    if kind is Kind.BYTES:
        return f"b{quote(text)}"
    if kind is Kind.TIMESTAMP or kind is Kind.DURATION:
        return f"{kind.name.lower()}({quote(text)})"
    return text


def _value_of(values: Mapping[Value, Value], key: Value) -> Value:
    """Return the value of a key, or None for a null field, which an object does not have."""
    try:
        return values[key]
    except KeyError:
        raise _failure(f"could not find key: {quote(key)}") from None


def _key(key: Value) -> str:
    kind = type_of(key).kind
    if kind is Kind.STRING:
        return quote(key)
    if kind is Kind.BOOL or kind in _INTEGERS:
        return _simple(key, kind)
    raise _failure(f"no formatting function for map key of type {type_of(key).name}")


def _failure(message: str) -> FunctionError:
    return FunctionError(f"error during formatting: {message}")


_SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_TIMES: Final = "\u00d7"
_NARROW_SPACE: Final = "\u202f"


def _en_us_fixed(value: float, precision: int) -> str:
    """Return a double as x/text's `%.*f` prints it for en_US, with commas between thousands.

    x/text stores the minimum of fraction digits in 8 bits and the maximum in 16 bits; both overflow in the same way
    here.
    """
    if not isfinite(value):
        return _special(value)
    most = (precision + 2**15) % 2**16 - 2**15
    text = f"{abs(value):.{most}f}" if most >= 0 else format_fixed(abs(value))
    integer, _, fraction = text.partition(".")
    fraction = fraction.rstrip("0").ljust(precision % 2**8, "0")
    return f"{_sign(value)}{int(integer):,}{'.' if fraction else ''}{fraction}"


def _en_us_scientific(value: float, width: int, *, spaced: bool) -> str:
    """Return a double as x/text's `%*e` prints it for en_US, with a power of ten, right-aligned to `width` columns."""
    width %= 2**16
    if not isfinite(value):
        return _special(value).rjust(width)
    mantissa, _, exponent = f"{abs(value):.6e}".partition("e")
    power = f"{'-' if exponent[0] == '-' else ''}{exponent[1:]}".translate(_SUPERSCRIPTS)
    times = f"{_NARROW_SPACE}{_TIMES}{_NARROW_SPACE}" if spaced else _TIMES
    return f"{_sign(value)}{mantissa}{times}10{power}".rjust(width)


def _sign(value: float) -> str:
    return "-" if value < 0 else ""


def _special(value: float) -> str:
    return "NaN" if isnan(value) else f"{_sign(value)}∞"
