"""Which of the supported servers report an error of the newest one, if no version is asked for."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable
from collections.abc import Set as AbstractSet
from itertools import chain

from crdlint.crd.errors import FieldError
from crdlint.diagnostics import Diagnostic
from crdlint.gathering import grouped
from crdlint.kubernetes.servers import OLDEST, SUPPORTED, Range
from crdlint.light import replace
from crdlint.linting import create
from crdlint.linting.documents import NO_FIXES
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.linting.request import CheckRequest, Subject
from crdlint.linting.version_range import check_versions, result_like
from crdlint.rules.server import cel
from crdlint.safety.bugs import has_failed
from crdlint.safety.work import NO_EFFORT


def with_servers(checked: CheckedCRD, subject: Subject, request: CheckRequest) -> CheckedCRD:
    """Return the check of a CRD whose errors name the servers that report them, if these are not all supported ones.

    Only a CRD with errors of validation, such as of the estimated cost of a rule, is checked again:
    first for the oldest server, and for those between only if that does not report all of the errors.
    One on which crdlint fails is not: it would fail twice.
    """
    errors = list(filter(_may_depend_on_server, checked.diagnostics))
    if not errors or has_failed():
        return checked
    bare = replace(
        request,
        names_servers=False,
        details=False,
        fixes=False,
        keep=False,
        advice=(),
        stop_at=None,
    )
    subject = subject._replace(fixes=NO_FIXES, effort=NO_EFFORT)
    if _oldest_reports(errors, checked, subject, bare):
        return checked
    of_all = check_versions(subject, replace(bare, versions=SUPPORTED)).diagnostics
    limited = {
        each.rule_and_position: each
        for same in grouped(of_all, _problem).values()
        if not _is_of_all_servers(same)
        for each in same
    }
    findings = (
        _with_servers(each, limited.get(each.rule_and_position)) for each in checked.diagnostics
    )
    return checked._replace(diagnostics=list(findings))


def _problem(finding: Diagnostic) -> Hashable:
    """Return what is equal for findings about the same problem: servers may find another first error in an expression."""
    is_of_expression = finding.rule in cel.NOT_COMPILED
    return finding.field if is_of_expression else finding.rule_and_position


def _is_of_all_servers(findings: Iterable[Diagnostic]) -> bool:
    """Return whether each supported server reports one of some findings."""
    supported = set(map(str, SUPPORTED.servers))
    return supported.issubset(chain.from_iterable(each.versions or supported for each in findings))


def _oldest_reports(
    errors: Iterable[Diagnostic],
    checked: CheckedCRD,
    subject: Subject,
    request: CheckRequest,
) -> bool:
    """Return whether the oldest server reports the same problems.

    If it decodes the CRD as the newest one does, nothing is located: the paths of the errors are compared.
    """
    results = {request.versions.newest: checked}
    like = result_like(OLDEST, results, subject, request)
    if like is None or like.decoded is None:
        of_oldest = check_crd(subject, replace(request, versions=Range.of(OLDEST)))
        return set(map(_problem, of_oldest.diagnostics)).issuperset(map(_problem, errors))
    report = create.validate(
        like.decoded.crd,
        OLDEST,
        subject.effort,
        like.common,
        any_words=True,
    )
    # Servers that share a result share its errors: most need not be compared.
    shared = set(map(id, report.errors)).intersection(map(id, checked.errors))
    return _problems(report.errors, shared) >= _problems(checked.errors, shared)


def _problems(errors: Iterable[FieldError], shared: Container[int]) -> AbstractSet[Hashable]:
    """Return the problems of errors as `_problem` does, but for those whose identities are `shared`."""
    return {_problem_of(each) for each in errors if id(each) not in shared}


def _problem_of(error: FieldError) -> Hashable:
    path = str(error.at or error.path)
    is_of_expression = error.rule in cel.NOT_COMPILED
    return path if is_of_expression else (error.rule, path, error.key, error.inside, error.hidden)


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
