"""Outlines of objects with keys that JSON does not allow, which are there while somebody writes."""

from __future__ import annotations

from lsprotocol.types import DocumentSymbol
from tables import each

from crdlint.lsp.symbols import symbols_of
from crdlint.lsp.workspace import OpenDocument, ProtocolText


@each("key", ["~: x", "? [a]\n  : x", "? {a: b}\n  : x", "? .nan\n  : x", "<<: 1"])
@each("where", ["metadata", "spec"])
def test_an_outline(where: str, key: str) -> None:
    text = f"apiVersion: example.com/v1\nkind: Foo\n{where}:\n  name: a\n  {key}\n"
    (symbol,) = outline(text)
    assert symbol.name in {"a", "Foo"}


def outline(text: str) -> list[DocumentSymbol]:
    return symbols_of(OpenDocument("file:///a.yaml", "/a.yaml", 1, ProtocolText(text)))
