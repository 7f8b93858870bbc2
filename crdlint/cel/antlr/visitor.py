"""Builds the syntax tree from a parse tree, which may be incomplete. Upstream: the visitor of parser/parser.go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crdlint.cel import ast
from crdlint.cel.antlr.parser import MAX_DEPTH, RecursionLimitError, Tree
from crdlint.cel.ast import Expr
from crdlint.cel.builder import BINARY_OPERATORS, LITERALS, RESERVED, Builder, LiteralError, join_terms
from crdlint.cel.errors import Code, Problem


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
                self.builder.add_error(Problem("unknown parse element encountered: <<nil>>"))
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
        if isinstance(ctx, Tree):
            start, text = ctx.start, ctx.getText()
        else:
            start, text = ctx, ctx.text
        starts = self.builder.source.line_offsets
        offset = starts[start.line - 1] + start.column if 0 < start.line <= len(starts) else -1
        return offset, offset + len(text.encode("utf-8", "surrogatepass"))

    def id(self, ctx: Any) -> int:
        return self.builder.new_id(self.span(ctx))

    def report(self, ctx: Any, message: str, code: Code = Code.OTHER, *args: str) -> Expr:
        return self.builder.report(self.span(ctx), Problem(message, code, args))

    def args(self, ctx: Any) -> list[Expr]:
        arguments = ctx.first("exprList")
        return [] if arguments is None else [self.visit(e) for e in arguments.all("expr")]

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
        return "", "unsupported ident kind" if self.builder.options.dialect.reads_quoted_identifiers else ""


def _ternary(v: _Visitor, ctx: Any) -> Expr:
    condition, *rest = ctx.all("conditionalOr")
    first = v.visit(condition)
    call_id = v.id(ctx.first("?"))
    second = v.visit(rest[0] if rest else None)
    return v.builder.call(call_id, "_?_:_", None, [first, second, v.visit(ctx.first("expr"))])


def _logical(v: _Visitor, ctx: Any) -> Expr:
    operator, part = _WRAPPERS[ctx.kind]
    first, *rest = ctx.all(part)
    terms, ops = [v.visit(first)], []
    for i, op in enumerate(ctx.all(operator)):
        if i >= len(rest):
            return v.report(ctx, f"unexpected character, wanted '{operator}'")
        terms.append(v.visit(rest[i]))
        ops.append(v.id(op))
    return join_terms(f"_{operator}_", terms, ops)


def _operator(v: _Visitor, ctx: Any) -> Expr:
    operator = ctx.first("op")
    left, right = ctx.all(ctx.kind)
    first = v.visit(left)
    call_id = v.id(operator)
    return v.builder.call(call_id, BINARY_OPERATORS[operator.text], None, [first, v.visit(right)])


def _prefix(v: _Visitor, ctx: Any) -> Expr:
    sign = "!" if ctx.kind == "LogicalNot" else "-"
    signs = ctx.all(sign)
    if len(signs) % 2 == 0:
        return v.visit(ctx.first("member"))
    call_id = v.id(signs[0])
    return v.builder.call(call_id, f"{sign}_", None, [v.visit(ctx.first("member"))])


def _select(v: _Visitor, ctx: Any) -> Expr:
    operand = v.visit(ctx.first("member"))
    field, dot = ctx.first("escapeIdent"), ctx.first(".")
    if field is None or dot is None:
        return ast.Unspecified(v.id(ctx))
    name, error = v.name(field)
    if error:
        v.report(field, error)
    if ctx.first("?") is None:
        return ast.Select(v.id(dot), operand, name)
    if not v.builder.options.optional_syntax:
        return v.report(dot, "unsupported syntax '.?'")
    literal = ast.Literal(v.id(field), name)
    return ast.Call(v.id(dot), "_?._", None, [operand, literal])


def _member_call(v: _Visitor, ctx: Any) -> Expr:
    operand = v.visit(ctx.first("member"))
    name, opening = ctx.first("IDENTIFIER"), ctx.first("(")
    if name is None:
        return ast.Unspecified(v.id(ctx))
    call_id = -1 if opening is None else v.id(opening)
    return v.builder.call(call_id, name.text, operand, v.args(ctx))


def _index(v: _Visitor, ctx: Any) -> Expr:
    target = v.visit(ctx.first("member"))
    bracket, is_optional = ctx.first("["), ctx.first("?") is not None
    if bracket is None:
        return ast.Unspecified(v.id(ctx))
    call_id = v.id(bracket)
    index = v.visit(ctx.first("expr"))
    if is_optional and not v.builder.options.optional_syntax:
        return v.report(bracket, "unsupported syntax '[?'")
    return v.builder.call(call_id, "_[?_]" if is_optional else "_[_]", None, [target, index])


def _message(v: _Visitor, ctx: Any) -> Expr:
    name = ".".join(token.text for token in ctx.all("IDENTIFIER"))
    brace = ctx.first("{")
    return ast.StructExpr(
        -1 if brace is None else v.id(brace), _root(ctx) + name, _fields(v, ctx.first("fieldInitializerList"))
    )


def _root(ctx: Any) -> str:
    """Return the dot that a name begins with, or an empty text."""
    return "." if ctx.matched and ctx.matched[0][0] == "." else ""


def _fields(v: _Visitor, ctx: Any) -> list[ast.StructField]:
    fields: list[ast.StructField] = []
    if ctx is None:
        return fields
    colons, values = ctx.all(":"), ctx.all("expr")
    for i, field in enumerate(ctx.all("optField")):
        if i >= len(colons) or i >= len(values):
            return []
        field_id = v.id(colons[i])
        is_optional = field.first("?") is not None
        if is_optional and not v.optional_allowed(field):
            continue
        name, error = v.name(field.first("escapeIdent"))
        if error:
            v.report(ctx, error)
            continue
        if not name:
            return []
        fields.append(ast.StructField(field_id, name, v.visit(values[i]), is_optional))
    return fields


def _named(v: _Visitor, ctx: Any) -> Expr:
    """Return an identifier or the call of a global function."""
    name, opening = ctx.first("IDENTIFIER"), ctx.first("(")
    if name is None:
        return ast.Unspecified(v.id(ctx))
    if name.text in RESERVED:
        return v.report(ctx, f"reserved identifier: {name.text}", Code.RESERVED_IDENTIFIER, name.text)
    if ctx.kind == "Ident":
        return ast.Ident(v.id(name), _root(ctx) + name.text)
    call_id = -1 if opening is None else v.id(opening)
    return v.builder.call(call_id, _root(ctx) + name.text, None, v.args(ctx))


def _list(v: _Visitor, ctx: Any) -> Expr:
    list_id = v.id(ctx.first("["))
    elements: list[Expr] = []
    optionals: list[int] = []
    inner = ctx.first("listInit")
    for i, element in enumerate([] if inner is None else inner.all("optExpr")):
        elements.append(v.visit(element.first("expr")))
        mark = element.first("?")
        if mark is not None and v.optional_allowed(mark):
            optionals.append(i)
    return ast.ListExpr(list_id, elements, optionals)


def _map(v: _Visitor, ctx: Any) -> Expr:
    map_id = v.id(ctx.first("{"))
    inner = ctx.first("mapInitializerList")
    return ast.MapExpr(map_id, [] if inner is None else _entries(v, inner))


def _entries(v: _Visitor, ctx: Any) -> list[ast.MapEntry]:
    entries: list[ast.MapEntry] = []
    keys, values = ctx.all("optExpr"), ctx.all("expr")
    for i, colon in enumerate(ctx.all(":")):
        entry_id = v.id(colon)
        if i >= len(keys) or i >= len(values):
            return []
        key, is_optional = keys[i], keys[i].first("?") is not None
        if is_optional and not v.optional_allowed(key):
            continue
        entries.append(ast.MapEntry(entry_id, v.visit(key.first("expr")), v.visit(values[i]), is_optional))
    return entries


def _literal(v: _Visitor, ctx: Any) -> Expr:
    try:
        value = LITERALS[ctx.kind](ctx.getText())
    except LiteralError as error:
        message = v.report(ctx, str(error))
        # cel-go reports a string that it cannot unescape, and continues with its text.
        return ast.Literal(v.id(ctx), ctx.getText()) if ctx.kind in {"STRING", "BYTES"} else message
    return ast.Literal(v.id(ctx), value)


_HANDLERS: dict[str, Callable[[_Visitor, Any], Expr]] = {
    "expr": _ternary,
    "conditionalOr": _logical,
    "conditionalAnd": _logical,
    "relation": _operator,
    "calc": _operator,
    "LogicalNot": _prefix,
    "Negate": _prefix,
    "unary": lambda v, ctx: ast.Literal(v.id(ctx), "<<error>>"),
    "Select": _select,
    "MemberCall": _member_call,
    "Index": _index,
    "Ident": _named,
    "GlobalCall": _named,
    "CreateList": _list,
    "CreateStruct": _map,
    "CreateMessage": _message,
    **dict.fromkeys(LITERALS, _literal),
}
