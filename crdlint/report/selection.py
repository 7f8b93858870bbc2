"""The order in which reports for people show the findings of a CRD, and what they combine into one entry."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic

MOST_INFOS: Final = 10
"""The number of infos of a CRD that are shown one by one."""
_PLACE: Final = attrgetter("rule", "line", "column", "end_line", "end_column")
_SEVERITIES: Final = {"error": 0, "warning": 1, "info": 2}


def by_crd(diagnostics: Iterable[Diagnostic]) -> list[tuple[str | None, list[Diagnostic]]]:
    """Group consecutive findings about the same CRD."""
    groups: list[tuple[str | None, list[Diagnostic]]] = []
    for diagnostic in diagnostics:
        if not groups or groups[-1][0] != diagnostic.crd:
            groups.append((diagnostic.crd, []))
        groups[-1][1].append(diagnostic)
    return groups


def most_severe_first(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Return findings with errors before warnings, and warnings before infos, otherwise in their order."""
    return sorted(diagnostics, key=lambda diagnostic: _SEVERITIES[diagnostic.severity])


def once_a_rule(diagnostics: Iterable[Diagnostic]) -> list[tuple[Diagnostic, int]]:
    """Return the first finding of each rule with the number of its other findings."""
    rules: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        rules.setdefault(diagnostic.rule, []).append(diagnostic)
    return [(same[0], len(same) - 1) for same in rules.values()]


def once_a_place(diagnostics: Iterable[Diagnostic]) -> list[tuple[Diagnostic, int]]:
    """Return the first of the API server's findings that aliases repeat, with the number of the others; and all else."""
    entries: dict[object, list[Diagnostic]] = {}
    for finding in diagnostics:
        name = finding.field.rpartition(".")[2].partition("[")[0]
        same = (_PLACE(finding), finding.message[len(finding.field) :], name, finding.fix is None)
        entries.setdefault(same if finding.kind == "field" else id(finding), []).append(finding)
    return [(same[0], len(same) - 1) for same in entries.values()]


def combined(diagnostics: Sequence[Diagnostic], *, show_all: bool) -> list[tuple[Diagnostic, int]]:
    """Return findings, the most severe first within a CRD, each with the number of others that it includes.

    If a CRD has many infos, only the first of each rule is returned, and of what aliases repeat only the first finding,
    unless all are to be shown.
    """
    entries: list[tuple[Diagnostic, int]] = []
    for _, findings in by_crd(diagnostics):
        infos = [finding for finding in findings if finding.severity == "info"]
        others = most_severe_first(finding for finding in findings if finding.severity != "info")
        entries += [(finding, 0) for finding in others] if show_all else once_a_place(others)
        entries += [(info, 0) for info in infos] if show_all or len(infos) <= MOST_INFOS else once_a_rule(infos)
    return entries
