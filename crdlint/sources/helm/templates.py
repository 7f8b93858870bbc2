"""The check of CRDs in a template without Helm, with its directives masked."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import Span
from crdlint.files.recognition import KIND
from crdlint.rules.catalog import of_whole_crds
from crdlint.rules.charts import BRACES, IN_CRDS, SKIPPED
from crdlint.sources.helm.analysis import analyse
from crdlint.sources.helm.masking import mask

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic, Fix
    from crdlint.linting.result import FileResult, Lint
    from crdlint.sources.helm.analysis import Part, SkippedPart, TemplateAnalysis
    from crdlint.sources.helm.masking import Directive, Masked


_KIND: Final = re.compile(rf"""^["']?kind["']?:[ \t]*["']?{KIND}\b""", re.MULTILINE)


def check_template(path: str, text: str, lint: Lint, without: Container[str] = ()) -> FileResult:
    """Check the CRDs of a template; those that depend on unknown values are skipped, with a finding that explains it.

    CRDs whose names are in `without` have been checked already.
    """
    if "{{" not in text:
        return lint(text, path)
    masked = mask(text)
    yaml = masked.text  # documents that cannot be checked are blanked later
    if masked.broken is not None:
        line, reason = masked.broken
        diagnostics = template_findings(path, text, masked)
        if KIND in text:
            message = f"Helm cannot read this template: {reason}"
            diagnostics = [_skipped(path, text.split("\n"), line, message), *diagnostics]
        return replace(lint("", path), text=text, skipped=1, diagnostics=tuple(diagnostics))
    result = _masked(path, text, masked, lint, without)
    if masked.has_else:
        other = _masked(path, text, mask(text, takes_else=True), lint, without)
        result = _united(result, other)
    return replace(result, masked=yaml)


def _masked(path: str, text: str, masked: Masked, lint: Lint, without: Container[str]) -> FileResult:
    analysis = analyse(masked)
    part_at = analysis.outline.part_at
    result = lint(analysis.text, path)
    unreadable = _unreadable(result, analysis, masked)
    crds = tuple(crd for crd in result.crds if crd.name not in without and part_at(crd.line) not in unreadable)
    names = {crd.name for crd in crds}
    filled = sorted(analysis.filled)
    findings = [
        finding if finding.fix is None or _is_own(finding.fix, text, analysis.text) else replace(finding, fix=None)
        for finding in result.diagnostics
        if finding.rule not in of_whole_crds()  # a directive may add a conversion webhook
        and (finding.crd is None or finding.crd in names)
        and not _has_between(filled, finding.line, finding.end_line)
        and part_at(finding.line) not in unreadable
    ]
    lines = text.split("\n")
    lost = "with its directives left out this CRD cannot be read"
    crd_parts = {skipped.part for skipped in analysis.skipped} | analysis.checked
    more = [
        *(_skipped(path, lines, line, lost) for line in unreadable.values()),
        *(_left_out(path, lines, skipped) for skipped in analysis.skipped),
        *_defined(path, text, masked),
        *(_unescaped(path, text, brace) for brace in masked.braces if part_at(brace.line) in crd_parts),
    ]
    notices = list(result.notices)
    if analysis.conditions and names:
        notices.append(_assumed(analysis))
    left = analysis.other + len(analysis.skipped)
    return replace(
        _only(result, names),
        text=text,
        documents=result.documents + left,
        crds=crds,
        skipped=result.skipped + left + len(result.crds) - len(crds),
        diagnostics=_in_order(findings, more),
        notices=tuple(notices),
    )


def _is_own(fix: Fix, text: str, checked: str) -> bool:
    """Return whether a fix changes only characters that are unchanged from the template."""
    ranges = (slice(max(edit.start - 1, 0), edit.end + 1) for edit in fix.edits)
    return all(text[characters] == checked[characters] for characters in ranges)


def _has_between(numbers: list[int], first: int, last: int) -> bool:
    return bisect_left(numbers, first) < bisect_right(numbers, last)


def _in_order(findings: Sequence[Diagnostic], more: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings in the server's order, or by line if there are additional ones."""
    together = [*findings, *more]
    return tuple(sorted(together, key=lambda finding: (finding.line, finding.column)) if more else together)


def _unreadable(result: FileResult, analysis: TemplateAnalysis, masked: Masked) -> dict[Part, int]:
    """Return the documents that are not YAML after masking, and the line of the error.

    The error of a document without directives remains a finding.
    """
    errors = {finding.line for finding in result.diagnostics if finding.rule == "yaml-syntax"}
    part_at = analysis.outline.part_at
    lines = (*(block.line for block in masked.blocks), *(output.directive.line for output in masked.outputs))
    inside = {part for line in lines if (part := part_at(line)).first < line < part.last} if errors else set()
    return {part_at(line): line for line in sorted(errors, reverse=True) if part_at(line) in inside}


def _assumed(analysis: TemplateAnalysis) -> str:
    """Return a description of the assumptions about conditions within documents."""
    first = analysis.conditions[0]
    more = len(analysis.conditions) - 1
    others = f", and of {more} more {'condition' if more == 1 else 'conditions'}" if more else ""
    branches = "either way" if first.has_else else "as if it held"
    body = " ".join(first.directive.body.split())[:60]
    return f"line {first.line}: read without Helm, {branches}: `{{{{ {body} }}}}`{others}"


def _united(result: FileResult, other: FileResult) -> FileResult:
    """Return the findings of both choices of branches of a template, without duplicates."""
    known = {(each.rule, each.line, each.column, each.message) for each in result.diagnostics}
    more = [each for each in other.diagnostics if (each.rule, each.line, each.column, each.message) not in known]
    added = _only(other, {crd.name for crd in other.crds} - {crd.name for crd in result.crds})
    added = replace(added, compared=other.compared)
    return replace(with_crds(result, added), diagnostics=_in_order(result.diagnostics, more))


def _only(result: FileResult, names: Container[str]) -> FileResult:
    """Return a result with the CRDs of some names only, and all its findings."""
    return replace(
        result,
        crds=tuple(crd for crd in result.crds if crd.name in names),
        compared=tuple(compared for compared in result.compared if compared.name in names),
        definitions=tuple(definition for definition in result.definitions if definition.crd.metadata.name in names),
        rules=tuple(rule for rule in result.rules if rule.crd in names),
    )


def with_crds(result: FileResult, other: FileResult) -> FileResult:
    """Return a result with the CRDs of another one of the same file, without its findings."""
    return replace(
        result,
        crds=(*result.crds, *other.crds),
        compared=(*result.compared, *other.compared),
        definitions=(*result.definitions, *other.definitions),
        rules=(*result.rules, *other.rules),
    )


def template_findings(path: str, text: str, masked: Masked) -> list[Diagnostic]:
    """Return the findings in the text of a template, independent of Helm."""
    return [_unescaped(path, text, brace) for brace in masked.braces] if KIND in text else []


def check_unrendered(path: str, text: str, lint: Lint) -> FileResult:
    """Check a file of crds/, which Helm does not render: the server reads its directives as text."""
    result = lint(text, path)
    start = next((text.find(mark) for mark in _DIRECTIVES if mark in text), -1)
    if start < 0:
        return result
    line = text.count("\n", 0, start) + 1
    column = start - text.rfind("\n", 0, start)
    directive, braces, _ = text[start:].partition("\n")[0].partition("}}")
    message = "Helm does not render what is in crds/: this is sent to the API server as it is"
    span = Span(line, column, line, column + len(directive + braces))
    finding = IN_CRDS.diagnostic(path, "advice", message, span)
    return replace(result, diagnostics=(*result.diagnostics, finding))


# Directives that are certainly meant for Helm, other than texts about templates.
_DIRECTIVES: Final = tuple(
    f"{{{{{trim}{blank}{word}"
    for trim in ("", "-")
    for blank in ("", " ")
    for word in (".Values.", ".Release.", ".Chart.", "include ", "if .Values", "if .Capabilities", "toYaml ")
)


def _left_out(path: str, lines: list[str], skipped: SkippedPart) -> Diagnostic:
    if skipped.directive is None:
        return _skipped(path, lines, skipped.line, f"this CRD is not checked: {skipped.reason}")
    message = f"this CRD is not checked without Helm: {skipped.reason}"
    return SKIPPED.diagnostic(path, "advice", message, _span(skipped.directive))


def _skipped(path: str, lines: list[str], line: int, message: str) -> Diagnostic:
    shown = lines[line - 1]
    begin = len(shown) - len(shown.lstrip())
    span = Span(line, begin + 1, line, max(len(shown.rstrip()), begin + 1) + 1)
    return SKIPPED.diagnostic(path, "advice", message, span)


def _defined(path: str, text: str, masked: Masked) -> list[Diagnostic]:
    """Return a finding for each CRD in a named template, which is rendered elsewhere or not at all."""
    message = "this CRD is not checked without Helm: it is in a named template"
    kinds = [match.start() for match in _KIND.finditer(text)] if masked.defined else []
    return [
        SKIPPED.diagnostic(path, "advice", message, _span(directive))
        for directive, end in masked.defined
        if _has_between(kinds, directive.end, end - 1)
    ]


def _unescaped(path: str, text: str, directive: Directive) -> Diagnostic:
    source = " ".join(text[directive.start : directive.end].split())
    quote = '"' if '"' not in source and "\\" not in source else "`"
    message = f"Helm executes `{source}`, so the text is missing from the CRD"
    escaped = f"{{{{ {quote}{source}{quote} }}}}"
    fits = quote not in source and directive.line == directive.end_line
    help_ = f"Write {escaped} to keep it as text" if fits else None
    return BRACES.diagnostic(path, "advice", message, _span(directive), help_)


def _span(directive: Directive) -> Span:
    """Return the span of a directive or, if it has several lines, of its opening braces."""
    end_column = directive.column + (directive.end - directive.start if directive.line == directive.end_line else 2)
    return Span(directive.line, directive.column + 1, directive.line, end_column + 1)
