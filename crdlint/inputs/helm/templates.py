"""The check of CRDs in a template without Helm, with its directives masked."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import Span
from crdlint.crd.recognition import KIND
from crdlint.inputs.helm.analysis import analyse
from crdlint.inputs.helm.masking import mask
from crdlint.rules.charts import BRACES, IN_CRDS, SKIPPED

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic, Fix
    from crdlint.inputs.helm.analysis import SkippedPart, TemplateAnalysis
    from crdlint.inputs.helm.directives import Directive
    from crdlint.inputs.helm.masking import Masked
    from crdlint.inputs.helm.outline import Part
    from crdlint.linting.result import FileResult, Lint


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
        result = lint("", path)
        said = (
            _skipped(path, text.split("\n"), line, f"Helm cannot read this template: {reason}")
            if KIND in text
            else None
        )
        found = [*([said] if said else []), *template_findings(path, text, masked)]
        return replace(result, text=text, skipped=1, diagnostics=tuple(found))
    result = _masked(path, text, masked, lint, without)
    if masked.has_else:
        other = _masked(path, text, mask(text, takes_else=True), lint, without)
        result = _united(result, other)
    return replace(result, masked=yaml)


def _masked(path: str, text: str, masked: Masked, lint: Lint, without: Container[str]) -> FileResult:
    """Check one choice of branches of a template."""
    analysis = analyse(masked)
    part_at = analysis.outline.part_at
    result = lint(analysis.text, path)
    unreadable = _unreadable(result, analysis, masked)
    crds = tuple(crd for crd in result.crds if crd.name not in without and part_at(crd.line) not in unreadable)
    names = {crd.name for crd in crds}
    filled = sorted(analysis.filled)
    kept = [
        one if one.fix is None or _is_own(one.fix, text, analysis.text) else replace(one, fix=None)
        for one in result.diagnostics
        if (one.crd is None or one.crd in names)
        and not _has_between(filled, one.line, one.end_line)
        and part_at(one.line) not in unreadable
    ]
    lines = text.split("\n")
    lost = "with its directives left out this CRD cannot be read"
    crd_parts = {one.part for one in analysis.skipped} | analysis.checked
    more = [
        *(_skipped(path, lines, line, lost) for line in unreadable.values()),
        *(_left_out(path, lines, one) for one in analysis.skipped),
        *_defined(path, text, masked),
        *(_unescaped(path, text, one) for one in masked.braces if part_at(one.line) in crd_parts),
    ]
    notices = list(result.notices)
    if analysis.conditions and names:
        notices.append(_assumed(analysis))
    left = analysis.other + len(analysis.skipped)
    return replace(
        result,
        text=text,
        documents=result.documents + left,
        crds=crds,
        skipped=result.skipped + left + len(result.crds) - len(crds),
        diagnostics=_in_order(kept, more),
        notices=tuple(notices),
    )


def _is_own(fix: Fix, text: str, checked: str) -> bool:
    """Return whether a fix changes only characters that are unchanged from the template."""
    for edit in fix.edits:
        start, end = max(edit.start - 1, 0), edit.end + 1
        if text[start:end] != checked[start:end]:
            return False
    return True


def _has_between(numbers: list[int], first: int, last: int) -> bool:
    """Return whether one of the sorted numbers is between two others."""
    at = bisect_left(numbers, first)
    return at < len(numbers) and numbers[at] <= last


def _in_order(kept: Sequence[Diagnostic], more: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return findings in the server's order, or by line if there are additional ones."""
    if not more:
        return tuple(kept)
    return tuple(sorted([*kept, *more], key=lambda one: (one.line, one.column)))


def _unreadable(result: FileResult, analysis: TemplateAnalysis, masked: Masked) -> dict[Part, int]:
    """Return the documents that are not YAML after masking, and the line of the error.

    The error of a document without directives remains a finding.
    """
    errors = [one for one in result.diagnostics if one.rule == "yaml-syntax"]
    if not errors:
        return {}
    part_at = analysis.outline.part_at
    inside: set[Part] = set()
    for line in (*(block.line for block in masked.blocks), *(output.directive.line for output in masked.outputs)):
        part = part_at(line)
        if part.first < line < part.last:
            inside.add(part)
    return {part_at(one.line): one.line for one in reversed(errors) if part_at(one.line) in inside}


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
    said = {(one.rule, one.line, one.column, one.message) for one in result.diagnostics}
    more = [one for one in other.diagnostics if (one.rule, one.line, one.column, one.message) not in said]
    names = {crd.name for crd in result.crds}
    crds = (*result.crds, *(crd for crd in other.crds if crd.name not in names))
    return replace(result, crds=crds, diagnostics=_in_order(result.diagnostics, more))


def template_findings(path: str, text: str, masked: Masked) -> list[Diagnostic]:
    """Return the findings in the text of a template, independent of Helm."""
    return [_unescaped(path, text, one) for one in masked.braces] if KIND in text else []


def check_unrendered(path: str, text: str, lint: Lint) -> FileResult:
    """Check a file of crds/, which Helm does not render: the server reads its directives as text."""
    result = lint(text, path)
    at = next((text.find(mark) for mark in _DIRECTIVES if mark in text), -1)
    if at < 0:
        return result
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    end = text.find("}}", at)
    line_end = text.find("\n", at)
    line_end = len(text) if line_end < 0 else line_end
    stop = end + 2 if 0 <= end < line_end else line_end
    message = "Helm does not render what is in crds/: this is sent to the API server as it is"
    said = IN_CRDS.diagnostic(path, "advice", message, Span(line, column, line, column + stop - at))
    return replace(result, diagnostics=(*result.diagnostics, said))


# Directives that are certainly meant for Helm, other than texts about templates.
_DIRECTIVES: Final = tuple(
    f"{{{{{trim}{blank}{word}"
    for trim in ("", "-")
    for blank in ("", " ")
    for word in (".Values.", ".Release.", ".Chart.", "include ", "if .Values", "if .Capabilities", "toYaml ")
)


def _left_out(path: str, lines: list[str], one: SkippedPart) -> Diagnostic:
    if one.directive is None:
        return _skipped(path, lines, one.line, f"this CRD is not checked: {one.reason}")
    message = f"this CRD is not checked without Helm: {one.reason}"
    return SKIPPED.diagnostic(path, "advice", message, _place(one.directive))


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
        SKIPPED.diagnostic(path, "advice", message, _place(one))
        for one, end in masked.defined
        if _has_between(kinds, one.end, end - 1)
    ]


def _unescaped(path: str, text: str, directive: Directive) -> Diagnostic:
    given = " ".join(text[directive.start : directive.end].split())
    quote = '"' if '"' not in given and "\\" not in given else "`"
    message = f"Helm executes `{given}`, so the text is missing from the CRD"
    escaped = f"{{{{ {quote}{given}{quote} }}}}"
    fits = quote not in given and directive.line == directive.end_line
    help_ = f"Write {escaped} to keep it as text" if fits else None
    return BRACES.diagnostic(path, "advice", message, _place(directive), help_)


def _place(one: Directive) -> Span:
    """Return the span of a directive or, if it has several lines, of its opening braces."""
    end_column = one.column + (one.end - one.start if one.line == one.end_line else 2)
    return Span(one.line, one.column + 1, one.line, end_column + 1)
