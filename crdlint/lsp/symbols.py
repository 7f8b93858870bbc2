"""The symbols of documents: objects, versions, fields and rules; and the CRDs of the workspace."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from lsprotocol.types import (
    DocumentSymbol,
    Location,
    Position,
    Range,
    SymbolKind,
    WorkspaceSymbol,
)

from crdlint.crd.identity import identify
from crdlint.lsp.resources import CRDIndex, DefinedCRD
from crdlint.lsp.roots import roots
from crdlint.lsp.workspace import OpenDocument, uri_of
from crdlint.resources.objects import text_at
from crdlint.yaml.nodes import Mapping, Node, Scalar, child, items_of, pairs_of, text_or_empty

_MOST: Final = 20_000  # symbols of a document
_LONGEST: Final = 80  # characters of a rule
_BELOW: Final = ("properties", "items", "additionalProperties")


def symbols_of(document: OpenDocument) -> list[DocumentSymbol]:
    """Return the symbols of a document."""
    return _Symbols(document).all()


class _Symbols:
    """Makes the symbols of one document."""

    def __init__(self, document: OpenDocument) -> None:
        self._text: Final = document.text
        self._start = 0
        self._count = 0

    def all(self) -> list[DocumentSymbol]:
        symbols = []
        for document, start, root in roots(self._text.text):
            self._start = start
            name = text_at(root, "metadata", "name") or text_at(root, "kind") or "object"
            is_crd = identify(root, document.text).form not in {"other", "list", "crd-list"}
            children: list[DocumentSymbol] = []
            kind = SymbolKind.Object
            if is_crd:
                children, kind = self._versions(root), SymbolKind.Class
            symbols.append(
                self._symbol(
                    name,
                    text_at(root, "kind"),
                    kind,
                    root,
                    root,
                    children,
                )
            )
        return symbols

    def _versions(self, root: Mapping) -> list[DocumentSymbol]:
        symbols = []
        for version in items_of(child(root, "spec", "versions")):
            if isinstance(version, Mapping):
                name = text_at(version, "name") or "version"
                fields = list(self._below(child(version, "schema", "openAPIV3Schema")))
                symbols.append(
                    self._symbol(
                        name,
                        "version",
                        SymbolKind.Module,
                        version,
                        version,
                        fields,
                    )
                )
        return symbols

    def _below(self, schema: Node | None) -> Iterator[DocumentSymbol]:
        for key, value in pairs_of(schema):
            name = text_or_empty(key)
            if name == "x-kubernetes-validations":
                yield from self._rules(items_of(value))
            elif name == "properties":
                yield from self._fields(value)
            elif name in _BELOW:
                yield from self._below(value)

    def _fields(self, properties: Node) -> Iterator[DocumentSymbol]:
        for field, below in pairs_of(properties):
            if isinstance(field, Scalar) and self._count < _MOST:
                self._count += 1
                type_ = text_at(below, "type") if isinstance(below, Mapping) else ""
                children = list(self._below(below))
                yield self._symbol(
                    str(field.value),
                    type_,
                    SymbolKind.Field,
                    field,
                    below,
                    children,
                )

    def _rules(self, rules: Iterable[Node]) -> Iterator[DocumentSymbol]:
        for rule in rules:
            if isinstance(rule, Mapping):
                text = " ".join(text_at(rule, "rule").split())
                name = text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
                yield self._symbol(
                    name or "rule",
                    "rule",
                    SymbolKind.Event,
                    rule,
                    rule,
                    [],
                )

    def _symbol(
        self,
        name: str,
        detail: str,
        kind: SymbolKind,
        key: Node,
        value: Node,
        children: list[DocumentSymbol],
    ) -> DocumentSymbol:
        start = self._start + key.start_mark.index
        end = max(self._start + value.end_mark.index, start)
        end = start + len(self._text.text[start:end].rstrip())
        name_end = self._start + key.end_mark.index if isinstance(key, Scalar) else start
        return DocumentSymbol(
            name=name,
            kind=kind,
            range=self._text.range(start, end),
            selection_range=self._text.range(start, min(max(name_end, start), end)),
            detail=detail or None,
            children=children or None,
        )


_MOST_FOUND: Final = 500  # CRDs of a search


def crds_of(index: CRDIndex, query: str) -> list[WorkspaceSymbol]:
    """Return the CRDs of the workspace whose names or kinds contain a text, in any case."""
    text = query.casefold()
    symbols = [
        _of_crd(path, crd)
        for path, crd in index.defined()
        if text in f"{crd.name} {crd.kind}".casefold()
    ]
    return symbols[:_MOST_FOUND]


def _of_crd(path: str, crd: DefinedCRD) -> WorkspaceSymbol:
    first, last = crd.lines
    location = Location(uri_of(path), Range(Position(first, 0), Position(last, 0)))
    return WorkspaceSymbol(
        location,
        crd.kind or crd.name,
        SymbolKind.Class,
        container_name=crd.name,
    )
