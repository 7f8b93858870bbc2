"""The check of a CRD for a range of servers: each finding once, with the servers that report it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import chain
from typing import Final

from crdlint.crd.positions import node_span
from crdlint.diagnostics import ANSWERS, REJECTIONS, Diagnostic
from crdlint.gathering import grouped, without_none
from crdlint.kubernetes.servers import Range, Server
from crdlint.light import dataclass, regex, replace
from crdlint.linting.documents import name_of
from crdlint.linting.first_patches import with_first_patches
from crdlint.linting.manifest import CheckedCRD, check_crd
from crdlint.linting.request import CheckRequest, Subject
from crdlint.linting.result import ComparedCRD
from crdlint.phrases import joined
from crdlint.rules.advice.deployment import DROPS_FIELD, NEEDS_NEWER, dropped_fields
from crdlint.rules.server.schema_warnings import sets_of_objects, unrecognized
from crdlint.rules.texts import reading
from crdlint.yaml.edit import runs


def describe_versions(some: Sequence[Server], servers: Sequence[Server]) -> str:
    """Describe some of the servers of a range: `1.28`, `1.28 and 1.29`, `1.28 to 1.30 and 1.36`."""
    names: list[str] = []
    for run in runs(map(servers.index, some)):
        first, last = servers[run[0]], servers[run[-1]]
        names += [f"{first} to {last}"] if len(run) > 2 else [str(servers[i]) for i in run]
    return joined(names)


@dataclass(slots=True)
class VersionedFinding:
    """A finding and the servers that report it, oldest first; `newest` is that of the newest server of the range, if any."""

    oldest: Diagnostic
    servers: list[Server] = field(default_factory=list)
    newest: Diagnostic | None = None

    def diagnostic(self, servers: Sequence[Server]) -> Diagnostic:
        """Return the finding in the words of the oldest server, with the servers if not all report it."""
        base, text = self.newest or self.oldest, self.oldest.server_message or self.oldest.message
        versions, detail = tuple(map(str, self.servers)), self.oldest.detail
        if len(self.servers) == len(servers):
            is_same = text == (base.server_message or base.message)
            return base if is_same else replace(base, message=text, detail=detail)
        if base.kind == "advice":
            return replace(base, versions=versions)
        which = _which(self.servers, servers, is_rejection=base.kind in REJECTIONS)
        return replace(
            base,
            message=f"{which}: {text}",
            detail=detail,
            server_message=text,
            versions=versions,
        )


def _which(holds: Sequence[Server], servers: Sequence[Server], *, is_rejection: bool) -> str:
    verb = _REJECTED if is_rejection else "reported"
    if list(holds) == list(servers[-len(holds) :]):
        return f"{verb} from Kubernetes {holds[0]} on"
    newer = servers[servers.index(holds[-1]) + 1 :]
    after = f", accepted from {newer[0]} on" if newer and is_rejection else ""
    return f"{verb} by Kubernetes {describe_versions(holds, servers)}{after}"


_REJECTED: Final = "rejected"


def dropped(message: str) -> str:
    """Return the message of a field that some servers reject, for clients by which they drop it."""
    return f"dropped{message[len(_REJECTED) :]}"


ACCEPTED: Final = "is accepted as it is on Kubernetes"


class FindingsByVersion:
    """The findings of all servers of a range; findings about the same problem at the same position are merged."""

    def __init__(self, by_server: Sequence[tuple[Server, Sequence[Diagnostic]]]) -> None:
        self.servers: Final = [server for server, _ in by_server]
        self._newest: Final = by_server[-1][1]
        self.findings: Final[list[VersionedFinding]] = []
        by_position: dict[Hashable, list[VersionedFinding]] = {}
        for server, diagnostics in by_server:
            here = grouped(diagnostics, _position_of)
            for key, at_position in here.items():
                findings = by_position.setdefault(key, [])
                for diagnostic, finding in _paired(at_position, findings):
                    merged = finding or VersionedFinding(diagnostic)
                    if finding is None:
                        findings.append(merged)
                        self.findings.append(merged)
                    merged.servers.append(server)
                    if server is self.servers[-1]:
                        merged.newest = diagnostic
        self._of_newest = {
            id(each.newest): each for each in self.findings if each.newest is not None
        }

    def of(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding of the newest server as a finding of all servers that report it."""
        finding = self._of_newest.get(id(diagnostic))
        return diagnostic if finding is None else finding.diagnostic(self.servers)

    def merged(self) -> Iterator[Diagnostic]:
        """Yield the findings of the newest server in its order, then those that only older servers report."""
        yield from map(self.of, self._newest)
        yield from (finding.diagnostic(self.servers) for finding in self.of_older_only())

    def of_older_only(self) -> Iterator[VersionedFinding]:
        """Yield the findings that the newest server does not report."""
        return (finding for finding in self.findings if finding.newest is None)


def _position_of(finding: Diagnostic) -> Hashable:
    cause = finding.related and (finding.related.file, finding.related.line, finding.related.column)
    return finding.kind, finding.rule_and_position, finding.field, cause


def _paired(
    diagnostics: Sequence[Diagnostic], findings: Sequence[VersionedFinding]
) -> list[tuple[Diagnostic, VersionedFinding | None]]:
    """Return the findings of a server at one position in order, each with the matching finding of older servers, or None.

    That is one with the same message, else with the same detail, else the first that is left.
    """
    left = list(findings)
    matches: dict[int, VersionedFinding] = {}
    for compared in (("message",), ("detail",), ()):
        for i, diagnostic in enumerate(diagnostics):
            if i in matches:
                continue
            same = next((each for each in left if _agrees(each, diagnostic, compared)), None)
            if same is not None:
                matches[i] = same
                left = [finding for finding in left if finding is not same]
    return [(diagnostic, matches.get(i)) for i, diagnostic in enumerate(diagnostics)]


def _agrees(finding: VersionedFinding, diagnostic: Diagnostic, compared: Iterable[str]) -> bool:
    """Return whether a finding of older servers has the same attributes as one."""
    return all(getattr(finding.oldest, name) == getattr(diagnostic, name) for name in compared)


def check_versions(subject: Subject, request: CheckRequest) -> CheckedCRD:
    """Check a CRD for each server of a range; see `check_crd`, which checks it for the newest."""
    newest = check_crd(subject, request)
    may_differ = request.previous is not None or _LATER_FEATURES.search(subject.document.text)
    servers = request.versions.servers
    if not may_differ and not of_server(newest.diagnostics):
        # Older servers report nothing either.
        return with_first_patches(
            newest,
            subject,
            request,
            dict.fromkeys(servers, newest),
        )
    results = _by_server(subject, request, newest)
    merged = FindingsByVersion(
        [(server, of_server(results[server].diagnostics)) for server in servers]
    )
    needs = [diagnostic for diagnostic in newest.diagnostics if diagnostic.rule == NEEDS_NEWER.id]
    pairs = _with_reported(newest.diagnostics, merged, needs)
    blocking = set(map(id, chain(needs, *(result.blocking for result in results.values()))))
    checked = newest._replace(
        diagnostics=[reported for _, reported in pairs],
        blocking=[reported for diagnostic, reported in pairs if id(diagnostic) in blocking],
        notices=[*newest.notices, *_creatable(merged.findings, servers, subject)],
        compared=_compared(newest, results.values(), pairs),
    )
    return with_first_patches(checked, subject, request, results)


def _with_reported(
    of_newest: Iterable[Diagnostic], merged: FindingsByVersion, needs: Sequence[Diagnostic]
) -> list[tuple[Diagnostic, Diagnostic]]:
    """Return the findings of the newest server, then those of older ones only, each with what is reported of it.

    `needs` are findings of the newest server that cover some of the older ones.
    """
    pairs = [(diagnostic, merged.of(diagnostic)) for diagnostic in of_newest]
    older = merged.of_older_only()
    uncovered = (finding for finding in older if not _is_covered(finding.oldest, needs))
    return pairs + [(finding.oldest, finding.diagnostic(merged.servers)) for finding in uncovered]


def _by_server(
    subject: Subject, request: CheckRequest, newest: CheckedCRD
) -> dict[Server, CheckedCRD]:
    """Check a CRD for each server, the newest first: most have the result of the previous one."""
    *older, last = request.versions.servers
    results = {last: newest}
    for server in reversed(older):
        like = result_like(server, results, subject, request)
        of_one = replace(request, versions=Range.of(server), advice=_ADVICE)
        results[server] = check_crd(subject, of_one, like)
    return results


def result_like(
    server: Server,
    results: Mapping[Server, CheckedCRD],
    subject: Subject,
    request: CheckRequest,
) -> CheckedCRD | None:
    """Return the result for a server that decodes the CRD as another one does, None without one, and for an update."""
    if request.previous is not None:
        return None
    fields = subject.document.once("fields of some servers", lambda: _fields_in(subject))
    for other, checked in results.items():
        if _decodes_alike(checked, other, server, fields):
            return checked
    return None


def _fields_in(subject: Subject) -> frozenset[str]:
    """Return which of the fields that some servers do not know a document may have."""
    text = subject.document.text
    return frozenset(field for field, pattern in FIELDS.items() if pattern.search(text))


def _compared(
    newest: CheckedCRD,
    results: Iterable[CheckedCRD],
    pairs: Iterable[tuple[Diagnostic, Diagnostic]],
) -> ComparedCRD | None:
    """Return the comparison with the old CRD, with the rejections of it by all servers."""
    if newest.compared is None:
        return None
    comparisons = without_none(result.compared for result in results)
    of_old = {message for compared in comparisons for message in compared.rejections}
    reworded = {reported.message for diagnostic, reported in pairs if diagnostic.message in of_old}
    return newest.compared._replace(rejections=frozenset(of_old | reworded))


# Escapes that may hide a name in a key.
_ESCAPES: Final = r"\\[xuU\r\n]"
_LATER_FEATURES: Final = regex(
    rf"x-kubernetes-validations|selectableFields|k8s-?(?:short|long)|{_ESCAPES}"
)
# The fields that some servers do not know, or drop, by their names in the table of servers.
FIELDS: Final = {
    "selectable_fields": regex(rf"selectableFields|{_ESCAPES}"),
    "optional_old_self": regex(rf"optionalOldSelf|{_ESCAPES}"),
}


def _decodes_alike(
    result: CheckedCRD,
    server: Server,
    other: Server,
    fields: frozenset[str],
) -> bool:
    """Return whether two servers decode a CRD with some of `fields` in the same way; `result` is the result for `server`."""
    if result.decoded is None or server.dropped_fields & fields != other.dropped_fields & fields:
        return False
    if result.decoded.problems:  # which may suggest any known field
        same_paths = server.names_paths_in_decode_errors == other.names_paths_in_decode_errors
        return same_paths and server.unknown_fields == other.unknown_fields
    return server.unknown_fields & fields == other.unknown_fields & fields


# The advisory rules whose findings depend on the server.
_ADVICE: Final = tuple(
    advice.findings for advice in (unrecognized, sets_of_objects, dropped_fields)
)


def of_server(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that depend on the server; those of duplicate keys in YAML depend on the client."""
    return list(filter(_is_of_server, diagnostics))


def _is_of_server(diagnostic: Diagnostic) -> bool:
    if diagnostic.hidden or diagnostic.rule in _OF_CLIENTS:
        return False
    if diagnostic.rule == DROPS_FIELD.id:
        return True
    return diagnostic.origin == "apiserver" and diagnostic.kind in ANSWERS


_OF_CLIENTS: Final = frozenset({reading.DUPLICATE_KEY.id, reading.MERGE_KEY_OVERRIDE.id})


def _is_covered(finding: Diagnostic, needs: Iterable[Diagnostic]) -> bool:
    """Return whether advice on the whole expression already contains the first server on which it compiles."""
    position = (finding.line, finding.column)
    return finding.rule.startswith("cel-") and any(
        (need.line, need.column) <= position <= (need.end_line, need.end_column) for need in needs
    )


def _creatable(
    merged: Iterable[VersionedFinding], servers: Sequence[Server], subject: Subject
) -> list[str]:
    """Return a notice of the first server that accepts a CRD which an older one rejects, if all newer ones do."""
    rejections = (
        finding
        for finding in merged
        if finding.oldest.kind in REJECTIONS and finding.oldest.severity == "error"
    )
    rejecting = {servers.index(server) for finding in rejections for server in finding.servers}
    accepting = max(rejecting, default=len(servers)) + 1
    if accepting >= len(servers):
        return []
    line, name = (
        node_span(subject.root, subject.document.line_offset).line,
        name_of(subject.root) or "the CRD",
    )
    return [f"line {line}: {name} {ACCEPTED} {servers[accepting]} and newer"]
