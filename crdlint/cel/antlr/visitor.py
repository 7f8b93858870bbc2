"""Builds the syntax tree from a parse tree, which may be incomplete. Upstream: the visitor of parser/parser.go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from crdlint.cel.antlr.CELParser import CELParser as P
from crdlint.cel.ast import (
    Call,
    Expr,
    Ident,
    ListExpr,
    Literal,
    MapEntry,
    MapExpr,
    Select,
    StructExpr,
    StructField,
    Unspecified,
)
from crdlint.cel.builder import (
    BINARY_OPERATORS,
    RESERVED,
    Builder,
    LiteralError,
    bytes_value,
    double_value,
    int_value,
    join_terms,
    string_value,
    uint_value,
)
from crdlint.cel.errors import Code, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.cel.ast import Value

_MAX_DEPTH = 250


class RecursionLimitError(Exception):
    """A limit is exceeded, which ends parsing with its message."""


def visit(tree: Any, builder: Builder) -> Expr:
    """Return the syntax tree; raise `RecursionLimitError` if it is too deep."""
    return _Visitor(builder).visit(tree.expr())


def _inner(tree: Any) -> Any:
    """Return the first descendant that is more than a wrapper. Upstream: parser.unnest."""
    while tree is not None:
        kind = type(tree)
        if kind in (P.ExprContext, P.RelationContext, P.CalcContext):
            if tree.op is not None:
                return tree
            tree = tree.e if kind is P.ExprContext else tree.calc() if kind is P.RelationContext else tree.unary()
        elif kind in (P.ConditionalOrContext, P.ConditionalAndContext):
            if tree.ops:
                return tree
            tree = tree.e
        elif kind in _THROUGH:
            tree = _THROUGH[kind](tree)
        else:
            return tree
    return None


_THROUGH: dict[type, Callable[[Any], Any]] = {
    P.MemberExprContext: lambda tree: tree.member(),
    P.PrimaryExprContext: lambda tree: tree.primary(),
    P.NestedContext: lambda tree: tree.e,
    P.ConstantLiteralContext: lambda tree: tree.literal(),
}
_COUNTED = frozenset(
    {P.ExprContext, P.RelationContext, P.CalcContext, P.SelectContext, P.MemberCallContext, P.IndexContext}
)


class _Visitor:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.depth = 0

    def visit(self, tree: Any) -> Expr:
        tree = _inner(tree)
        handler = _HANDLERS.get(type(tree))
        if handler is None:
            if not self.builder.errors:
                self.builder.add_error(Problem("unknown parse element encountered: <<nil>>"))
            return Unspecified(self.builder.new_id((-1, -1)))
        if type(tree) not in _COUNTED:
            return handler(self, tree)
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise RecursionLimitError("max recursion depth exceeded")
        expr = handler(self, tree)
        self.depth -= 1
        return expr

    def span(self, ctx: Any) -> tuple[int, int]:
        """Return the offsets of a token or context."""
        if isinstance(ctx, (_ParserRuleContext)):
            start, text = ctx.start, ctx.getText()
        else:
            start, text = ctx, ctx.text
        starts = self.builder.source.line_offsets
        offset = starts[start.line - 1] + start.column if 0 < start.line <= len(starts) else -1
        return offset, offset + len(text.encode("utf-8", "surrogatepass"))

    def id(self, ctx: Any) -> int:
        return self.builder.new_id(self.span(ctx))

    def unspecified(self, ctx: Any) -> Expr:
        return Unspecified(self.id(ctx))

    def report(self, ctx: Any, message: str, code: Code = Code.OTHER, *args: str) -> Expr:
        return self.builder.report(self.span(ctx), Problem(message, code, args))

    def args(self, ctx: Any) -> list[Expr]:
        return [] if ctx is None else [self.visit(e) for e in ctx.e]

    def optional_allowed(self, ctx: Any) -> bool:
        if self.builder.options.optional_syntax:
            return True
        self.report(ctx, "unsupported syntax '?'")
        return False

    def name(self, ctx: Any) -> tuple[str, str]:
        """Return the name and an error text, one of them empty. Upstream: parser.normalizeIdent."""
        kind = type(ctx)
        if kind is P.SimpleIdentifierContext:
            return ctx.id_.text, ""
        if kind is P.EscapedIdentifierContext:
            if not self.builder.options.enable_identifier_escape_syntax:
                return "", "unsupported syntax: '`'"
            return ctx.id_.text[1:-1], ""
        return "", "unsupported ident kind"


def _ternary(v: _Visitor, ctx: Any) -> Expr:
    condition = v.visit(ctx.e)
    call_id = v.id(ctx.op)
    first = v.visit(ctx.e1)
    return v.builder.call(call_id, "_?_:_", None, [condition, first, v.visit(ctx.e2)])


def _logical(op_text: str) -> Callable[[_Visitor, Any], Expr]:
    def handle(v: _Visitor, ctx: Any) -> Expr:
        terms, ops = [v.visit(ctx.e)], []
        for i, op in enumerate(ctx.ops):
            if i >= len(ctx.e1):
                return v.report(ctx, f"unexpected character, wanted '{op_text}'")
            terms.append(v.visit(ctx.e1[i]))
            ops.append(v.id(op))
        return join_terms(f"_{op_text}_", terms, ops)

    return handle


def _operator(v: _Visitor, ctx: Any) -> Expr:
    function = BINARY_OPERATORS.get(ctx.op.text)
    if function is None:
        return v.report(ctx, "operator not found")
    side = ctx.relation if isinstance(ctx, P.RelationContext) else ctx.calc
    left = v.visit(side(0))
    call_id = v.id(ctx.op)
    return v.builder.call(call_id, function, None, [left, v.visit(side(1))])


def _prefix(function: str) -> Callable[[_Visitor, Any], Expr]:
    def handle(v: _Visitor, ctx: Any) -> Expr:
        if len(ctx.ops) % 2 == 0:
            return v.visit(ctx.member())
        call_id = v.id(ctx.ops[0])
        return v.builder.call(call_id, function, None, [v.visit(ctx.member())])

    return handle


def _select(v: _Visitor, ctx: Any) -> Expr:
    operand = v.visit(ctx.member())
    if ctx.id_ is None or ctx.op is None:
        return v.unspecified(ctx)
    name, error = v.name(ctx.id_)
    if error:
        v.report(ctx.id_, error)
    if ctx.opt is None:
        return Select(v.id(ctx.op), operand, name)
    if not v.builder.options.optional_syntax:
        return v.report(ctx.op, "unsupported syntax '.?'")
    field = Literal(v.id(ctx.id_), name)
    return Call(v.id(ctx.op), "_?._", None, [operand, field])


def _member_call(v: _Visitor, ctx: Any) -> Expr:
    operand = v.visit(ctx.member())
    if ctx.id_ is None:
        return v.unspecified(ctx)
    call_id = -1 if ctx.open_ is None else v.id(ctx.open_)
    return v.builder.call(call_id, ctx.id_.text, operand, v.args(ctx.args))


def _index(v: _Visitor, ctx: Any) -> Expr:
    target = v.visit(ctx.member())
    if ctx.op is None:
        return v.unspecified(ctx)
    call_id = v.id(ctx.op)
    index = v.visit(ctx.index)
    if ctx.opt is not None and not v.builder.options.optional_syntax:
        return v.report(ctx.op, "unsupported syntax '[?'")
    return v.builder.call(call_id, "_[_]" if ctx.opt is None else "_[?_]", None, [target, index])


def _message(v: _Visitor, ctx: Any) -> Expr:
    name = ("" if ctx.leadingDot is None else ".") + ".".join(token.text for token in ctx.ids)
    struct_id = -1 if ctx.op is None else v.id(ctx.op)
    return StructExpr(struct_id, name, _fields(v, ctx.entries))


def _fields(v: _Visitor, ctx: Any) -> list[StructField]:
    fields: list[StructField] = []
    if ctx is None:
        return fields
    for i, field in enumerate(ctx.fields):
        if i >= len(ctx.cols) or i >= len(ctx.values):
            return []
        field_id = v.id(ctx.cols[i])
        if field.opt is not None and not v.optional_allowed(field):
            continue
        name, error = v.name(field.escapeIdent())
        if error:
            v.report(ctx, error)
            continue
        fields.append(StructField(field_id, name, v.visit(ctx.values[i]), field.opt is not None))
    return fields


def _ident(v: _Visitor, ctx: Any) -> Expr:
    if ctx.id_ is None:
        return v.unspecified(ctx)
    if ctx.id_.text in RESERVED:
        return v.report(ctx, f"reserved identifier: {ctx.id_.text}", Code.RESERVED_IDENTIFIER, ctx.id_.text)
    return Ident(v.id(ctx.id_), ("" if ctx.leadingDot is None else ".") + ctx.id_.text)


def _global_call(v: _Visitor, ctx: Any) -> Expr:
    if ctx.id_ is None:
        return v.unspecified(ctx)
    if ctx.id_.text in RESERVED:
        return v.report(ctx, f"reserved identifier: {ctx.id_.text}", Code.RESERVED_IDENTIFIER, ctx.id_.text)
    name = ("" if ctx.leadingDot is None else ".") + ctx.id_.text
    call_id = -1 if ctx.op is None else v.id(ctx.op)
    return v.builder.call(call_id, name, None, v.args(ctx.args))


def _list(v: _Visitor, ctx: Any) -> Expr:
    list_id = v.id(ctx.op)
    elements: list[Expr] = []
    optionals: list[int] = []
    for i, element in enumerate([] if ctx.elems is None else ctx.elems.elems):
        elements.append(v.visit(element.e))
        if element.opt is not None and v.optional_allowed(element.opt):
            optionals.append(i)
    return ListExpr(list_id, elements, optionals)


def _map(v: _Visitor, ctx: Any) -> Expr:
    map_id = v.id(ctx.op)
    return MapExpr(map_id, _entries(v, ctx.entries))


def _entries(v: _Visitor, ctx: Any) -> list[MapEntry]:
    entries: list[MapEntry] = []
    if ctx is None:
        return entries
    for i, colon in enumerate(ctx.cols):
        entry_id = v.id(colon)
        if i >= len(ctx.keys) or i >= len(ctx.values):
            return []
        key = ctx.keys[i]
        if key.opt is not None and not v.optional_allowed(key):
            continue
        entries.append(MapEntry(entry_id, v.visit(key.e), v.visit(ctx.values[i]), key.opt is not None))
    return entries


def _literal(read: Callable[[str], Value]) -> Callable[[_Visitor, Any], Expr]:
    def handle(v: _Visitor, ctx: Any) -> Expr:
        try:
            value = read(ctx.getText())
        except LiteralError as error:
            message = v.report(ctx, str(error))
            # cel-go reports a string that it cannot unescape, and continues with its text.
            return Literal(v.id(ctx), ctx.getText()) if isinstance(ctx, _QUOTED) else message
        return Literal(v.id(ctx), value)

    return handle


def _signed_int(text: str) -> int:
    return int_value(text[1:], "-") if text.startswith("-") else int_value(text)


_QUOTED = (P.StringContext, P.BytesContext)
_ParserRuleContext = P.ExprContext.__mro__[1]
_HANDLERS: dict[type, Callable[[_Visitor, Any], Expr]] = {
    P.ExprContext: _ternary,
    P.ConditionalOrContext: _logical("||"),
    P.ConditionalAndContext: _logical("&&"),
    P.RelationContext: _operator,
    P.CalcContext: _operator,
    P.LogicalNotContext: _prefix("!_"),
    P.NegateContext: _prefix("-_"),
    P.UnaryContext: lambda v, ctx: Literal(v.id(ctx), "<<error>>"),
    P.SelectContext: _select,
    P.MemberCallContext: _member_call,
    P.IndexContext: _index,
    P.IdentContext: _ident,
    P.GlobalCallContext: _global_call,
    P.CreateListContext: _list,
    P.CreateStructContext: _map,
    P.CreateMessageContext: _message,
    P.IntContext: _literal(_signed_int),
    P.UintContext: _literal(uint_value),
    P.DoubleContext: _literal(double_value),
    P.StringContext: _literal(string_value),
    P.BytesContext: _literal(bytes_value),
    P.BoolTrueContext: _literal(lambda _: True),
    P.BoolFalseContext: _literal(lambda _: False),
    P.NullContext: _literal(lambda _: None),
}
