"""Signature help in expressions: the overloads of the function whose arguments are being written."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol.types import (
    MarkupContent,
    MarkupKind,
    ParameterInformation,
    SignatureHelp,
    SignatureInformation,
)

from crdlint.cel.decls import Overload
from crdlint.cel.types import Kind, Type
from crdlint.kubecel.completion import DOCS, OpenCall, open_call_at, type_of
from crdlint.kubecel.declarations import type_text
from crdlint.lsp.checks import Checks
from crdlint.lsp.cursor import Cursor, EditedExpression, expression_at
from crdlint.lsp.workspace import OpenDocument


def signatures_at(document: OpenDocument, cursor: Cursor, checks: Checks) -> SignatureHelp | None:
    """Return the overloads of the call around the cursor, and which argument it is in; None outside of calls."""
    server = checks.versions(checks.of(document)).newest
    expression, index = expression_at(cursor, server), cursor.inside
    if expression is None or index is None:
        return None
    call = open_call_at(expression.text, index)
    if call is None:
        return None
    overloads = list(_overloads(expression, call))
    if not overloads:
        return None
    fitting = (
        number
        for number, overload in enumerate(overloads)
        if call.argument < len(_parameters(overload))
    )
    signatures = [_signature(overload, expression) for overload in overloads]
    return SignatureHelp(signatures, next(fitting, 0), call.argument)


def _overloads(expression: EditedExpression, call: OpenCall) -> Iterator[Overload]:
    """Yield the overloads that fit what is before the dot."""
    receiver = None
    if call.receiver:
        receiver = type_of(call.receiver, expression.env, expression.environment)
    name = (
        call.name if receiver is not None or not call.receiver else f"{call.receiver}.{call.name}"
    )
    for overload in expression.env.find_function(name):
        if overload.member == (receiver is not None) and _takes(overload, receiver):
            yield overload


def _takes(overload: Overload, receiver: Type | None) -> bool:
    """Return whether a member function may be called on a type."""
    if receiver is None or receiver.is_dyn:
        return True
    return overload.args[0].kind in (Kind.TYPE_PARAM, Kind.DYN, receiver.kind)


def _parameters(overload: Overload) -> tuple[Type, ...]:
    return overload.args[1:] if overload.member else overload.args


def _signature(overload: Overload, expression: EditedExpression) -> SignatureInformation:
    dialect = expression.environment.dialect
    parameters = [type_text(type_, dialect) for type_ in _parameters(overload)]
    target = f"{type_text(overload.args[0], dialect)}." if overload.member else ""
    result = type_text(overload.result, dialect)
    label = f"{target}{overload.function}({', '.join(parameters)}): {result}"
    about = DOCS.get(overload.function)
    return SignatureInformation(
        label,
        MarkupContent(MarkupKind.Markdown, about) if about else None,
        list(map(ParameterInformation, parameters)),
    )
