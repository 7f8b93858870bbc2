"""Construction of nodes for both parsers: ids, literals, calls and macros."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import field

from crdlint.cel.ast import NO_LOCATION, Call, Expr, Location, SourceInfo, Uint, Unspecified, Value
from crdlint.cel.dialect import NEWEST, CELDialect
from crdlint.cel.errors import CELError, CodedMessage
from crdlint.cel.macros import ALL_MACROS, Helper, MacroError, MacroKey
from crdlint.light import dataclass, regex

RESERVED = frozenset(
    (
        *(
            "as",
            "break",
            "const",
            "continue",
            "else",
            "false",
            "for",
            "function",
            "if",
            "import",
            "in",
            "let",
        ),
        *("loop", "package", "namespace", "null", "return", "true", "var", "void", "while"),
    )
)

_OPERATORS = ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%")
BINARY_OPERATORS = {"in": "@in", **{operator: f"_{operator}_" for operator in _OPERATORS}}

_SIMPLE = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}
# A number in hexadecimal or octal digits, or another character.
_ESCAPE = regex(r"\\(?:([xX]..|u.{4}|U.{8})|([0-3]..)|(.))")


@dataclass(frozen=True, slots=True)
class ParserOptions:
    """The parser options of an environment; keys of `macros` are (function, number of arguments, whether it has a target)."""

    macros: Mapping[MacroKey, Callable[..., Expr]] = field(default_factory=lambda: ALL_MACROS)
    optional_syntax: bool = True
    dialect: CELDialect = NEWEST


class LiteralError(ValueError):
    """A literal is out of range or contains an invalid escape."""


def _unescaped(body: str, *, is_bytes: bool) -> str:
    """Replace escapes; those of bytes are numbers of bytes, not of characters."""

    def character(escape: re.Match[str]) -> str:
        hexadecimal, octal, other = escape.groups()
        if other:
            return _SIMPLE[other]
        if is_bytes and hexadecimal and hexadecimal[0] in "uU":
            raise LiteralError("unable to unescape string")
        code = int(octal, 8) if octal else int(hexadecimal[1:], 16)
        if not is_bytes and (code > 0x10FFFF or 0xD800 <= code <= 0xDFFF):
            raise LiteralError("invalid unicode code point")
        return chr(code)

    return _ESCAPE.sub(character, body)


def _body(token: str) -> tuple[str, bool]:
    """Return the text between the quotes, with line ends as line feeds, and whether the literal is raw."""
    if "\r" in token:
        token = token.replace("\r\n", "\n").replace("\r", "\n")
    raw = token[0] in "rR"
    if raw:
        token = token[1:]
    width = 3 if len(token) >= 6 and token[:3] in ("'''", '"""') else 1
    return token[width:-width], raw


def string_value(token: str) -> str:
    """Return the value of a string token; raise `LiteralError` if it is invalid. Upstream: parser/unescape.go."""
    body, raw = _body(token)
    return body if raw or "\\" not in body else _unescaped(body, is_bytes=False)


def bytes_value(token: str) -> bytes:
    """Return the value of a bytes token; raise `LiteralError` if it is invalid."""
    body, raw = _body(token[1:])
    content = body.encode("utf-8", "surrogatepass")
    return (
        content if raw else _unescaped(content.decode("latin-1"), is_bytes=True).encode("latin-1")
    )


def _integer(
    text: str,
    low: int,
    end: int,
    kind: str,
) -> int:
    """Return the value of an integer, which may have a sign; raise `LiteralError` if it is out of range."""
    digits = text.removeprefix("-")
    digits, base = (digits[2:], 16) if digits.startswith("0x") else (digits, 10)
    value = int(digits, base) if len(digits.lstrip("0")) <= 20 else 1 << 64
    value = -value if text.startswith("-") else value
    if not low <= value < end:
        raise LiteralError(f"invalid {kind} literal")
    return value


def double_value(text: str) -> float:
    """Return the value of a double token; raise `LiteralError` if it is infinite."""
    value = float(text)
    if math.isinf(value):
        raise LiteralError("invalid double literal")
    return value


LITERALS: dict[str, Callable[[str], Value]] = {
    "NUM_INT": lambda text: _integer(text, -(1 << 63), 1 << 63, "int"),
    "NUM_UINT": lambda token: Uint(_integer(token[:-1], 0, 1 << 64, "uint")),
    "NUM_FLOAT": double_value,
    "STRING": string_value,
    "BYTES": bytes_value,
    "true": lambda _: True,
    "false": lambda _: False,
    "null": lambda _: None,
}
"""The functions that read literals, by the kind of their token."""


class Builder:
    """Assigns ids and positions, builds calls, expands macros and collects errors. Upstream: parser.parserHelper, parser.parser."""

    __slots__ = ("ascii", "errors", "macros", "next_id", "offsets", "options", "source")

    def __init__(self, text: str, options: ParserOptions) -> None:
        line_starts = options.dialect.locates_line_starts
        self.source = SourceInfo(text, locates_line_starts=line_starts)
        self.offsets = self.source.offsets
        self.options = options
        self.macros = options.macros
        self.errors: list[CELError] = []
        self.next_id = 1
        self.ascii = text.isascii()

    def new_id(self, span: tuple[int, int]) -> int:
        """Return the next id and record the offsets `span` for it."""
        new_id = self.next_id
        self.offsets[new_id] = span
        self.next_id = new_id + 1
        return new_id

    def token_id(self, start: int, text: str) -> int:
        """Return the next id for a token; its end offset counts UTF-8 bytes, as in cel-go."""
        size = len(text) if self.ascii else len(text.encode("utf-8", "surrogatepass"))
        return self.new_id((start, start + size))

    def delete_id(self, old_id: int) -> None:
        """Forget the id `old_id`. Upstream: parserHelper.deleteID."""
        self.offsets.pop(old_id, None)
        if old_id == self.next_id - 1:
            self.next_id = old_id

    def report(self, span: tuple[int, int], problem: CodedMessage) -> Expr:
        """Add an error and return the node that replaces the invalid one. Upstream: parser.reportError."""
        new_id = self.new_id(span)
        location = self.source.location(
            span[0], at_line_start=self.options.dialect.parser_locates_line_starts
        )
        self.errors.append(CELError(location, problem, new_id))
        return Unspecified(new_id)

    def add_error(self, problem: CodedMessage, location: Location = NO_LOCATION) -> None:
        """Add an error that belongs to no node."""
        self.errors.append(CELError(location, problem))

    def call(
        self,
        call_id: int,
        function: str,
        target: Expr | None,
        args: list[Expr],
    ) -> Expr:
        """Return the call, or its expansion if it is a macro. Upstream: parser.expandMacro."""
        macro = self.macros.get((function, len(args), target is not None))
        if macro is None:
            return Call(call_id, function, target, args)
        try:
            expr = macro(
                Helper(self, call_id, hides_accumulator=self.options.dialect.hides_accumulator),
                target,
                args,
            )
        except MacroError as error:
            expr_id = (
                error.expr_id
                if error.at_argument or self.options.dialect.locates_macro_arguments
                else call_id
            )
            start = self.offsets[expr_id][0] if expr_id in self.offsets else -1
            self.delete_id(call_id)
            return self.report((start, start), error.problem)
        self.delete_id(call_id)
        return expr


def join_terms(function: str, terms: list[Expr], ops: list[int]) -> Expr:
    """Join terms by && or || as a balanced tree; `ops` are the ids of the operators. Upstream: parser.logicManager."""
    if len(terms) == 1:
        return terms[0]
    middle = len(ops) // 2
    left = join_terms(function, terms[: middle + 1], ops[:middle])
    right = join_terms(function, terms[middle + 1 :], ops[middle + 1 :])
    return Call(ops[middle], function, None, [left, right])
