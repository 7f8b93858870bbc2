"""Completion and hover in the page, by the functions of the language server: JSON in, JSON out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from crdlint.kubernetes.servers import parse_range
from crdlint.lsp.complete import completions
from crdlint.lsp.cursor import cursor_at
from crdlint.lsp.hover import hover_of
from crdlint.lsp.workspace import OpenDocument, ProtocolText
from crdlint.resources.definitions import Definitions
from playground import linted

if TYPE_CHECKING:
    from crdlint.kubernetes.servers import Range
    from crdlint.linting.result import FileResult
    from crdlint.lsp.checks import Checks


@dataclass
class _Page:
    """What the functions of the language server ask of its checks: the CRD of the page, read when it is needed."""

    crd: str
    old: str
    version: str

    def of(self, _: OpenDocument) -> _Page:
        """Return what is known of the text that is edited."""
        return self

    @property
    def config(self) -> None:
        """The page has no configuration."""

    @property
    def index(self) -> _Page:
        """Where CRDs are looked up."""
        return self

    @property
    def crds(self) -> FileResult:
        """The result of the CRD."""
        return linted(self.crd, self.old, self.version)

    def versions(self, _: object) -> Range:
        """Return the versions of Kubernetes that the page checks for."""
        return parse_range(self.version)

    def known_kinds(self) -> list[tuple[str, str, str]]:
        """Return group, version and kind of what the CRD defines."""
        definitions = (found[0].spec for found in self.crds.definitions)
        return [
            (spec.group, version.name, spec.names.kind)
            for spec in definitions
            for version in spec.versions
        ]

    def definitions(self, *_: object) -> Definitions:
        """Return the CRD for custom resources."""
        found = Definitions()
        found.add(self.crds)
        return found


def _asked(request: str) -> tuple[OpenDocument, int, Checks]:
    """Return the text of a request, the index of its place, and the page."""
    given: dict[str, Any] = json.loads(request)
    name = given["text"]
    document = OpenDocument(name, f"{name}.yaml", 0, ProtocolText(given[name], "utf-32"))
    page = _Page(given["crd"], given["old"], given["version"])
    return document, document.text.index_at(given["line"], given["column"]), cast("Checks", page)


def complete(request: str) -> str:
    """Return what can be written at a `line` and `column` of a `text`, each with the range that it replaces."""
    document, index, page = _asked(request)
    return json.dumps(
        [
            {
                "label": item.label,
                "type": getattr(item.kind, "value", ""),
                "detail": item.detail or "",
                "info": getattr(item.documentation, "value", item.documentation) or "",
                "order": item.sort_text,
                "insert": item.text_edit.new_text,
                "line": item.text_edit.range.start.line + 1,
                "column": item.text_edit.range.start.character + 1,
                "end_column": item.text_edit.range.end.character + 1,
            }
            for item in completions(document, index, page, snippets=False)
            if item.text_edit is not None and not hasattr(item.text_edit, "insert")
        ]
    )


def hover(request: str) -> str:
    """Return what is known about a place, in Markdown, empty if nothing is."""
    document, index, page = _asked(request)
    cursor = cursor_at(document.text.text, index)
    return json.dumps(
        (None if cursor is None or cursor.is_behind else hover_of(document, cursor, page)) or ""
    )
