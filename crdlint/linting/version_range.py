"""The check of a CRD for a range of servers: each finding once, with the servers that report it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import node_span
from crdlint.diagnostics.by_version import REJECTIONS, FindingsByVersion
from crdlint.kubernetes.servers import Range
from crdlint.linting.documents import name_of
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.rules import formats, kube_versions
from crdlint.rules.kube_versions import DROPS_FIELD, NEEDS_NEWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.diagnostics.by_version import VersionedFinding
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.kubernetes.servers import Server
    from crdlint.linting.manifest import Options
    from crdlint.yaml.nodes import Mapping
    from crdlint.yaml.parse import Document


def check_versions(document: Document, root: Mapping, options: Options, *, rejected: bool) -> CheckedCRD:
    """Check a CRD for each server of a range; see `check_crd`, which checks it for the newest."""
    newest = check_crd(document, root, options, rejected=rejected)
    servers = options.versions.servers
    if _is_alike_on_all(newest, document, options):
        return newest
    fields = frozenset(field for field, pattern in FIELDS.items() if pattern.search(document.text))
    results = {servers[-1]: newest}
    for server in reversed(servers[:-1]):  # in this order most servers have the result of the previous one
        alike = (known for other, known in results.items() if _decodes_alike(known, other, server, fields))
        like = next(alike, None) if options.previous is None else None
        results[server] = check_crd(document, root, _only(options, server), rejected=rejected, like=like)
    found = [(server, of_server(results[server].diagnostics)) for server in servers]
    blocking = {id(one) for result in results.values() for one in result.blocking}
    merged = FindingsByVersion(found)
    needs = [one for one in newest.diagnostics if one.rule == NEEDS_NEWER.id]
    # The findings of the newest server and of older ones only: as they were found, and as they are reported.
    pairs = [(one, merged.of(one)) for one in newest.diagnostics]
    pairs += [
        (one.oldest, one.diagnostic(servers)) for one in merged.of_older_only() if not _is_covered(one.oldest, needs)
    ]
    diagnostics = [reported for _, reported in pairs]
    unestimated = [reported for one, reported in pairs if id(one) in blocking or one.rule == NEEDS_NEWER.id]
    notices = [*newest.notices, *_creatable(merged.findings, servers, root, document)]
    return replace(newest, diagnostics=diagnostics, blocking=unestimated, notices=notices)


def _is_alike_on_all(newest: CheckedCRD, document: Document, options: Options) -> bool:
    """Return whether older servers report nothing about a new CRD about which the newest reports nothing."""
    return (
        options.previous is None and not of_server(newest.diagnostics) and _LATER_FEATURES.search(document.text) is None
    )


# Escapes that may hide a name in a key.
_ESCAPES: Final = r"\\[xuU\r\n]"
_LATER_FEATURES: Final = re.compile(rf"x-kubernetes-validations|selectableFields|k8s-?(?:short|long)|{_ESCAPES}")
# The fields that some servers do not know, or drop, by their names in the table of servers.
FIELDS: Final = {
    "selectable_fields": re.compile(rf"selectableFields|{_ESCAPES}"),
    "optional_old_self": re.compile(rf"optionalOldSelf|{_ESCAPES}"),
}


def _decodes_alike(known: CheckedCRD, one: Server, other: Server, fields: frozenset[str]) -> bool:
    """Return whether two servers decode a CRD that may have some ``fields`` alike; ``known`` is the result for one."""
    if known.decoded is None:
        return False
    if known.decoded.problems:  # which may suggest any known field
        return (
            one.unknown_fields == other.unknown_fields
            and one.dropped_fields & fields == other.dropped_fields & fields
            and one.names_paths_in_decode_errors == other.names_paths_in_decode_errors
        )
    return (
        one.unknown_fields & fields == other.unknown_fields & fields
        and one.dropped_fields & fields == other.dropped_fields & fields
    )


def _only(options: Options, server: Server) -> Options:
    return replace(options, versions=Range.of(server), advice=_ADVICE)


# The advisory rules whose findings depend on the server.
_ADVICE: Final = (*formats.ADVICE, kube_versions.dropped_fields)


def of_server(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that depend on the server; those of duplicate keys in YAML depend on the client."""
    return [
        one
        for one in found
        if not one.hidden
        and (one.rule == DROPS_FIELD.id or (one.origin == "apiserver" and one.kind in {*REJECTIONS, "warning"}))
        and one.rule not in _OF_CLIENTS
    ]


_OF_CLIENTS: Final = frozenset({"duplicate-key", "merge-key-override"})


def _is_covered(finding: Diagnostic, needs: Iterable[Diagnostic]) -> bool:
    """Return whether advice on the whole expression already contains the first server on which it compiles."""
    at = (finding.line, finding.column)
    return finding.rule.startswith("cel-") and any(
        (one.line, one.column) <= at <= (one.end_line, one.end_column) for one in needs
    )


def _creatable(
    merged: Iterable[VersionedFinding], servers: Sequence[Server], root: Mapping, document: Document
) -> list[str]:
    """Return a notice of the first server that accepts a CRD which an older one rejects, if all newer ones do."""
    rejecting = {
        server
        for one in merged
        if one.oldest.kind in REJECTIONS and one.oldest.severity == "error"
        for server in one.servers
    }
    if not rejecting or servers[-1] in rejecting:
        return []
    last = max(i for i, server in enumerate(servers) if server in rejecting)
    line = node_span(root, document.line_offset).line
    return [f"line {line}: {name_of(root) or 'the CRD'} can be created on Kubernetes {servers[last + 1]} and newer"]
