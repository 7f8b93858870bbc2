"""The types that the functions of the language server return to the page."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any


class PositionEncodingKind(str, Enum):
    """What the columns of positions count; the page asks for characters."""

    Utf8 = "utf-8"
    Utf16 = "utf-16"
    Utf32 = "utf-32"


class CompletionItemKind(Enum):
    """What a completion is, by the names of CodeMirror's icons."""

    Field = "property"
    Variable = "variable"
    Function = "function"
    Method = "method"
    Operator = "keyword"
    Keyword = "type"
    Property = "class"
    EnumMember = "enum"


class InsertTextFormat(Enum):
    """Whether the text of a completion has places to fill in."""

    PlainText = 1
    Snippet = 2


class MarkupKind(Enum):
    """How a text is marked up."""

    PlainText = "plaintext"
    Markdown = "markdown"


@dataclass
class Position:
    """A place in a text; line and character count from 0."""

    line: int
    character: int


@dataclass
class Range:
    """A part of a text."""

    start: Position
    end: Position


@dataclass
class TextEdit:
    """A text in place of a part of another one."""

    range: Range
    new_text: str


@dataclass
class MarkupContent:
    """A text with its markup."""

    kind: MarkupKind
    value: str


@dataclass
class CompletionItem:
    """A completion."""

    label: str
    kind: CompletionItemKind
    detail: str | None
    documentation: MarkupContent | None
    sort_text: str
    insert_text_format: InsertTextFormat
    text_edit: TextEdit
    label_details: Any = None
    filter_text: str | None = None


class _Unused:
    """A type of the protocol that the page shows nothing of."""


CompletionItemLabelDetails = DocumentSymbol = InlayHint = Location = SymbolKind = _Unused
TextDocumentContentChangeEvent = TextDocumentContentChangePartial = _Unused
