"""The changes between two versions of CRDs, grouped by their effect: for people, pull requests and release notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from typing import Final

from crdlint.diagnostics import INTERNAL_ERROR, Diagnostic
from crdlint.gathering import grouped
from crdlint.light import dataclass
from crdlint.linting.result import FileResult, State
from crdlint.phrases import counted
from crdlint.report import words
from crdlint.report.page import rule_link
from crdlint.report.pieces import Report, RunOutcome, View
from crdlint.report.same_changes import Cluster, clusters, entries
from crdlint.rules import catalog
from crdlint.rules.texts import reading
from crdlint.rules.texts.changes import REMOVED
from crdlint.safety.escapes import markdown, markdown_source, printable_line
from crdlint.yaml.edit import line_starts

REFUSED: Final = "rejected on update"
BREAKS: Final = "breaking"
ALPHA: Final = "in an alpha version"
BEHAVIOUR: Final = "changed behaviour"
OTHER: Final = "other"
GROUPS: Final = (REFUSED, BREAKS, ALPHA, BEHAVIOUR, OTHER)
# The states of a CRD: of a resource and its build, or of several templates, the last one counts.
_STATES: Final = ("added", "unread", "unchanged", "changed")
_LIMIT: Final = 60_000  # characters; GitHub takes comments of up to 65,536
ICONS: Final = {REFUSED: "⛔", BREAKS: "🔴", ALPHA: "🟠", BEHAVIOUR: "🟡", OTHER: "🔵"}
TITLES: Final = {
    REFUSED: "Updates that the API server rejects",
    BREAKS: "Breaking changes",
    ALPHA: "Breaking changes in alpha versions",
    BEHAVIOUR: "Changed behaviour",
    OTHER: "Other changes",
}
_BY_SEVERITY: Final = {"error": BREAKS, "warning": BEHAVIOUR, "info": OTHER}


def group_of(diagnostic: Diagnostic) -> str:
    """Return the group of a finding."""
    if diagnostic.origin == "apiserver":
        return REFUSED
    return ALPHA if diagnostic.is_alpha else _BY_SEVERITY[diagnostic.severity]


def counts_of(findings: Iterable[Diagnostic]) -> dict[str, int]:
    """Return the number of changes in each group, in the order of GROUPS, without groups that have none."""
    counts = Counter(map(group_of, findings))
    return {name: counts[name] for name in GROUPS if counts[name]}


# The names of groups in JSON.
KEYS: Final = {
    REFUSED: "rejected",
    BREAKS: "breaking",
    ALPHA: "alpha",
    BEHAVIOUR: "behaviour",
    OTHER: "other",
}


def described(counts: dict[str, int]) -> str:
    """Return the numbers of changes in words, such as `5 breaking, 1 in an alpha version`."""
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def is_consequence(diagnostic: Diagnostic) -> bool:
    """Return whether a finding is about an update: the API server rejects it, it is a change, or nothing is known."""
    if diagnostic.hidden:
        return False
    if diagnostic.rule == INTERNAL_ERROR or _is_unread(diagnostic):
        return True
    if diagnostic.origin == "apiserver":
        return diagnostic.is_rejection
    return diagnostic.before is not None or catalog.get(diagnostic.rule).compares


def _is_unread(diagnostic: Diagnostic) -> bool:
    """Return whether a document is not compared because crdlint stops reading it."""
    return diagnostic.rule == reading.YAML_SYNTAX.id and diagnostic.origin == "crdlint"


def group_name(finding: Diagnostic) -> str:
    """Return the name under which a finding is listed: its CRD, or the file of none."""
    return finding.crd or finding.file


@dataclass(slots=True)
class Changes:
    """The CRDs of a run with their states (see ComparedCRD), and the findings about them."""

    states: dict[str, State] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)

    def add(self, result: FileResult) -> None:
        """Add the findings of a file."""
        for crd in result.compared:
            self.states[crd.name] = max(
                self.states.get(crd.name, crd.state), crd.state, key=_STATES.index
            )
        self.findings += filter(is_consequence, result.diagnostics)

    def headline(self) -> str:
        """Return the number of changed CRDs, and of their changes by group."""
        affected = {finding.crd for finding in self.findings}
        changed = {name for name, state in self.states.items() if state == "changed"}
        text, harmless = f"{counted(len(changed), 'CRD')} changed", len(changed - affected)
        if harmless:
            text += (
                f", {harmless:,} without consequence"
                if harmless < len(changed)
                else ", without consequence"
            )
        states = Counter(self.states.values())
        removed = len({finding.crd for finding in self.findings if finding.rule == REMOVED.id})
        counts = {"added": states["added"], "removed": removed, "not compared": states["unread"]}
        more = ", ".join(f"{number:,} {word}" for word, number in counts.items() if number)
        numbers = described(self.counts())
        return "; ".join(filter(None, (text, more))) + (f": {numbers}" if numbers else "")

    def counts(self) -> dict[str, int]:
        """Return the number of findings in each group that has any."""
        return counts_of(self.findings)

    def groups(self) -> list[tuple[str, dict[str, list[Diagnostic]]]]:
        """Return the findings by group and CRD, in the order of GROUPS; groups without findings are left out."""
        groups: dict[str, dict[str, list[Diagnostic]]] = {name: {} for name in GROUPS}
        for finding in self.findings:
            groups[group_of(finding)].setdefault(group_name(finding), []).append(finding)
        return [(name, by_crd) for name, by_crd in groups.items() if by_crd]

    def by_crd(self) -> dict[str, list[Diagnostic]]:
        """Return the findings of each CRD, those with the most severe effect first."""
        findings = grouped(
            sorted(self.findings, key=lambda finding: GROUPS.index(group_of(finding))), group_name
        )
        return dict(sorted(findings.items()))


class AtEnd(Report):
    """The base of reports that write the changes of a run at its end, because a headline or groups come first.

    `lines` are the lines of the findings by the identity of these: the text of a file is gone at the end.
    """

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._changes = Changes()
        self._lines: dict[int, str] = {}

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the changes of all files come at the end."""
        starts = line_starts(result.text)
        for finding in result.diagnostics:
            if finding.line <= len(starts):
                start = starts[finding.line - 1]
                self._lines[id(finding)] = (
                    result.text[start : start + _LONGEST_LINE].partition("\n")[0].rstrip("\r")
                )
        self._changes.add(result)
        return ()


_LONGEST_LINE: Final = 100_000  # characters


class ChangesMarkdown(AtEnd):
    """For a pull request: a headline, and a list for each CRD, cut with a note if they are too long for a comment."""

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete page."""
        head = f"## {markdown(self._changes.headline())}\n"
        for problem in outcome.problems:
            name = markdown_source(f"`{printable_line(problem.position)}`")
            head += f"\n- {name} could not be read: {markdown(problem.reason)}\n"
        yield head
        room, left = _LIMIT - len(head), 0
        for crd, findings in self._changes.by_crd().items():
            part = f"\n### {markdown_source(f'`{crd}`')}\n{''.join(_of_groups(findings))}"
            room -= len(part)
            if room < 0 or left:
                left += len(findings)
            else:
                yield part
        if left:
            yield f"\n… and {counted(left, 'more change')}, for which there is no room here.\n"


def _of_groups(findings: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield the findings of a CRD group by group as Markdown."""
    by_group = grouped(findings, group_of)
    for name in filter(by_group.get, GROUPS):
        yield f"\n{ICONS[name]} **{name}**\n\n"
        for cluster in clusters(entries(by_group[name])):
            yield from _items(cluster)


def _items(cluster: Cluster) -> Iterator[str]:
    """Yield the entries of a cluster as items of a list, and below the last one the sentences about all of them."""
    for entry in cluster.entries:
        finding = entry.first
        positions = [f"`{finding.file}:{finding.line}`"]
        if finding.before is not None:
            positions.append(f"was `{finding.before.file}:{finding.before.line}`")
        rule = f"[{finding.rule}]({rule_link(finding.rule)})"
        yield f"- {markdown_source(words.headline(finding))} ({rule}, {markdown_source(', '.join(positions))})\n"
        if entry.elsewhere:
            yield f"  - **also:** {markdown_source(entry.elsewhere)}\n"
    for sentence in cluster.sentences:
        yield f"  - {markdown_source(sentence.text)}\n"
    if cluster.help:
        yield f"  - **help:** {markdown_source(cluster.help)}\n"


def _title(finding: Diagnostic) -> str:
    """Return the section of a change in an alpha version."""
    is_gone = finding.rule.endswith(("-removed", "-unserved", "-renamed"))
    return "Removed" if is_gone else "Changed"


class Changelog(AtEnd):
    """For release notes: a list for each group, breaking changes first."""

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete text."""
        del outcome
        groups = self._changes.groups()
        added = sorted(name for name, state in self._changes.states.items() if state == "added")
        if not groups and not added:
            yield "No change of the CRDs has a consequence.\n"
        for i, (title, by_crd) in enumerate(self._sections().items()):
            yield f"{'' if i == 0 else chr(10)}### {title}\n\n"
            for crd, findings in sorted(by_crd.items()):
                yield f"- {markdown_source(f'`{crd}`')}\n"
                yield from (f"  - {markdown_source(entry.text)}\n" for entry in entries(findings))
        if added:
            yield f"{chr(10) if groups else ''}### New CRDs\n\n"
            yield from (f"- {markdown_source(f'`{name}`')}\n" for name in added)

    def _sections(self) -> dict[str, dict[str, list[Diagnostic]]]:
        """Return the findings by the title of their section, and by CRD."""
        sections: dict[str, dict[str, list[Diagnostic]]] = {}
        for name, by_crd in self._changes.groups():
            for crd, finding in (
                (crd, each) for crd, findings in by_crd.items() for each in findings
            ):
                title = _title(finding) if finding.is_alpha else TITLES[name]
                sections.setdefault(title, {}).setdefault(crd, []).append(finding)
        return sections
