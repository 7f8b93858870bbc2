"""Code actions: the fixes of findings, comments that ignore them, and their explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lsprotocol import types as lsp

from crdlint.config.added_comments import ignoring_edit
from crdlint.diagnostics import Diagnostic, Related
from crdlint.lsp.checks import Checks
from crdlint.lsp.workspace import OpenDocument, ProtocolText, uri_of
from crdlint.report import words
from crdlint.report.page import rule_link
from crdlint.rules import catalog
from crdlint.rules.engine.rule import Rule
from crdlint.yaml.edit import Edit

EXPLAIN: Final = "crdlint.explain"
FIX_ALL: Final = f"{lsp.CodeActionKind.SourceFixAll.value}.crdlint"
KINDS: Final = (lsp.CodeActionKind.QuickFix, FIX_ALL)
_MOST_IGNORED: Final = 10  # findings that one request offers to ignore: each is tried


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """A request for the actions of a range, of certain kinds; ``only`` None means all of them.

    ``resolves`` is true if the client asks for the edits of an action when it is chosen, ``versioned``
    if it takes edits of a version of a document. ``read`` returns the text of another file.
    """

    document: OpenDocument
    range: lsp.Range
    only: Sequence[str] | None
    resolves: bool
    versioned: bool
    read: Callable[[str], str | None]

    def wants(self, kind: str) -> bool:
        """Return whether actions of a kind are asked for."""
        return self.only is None or any(
            prefix == "" or f"{kind}.".startswith(f"{prefix}.") for prefix in self.only
        )


def actions_of(request: ActionRequest, checks: Checks) -> list[lsp.CodeAction]:
    """Return the actions at a range of a document, those that are preferred first."""
    checked = checks.of(request.document)
    offered: list[lsp.CodeAction] = []
    if request.wants(lsp.CodeActionKind.QuickFix.value):
        findings = [finding for finding in checked.findings if finding.rule]
        here = [each for each in findings if _is_at(request.document, each, request.range)]
        offered += _fixes(here, request)
        offered += _ignored(here[:_MOST_IGNORED], request)
        offered += _explained(here)
    if request.wants(FIX_ALL) and any(finding.has_safe_fix for finding in checked.findings):
        offered += _fix_all(request, checks)
    return offered


def _explained(findings: Iterable[Diagnostic]) -> Iterator[lsp.CodeAction]:
    for rule in dict.fromkeys(finding.rule for finding in findings):
        explain = lsp.Command(f"Explain {rule}", EXPLAIN, arguments=[rule])
        yield lsp.CodeAction(explain.title, lsp.CodeActionKind.QuickFix, command=explain)


def _fix_all(request: ActionRequest, checks: Checks) -> Iterator[lsp.CodeAction]:
    """Yield the action of all safe fixes, whose edit is made when it is chosen, if the client asks for that."""
    document = request.document
    action = lsp.CodeAction("Fix all problems that have a safe fix", FIX_ALL)
    if request.resolves and request.only is None:
        action.data = {"uri": document.uri, "version": document.version}
        yield action
        return
    action.edit = fixing_edit(document, checks, versioned=request.versioned)
    if action.edit is not None:
        yield action


def fixing_edit(
    document: OpenDocument, checks: Checks, *, versioned: bool
) -> lsp.WorkspaceEdit | None:
    """Return the edit that makes all safe fixes of a document, None if there is none."""
    fixed = checks.fixed(document)
    return (
        None
        if fixed is None or not fixed.edits
        else _edit(document, fixed.edits, versioned=versioned)
    )


def explanation(rule: Rule) -> str:
    """Return what a rule reports, why, and how to fix it."""
    return f"{rule.id}: {rule.summary}.\n\n{rule.why}\n\nHelp: {rule.help}."


def _is_at(document: OpenDocument, finding: Diagnostic, selection: lsp.Range) -> bool:
    span = document.text.range_of(finding)
    start, end = (
        (selection.start.line, selection.start.character),
        (selection.end.line, selection.end.character),
    )
    return (span.start.line, span.start.character) <= end and start <= (
        span.end.line,
        span.end.character,
    )


def _fixes(findings: Iterable[Diagnostic], request: ActionRequest) -> Iterator[lsp.CodeAction]:
    with_fix = [(finding, finding.fix) for finding in findings if finding.fix is not None]
    for finding, fix in sorted(with_fix, key=lambda pair: pair[1].applicability != "safe"):
        is_safe = fix.applicability == "safe"
        yield lsp.CodeAction(
            fix.title if is_safe else f"{fix.title} (may change the meaning)",
            lsp.CodeActionKind.QuickFix,
            diagnostics=[diagnostic_of(finding, request.document, request.read)],
            is_preferred=is_safe,
            edit=_edit(request.document, fix.edits, versioned=request.versioned),
        )


def _ignored(findings: Sequence[Diagnostic], request: ActionRequest) -> Iterator[lsp.CodeAction]:
    first = {finding.rule: finding for finding in reversed(findings)}
    for rule in dict.fromkeys(finding.rule for finding in findings):
        edit = ignoring_edit(first[rule], request.document.text.text)
        if edit is not None:
            yield lsp.CodeAction(
                f"Ignore {rule} here with a comment",
                lsp.CodeActionKind.QuickFix,
                diagnostics=[diagnostic_of(first[rule], request.document, request.read)],
                edit=_edit(request.document, (edit,), versioned=request.versioned),
            )


def _edit(document: OpenDocument, edits: Iterable[Edit], *, versioned: bool) -> lsp.WorkspaceEdit:
    changes = [lsp.TextEdit(document.text.range(edit.start, edit.end), edit.text) for edit in edits]
    return workspace_edit(document, changes, versioned=versioned)


def workspace_edit(
    document: OpenDocument, changes: list[lsp.TextEdit], *, versioned: bool
) -> lsp.WorkspaceEdit:
    """Return changes of a document as the client takes them: of this version only, if it takes versions."""
    if not versioned:
        return lsp.WorkspaceEdit({document.uri: changes})
    identifier = lsp.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
    return lsp.WorkspaceEdit(document_changes=[lsp.TextDocumentEdit(identifier, [*changes])])


SOURCE: Final = "crdlint"
_SEVERITIES: Final = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
}


def diagnostic_of(
    finding: Diagnostic, document: OpenDocument, read: Callable[[str], str | None]
) -> lsp.Diagnostic:
    """Return a finding of a document as a diagnostic; ``read`` returns the text of another file, None if it has none."""
    message = words.message(finding)
    rule = catalog.all_rules().get(finding.rule)  # failures of suites have none
    tags = [lsp.DiagnosticTag.Unnecessary] if rule is not None and rule.unnecessary else []
    tags += [lsp.DiagnosticTag.Deprecated] if rule is not None and rule.outdated else []
    return lsp.Diagnostic(
        range=document.text.range_of(finding),
        severity=lsp.DiagnosticSeverity.Hint if finding.hidden else _SEVERITIES[finding.severity],
        code=finding.rule or None,
        code_description=lsp.CodeDescription(rule_link(finding.rule)) if finding.rule else None,
        source=SOURCE,
        message=message,
        tags=tags or None,
        related_information=None
        if finding.related is None
        else [_related(finding.related, document, read)],
    )


def _related(
    related: Related, document: OpenDocument, read: Callable[[str], str | None]
) -> lsp.DiagnosticRelatedInformation:
    if related.file == document.path:
        uri, text = document.uri, document.text
    else:
        uri, text = (
            uri_of(related.file),
            ProtocolText(read(related.file) or "", document.text.encoding),
        )
    start = text.index_at(related.line, related.column)
    end = start + len(text.line(related.line - 1)[related.column - 1 :].rstrip())
    return lsp.DiagnosticRelatedInformation(
        lsp.Location(uri, text.range(start, end)), related.label
    )
