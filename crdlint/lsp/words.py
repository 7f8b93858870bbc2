"""Keys and values that completion offers in YAML, and how each is written at its place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Final

from lsprotocol.types import (
    CompletionItem,
    CompletionItemKind,
    InsertTextFormat,
    MarkupContent,
    MarkupKind,
    TextEdit,
)

from crdlint.light import regex
from crdlint.lsp.cursor import Cursor, cursor_at
from crdlint.lsp.steps import Steps
from crdlint.lsp.workspace import OpenDocument
from crdlint.schema.value_help import written
from crdlint.yaml.nodes import Mapping, Scalar, pairs_of

_LONGEST: Final = 256  # characters of a word
_PROBE: Final = "crdlint-completes-this"  # a key that no document has
_PLACE: Final = regex(r"\$\{\d+:([^{}]*)\}|\$\d+")


@dataclass(frozen=True, slots=True)
class Probed:
    """The place of a word that is being written: that of a key, or of the value of one.

    ``start`` and ``end`` are where the word is in the text, ``steps`` the path of the mapping or list that has it, or of
    the value. ``other_keys`` are those of the mapping.
    """

    cursor: Cursor
    start: int
    end: int
    steps: Steps
    other_keys: frozenset[str] = frozenset()

    @property
    def quotes(self) -> Scalar | None:
        """The scalar that the word is written in, if it has quotes."""
        node = self.cursor.key if self.cursor.on_key else self.cursor.node
        return node if isinstance(node, Scalar) and node.style in ("'", '"') else None

    @property
    def is_in_flow(self) -> bool:
        """Whether the word is between braces."""
        parent = self.cursor.parents[-1] if self.cursor.parents else None
        return isinstance(parent, Mapping) and parent.flow

    @property
    def column(self) -> int:
        """The column of the key or value (0-based)."""
        column: int = (self.cursor.key or self.cursor.node).start_mark.column
        return column


def probes(text: str, index: int) -> Iterator[Probed]:
    """Yield the places that the word at an index may have: the text is read with a word of ours there, as key and value."""
    before = text[max(0, index - _LONGEST) : index]
    start = index - _length(before[::-1])
    end = index + _length(text[index : index + _LONGEST])
    line_end = text.find("\n", end)
    rest = text[end : len(text) if line_end < 0 else line_end]
    if "#" in text[text.rfind("\n", 0, start) + 1 : start]:
        return
    for probe in [_PROBE] if rest.lstrip().startswith(":") else [f"{_PROBE}: ", _PROBE]:
        cursor = cursor_at(f"{text[:start]}{probe}{text[end:]}", start + 1)
        if cursor is not None and _is_at_probe(cursor):
            yield _probed(cursor, start, end)


def _length(text: str) -> int:
    """Return the length of the word that a text starts with."""
    return sum(1 for _ in takewhile(_is_of_word, text))


def _is_of_word(character: str) -> bool:
    """Return whether a character may be in a word that is completed."""
    return character.isalnum() or character in "_$/-"


def _is_at_probe(cursor: Cursor) -> bool:
    return _PROBE in (str(getattr(cursor.node, "value", "")), cursor.steps[-1])


def _probed(cursor: Cursor, start: int, end: int) -> Probed:
    if not cursor.on_key:
        return Probed(cursor, start, end, cursor.steps)
    pairs = pairs_of(cursor.parents[-1])
    names = frozenset(str(key.value) for key, _ in pairs if isinstance(key, Scalar))
    return Probed(
        cursor,
        start,
        end,
        cursor.steps[:-1],
        names - {_PROBE},
    )


@dataclass(frozen=True, slots=True)
class Word:
    """A key or value that can be written: what it is, and whether an object must have it.

    ``collection`` is whether a key has a mapping, None for a scalar; ``fields`` are the keys that the mapping must have.
    ``template`` has the lines of a snippet with places to fill in, whose name is ``value``.
    """

    value: object
    detail: str = ""
    documentation: str = ""
    collection: bool | None = None
    is_required: bool = False
    fields: tuple[str, ...] = ()
    template: str = ""

    @property
    def text(self) -> str:
        """It as YAML."""
        return written(self.value)

    @property
    def order(self) -> str:
        """What it is sorted by: what is required comes first, a snippet last."""
        return f"{2 if self.template else 0 if self.is_required else 1}{self.text}"


def item(
    document: OpenDocument,
    probed: Probed,
    word: Word,
    *,
    snippets: bool,
) -> CompletionItem:
    """Return a word as an item of completion."""
    edit = TextEdit(
        document.text.range(probed.start, probed.end),
        _written(document, probed, word, snippets=snippets),
    )
    is_snippet = snippets and "\n" in edit.new_text  # all others have one line
    about = word.documentation
    return CompletionItem(
        label=word.text if probed.quotes is None else str(word.value),
        kind=_kind(probed, word),
        detail=word.detail or None,
        documentation=MarkupContent(MarkupKind.Markdown, about) if about else None,
        sort_text=word.order,
        insert_text_format=InsertTextFormat.Snippet if is_snippet else InsertTextFormat.PlainText,
        text_edit=edit,
    )


def _kind(probed: Probed, word: Word) -> CompletionItemKind:
    if word.template:
        return CompletionItemKind.Snippet
    return CompletionItemKind.Property if probed.cursor.on_key else CompletionItemKind.EnumMember


def _written(
    document: OpenDocument,
    probed: Probed,
    word: Word,
    *,
    snippets: bool,
) -> str:
    if word.template:
        return _from_template(word.template, probed, snippets=snippets)
    if probed.quotes is not None:
        return quoted(str(word.value), probed.quotes)
    has_colon = document.text.text[probed.end :].lstrip(" ").startswith(":")
    if not probed.cursor.on_key or has_colon:
        return word.text
    if word.collection is None or probed.is_in_flow:
        return f"{word.text}: "
    return _with_collection(probed, word) if snippets else f"{word.text}:"


def _from_template(template: str, probed: Probed, *, snippets: bool) -> str:
    """Return the lines of a template at the indent of a place; without snippets, with nothing to fill in."""
    text = template if snippets else _PLACE.sub(lambda match: match[1] or "", template)
    return text.replace("\n", "\n" + " " * probed.column)


def _with_collection(probed: Probed, word: Word) -> str:
    """Return a key with the start of its mapping or list below it, as a snippet."""
    indent = "\n" + " " * (probed.column + 2)
    if not word.collection:
        return f"{plain(word.text)}:{indent}- $0"
    fields = [f"{indent}{plain(name)}: ${number}" for number, name in enumerate(word.fields, 1)]
    return f"{plain(word.text)}:" + ("".join(fields) if fields else f"{indent}$0")


def plain(text: str) -> str:
    """Return a text as a snippet has it."""
    return re.sub(r"([\\$}])", r"\\\1", text)


def quoted(text: str, node: Scalar) -> str:
    """Return a text as a scalar with quotes has it: quotes are written twice, or escaped."""
    if node.style == "'":
        return text.replace("'", "''")
    return text.replace("\\", "\\\\").replace('"', '\\"') if node.style == '"' else text
