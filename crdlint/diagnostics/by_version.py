"""Findings of several servers as one list: each finding once, with the versions that it holds for."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.kubernetes.servers import Server

# The kinds of findings with which a server rejects an object.
REJECTIONS: Final = frozenset({"decode", "strict", "field"})


def describe_versions(some: Sequence[Server], servers: Sequence[Server]) -> str:
    """Return some of the servers of a range in words: `1.28`, `1.28 and 1.29`, `1.28 to 1.30 and 1.36`."""
    runs: list[list[Server]] = []
    for server in some:
        if runs and servers.index(server) == servers.index(runs[-1][-1]) + 1:
            runs[-1].append(server)
        else:
            runs.append([server])
    names: list[str] = []
    for run in runs:
        names += [f"{run[0]} to {run[-1]}"] if len(run) > 2 else map(str, run)
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


@dataclass(slots=True)
class VersionedFinding:
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
        which = _which(self.servers, servers, is_rejection=base.kind in REJECTIONS)
        return replace(
            base, message=f"{which}: {text}", detail=self.oldest.detail, server_message=text, versions=versions
        )


def _which(holds: Sequence[Server], servers: Sequence[Server], *, is_rejection: bool) -> str:
    """Return in words for which of the servers a finding holds."""
    verb = "rejected" if is_rejection else "reported"
    if holds[-1] is servers[-1] and list(holds) == list(servers[-len(holds) :]):
        return f"{verb} from Kubernetes {holds[0]} on"
    accepting = servers[servers.index(holds[-1]) + 1] if holds[-1] is not servers[-1] else None
    after = f", accepted from {accepting} on" if accepting is not None and is_rejection else ""
    return f"{verb} by Kubernetes {describe_versions(holds, servers)}{after}"


class FindingsByVersion:
    """The findings of all servers of a range, those about the same thing at the same place as one."""

    def __init__(self, found: Sequence[tuple[Server, Sequence[Diagnostic]]]) -> None:
        """Merge the findings of each server; ``found`` begins with the oldest one."""
        self.servers: Final = [server for server, _ in found]
        self._newest: Final = found[-1][1]
        self.findings: Final[list[VersionedFinding]] = []
        by_place: dict[Hashable, list[VersionedFinding]] = {}
        for server, diagnostics in found:
            here: dict[Hashable, list[Diagnostic]] = {}
            for diagnostic in diagnostics:
                here.setdefault(_place(diagnostic), []).append(diagnostic)
            for place, of_place in here.items():
                known = by_place.setdefault(place, [])
                for diagnostic, finding in _paired(of_place, known):
                    merged = finding
                    if merged is None:
                        merged = VersionedFinding(diagnostic)
                        known.append(merged)
                        self.findings.append(merged)
                    merged.servers.append(server)
                    if server is self.servers[-1]:
                        merged.newest = diagnostic
        self._of_newest = {id(one.newest): one for one in self.findings if one.newest is not None}

    def of(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a finding of the newest server as one of all servers."""
        finding = self._of_newest.get(id(diagnostic))
        return diagnostic if finding is None else finding.diagnostic(self.servers)

    def merged(self) -> Iterator[Diagnostic]:
        """Yield what the newest server reports in its order, then what only older ones report."""
        yield from map(self.of, self._newest)
        for finding in self.of_older_only():
            yield finding.diagnostic(self.servers)

    def of_older_only(self) -> Iterator[VersionedFinding]:
        """Yield what the newest server does not report."""
        return (one for one in self.findings if one.newest is None)


def _place(one: Diagnostic) -> Hashable:
    cause = None if one.related is None else (one.related.file, one.related.line, one.related.column)
    return one.kind, one.rule, one.field, one.line, one.column, cause


def _paired(
    diagnostics: Sequence[Diagnostic], known: Sequence[VersionedFinding]
) -> Iterator[tuple[Diagnostic, VersionedFinding | None]]:
    """Yield the findings of a server at one place in order, each with the one of older servers that it is, if there is one.

    That is one with the same message, else with the same detail, else the first that is left.
    """
    left = list(known)
    found: dict[int, VersionedFinding] = {}
    for alike in (
        lambda one, other: one.message == other.message,
        lambda one, other: one.detail == other.detail,
        lambda _one, _other: True,
    ):
        for i, diagnostic in enumerate(diagnostics):
            same = None if i in found else next((one for one in left if alike(one.oldest, diagnostic)), None)
            if same is not None:
                found[i] = same
                left = [one for one in left if one is not same]
    for i, diagnostic in enumerate(diagnostics):
        yield diagnostic, found.get(i)
