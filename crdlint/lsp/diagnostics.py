"""Findings as diagnostics of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from lsprotocol.types import (
    CodeDescription,
    Diagnostic,
    DiagnosticRelatedInformation,
    DiagnosticSeverity,
    DiagnosticTag,
    Location,
)

from crdlint.lsp.positions import Text
from crdlint.lsp.workspace import uri_of
from crdlint.report import words
from crdlint.report.page import rule_link

if TYPE_CHECKING:
    from collections.abc import Callable

    from crdlint.diagnostics.diagnostic import Diagnostic as Finding
    from crdlint.diagnostics.diagnostic import Related
    from crdlint.lsp.workspace import Document

SOURCE: Final = "crdlint"
_SEVERITIES: Final = {
    "error": DiagnosticSeverity.Error,
    "warning": DiagnosticSeverity.Warning,
    "info": DiagnosticSeverity.Information,
}
# Rules that report text without an effect, which editors fade out.
UNNECESSARY: Final = frozenset(
    {
        "cel-optional-old-self-unused",
        "default-unknown-field",
        "ignore-unused",
        "list-map-key-duplicate",
        "list-map-keys-without-map",
        "selectable-field-duplicate",
        "unknown-field",
    }
)
# Rules that report a version or field that servers no longer serve, which editors strike out.
DEPRECATED: Final = frozenset({"api-version-removed"})


def diagnostic_of(finding: Finding, document: Document, read: Callable[[str], str | None]) -> Diagnostic:
    """Return a finding of a document as a diagnostic; ``read`` returns the text of another file, None if it has none."""
    message = words.message(finding)
    tags = [DiagnosticTag.Unnecessary] if finding.rule in UNNECESSARY else []
    tags += [DiagnosticTag.Deprecated] if finding.rule in DEPRECATED else []
    return Diagnostic(
        range=document.text.range_of(finding),
        severity=DiagnosticSeverity.Hint if finding.hidden else _SEVERITIES[finding.severity],
        code=finding.rule or None,
        code_description=CodeDescription(rule_link(finding.rule)) if finding.rule else None,
        source=SOURCE,
        message=message,
        tags=tags or None,
        related_information=None if finding.related is None else [_related(finding.related, document, read)],
    )


def _related(related: Related, document: Document, read: Callable[[str], str | None]) -> DiagnosticRelatedInformation:
    if related.file == document.path:
        uri, text = document.uri, document.text
    else:
        uri, text = uri_of(related.file), Text(read(related.file) or "", document.text.encoding)
    start = text.index_at(related.line, related.column)
    end = start + len(text.line(related.line - 1)[related.column - 1 :].rstrip())
    return DiagnosticRelatedInformation(Location(uri, text.range(start, end)), related.label)
