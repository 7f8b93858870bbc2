"""What only the first patch release of a version reports, as information: people who name a version may run that one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from crdlint.diagnostics import REJECTIONS, Diagnostic
from crdlint.kubernetes.servers import Range, Server
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.linting.request import CheckRequest, Subject
from crdlint.rules.server.schema_warnings import unrecognized

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
    if request.advice is not None or checked.stage is not None:
        return checked
    by_rule: dict[str, Diagnostic] = {}
    for server, result in results.items():
        if server.first_patch is not None:
            for finding in _only_on(server.first_patch, subject, request, result):
                by_rule.setdefault(finding.rule, finding)
    return checked._replace(diagnostics=[*checked.diagnostics, *by_rule.values()])


def _only_on(
    first: Server, subject: Subject, request: CheckRequest, newest: CheckedCRD
) -> Iterator[Diagnostic]:
    of_one = replace(request, versions=Range.of(first), advice=_ADVICE, keep=False, fixes=False)
    checked = check_crd(subject, of_one)
    elsewhere = _positions(newest.diagnostics)
    for finding in checked.diagnostics:
        if _is_answer(finding) and _position(finding) not in elsewhere:
            yield _as_information(finding, first)


def _positions(diagnostics: Iterable[Diagnostic]) -> set[tuple[int, int]]:
    return {_position(finding) for finding in diagnostics if _is_answer(finding)}


def _position(finding: Diagnostic) -> tuple[int, int]:
    return finding.line, finding.column


def _is_answer(finding: Diagnostic) -> bool:
    """Return whether the server answers with a finding; it panics instead of an answer with one of crdlint's."""
    return not finding.hidden and finding.kind in _OF_SERVER


_OF_SERVER: Final = REJECTIONS | {"warning"}


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
