"""The function `'...'.format([...])` and its static check. Upstream: cel-go's ext/formatting.go.

These are the clauses of versions 1 to 3 of the strings library. Doubles are printed as golang.org/x/text/message prints
them for en_US.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isfinite, isnan
from operator import itemgetter
from typing import Final

from crdlint.cel import ast
from crdlint.cel.checker import CheckResult
from crdlint.cel.errors import CodedMessage, FunctionError
from crdlint.cel.eval.values import Value, type_of
from crdlint.cel.types import DYN, Kind, Type, Written, enclosed, write
from crdlint.cel.validators import CheckedExpr, Issues
from crdlint.golang.printing import format_fixed, format_float
from crdlint.golang.text import quote
from crdlint.light import NamedTuple, regex
from crdlint.safety import work

_MAX_PRECISION: Final = 2**63 - 1
_PRECISION: Final = regex(r"[0-9]*")


class Clause(NamedTuple):
    """One of `%s %d %f %e %b %x %X %o`; `precision` is None if it is not given."""

    verb: str
    precision: int | None


class Accepted(NamedTuple):
    """The kinds of types that a clause accepts, and the message for other types (with `%s` for the name of the type)."""

    kinds: frozenset[Kind]
    message: str

    def rejection(self, type_name: str) -> str:
        """Return the message for an argument of another type."""
        return f"error during formatting: {self.message}, was given {type_name}"


_STRING: Final = Accepted(
    frozenset(Kind)
    - {Kind.ANY, Kind.DYN, Kind.ERROR, Kind.OPAQUE, Kind.STRUCT, Kind.TYPE_PARAM, Kind.UNKNOWN},
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
)
_INTEGERS: Final = frozenset({Kind.INT, Kind.UINT})
# Strings are accepted for "NaN", "Infinity" and "-Infinity".
_FLOATS: Final = frozenset({Kind.DOUBLE, Kind.STRING})
_HEX: Final = _INTEGERS | {Kind.STRING, Kind.BYTES}

_HEX_CLAUSE: Final = Accepted(
    _HEX, "only integers, byte buffers, and strings can be formatted as hex"
)

CLAUSES: Final[Mapping[str, Accepted]] = {
    "s": _STRING,
    "d": Accepted(_INTEGERS, "decimal clause can only be used on integers"),
    "f": Accepted(_FLOATS, "fixed-point clause can only be used on doubles"),
    "e": Accepted(_FLOATS, "scientific clause can only be used on doubles"),
    "b": Accepted(_INTEGERS | {Kind.BOOL}, "only integers and bools can be formatted as binary"),
    "x": _HEX_CLAUSE,
    "X": _HEX_CLAUSE,
    "o": Accepted(_INTEGERS, "octal clause can only be used on integers"),
}


def pieces(text: str, arguments: int, *, static: bool = False) -> Iterator[str | Clause]:
    """Yield the plain texts and the clauses of a format string in order.

    `static` selects the check before evaluation, which reports a trailing `%` before a missing argument. Raise
    FunctionError with cel-go's text after the pieces that precede the invalid one.
    """
    start = index = 0
    while start < len(text):
        percent = text.find("%", start)
        if percent < 0:
            yield text[start:]
            return
        if percent > start:
            yield text[start:percent]
        if text.startswith("%%", percent):
            yield "%"
            start = percent + 2
            continue
        is_last = percent + 1 == len(text)
        if index >= arguments and not (static and is_last):
            raise FunctionError(f"index {index} out of range")
        if is_last:
            raise FunctionError("unexpected end of string")
        clause, start = _clause(text, percent + 1)
        yield clause
        index += 1


def _clause(text: str, start: int) -> tuple[Clause, int]:
    precision = None
    if text[start] == ".":
        digits = _PRECISION.match(text, start + 1)
        written = digits[0] if digits else ""
        start += 1 + len(written)
        if start == len(text):
            raise _unreadable(
                "error while parsing precision: could not find end of precision specifier"
            )
        precision = _precision(written)
    verb = text[start]
    if verb not in CLAUSES:
        # cel-go reads bytes, and prints the first byte of the character as a character.
        first = verb.encode("utf-8", "surrogatepass")[0]
        raise _unreadable(f'unrecognized formatting clause "{chr(first)}"')
    return Clause(verb, precision), start + 1


def _precision(written: str) -> int:
    significant = written.lstrip("0")
    is_large = len(significant) > len(str(_MAX_PRECISION)) or int(significant or 0) > _MAX_PRECISION
    if is_large or not written:
        fault = f'strconv.Atoi: parsing "{written}": {"value out of range" if is_large else "invalid syntax"}'
        raise _unreadable(
            f"error while parsing precision: error while converting precision to integer: {fault}"
        )
    return int(significant or 0)


def _unreadable(reason: str) -> FunctionError:
    return FunctionError(f"could not parse formatting clause: {reason}")


def format_literals(checked: CheckedExpr) -> Issues:
    """Yield problems of format calls that always fail, with the texts of versions 1 to 3 of the strings library.

    An environment with this validator exempts `format` from the validator of homogeneous literals.
    """
    for node in checked.nodes:
        if type(node) is ast.Call and "string_format" in checked.result.overload_ids(node):
            text, args = node.target, node.args[0]
            if type(text) is ast.Literal and type(text.value) is str and type(args) is ast.ListExpr:
                yield from _check(node.id, text.value, args.elements, checked.result)


def _check(
    call_id: int,
    text: str,
    args: list[ast.Expr],
    result: CheckResult,
) -> Issues:
    index = 0
    try:
        for piece in pieces(text, len(args), static=True):
            if isinstance(piece, str):
                continue
            accepted = CLAUSES[piece.verb]
            refused = _rejected(
                args[index],
                result,
                accepted,
                deep=piece.verb == "s",
            )
            if refused is not None:
                yield refused, CodedMessage(accepted.rejection(_type_of(refused, result).name))
                return
            index += 1
    except FunctionError as error:
        yield call_id, CodedMessage(str(error))
        return
    if len(args) > index:
        yield (
            call_id,
            CodedMessage(
                f"too many arguments supplied to string.format (expected {index}, got {len(args)})"
            ),
        )


def _rejected(
    arg: ast.Expr,
    result: CheckResult,
    accepted: Accepted,
    *,
    deep: bool,
) -> int | None:
    """Return the id of the first node that the clause does not accept, or None; if `deep`, also check elements of literals."""
    stack = [arg]
    while stack:
        node = stack.pop()
        type_ = _type_of(node.id, result)
        if type_.kind is not Kind.DYN and type_.kind not in accepted.kinds:
            return node.id
        if not deep:
            continue
        if type(node) is ast.ListExpr:
            stack.extend(reversed(node.elements))
        elif type(node) is ast.MapExpr:
            stack.extend(
                part for entry in reversed(node.entries) for part in (entry.value, entry.key)
            )
    return None


def _type_of(node_id: int, result: CheckResult) -> Type:
    return result.type_map.get(node_id, DYN)


_DEFAULT_PRECISION: Final = 6
# In fmt and x/text, a number in a format is too large if a digit follows a larger number than this.
_LARGE_NUMBER: Final = 10**6
_BAD_STRING: Final = (
    'could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string'
)
_SPECIAL: Final = {"NaN": float("nan"), "Infinity": inf, "-Infinity": -inf}
_BASES: Final = frozenset("boxX")


def format_string(text: str, args: Sequence[Value], *, spaced: bool = False) -> str:
    """Return the text with each clause replaced by an argument; raise FunctionError if a clause or an argument is invalid.

    `spaced` puts narrow spaces around the multiplication sign in powers of ten, as older versions of x/text do.
    """
    parts: list[str] = []
    left = iter(args)
    for piece in pieces(text, len(args)):
        if isinstance(piece, str):
            parts.append(piece)
            continue
        value, accepted = next(left), CLAUSES[piece.verb]
        type_ = type_of(value)
        if type_.kind not in accepted.kinds:
            raise FunctionError(accepted.rejection(type_.name))
        parts.append(_formatted(piece, value, spaced=spaced))
        work.spend_text(len(parts[-1]), parts[-1])
    return "".join(parts)


def _formatted(clause: Clause, value: Value, *, spaced: bool) -> str:
    if clause.verb == "s":
        kind = type_of(value).kind
        return (
            write(value, _pieces) if kind is Kind.LIST or kind is Kind.MAP else _plain(value, kind)
        )
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
    return (
        _en_us_fixed(value, precision)
        if clause.verb == "f"
        else _en_us_scientific(value, precision, spaced=spaced)
    )


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
    return (
        f"{kind.name.lower()}({quote(text)})"
        if kind is Kind.TIMESTAMP or kind is Kind.DURATION
        else text
    )


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

    x/text stores the minimum of fraction digits in 8 bits and the maximum in 16 bits; both overflow in the same way here.
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
