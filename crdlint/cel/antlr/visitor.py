"""Builds the syntax tree from a parse tree, which may be incomplete. Upstream: the visitor of parser/parser.go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crdlint.cel import ast
from crdlint.cel.antlr.parser import MAX_DEPTH, ParseTree, RecursionLimitError
from crdlint.cel.ast import Expr
from crdlint.cel.builder import (
    BINARY_OPERATORS,
    LITERALS,
    RESERVED,
    Builder,
    LiteralError,
    join_terms,
)
from crdlint.cel.errors import CodedMessage, ErrorCode


def visit(tree: Any, builder: Builder) -> Expr:
    """Return the syntax tree; raise `RecursionLimitError` if it is too deep."""
    return _Visitor(builder).visit(tree.first("expr"))


def _inner(tree: Any) -> Any:
    """Return the first descendant that is more than a wrapper. Upstream: parser.unnest."""
    while tree is not None and tree.kind in _WRAPPERS:
        sign, inner = _WRAPPERS[tree.kind]
        if sign and tree.first(sign) is not None:
            return tree
        tree = tree.first(inner)
    return tree


# The token with which a tree is more than a wrapper, if there is any, and the part that it wraps.
_WRAPPERS = {
    "expr": ("?", "conditionalOr"),
    "conditionalOr": ("||", "conditionalAnd"),
    "conditionalAnd": ("&&", "relation"),
    "relation": ("op", "calc"),
    "calc": ("op", "unary"),
    "MemberExpr": ("", "member"),
    "member": ("", "primary"),
    "Nested": ("", "expr"),
    "ConstantLiteral": ("", "literal"),
}
_COUNTED = frozenset({"expr", "relation", "calc", "Select", "MemberCall", "Index"})


class _Visitor:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.depth = 0

    def visit(self, tree: Any) -> Expr:
        tree = _inner(tree)
        handler = None if tree is None else _HANDLERS.get(tree.kind)
        if handler is None:
            if not self.builder.errors:
                self.builder.add_error(CodedMessage("unknown parse element encountered: <<nil>>"))
            return ast.Unspecified(self.builder.new_id((-1, -1)))
        if tree.kind not in _COUNTED:
            return handler(self, tree)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise RecursionLimitError("max recursion depth exceeded")
        expr = handler(self, tree)
        self.depth -= 1
        return expr

    def span(self, ctx: Any) -> tuple[int, int]:
        if isinstance(ctx, ParseTree):
            start, text = ctx.start, ctx.getText()
        else:
            start, text = ctx, ctx.text
        starts = self.builder.source.line_offsets
        offset = starts[start.line - 1] + start.column if 0 < start.line <= len(starts) else -1
        return offset, offset + len(text.encode("utf-8", "surrogatepass"))

    def id(self, ctx: Any) -> int:
        return self.builder.new_id(self.span(ctx))

    def report(
        self,
        ctx: Any,
        message: str,
        code: ErrorCode = ErrorCode.OTHER,
        *args: str,
    ) -> Expr:
        return self.builder.report(self.span(ctx), CodedMessage(message, code, args))

    def call(self, ctx: Any, name: str, target: Expr | None) -> Expr:
        opening, arguments = ctx.first("("), ctx.first("exprList")
        call_id = -1 if opening is None else self.id(opening)
        args = [] if arguments is None else list(map(self.visit, arguments.all("expr")))
        return self.builder.call(call_id, name, target, args)

    def optional_allowed(self, ctx: Any) -> bool:
        if self.builder.options.optional_syntax:
            return True
        self.report(ctx, "unsupported syntax '?'")
        return False

    def name(self, ctx: Any) -> tuple[str, str]:
        """Return the name and an error text; both are empty if a syntax error replaces them. Upstream: parser.normalizeIdent."""
        kind = None if ctx is None else ctx.kind
        if kind == "SimpleIdentifier":
            return ctx.first("IDENTIFIER").text, ""
        if kind == "EscapedIdentifier":
            if not self.builder.options.dialect.has_quoted_identifiers:
                return "", "unsupported syntax: '`'"
            return ctx.first("ESC_IDENTIFIER").text[1:-1], ""
        return (
            "",
            "unsupported ident kind"
            if self.builder.options.dialect.reads_quoted_identifiers
            else "",
        )

    def ternary(self, ctx: Any) -> Expr:
        condition, *rest = ctx.all("conditionalOr")
        first = self.visit(condition)
        call_id = self.id(ctx.first("?"))
        second = self.visit(rest[0] if rest else None)
        return self.builder.call(
            call_id,
            "_?_:_",
            None,
            [first, second, self.visit(ctx.first("expr"))],
        )

    def logical(self, ctx: Any) -> Expr:
        operator, part = _WRAPPERS[ctx.kind]
        first, *rest = ctx.all(part)
        terms, ops = [self.visit(first)], []
        for i, op in enumerate(ctx.all(operator)):
            if i >= len(rest):
                return self.report(ctx, f"unexpected character, wanted '{operator}'")
            terms.append(self.visit(rest[i]))
            ops.append(self.id(op))
        return join_terms(f"_{operator}_", terms, ops)

    def operator(self, ctx: Any) -> Expr:
        operator = ctx.first("op")
        left, right = ctx.all(ctx.kind)
        first = self.visit(left)
        call_id = self.id(operator)
        return self.builder.call(
            call_id,
            BINARY_OPERATORS[operator.text],
            None,
            [first, self.visit(right)],
        )

    def prefix(self, ctx: Any) -> Expr:
        sign = "!" if ctx.kind == "LogicalNot" else "-"
        signs = ctx.all(sign)
        if len(signs) % 2 == 0:
            return self.visit(ctx.first("member"))
        call_id = self.id(signs[0])
        return self.builder.call(
            call_id,
            f"{sign}_",
            None,
            [self.visit(ctx.first("member"))],
        )

    def select(self, ctx: Any) -> Expr:
        operand = self.visit(ctx.first("member"))
        field, dot = ctx.first("escapeIdent"), ctx.first(".")
        if field is None or dot is None:
            return ast.Unspecified(self.id(ctx))
        name, error = self.name(field)
        if error:
            self.report(field, error)
        if ctx.first("?") is None:
            return ast.Select(self.id(dot), operand, name)
        if not self.builder.options.optional_syntax:
            return self.report(dot, "unsupported syntax '.?'")
        literal = ast.Literal(self.id(field), name)
        return ast.Call(self.id(dot), "_?._", None, [operand, literal])

    def member_call(self, ctx: Any) -> Expr:
        operand = self.visit(ctx.first("member"))
        name = ctx.first("IDENTIFIER")
        return ast.Unspecified(self.id(ctx)) if name is None else self.call(ctx, name.text, operand)

    def index(self, ctx: Any) -> Expr:
        target = self.visit(ctx.first("member"))
        bracket, is_optional = ctx.first("["), ctx.first("?") is not None
        if bracket is None:
            return ast.Unspecified(self.id(ctx))
        call_id = self.id(bracket)
        index = self.visit(ctx.first("expr"))
        if is_optional and not self.builder.options.optional_syntax:
            return self.report(bracket, "unsupported syntax '[?'")
        return self.builder.call(
            call_id,
            "_[?_]" if is_optional else "_[_]",
            None,
            [target, index],
        )

    def message(self, ctx: Any) -> Expr:
        name = ".".join(token.text for token in ctx.all("IDENTIFIER"))
        brace, fields = ctx.first("{"), ctx.first("fieldInitializerList")
        struct_id = -1 if brace is None else self.id(brace)
        return ast.StructExpr(
            struct_id, _root(ctx) + name, [] if fields is None else self.fields(fields)
        )

    def fields(self, ctx: Any) -> list[ast.StructField]:
        fields: list[ast.StructField] = []
        colons, values = ctx.all(":"), ctx.all("expr")
        for i, field in enumerate(ctx.all("optField")):
            if i >= len(colons) or i >= len(values):
                return []
            field_id = self.id(colons[i])
            is_optional = field.first("?") is not None
            if is_optional and not self.optional_allowed(field):
                continue
            name, error = self.name(field.first("escapeIdent"))
            if error:
                self.report(ctx, error)
                continue
            if not name:
                return []
            fields.append(
                ast.StructField(
                    field_id,
                    name,
                    self.visit(values[i]),
                    is_optional,
                )
            )
        return fields

    def named(self, ctx: Any) -> Expr:
        """Return an identifier or the call of a global function."""
        name = ctx.first("IDENTIFIER")
        if name is None:
            return ast.Unspecified(self.id(ctx))
        if name.text in RESERVED:
            return self.report(
                ctx,
                f"reserved identifier: {name.text}",
                ErrorCode.RESERVED_IDENTIFIER,
                name.text,
            )
        full_name = _root(ctx) + name.text
        return (
            ast.Ident(self.id(name), full_name)
            if ctx.kind == "Ident"
            else self.call(ctx, full_name, None)
        )

    def list_(self, ctx: Any) -> Expr:
        list_id = self.id(ctx.first("["))
        elements: list[Expr] = []
        optionals: list[int] = []
        inner = ctx.first("listInit")
        for i, element in enumerate([] if inner is None else inner.all("optExpr")):
            elements.append(self.visit(element.first("expr")))
            mark = element.first("?")
            if mark is not None and self.optional_allowed(mark):
                optionals.append(i)
        return ast.ListExpr(list_id, elements, optionals)

    def map_(self, ctx: Any) -> Expr:
        map_id = self.id(ctx.first("{"))
        inner = ctx.first("mapInitializerList")
        return ast.MapExpr(map_id, [] if inner is None else self.entries(inner))

    def entries(self, ctx: Any) -> list[ast.MapEntry]:
        entries: list[ast.MapEntry] = []
        keys, values = ctx.all("optExpr"), ctx.all("expr")
        for i, colon in enumerate(ctx.all(":")):
            entry_id = self.id(colon)
            if i >= len(keys) or i >= len(values):
                return []
            key, is_optional = keys[i], keys[i].first("?") is not None
            if is_optional and not self.optional_allowed(key):
                continue
            entries.append(
                ast.MapEntry(
                    entry_id,
                    self.visit(key.first("expr")),
                    self.visit(values[i]),
                    is_optional,
                )
            )
        return entries

    def literal(self, ctx: Any) -> Expr:
        try:
            value = LITERALS[ctx.kind](ctx.getText())
        except LiteralError as error:
            message = self.report(ctx, str(error))
            # cel-go reports a string that it cannot unescape, and continues with its text.
            return (
                ast.Literal(self.id(ctx), ctx.getText())
                if ctx.kind in {"STRING", "BYTES"}
                else message
            )
        return ast.Literal(self.id(ctx), value)


def _root(ctx: Any) -> str:
    """Return the dot that a name begins with, or an empty text."""
    return "." if ctx.matched and ctx.matched[0][0] == "." else ""


_HANDLERS: dict[str, Callable[[_Visitor, Any], Expr]] = {
    "expr": _Visitor.ternary,
    "conditionalOr": _Visitor.logical,
    "conditionalAnd": _Visitor.logical,
    "relation": _Visitor.operator,
    "calc": _Visitor.operator,
    "LogicalNot": _Visitor.prefix,
    "Negate": _Visitor.prefix,
    "unary": lambda v, ctx: ast.Literal(v.id(ctx), "<<error>>"),
    "Select": _Visitor.select,
    "MemberCall": _Visitor.member_call,
    "Index": _Visitor.index,
    "Ident": _Visitor.named,
    "GlobalCall": _Visitor.named,
    "CreateList": _Visitor.list_,
    "CreateStruct": _Visitor.map_,
    "CreateMessage": _Visitor.message,
    **dict.fromkeys(LITERALS, _Visitor.literal),
}
