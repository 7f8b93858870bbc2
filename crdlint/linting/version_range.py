"""A CRD checked for a range of servers: each finding once, with the servers that it holds for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from crdlint.crd.positions import node_span
from crdlint.kubernetes.servers import Range
from crdlint.linting.documents import name_of
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.rules import formats, kube_versions
from crdlint.rules.kube_versions import DROPS_FIELD, NEEDS_NEWER

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.kubernetes.servers import Server
    from crdlint.linting.manifest import Options
    from crdlint.yaml.nodes import Mapping
    from crdlint.yaml.parse import Document

_REJECTIONS: Final = frozenset({"decode", "strict", "field"})


def check_versions(document: Document, root: Mapping, options: Options, *, rejected: bool) -> CheckedCRD:
    """Check a CRD for each server of a range; see `check_crd`, which checks it for the newest."""
    newest = check_crd(document, root, options, rejected=rejected)
    servers = options.versions.servers
    if len(servers) == 1 or _is_alike_on_all(newest, document, options):
        return newest
    shares_decoded = (
        options.previous is None
        and newest.decoded is not None
        and not newest.decoded.problems
        and _FIELDS.search(document.text) is None
    )
    decoded = newest.decoded if shares_decoded else None
    found = []
    for server in servers[:-1]:
        older = check_crd(document, root, _only(options, server), rejected=rejected, decoded=decoded)
        found.append((server, _of_server(older.diagnostics)))
    found.append((servers[-1], _of_server(newest.diagnostics)))
    merged = _merged(found)
    needs = [one for one in newest.diagnostics if one.rule == NEEDS_NEWER.id]
    of_newest = {id(one.newest): one for one in merged if one.newest is not None}
    diagnostics: list[Diagnostic] = []
    blocking: list[Diagnostic] = []
    for diagnostic in newest.diagnostics:
        finding = of_newest.get(id(diagnostic))
        made = diagnostic if finding is None else finding.diagnostic(servers)
        diagnostics.append(made)
        if any(diagnostic is one for one in newest.blocking):
            blocking.append(made)
    only_older = [one for one in merged if one.newest is None and not _is_covered(one.oldest, needs)]
    diagnostics += [one.diagnostic(servers) for one in only_older]
    notices = [*newest.notices, *_creatable(merged, servers, root, document)]
    return replace(newest, diagnostics=diagnostics, blocking=blocking, notices=notices)


def _is_alike_on_all(newest: CheckedCRD, document: Document, options: Options) -> bool:
    """Return whether older servers find nothing in a new CRD in which the newest finds nothing.

    What older servers reject or warn of and newer ones accept is a feature that came later.
    """
    return (
        options.previous is None
        and not _of_server(newest.diagnostics)
        and _LATER_FEATURES.search(document.text) is None
    )


_LATER_FEATURES: Final = re.compile("x-kubernetes-validations|selectableFields|k8s-?(?:short|long)")


def _only(options: Options, server: Server) -> Options:
    return replace(options, versions=Range(server, server), keep=False, fixes_of=None, advice=_ADVICE)


# The advisory rules whose findings depend on the server.
_ADVICE: Final = (formats.unrecognized, kube_versions.dropped_fields)
# The fields that some servers do not know, or drop.
_FIELDS: Final = re.compile("selectableFields|optionalOldSelf")


def _of_server(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that depend on the server; those of duplicate keys in YAML depend on the client."""
    return [
        one
        for one in found
        if not one.hidden
        and (one.rule == DROPS_FIELD.id or (one.origin == "apiserver" and one.kind in {*_REJECTIONS, "warning"}))
        and one.rule not in _OF_CLIENTS
    ]


_OF_CLIENTS: Final = frozenset({"duplicate-key", "merge-key-override"})


@dataclass(slots=True)
class _Finding:
    """One finding and the servers that it holds for, oldest first; ``newest`` is the newest server's, if it is one of them."""

    oldest: Diagnostic
    servers: list[Server] = field(default_factory=list)
    newest: Diagnostic | None = None

    def diagnostic(self, servers: Sequence[Server]) -> Diagnostic:
        """Return the finding in the words of the oldest server, with the servers if it does not hold for all."""
        base, text = self.newest or self.oldest, self.oldest.server_message or self.oldest.message
        if len(self.servers) == len(servers):
            return (
                base
                if text == (base.server_message or base.message)
                else replace(base, message=text, detail=self.oldest.detail)
            )
        versions = tuple(map(str, self.servers))
        if base.kind == "advice":
            return replace(base, versions=versions)
        which = _which(self.servers, servers, is_rejection=base.kind in _REJECTIONS)
        return replace(
            base, message=f"{which}: {text}", detail=self.oldest.detail, server_message=text, versions=versions
        )


def _which(holds: Sequence[Server], servers: Sequence[Server], *, is_rejection: bool) -> str:
    """Return in words for which of the servers a finding holds."""
    verb = "rejected" if is_rejection else "reported"
    if holds[-1] is servers[-1] and list(holds) == list(servers[-len(holds) :]):
        return f"{verb} from Kubernetes {holds[0]} on"
    runs: list[list[Server]] = []
    for server in holds:
        if runs and servers.index(server) == servers.index(runs[-1][-1]) + 1:
            runs[-1].append(server)
        else:
            runs.append([server])
    listed = ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs)
    accepting = servers[servers.index(holds[-1]) + 1] if holds[-1] is not servers[-1] else None
    after = f", accepted from {accepting} on" if accepting is not None and is_rejection else ""
    return f"{verb} by Kubernetes {listed}{after}"


def _merged(found: Sequence[tuple[Server, Sequence[Diagnostic]]]) -> list[_Finding]:
    """Return the findings of all servers, oldest first, those about the same thing at the same place as one."""
    merged: list[_Finding] = []
    by_place: dict[Hashable, list[_Finding]] = {}
    newest = found[-1][0]
    for server, diagnostics in found:
        for diagnostic in diagnostics:
            place = (diagnostic.kind, diagnostic.rule, diagnostic.field, diagnostic.line, diagnostic.column)
            known = by_place.setdefault(place, [])
            open_ = [one for one in known if not one.servers or one.servers[-1] is not server]
            same = next((one for one in open_ if one.oldest.message == diagnostic.message), None)
            finding = same or next(iter(open_), None)
            if finding is None:
                finding = _Finding(diagnostic)
                known.append(finding)
                merged.append(finding)
            finding.servers.append(server)
            if server is newest:
                finding.newest = diagnostic
    return merged


def _is_covered(finding: Diagnostic, needs: Iterable[Diagnostic]) -> bool:
    """Return whether advice on the whole expression tells already from which server on it compiles."""
    at = (finding.line, finding.column)
    return finding.rule.startswith("cel-") and any(
        (one.line, one.column) <= at <= (one.end_line, one.end_column) for one in needs
    )


def _creatable(merged: Iterable[_Finding], servers: Sequence[Server], root: Mapping, document: Document) -> list[str]:
    """Return a notice of the first server that accepts a CRD which an older one rejects, if all newer ones do."""
    rejecting = {
        server
        for one in merged
        if one.oldest.kind in _REJECTIONS and one.oldest.severity == "error"
        for server in one.servers
    }
    if not rejecting or servers[-1] in rejecting:
        return []
    last = max(i for i, server in enumerate(servers) if server in rejecting)
    line = node_span(root, document.line_offset).line
    return [f"line {line}: {name_of(root) or 'the CRD'} can be created on Kubernetes {servers[last + 1]} and newer"]
