"""Findings of several servers in one list: each finding once, with the versions that report it."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from crdlint.diagnostics import Diagnostic
from crdlint.kubernetes.servers import Server
from crdlint.yaml.edit import runs

# The kinds of findings with which a server rejects an object.
REJECTIONS: Final = frozenset({"decode", "strict", "field"})


def describe_versions(some: Sequence[Server], servers: Sequence[Server]) -> str:
    """Describe some of the servers of a range: `1.28`, `1.28 and 1.29`, `1.28 to 1.30 and 1.36`."""
    names: list[str] = []
    for run in runs(map(servers.index, some)):
        first, last = servers[run[0]], servers[run[-1]]
        names += [f"{first} to {last}"] if len(run) > 2 else [str(servers[i]) for i in run]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


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
        return replace(base, message=f"{which}: {text}", detail=detail, server_message=text, versions=versions)


def _which(holds: Sequence[Server], servers: Sequence[Server], *, is_rejection: bool) -> str:
    verb = "rejected" if is_rejection else "reported"
    if holds[-1] is servers[-1] and list(holds) == list(servers[-len(holds) :]):
        return f"{verb} from Kubernetes {holds[0]} on"
    accepting = servers[servers.index(holds[-1]) + 1] if holds[-1] is not servers[-1] else None
    after = f", accepted from {accepting} on" if accepting is not None and is_rejection else ""
    return f"{verb} by Kubernetes {describe_versions(holds, servers)}{after}"


class FindingsByVersion:
    """The findings of all servers of a range; findings about the same problem at the same position are merged."""

    def __init__(self, by_server: Sequence[tuple[Server, Sequence[Diagnostic]]]) -> None:
        self.servers: Final = [server for server, _ in by_server]
        self._newest: Final = by_server[-1][1]
        self.findings: Final[list[VersionedFinding]] = []
        by_position: dict[Hashable, list[VersionedFinding]] = {}
        for server, diagnostics in by_server:
            here: dict[Hashable, list[Diagnostic]] = {}
            for diagnostic in diagnostics:
                here.setdefault(_position_of(diagnostic), []).append(diagnostic)
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
        self._of_newest = {id(each.newest): each for each in self.findings if each.newest is not None}

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
    cause = None if finding.related is None else (finding.related.file, finding.related.line, finding.related.column)
    return finding.kind, finding.rule, finding.field, finding.line, finding.column, cause


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
            alike = (
                finding
                for finding in left
                if all(getattr(finding.oldest, name) == getattr(diagnostic, name) for name in compared)
            )
            same = None if i in matches else next(alike, None)
            if same is not None:
                matches[i] = same
                left = [finding for finding in left if finding is not same]
    return [(diagnostic, matches.get(i)) for i, diagnostic in enumerate(diagnostics)]
