"""The changes between two versions of CRDs, grouped by their effect: for people, pull requests and release notes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from crdlint.diagnostics import INTERNAL_ERROR, Diagnostic
from crdlint.linting.result import FileResult, State
from crdlint.phrases import counted
from crdlint.report.page import rule_link
from crdlint.report.pieces import Report, RunOutcome, View
from crdlint.report.text import fold
from crdlint.rules import catalog
from crdlint.rules.changes import REMOVED
from crdlint.safety.escapes import markdown, markdown_with_code, printable_line

REFUSED: Final = "rejected on update"
BREAKS: Final = "breaks clients or stored objects"
BEHAVIOUR: Final = "changes behaviour"
OTHER: Final = "breaks nothing"
GROUPS: Final = (REFUSED, BREAKS, BEHAVIOUR, OTHER)
# The states of a CRD: of a resource and its build, or of several templates, the last one counts.
_STATES: Final = ("added", "unread", "unchanged", "changed")
_LIMIT: Final = 60_000  # characters; GitHub takes comments of up to 65,536
_ICONS: Final = {REFUSED: "⛔", BREAKS: "🔴", BEHAVIOUR: "🟡", OTHER: "🔵"}
_TITLES: Final = {
    REFUSED: "Updates that the API server rejects",
    BREAKS: "Breaking changes",
    BEHAVIOUR: "Changed behaviour",
    OTHER: "Other changes",
}
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
        return diagnostic.is_rejection
    return diagnostic.before is not None or catalog.get(diagnostic.rule).compares


@dataclass(slots=True)
class Changes:
    """The CRDs of a run with their states (see ComparedCRD), and the findings about them."""

    states: dict[str, State] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)

    def add(self, result: FileResult) -> None:
        """Add the findings of a file."""
        for crd in result.compared:
            self.states[crd.name] = max(self.states.get(crd.name, crd.state), crd.state, key=_STATES.index)
        self.findings += filter(is_consequence, result.diagnostics)

    def headline(self) -> str:
        """Return the number of changed CRDs, and of those among them without a finding."""
        affected = {finding.crd for finding in self.findings}
        changed = {name for name, state in self.states.items() if state == "changed"}
        text = f"{counted(len(changed), 'CRD')} changed, {len(changed - affected):,} without consequence"
        states = Counter(self.states.values())
        removed = len({finding.crd for finding in self.findings if finding.rule == REMOVED.id})
        counts = {"added": states["added"], "removed": removed, "not compared": states["unread"]}
        more = [f"{number:,} {word}" for word, number in counts.items() if number]
        return "; ".join(filter(None, (text, ", ".join(more))))

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


class AtEnd(Report):
    """The base of reports that write the changes of a run at its end, because a headline or groups come first."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._changes = Changes()

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the changes of all files come at the end."""
        self._changes.add(result)
        return ()


class ChangesText(AtEnd):
    """For people: a headline, then the findings grouped by their effect."""

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete report."""
        del outcome
        changes = self._changes
        if not self._view.quiet:
            yield f"{self._page.styled(changes.headline(), 'title')}\n"
        for name, by_crd in changes.groups():
            number = sum(map(len, by_crd.values()))
            title = f"{name}: {counted(number, 'change')}"
            yield f"\n{self._page.styled(title, 'title')}\n"
            for crd, findings in by_crd.items():
                yield f"\n  {self._page.styled(printable_line(crd), 'title')}\n"
                for finding in findings:
                    yield from (f"{line}\n" for line in self._finding(finding))
        counts = Counter(map(group_of, changes.findings))
        if counts and not self._view.quiet:
            yield f"\n{', '.join(f'{name}: {counts[name]:,}' for name in GROUPS if counts[name])}\n"

    def _finding(self, finding: Diagnostic) -> Iterator[str]:
        page = self._page
        head = page.styled(f"{finding.severity}[{finding.rule}]", finding.severity, rule_link(finding.rule))
        position = printable_line(f"{finding.file}:{finding.line}:{finding.column}")
        yield f"    {head} {page.styled(position, '', page.file_link(finding.file))}"
        if finding.before is not None:
            old = finding.before
            yield printable_line(f"      before: {old.file}:{old.line}:{old.column}")
        yield from page.wrapped(fold(finding.message), "      ")
        if finding.help:
            yield from page.wrapped(finding.help, "            ", "      help: ", "label")
        if self._view.examples and finding.example is not None:
            from crdlint.resources.dump import dump  # few changes have an example

            yield "      valid before, and not any more:"
            for line in dump(json.loads(finding.example)):
                yield from (f"        {part}" for part in line.splitlines())


class ChangesMarkdown(AtEnd):
    """For a pull request: a headline, and a table for each CRD, cut with a note if they are too long for a comment."""

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete page."""
        head = f"## {markdown(self._changes.headline())}\n"
        for file, reason in outcome.problems:
            head += f"\n- <code>{markdown(printable_line(file))}</code> could not be read: {markdown(reason)}\n"
        yield head
        room, left = _LIMIT - len(head), 0
        for crd, findings in self._changes.by_crd().items():
            table = "\n".join([f"\n### {markdown_with_code(f'`{crd}`')}\n", _COLUMNS, *map(_row, findings), ""])
            room -= len(table)
            if room < 0 or left:
                left += len(findings)
            else:
                yield table
        if left:
            yield f"\n… and {counted(left, 'more change')}, for which there is no room here.\n"


_COLUMNS: Final = "| | change | rule | new | old |\n| --- | --- | --- | --- | --- |"


def _row(finding: Diagnostic) -> str:
    group = group_of(finding)
    old = "" if finding.before is None else _location(finding.before.file, finding.before.line)
    rule = f"[{finding.rule}]({rule_link(finding.rule)})"
    change, new = markdown_with_code(finding.message), _location(finding.file, finding.line)
    return f"| {_ICONS[group]} {group} | {change} | {rule} | {new} | {old} |"


def _location(file: str, line: int) -> str:
    return markdown(printable_line(f"{file}:{line}"))


class Changelog(AtEnd):
    """For release notes: a list for each group, breaking changes first."""

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete text."""
        del outcome
        groups = self._changes.groups()
        added = sorted(name for name, state in self._changes.states.items() if state == "added")
        if not groups and not added:
            yield "No change of the CRDs has a consequence.\n"
        sections: dict[str, dict[str, list[Diagnostic]]] = {}
        for name, by_crd in groups:
            for crd, finding in ((crd, finding) for crd, findings in by_crd.items() for finding in findings):
                title = _TITLES[name]
                if finding.is_alpha:
                    title = "Removed" if finding.rule.endswith(("-removed", "-unserved", "-renamed")) else "Changed"
                sections.setdefault(title, {}).setdefault(crd, []).append(finding)
        for i, (title, of_title) in enumerate(sections.items()):
            yield f"{'' if i == 0 else chr(10)}### {title}\n\n"
            for crd, findings in sorted(of_title.items()):
                yield f"- {markdown_with_code(f'`{crd}`')}\n"
                yield from (f"  - {markdown_with_code(finding.message)}\n" for finding in findings)
        if added:
            yield f"{chr(10) if groups else ''}### New CRDs\n\n"
            yield from (f"- {markdown_with_code(f'`{name}`')}\n" for name in added)
