"""The changes between two versions of CRDs, grouped by their effect."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from crdlint.diagnostics.diagnostic import INTERNAL_ERROR, OLD_CRD
from crdlint.report.summary import counted
from crdlint.rules import catalog
from crdlint.rules.changes import REMOVED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult, State
    from crdlint.report.pieces import View

REFUSED: Final = "rejected on update"
BREAKS: Final = "breaks clients or stored objects"
BEHAVIOUR: Final = "changes behaviour"
OTHER: Final = "breaks nothing"
GROUPS: Final = (REFUSED, BREAKS, BEHAVIOUR, OTHER)
# The states of a CRD: of a resource and its build, or of several templates, the last one counts.
_STATES: Final = ("added", "unread", "unchanged", "changed")
_BY_SEVERITY: Final = {"error": BREAKS, "warning": BEHAVIOUR, "info": OTHER}


def group_of(diagnostic: Diagnostic) -> str:
    """Return the group of a finding."""
    if diagnostic.origin == "apiserver":
        return REFUSED
    return BREAKS if diagnostic.is_alpha else _BY_SEVERITY[diagnostic.severity]


def is_consequence(diagnostic: Diagnostic) -> bool:
    """Return whether a finding is about an update: the API server rejects it, it is a change, or nothing is known."""
    if diagnostic.hidden:
        return False
    if diagnostic.rule == INTERNAL_ERROR:
        return True
    if diagnostic.origin == "apiserver":
        return diagnostic.severity == "error" and diagnostic.kind in {"decode", "strict", "field"}
    is_about_old = diagnostic.related is not None and diagnostic.related.label == OLD_CRD
    return is_about_old or catalog.get(diagnostic.rule).compares


@dataclass(slots=True)
class Changes:
    """The CRDs of a run with their states (see ComparedCRD), and the findings about them."""

    states: dict[str, State] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)

    def add(self, result: FileResult) -> None:
        """Add the findings of a file."""
        for crd in result.compared:
            state = self.states.get(crd.name, crd.state)
            self.states[crd.name] = max(state, crd.state, key=_STATES.index)
        self.findings += filter(is_consequence, result.diagnostics)

    def headline(self) -> str:
        """Return the number of changed CRDs, and of those among them without a finding."""
        affected = {finding.crd for finding in self.findings}
        changed = {name for name, state in self.states.items() if state == "changed"}
        text = f"{counted(len(changed), 'CRD')} changed, {len(changed - affected):,} without consequence"
        added = sum(state == "added" for state in self.states.values())
        removed = len({finding.crd for finding in self.findings if finding.rule == REMOVED.id})
        unread = sum(state == "unread" for state in self.states.values())
        counts = ((added, "added"), (removed, "removed"), (unread, "not compared"))
        more = [f"{number:,} {word}" for number, word in counts if number]
        return f"{text}; {', '.join(more)}" if more else text

    def groups(self) -> list[tuple[str, dict[str, list[Diagnostic]]]]:
        """Return the findings by group and CRD, in the order of GROUPS; groups without findings are left out."""
        groups: dict[str, dict[str, list[Diagnostic]]] = {name: {} for name in GROUPS}
        for finding in self.findings:
            groups[group_of(finding)].setdefault(finding.crd or finding.file, []).append(finding)
        return [(name, by_crd) for name, by_crd in groups.items() if by_crd]

    def by_crd(self) -> dict[str, list[Diagnostic]]:
        """Return the findings of each CRD, those with the most severe effect first."""
        findings: dict[str, list[Diagnostic]] = {}
        for finding in sorted(self.findings, key=lambda finding: GROUPS.index(group_of(finding))):
            findings.setdefault(finding.crd or finding.file, []).append(finding)
        return dict(sorted(findings.items()))

    def counts(self) -> Counter[str]:
        """Return the number of findings of each group."""
        return Counter(map(group_of, self.findings))


class ChangesReport:
    """The base of reports that write the changes of a run at its end, because a headline or groups come first."""

    def __init__(self, view: View) -> None:
        del view
        self._changes = Changes()

    def file(self, result: FileResult) -> Iterable[str]:
        """Add the changes of a file, and return nothing."""
        self._changes.add(result)
        return ()
