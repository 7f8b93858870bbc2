"""What only the first patch release of a version reports, as information: people who name a version may run that one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from crdlint.diagnostics import ANSWERS, REJECTIONS, Diagnostic
from crdlint.kubernetes.servers import Range, Server
from crdlint.light import regex, replace
from crdlint.linting.documents import NO_FIXES
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.linting.request import CheckRequest, Subject
from crdlint.rules.server.schema_warnings import unrecognized
from crdlint.safety.work import NO_EFFORT

# What a CRD contains on which patch releases differ.
_DIFFERENT: Final = regex(r"x-kubernetes-validations|format|\\[xuU\r\n]")
# The advisory rules whose findings depend on the patch release.
_ADVICE: Final = (unrecognized.findings,)


def with_first_patches(
    checked: CheckedCRD,
    subject: Subject,
    request: CheckRequest,
    results: Mapping[Server, CheckedCRD],
) -> CheckedCRD:
    """Add what first patch releases report at places where the newest ones report nothing, each rule once.

    `results` are those of the newest patch releases.
    """
    is_about_them = request.advice is None and _DIFFERENT.search(subject.document.text)
    if not is_about_them or checked.stage is not None:
        return checked
    by_rule: dict[str, Diagnostic] = {}
    for server, result in results.items():
        first = server.first_patch
        if first is not None:
            for finding in _only_on(server, first, subject, request, result):
                by_rule.setdefault(finding.rule, finding)
    return checked._replace(diagnostics=[*checked.diagnostics, *by_rule.values()])


def _only_on(
    server: Server,
    first: Server,
    subject: Subject,
    request: CheckRequest,
    newest: CheckedCRD,
) -> Iterator[Diagnostic]:
    """Yield what the first patch release of a server reports alone; `newest` is the result of the newest one."""
    of_one = replace(
        request,
        versions=Range.of(first),
        advice=_ADVICE,
        keep=False,
        fixes=False,
    )
    subject = subject._replace(fixes=NO_FIXES, effort=NO_EFFORT)  # a finding gets a help of its own
    decodes_alike = request.previous is None and server.dropped_fields == first.dropped_fields
    checked = check_crd(subject, of_one, newest if decodes_alike else None)
    elsewhere = _positions(newest.diagnostics)
    for finding in checked.diagnostics:
        if _is_answer(finding) and _position(finding) not in elsewhere:
            yield _as_information(finding, first)


def _positions(diagnostics: Iterable[Diagnostic]) -> set[tuple[int, int]]:
    return {_position(finding) for finding in diagnostics if _is_answer(finding)}


def _position(finding: Diagnostic) -> tuple[int, int]:
    return finding.line, finding.column


def _is_answer(finding: Diagnostic) -> bool:
    """Return whether the server answers with a finding, or panics because of it."""
    return not finding.hidden and finding.kind in ANSWERS


def _as_information(finding: Diagnostic, server: Server) -> Diagnostic:
    verb = "rejects" if finding.kind in REJECTIONS else "warns of"
    return replace(
        finding,
        kind="advice",
        severity="info",
        message=f"Kubernetes {server} {verb} this, later patch releases do not: {finding.message}",
        headline=f"{finding.headline} (Kubernetes {server} only)",
        help=f"Update clusters of Kubernetes {server}",
        versions=(str(server),),
    )
