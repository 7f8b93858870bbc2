"""Format strings: their clauses, and the static check of `'...'.format([...])`. Upstream: cel-go's ext/formatting.go.

These are the clauses of versions 1 to 3 of the strings library: parseFormatString and stringFormatValidator.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from crdlint.cel import ast
from crdlint.cel.errors import Problem
from crdlint.cel.types import DYN, Kind, Type

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from crdlint.cel.checker import CheckResult
    from crdlint.cel.compiler import CheckedExpr, Findings

_MAX_PRECISION: Final = 2**63 - 1
_PRECISION: Final = re.compile(r"[0-9]*")


class FormatSyntaxError(ValueError):
    """A format string is invalid or refers to a missing argument."""


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
    frozenset(Kind) - {Kind.ANY, Kind.DYN, Kind.ERROR, Kind.OPAQUE, Kind.STRUCT, Kind.TYPE_PARAM, Kind.UNKNOWN},
    "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps",
)
_INTEGERS: Final = frozenset({Kind.INT, Kind.UINT})
# Strings are accepted for "NaN", "Infinity" and "-Infinity".
_FLOATS: Final = frozenset({Kind.DOUBLE, Kind.STRING})
_HEX: Final = _INTEGERS | {Kind.STRING, Kind.BYTES}

_HEX_CLAUSE: Final = Accepted(_HEX, "only integers, byte buffers, and strings can be formatted as hex")

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
    FormatSyntaxError with cel-go's text after the pieces that precede the invalid one.
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
        missing = index >= arguments
        if missing and not static:
            raise FormatSyntaxError(f"index {index} out of range")
        if percent + 1 == len(text):
            raise FormatSyntaxError("unexpected end of string")
        if missing:
            raise FormatSyntaxError(f"index {index} out of range")
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
            raise _unreadable("error while parsing precision: could not find end of precision specifier")
        precision = _precision(written)
    verb = text[start]
    if verb not in CLAUSES:
        # cel-go reads bytes, and prints the first byte of the character as a character.
        first = verb.encode("utf-8", "surrogatepass")[0]
        raise _unreadable(f'unrecognized formatting clause "{chr(first)}"')
    return Clause(verb, precision), start + 1


def _precision(written: str) -> int:
    fault = "invalid syntax" if not written else ""
    significant = written.lstrip("0")
    if len(significant) > len(str(_MAX_PRECISION)) or int(significant or 0) > _MAX_PRECISION:
        fault = "value out of range"
    if fault:
        raise _unreadable(
            "error while parsing precision: error while converting precision to integer: "
            f'strconv.Atoi: parsing "{written}": {fault}'
        )
    return int(significant or 0)


def _unreadable(reason: str) -> FormatSyntaxError:
    return FormatSyntaxError(f"could not parse formatting clause: {reason}")


def format_literals(checked: CheckedExpr) -> Findings:
    """Yield problems of format calls that always fail, with the texts of versions 1 to 3 of the strings library.

    An environment with this validator exempts `format` from the validator of homogeneous literals.
    """
    for node in checked.nodes:
        if type(node) is not ast.Call or node.function != "format" or not _is_format(node, checked.result):
            continue
        text, args = node.target, node.args[0]
        if type(text) is ast.Literal and type(text.value) is str and type(args) is ast.ListExpr:
            yield from _check(node.id, text.value, args.elements, checked.result)


def _is_format(call: ast.Call, result: CheckResult) -> bool:
    if call.id in result.namespaced or len(call.args) != 1:
        return False
    reference = result.reference_map.get(call.id)
    return reference is None or not reference.overload_ids or "string_format" in reference.overload_ids


def _check(call_id: int, text: str, args: list[ast.Expr], result: CheckResult) -> Findings:
    index = 0
    try:
        for piece in pieces(text, len(args), static=True):
            if isinstance(piece, str):
                continue
            accepted = CLAUSES[piece.verb]
            refused = _rejected(args[index], result, accepted, deep=piece.verb == "s")
            if refused is not None:
                yield refused, Problem(accepted.rejection(_type_of(refused, result).name))
                return
            index += 1
    except FormatSyntaxError as error:
        yield call_id, Problem(str(error))
        return
    if len(args) > index:
        yield call_id, Problem(f"too many arguments supplied to string.format (expected {index}, got {len(args)})")


def _rejected(arg: ast.Expr, result: CheckResult, accepted: Accepted, *, deep: bool) -> int | None:
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
            stack.extend(part for entry in reversed(node.entries) for part in (entry.value, entry.key))
    return None


def _type_of(node_id: int, result: CheckResult) -> Type:
    return result.type_map.get(node_id, DYN)
