"""The check of a CRD for a range of servers: each finding once, with the servers that report it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from crdlint.crd.positions import node_span
from crdlint.diagnostics import Diagnostic
from crdlint.kubernetes.servers import Server
from crdlint.linting.by_version import REJECTIONS, FindingsByVersion, VersionedFinding
from crdlint.linting.documents import name_of
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.linting.request import CheckRequest, Subject
from crdlint.rules import deployment, schema_warnings
from crdlint.rules.deployment import DROPS_FIELD, NEEDS_NEWER


def check_versions(subject: Subject, request: CheckRequest) -> CheckedCRD:
    """Check a CRD for each server of a range; see `check_crd`, which checks it for the newest."""
    newest = check_crd(subject, request)
    servers, document = request.versions.servers, subject.document
    has_later_features = request.previous is not None or _LATER_FEATURES.search(document.text) is not None
    if not has_later_features and not of_server(newest.diagnostics):
        return newest  # older servers report nothing either
    fields = frozenset(field for field, pattern in FIELDS.items() if pattern.search(document.text))
    results = {servers[-1]: newest}
    for server in reversed(servers[:-1]):  # in this order most servers have the result of the previous one
        alike = (checked for other, checked in results.items() if _decodes_alike(checked, other, server, fields))
        like = next(alike, None) if request.previous is None else None
        results[server] = check_crd(subject, replace(request, kube_version=str(server), advice=_ADVICE), like)
    by_server = [(server, of_server(results[server].diagnostics)) for server in servers]
    blocking = {id(diagnostic) for result in results.values() for diagnostic in result.blocking}
    merged = FindingsByVersion(by_server)
    needs = [diagnostic for diagnostic in newest.diagnostics if diagnostic.rule == NEEDS_NEWER.id]
    # The findings of the newest server and of older ones only: the original finding, and the reported one.
    pairs = [(diagnostic, merged.of(diagnostic)) for diagnostic in newest.diagnostics]
    pairs += [
        (finding.oldest, finding.diagnostic(servers))
        for finding in merged.of_older_only()
        if not _is_covered(finding.oldest, needs)
    ]
    diagnostics = [reported for _, reported in pairs]
    unestimated = [
        reported for diagnostic, reported in pairs if id(diagnostic) in blocking or diagnostic.rule == NEEDS_NEWER.id
    ]
    notices = [*newest.notices, *_creatable(merged.findings, servers, subject)]
    return newest._replace(diagnostics=diagnostics, blocking=unestimated, notices=notices)


# Escapes that may hide a name in a key.
_ESCAPES: Final = r"\\[xuU\r\n]"
_LATER_FEATURES: Final = re.compile(rf"x-kubernetes-validations|selectableFields|k8s-?(?:short|long)|{_ESCAPES}")
# The fields that some servers do not know, or drop, by their names in the table of servers.
FIELDS: Final = {
    "selectable_fields": re.compile(rf"selectableFields|{_ESCAPES}"),
    "optional_old_self": re.compile(rf"optionalOldSelf|{_ESCAPES}"),
}


def _decodes_alike(result: CheckedCRD, server: Server, other: Server, fields: frozenset[str]) -> bool:
    """Return whether two servers decode a CRD with some of `fields` in the same way; `result` is the result for `server`."""
    if result.decoded is None or server.dropped_fields & fields != other.dropped_fields & fields:
        return False
    if result.decoded.problems:  # which may suggest any known field
        same_paths = server.names_paths_in_decode_errors == other.names_paths_in_decode_errors
        return same_paths and server.unknown_fields == other.unknown_fields
    return server.unknown_fields & fields == other.unknown_fields & fields


# The advisory rules whose findings depend on the server.
_ADVICE: Final = tuple(
    advice.findings
    for advice in (schema_warnings.unrecognized, schema_warnings.sets_of_objects, deployment.dropped_fields)
)


def of_server(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that depend on the server; those of duplicate keys in YAML depend on the client."""
    return [
        diagnostic
        for diagnostic in diagnostics
        if not diagnostic.hidden
        and (
            diagnostic.rule == DROPS_FIELD.id
            or (diagnostic.origin == "apiserver" and diagnostic.kind in {*REJECTIONS, "warning"})
        )
        and diagnostic.rule not in _OF_CLIENTS
    ]


_OF_CLIENTS: Final = frozenset({"duplicate-key", "merge-key-override"})


def _is_covered(finding: Diagnostic, needs: Iterable[Diagnostic]) -> bool:
    """Return whether advice on the whole expression already contains the first server on which it compiles."""
    position = (finding.line, finding.column)
    return finding.rule.startswith("cel-") and any(
        (need.line, need.column) <= position <= (need.end_line, need.end_column) for need in needs
    )


def _creatable(merged: Iterable[VersionedFinding], servers: Sequence[Server], subject: Subject) -> list[str]:
    """Return a notice of the first server that accepts a CRD which an older one rejects, if all newer ones do."""
    rejections = (
        finding for finding in merged if finding.oldest.kind in REJECTIONS and finding.oldest.severity == "error"
    )
    rejecting = {servers.index(server) for finding in rejections for server in finding.servers}
    accepting = max(rejecting, default=len(servers)) + 1
    if accepting >= len(servers):
        return []
    line, name = node_span(subject.root, subject.document.line_offset).line, name_of(subject.root) or "the CRD"
    return [f"line {line}: {name} is accepted as it is on Kubernetes {servers[accepting]} and newer"]
