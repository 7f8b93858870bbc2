"""The parser of valid CEL expressions; `crdlint.cel.antlr` parses the others. Upstream: parser/parser.go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NoReturn

from crdlint.cel import ast
from crdlint.cel.ast import Expr, SourceInfo
from crdlint.cel.builder import (
    BINARY_OPERATORS,
    LITERALS,
    RESERVED,
    Builder,
    LiteralError,
    ParserOptions,
    join_terms,
)
from crdlint.cel.errors import CELError, CodedMessage
from crdlint.cel.lexer import Tokens, end_of_tokens, tokenize
from crdlint.cel.macros import ExpansionError
from crdlint.cel.stack import run_with_large_stack
from crdlint.light import dataclass
from crdlint.safety.work import Recent

MAX_CODE_POINTS = 100_000
MAX_DEPTH = 250
# Each nested expression needs about a dozen frames; deeper expressions get a stack of their own.
_MAX_SHALLOW = 20


@dataclass(frozen=True, slots=True)
class ParseResult:
    """The tree (valid only without errors), the source ranges, and the errors in the order in which they occurred."""

    expr: Expr
    source_info: SourceInfo
    errors: Sequence[CELError]


def parse_valid(text: str, options: ParserOptions) -> ParseResult | None:
    """Parse an expression, or return None if it has syntax errors, without the work of wording them."""
    tokens = tokenize(text) if len(text) <= MAX_CODE_POINTS else None
    if tokens is None:
        return None

    def parsed(limit: int) -> ParseResult:
        builder = Builder(text, options)
        return _result(builder, _FastParser(builder, tokens, limit).parse)

    try:
        try:
            return parsed(_MAX_SHALLOW)
        except _DeepError:
            return run_with_large_stack(lambda: parsed(MAX_DEPTH))
    except _NotSimpleError:
        return None


def last_read(text: str, options: ParserOptions) -> int:
    """Return the offset of the last token of a text that `parse_valid` reads: the first syntax error is there or before it."""
    tokens = tokenize(text)
    if tokens is None:
        return end_of_tokens(text)
    *_, starts = tokens
    parser, last = _FastParser(Builder(text, options), tokens, _MAX_SHALLOW), len(starts) - 1
    try:
        _result(parser.builder, parser.parse)
    except _NotSimpleError:
        last = min(parser.index, last)
    except _DeepError:
        pass  # it may be anywhere
    return starts[last]


def parse(text: str, *, options: ParserOptions) -> ParseResult:
    """Parse an expression."""
    return parse_valid(text, options) or _with_errors(text, options)


def _too_long(text: str, options: ParserOptions) -> ParseResult:
    builder = Builder(text, options)
    size = f"size: {len(text)}, limit {MAX_CODE_POINTS}"
    builder.add_error(CodedMessage(f"expression code point size exceeds limit: {size}"))
    return ParseResult(ast.Unspecified(1), builder.source, builder.errors)


def _with_errors(text: str, options: ParserOptions) -> ParseResult:
    """Return the errors of a text; a search for repairs asks for the same texts again after each change of a file."""
    if len(text) > MAX_CODE_POINTS:
        return _too_long(text, options)
    key = text, id(options)
    earlier = _WITH_ERRORS.get(key)
    if earlier is not None:
        return earlier[1]
    from crdlint.cel.antlr.recognizer import recognize

    builder = Builder(text, options)
    result = _result(builder, lambda: recognize(builder))
    _WITH_ERRORS.put(key, (options, result), len(text))
    return result


# By text and the identity of the options, which are kept with the result. Their weight is the characters of their texts.
_WITH_ERRORS: Recent[tuple[ParserOptions, ParseResult]] = Recent(100_000)


def _result(builder: Builder, parse_tokens: Callable[[], Expr]) -> ParseResult:
    expr: Expr = ast.Unspecified(1)
    try:
        expr = parse_tokens()
    except ExpansionError as error:
        builder.add_error(CodedMessage(str(error)))
    except _LimitError:
        # It ends cel-go's parsing before macros are expanded.
        builder.errors.clear()
        builder.add_error(CodedMessage(f"expression recursion limit exceeded: {MAX_DEPTH}"))
    return ParseResult(expr, builder.source, builder.errors)


class _NotSimpleError(Exception):
    """The expression is invalid: the recognizer must report the errors."""


class _DeepError(Exception):
    """The expression needs a deeper stack."""


class _LimitError(Exception):
    """The nesting of a grammar rule exceeds its limit."""


_LEVELS = (
    dict.fromkeys(("<", "<=", ">=", ">", "==", "!=", "in"), 1)
    | {"+": 2, "-": 2}
    | {"*": 3, "/": 3, "%": 3}
)
_SIGNED = ("NUM_INT", "NUM_FLOAT")
_FIRST = frozenset((*LITERALS, "IDENTIFIER", "[", "{", "(", ".", "-", "!"))


class _FastParser:
    """Recursive-descent parser over the tokens; raises `_NotSimpleError` unless the expression is plain and valid.

    `exprs`, `relations` and `calcs` count the open rules of cel-go's grammar; no other rule is open more often.
    """

    __slots__ = (
        "builder",
        "calcs",
        "exprs",
        "height",
        "index",
        "kinds",
        "limit",
        "relations",
        "starts",
        "texts",
    )

    def __init__(self, builder: Builder, tokens: Tokens, limit: int) -> None:
        self.builder = builder
        self.kinds, self.texts, self.starts = tokens
        self.limit = limit
        self.index = 0
        self.exprs = 0
        self.relations = 0
        self.calcs = 0
        # The recursion depth of cel-go's visitor in the expression that was parsed last.
        self.height = 0

    def parse(self) -> Expr:
        expr = self._expr()
        if self.kinds[self.index] != "EOF":
            raise _NotSimpleError
        if self.height > MAX_DEPTH:
            if self.builder.errors:
                raise _NotSimpleError
            self.builder.add_error(CodedMessage("max recursion depth exceeded"))
        return expr

    def _expect(self, kind: str) -> int:
        start = self.index
        if self.kinds[start] != kind:
            raise _NotSimpleError
        self.index = start + 1
        return start

    def _accept(self, kind: str) -> bool:
        if self.kinds[self.index] != kind:
            return False
        self.index += 1
        return True

    def _id(self, start: int) -> int:
        return self.builder.token_id(self.starts[start], self.texts[start])

    def _expr(self) -> Expr:
        self.exprs += 1
        if self.exprs > self.limit:
            self._too_deep()
        expr = self._or()
        if self.kinds[self.index] == "?":
            height = self.height
            call_id = self._id(self.index)
            self.index += 1
            first = self._or()
            height = max(height, self.height)
            self._expect(":")
            second = self._expr()
            self.height = max(height, self.height) + 1
            expr = self.builder.call(
                call_id,
                "_?_:_",
                None,
                [expr, first, second],
            )
        self.exprs -= 1
        return expr

    def _too_deep(self) -> NoReturn:
        if self.limit < MAX_DEPTH:
            raise _DeepError
        # cel-go first reports a token that starts no expression.
        raise _LimitError if self.kinds[self.index] in _FIRST else _NotSimpleError

    def _or(self) -> Expr:
        expr = self._and()
        return (
            expr if self.kinds[self.index] != "||" else self._joined("||", "_||_", self._and, expr)
        )

    def _and(self) -> Expr:
        expr = self._relation()
        return (
            expr
            if self.kinds[self.index] != "&&"
            else self._joined("&&", "_&&_", self._relation, expr)
        )

    def _relation(self, level: int = 1, relations: int = 1, calcs: int = 1) -> Expr:
        """Parse operators from a level on, in so many more open rules of the grammar."""
        self.relations += relations
        self.calcs += calcs
        if self.relations > MAX_DEPTH or self.calcs > MAX_DEPTH:
            self._too_deep()
        expr = self._binary(level)
        self.relations -= relations
        self.calcs -= calcs
        return expr

    def _joined(
        self,
        kind: str,
        function: str,
        term: Callable[[], Expr],
        first: Expr,
    ) -> Expr:
        terms, ops, height = [first], [], self.height
        while self.kinds[self.index] == kind:
            start = self.index
            self.index = start + 1
            terms.append(term())
            ops.append(self._id(start))
            height = max(height, self.height)
        self.height = height
        return join_terms(function, terms, ops)

    def _binary(self, level: int) -> Expr:
        left = self._unary()
        while (next_level := _LEVELS.get(self.kinds[self.index], 0)) >= level:
            start, height = self.index, self.height
            self.index = start + 1
            call_id = self._id(start)
            right = self._relation(next_level + 1, next_level == 1, next_level != 1)
            self.height = max(height, self.height) + 1
            left = self.builder.call(
                call_id,
                BINARY_OPERATORS[self.kinds[start]],
                None,
                [left, right],
            )
        return left

    def _unary(self) -> Expr:
        kind = self.kinds[self.index]
        if kind not in ("!", "-"):
            return self._member()
        first = self.index
        while self.kinds[self.index] == kind:
            self.index += 1
        count = self.index - first
        if kind == "-" and count == 1 and self.kinds[self.index] in _SIGNED:
            self.index = first
            return self._member()
        if count % 2 == 0:
            return self._member()
        call_id = self._id(first)
        return self.builder.call(
            call_id,
            "!_" if kind == "!" else "-_",
            None,
            [self._member()],
        )

    def _member(self) -> Expr:
        expr = self._primary()
        kinds = self.kinds
        while True:
            kind = kinds[self.index]
            if kind == ".":
                expr = self._dot(expr)
            elif kind == "[":
                expr = self._index(expr)
            else:
                return expr

    def _dot(self, operand: Expr) -> Expr:
        dot = self.index
        self.index = dot + 1
        height = self.height
        optional = self._optional()
        start = self.index
        name = self._field_name()
        self.height = height + 1
        if not optional and self.kinds[start] == "IDENTIFIER" and self.kinds[start + 1] == "(":
            call_id = self._id(start + 1)
            self.index = start + 2
            args = self._args()
            self.height = max(height, self.height) + 1
            return self.builder.call(call_id, name, operand, args)
        if not optional:
            return ast.Select(self._id(dot), operand, name)
        field_expr = ast.Literal(self._id(start), name)
        return ast.Call(self._id(dot), "_?._", None, [operand, field_expr])

    def _field_name(self) -> str:
        start = self.index
        self.index = start + 1
        if (
            self.kinds[start] == "ESC_IDENTIFIER"
            and self.builder.options.dialect.has_quoted_identifiers
        ):
            return self.texts[start][1:-1]
        if self.kinds[start] != "IDENTIFIER":
            raise _NotSimpleError
        return self.texts[start]

    def _optional(self) -> bool:
        is_optional = self._accept("?")
        if is_optional and not self.builder.options.optional_syntax:
            raise _NotSimpleError
        return is_optional

    def _index(self, operand: Expr) -> Expr:
        call_id = self._id(self.index)
        self.index += 1
        height = self.height
        function = "_[?_]" if self._optional() else "_[_]"
        index = self._expr()
        self._expect("]")
        self.height = max(height, self.height) + 1
        return self.builder.call(call_id, function, None, [operand, index])

    def _args(self) -> list[Expr]:
        """Parse arguments up to and including the closing parenthesis."""
        args: list[Expr] = []
        height = 0
        self.height = 0
        if not self._accept(")"):
            while True:
                args.append(self._expr())
                height = max(height, self.height)
                if not self._accept(","):
                    break
            self._expect(")")
        self.height = height
        return args

    def _primary(self) -> Expr:
        start = self.index
        kind = self.kinds[start]
        self.height = 0
        if kind == "IDENTIFIER":
            return self._named(start, "")
        if kind in LITERALS or kind == "-":
            return self._literal()
        self.index = start + 1
        if kind == "(":
            expr = self._expr()
            self._expect(")")
            return expr
        if kind == "[":
            return self._list(start)
        if kind == "{":
            return self._map(start)
        if kind == "." and self.kinds[start + 1] == "IDENTIFIER":
            return self._named(start + 1, ".")
        raise _NotSimpleError

    def _literal(self) -> Expr:
        start = self.index
        sign = self.texts[start] if self._accept("-") else ""
        kind, token = self.kinds[self.index], self.texts[self.index]
        if sign and kind not in _SIGNED:
            raise _NotSimpleError
        self.index += 1
        try:
            value = LITERALS[kind](sign + token)
        except LiteralError:
            raise _NotSimpleError from None
        return ast.Literal(self.builder.token_id(self.starts[start], sign + token), value)

    def _named(self, start: int, dot: str) -> Expr:
        kinds, texts = self.kinds, self.texts
        end = start + 1
        while kinds[end] == "." and kinds[end + 1] == "IDENTIFIER":
            end += 2
        if kinds[end] == "{":
            return self._struct(end, dot + "".join(texts[start:end]))
        name = texts[start]
        if name in RESERVED:
            raise _NotSimpleError
        if kinds[start + 1] != "(":
            self.index = start + 1
            return ast.Ident(self._id(start), dot + name)
        call_id = self._id(start + 1)
        self.index = start + 2
        return self.builder.call(call_id, dot + name, None, self._args())

    def _list(self, start: int) -> Expr:
        list_id = self._id(start)
        elements: list[Expr] = []
        optionals: list[int] = []
        for is_optional in self._items("]"):
            if is_optional:
                optionals.append(len(elements))
            elements.append(self._expr())
        return ast.ListExpr(list_id, elements, optionals)

    def _map(self, start: int) -> Expr:
        map_id = self._id(start)
        entries: list[ast.MapEntry] = []
        for is_optional in self._items("}"):
            entry_id = self.builder.new_id((0, 0))
            key = self._expr()
            height = self.height
            colon = self._expect(":")
            self.builder.offsets[entry_id] = (self.starts[colon], self.starts[colon] + 1)
            entries.append(ast.MapEntry(entry_id, key, self._expr(), is_optional))
            self.height = max(height, self.height)
        return ast.MapExpr(map_id, entries)

    def _struct(self, brace: int, type_name: str) -> Expr:
        struct_id = self._id(brace)
        self.index = brace + 1
        fields: list[ast.StructField] = []
        for is_optional in self._items("}"):
            name = self._field_name()
            field_id = self._id(self._expect(":"))
            fields.append(ast.StructField(field_id, name, self._expr(), is_optional))
        return ast.StructExpr(struct_id, type_name, fields)

    def _items(self, closing: str) -> Iterator[bool]:
        """Yield before each item of a literal whether it is optional, and skip commas and the closing bracket."""
        height = 0
        while self.kinds[self.index] not in (closing, ","):
            yield self._optional()
            height = max(height, self.height)
            if self.kinds[self.index] != "," or self.kinds[self.index + 1] == closing:
                break
            self.index += 1
        self._accept(",")
        self._expect(closing)
        self.height = height
