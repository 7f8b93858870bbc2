"""Which of the supported servers report an error of the newest one, if no version is asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from crdlint.diagnostics import Diagnostic
from crdlint.kubernetes.servers import KNOWN, parse_range
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult


def with_servers(
    result: FileResult,
    request: CheckRequest,
    lint: Callable[[str, str, CheckRequest], FileResult],
) -> FileResult:
    """Return a result whose errors name the servers that report them, if these are not all supported ones.

    Only a text with errors of validation, such as of the estimated cost of a rule, is checked again.
    """
    if not any(map(_may_depend_on_server, result.diagnostics)):
        return result
    everywhere = replace(
        request,
        versions=parse_range(KNOWN),
        names_servers=False,
        fixes=False,
        keep=False,
        advice=(),
        stop_at=None,
    )
    found = lint(result.text, result.file, everywhere).diagnostics
    by_place = {_place(each): each for each in found if each.versions}
    findings = (_with_servers(each, by_place.get(_place(each))) for each in result.diagnostics)
    return replace(result, diagnostics=tuple(findings))


def _may_depend_on_server(finding: Diagnostic) -> bool:
    return finding.is_rejection and finding.kind == "field" and not finding.versions


def _with_servers(finding: Diagnostic, found: Diagnostic | None) -> Diagnostic:
    """Return a finding with the versions of the same one of all servers."""
    is_same = found is not None and found.server_message == finding.message
    if found is None or not is_same or not _may_depend_on_server(finding):
        return finding
    return replace(
        finding,
        message=found.message,
        server_message=found.server_message,
        versions=found.versions,
    )


def _place(finding: Diagnostic) -> tuple[str, str | None, int, int]:
    return finding.rule, finding.crd, finding.line, finding.column
