"""Which of the supported servers report an error of the newest one, if no version is asked for."""

from __future__ import annotations

from collections.abc import Callable

from crdlint.diagnostics import INTERNAL_ERROR, Diagnostic
from crdlint.kubernetes.servers import KNOWN, Range, parse_range
from crdlint.light import replace
from crdlint.linting.request import CheckRequest
from crdlint.linting.result import FileResult


def with_servers(
    result: FileResult,
    request: CheckRequest,
    lint: Callable[[str, str, CheckRequest], FileResult],
) -> FileResult:
    """Return a result whose errors name the servers that report them, if these are not all supported ones.

    Only a text with errors of validation, such as of the estimated cost of a rule, is checked again:
    first for the oldest server, and for those between only if that does not report all of the errors.
    One on which crdlint fails is not: it would fail twice.
    """
    errors = [each for each in result.diagnostics if _may_depend_on_server(each)]
    has_failed = any(each.rule == INTERNAL_ERROR for each in result.diagnostics)
    if has_failed or not errors:
        return result
    supported = parse_range(KNOWN)
    of_oldest = _diagnostics(
        result,
        request,
        Range.of(supported.servers[0]),
        lint,
    )
    if {each.rule_and_position for each in of_oldest}.issuperset(
        each.rule_and_position for each in errors
    ):
        return result
    of_all = _diagnostics(result, request, supported, lint)
    limited = {each.rule_and_position: each for each in of_all if each.versions}
    findings = (
        _with_servers(each, limited.get(each.rule_and_position)) for each in result.diagnostics
    )
    return replace(result, diagnostics=tuple(findings))


def _diagnostics(
    result: FileResult,
    request: CheckRequest,
    versions: Range,
    lint: Callable[[str, str, CheckRequest], FileResult],
) -> tuple[Diagnostic, ...]:
    """Return what some servers report about the text of a result, without details, fixes and advice."""
    bare = replace(
        request,
        versions=versions,
        names_servers=False,
        details=False,
        fixes=False,
        keep=False,
        advice=(),
        stop_at=None,
    )
    return lint(result.text, result.file, bare).diagnostics


def _may_depend_on_server(finding: Diagnostic) -> bool:
    return finding.is_rejection and finding.kind == "field" and not finding.versions


def _with_servers(finding: Diagnostic, limited: Diagnostic | None) -> Diagnostic:
    """Return a finding with the versions of the same one of all servers."""
    if limited is None or not _may_depend_on_server(finding):
        return finding
    if limited.server_message != finding.message:
        return finding
    return replace(
        finding,
        message=limited.message,
        server_message=limited.server_message,
        versions=limited.versions,
    )
