"""Completion inside of expressions: fields, functions, macros, and the values of an enum that a field is compared with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol.types import CompletionItem, CompletionItemKind, InsertTextFormat, Range, TextEdit

from crdlint.kubecel.completion import DOCS, Completion, compared_at, complete, context_at
from crdlint.lsp.cursor import Cursor, EditedExpression, schema_named
from crdlint.lsp.words import plain, quoted
from crdlint.lsp.workspace import OpenDocument
from crdlint.yaml.nodes import Mapping, Scalar
from crdlint.yaml.scalars import offsets_inside

_KINDS: Final = {
    "field": CompletionItemKind.Field,
    "variable": CompletionItemKind.Variable,
    "function": CompletionItemKind.Function,
    "method": CompletionItemKind.Method,
    "macro": CompletionItemKind.Operator,
    "keyword": CompletionItemKind.Keyword,
}


class ExpressionCompletion:
    """Completes the expression of a rule or message at a cursor inside of it."""

    def __init__(
        self, document: OpenDocument, cursor: Cursor, expression: EditedExpression
    ) -> None:
        self._document: Final = document
        self._cursor: Final = cursor
        self._expression: Final = expression
        self._end: Final = cursor.inside or 0

    def items(self, *, snippets: bool) -> Iterator[CompletionItem]:
        """Yield what can be written: values of an enum first."""
        yield from self._values()
        expression = self._expression
        context, suggestions = complete(
            expression.text,
            self._end,
            expression.env,
            expression.environment,
            expression.declarations,
        )
        if context is None:
            return
        for order, suggestion in enumerate(suggestions):
            text = quoted(suggestion.text, expression.node)
            if not self._ends_value(text):
                edit = TextEdit(self._range(context.start, self._end), text)
                yield self._item(suggestion, order, edit, snippets=snippets)

    def _values(self) -> Iterator[CompletionItem]:
        """Yield the values of the enum that is compared with the text at the cursor."""
        expression = self._expression
        compared = compared_at(expression.text, self._end)
        if compared is None:
            return
        quote = compared.quote or "'"
        range_ = self._range(compared.start, self._end_of_text(compared.quote))
        for order, value in enumerate(self._enum(compared.operand)):
            text = quoted(_literal(value, quote), expression.node)
            if not self._ends_value(text):
                yield CompletionItem(
                    label=value,
                    kind=CompletionItemKind.EnumMember,
                    detail=f"value of {compared.operand}",
                    sort_text=f" {order:04}",
                    filter_text=_literal(value, quote),
                    text_edit=TextEdit(range_, text),
                )

    def _end_of_text(self, quote: str) -> int:
        """Return where the text literal at the cursor ends: behind its quote, if that closes the word."""
        text, end = self._expression.text, self._end
        while quote and text[end : end + 1].isalnum():
            end += 1
        return end + len(quote) if quote and text.startswith(quote, end) else self._end

    def _enum(self, operand: str) -> Iterable[str]:
        expression = self._expression
        context = context_at(
            operand,
            len(operand),
            expression.env,
            expression.environment,
        )
        if context is None:
            return ()
        schema = expression.schema if operand in ("self", "oldSelf") else None
        if context.receiver is not None:
            schema = schema_named(expression, context, context.word)
        values = () if schema is None else schema.enum
        texts = (value for value in values if isinstance(value, str))
        return [text for text in texts if text.isprintable()]

    def _range(self, start: int, end: int) -> Range:
        """Return the range of a part of the expression."""
        text, here = self._cursor.document.text, self._cursor.index - self._cursor.start
        first, last = offsets_inside(text, self._expression.node, start, end) or (here, here)
        if start == end == len(self._expression.text) and not text[last:here].strip():
            first = last = here  # behind the space at the end of a plain scalar
        return self._document.text.range(self._cursor.start + first, self._cursor.start + last)

    def _ends_value(self, text: str) -> bool:
        """Return whether a text would end the value in YAML."""
        parent = self._cursor.parents[-1]
        in_flow = isinstance(parent, Mapping) and parent.flow
        is_plain = self._expression.node.style is None
        return in_flow and is_plain and bool(re.search(r"[\[\]{},]", text))

    def _item(
        self,
        suggestion: Completion,
        order: int,
        edit: TextEdit,
        *,
        snippets: bool,
    ) -> CompletionItem:
        text_format = InsertTextFormat.PlainText
        if snippets and suggestion.arguments:
            text_format = InsertTextFormat.Snippet
            edit = TextEdit(edit.range, _snippet(suggestion, self._expression.node))
        is_call = suggestion.arguments is not None
        return CompletionItem(
            label=f"{suggestion.name}()" if is_call else suggestion.name,
            kind=_KINDS[suggestion.kind],
            detail=suggestion.type,
            documentation=_described(suggestion) or None,
            sort_text=f"{order:04}",
            filter_text=suggestion.name,
            insert_text_format=text_format,
            text_edit=edit,
        )


def _literal(value: str, quote: str) -> str:
    r"""Return a text as a literal of CEL.

    >>> _literal("it's", "'")
    "'it\\'s'"
    """
    escaped = value.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return f"{quote}{escaped}{quote}"


def _described(suggestion: Completion) -> str:
    """Return what a function or macro does, and since when."""
    text = DOCS.get(suggestion.name, "")
    if not text or suggestion.since is None:
        return text
    return f"{text} (since Kubernetes {suggestion.since[0]}.{suggestion.since[1]})"


def _snippet(suggestion: Completion, node: Scalar) -> str:
    escaped = (plain(quoted(argument, node)) for argument in suggestion.arguments or ())
    arguments = ", ".join(f"${{{number}:{argument}}}" for number, argument in enumerate(escaped, 1))
    return f"{suggestion.name}({arguments})"
