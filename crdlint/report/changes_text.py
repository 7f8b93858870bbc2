"""The changes between two versions of CRDs for people, in the shape of `crdlint check`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import groupby, zip_longest
from typing import Final

from crdlint.diagnostics import Diagnostic, Related
from crdlint.light import regex
from crdlint.phrases import counted
from crdlint.report import differences
from crdlint.report.changes import AtEnd, group_name
from crdlint.report.differences import Part
from crdlint.report.page import CellPart, columns
from crdlint.report.pieces import RunOutcome, View
from crdlint.report.same_changes import Cluster, SameChange, clusters, entries, listed_fields
from crdlint.report.text import PIPED, TextReport, fold
from crdlint.safety.escapes import printable_line
from crdlint.sources.kustomize import KUSTOMIZATIONS

_INDENT: Final = " " * 4
_STYLES: Final = {"+": "good", "-": "error"}
_MOST: Final = 5  # entries of a cluster that are shown one by one
_SHOWN: Final = 3  # of more entries, before the paths of the others


class ChangesText(AtEnd):
    """A headline, then the findings grouped by their effect: what happened, both lines, and who is hurt once for all of them."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._text = TextReport(view)

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete report."""
        del outcome
        if not self._view.quiet:
            yield from (
                f"{line}\n" for line in self._page.flow(CellPart(self._changes.headline(), "title"))
            )
        for name, by_crd in self._changes.groups():
            findings = [finding for own in by_crd.values() for finding in own]
            title = f"{name}: {counted(len(findings), 'change')}"
            yield f"\n{self._page.styled(title, 'title')}\n"
            for crd, own in groupby(entries(findings), lambda entry: group_name(entry.first)):
                yield f"\n{self._page.styled(printable_line(crd), 'title')}\n"
                helped: dict[str, str] = {}
                for cluster in clusters(own):
                    yield "\n"
                    yield from (f"{line}\n" for line in self._cluster(cluster, helped))

    def _cluster(self, cluster: Cluster, helped: dict[str, str]) -> Iterator[str]:
        """Yield the entries, then their effect and help once; the example of an only entry comes last.

        `helped` has the helps of earlier clusters, each with the field that it was shown for.
        """
        all_ = cluster.entries
        shown = all_ if len(all_) <= _MOST else all_[:_SHOWN]
        for entry, following in zip_longest(shown, shown[1:]):
            yield from self._finding(entry.first)
            if len(all_) > 1:
                yield from self._example(entry.first)
            is_last_there = following is None or following.elsewhere != entry.elsewhere
            if entry.elsewhere and is_last_there:
                yield from self._page.wrapped(
                    entry.elsewhere,
                    _INDENT,
                    "  = also: ",
                    "label",
                )
        yield from self._also(all_[len(shown) :])
        for sentence in cluster.sentences:
            yield from self._page.wrapped(fold(sentence.text), _INDENT, f"  = {sentence.label}: ")
        if cluster.help:
            help_ = _help(cluster, helped)
            yield from self._page.wrapped(help_, _INDENT, "  = help: ", "label")
        if len(all_) == 1:
            yield from self._example(all_[0].first)

    def _also(self, others: Sequence[SameChange]) -> Iterator[str]:
        """Yield the places of the entries that are not shown."""
        findings = [finding for entry in others for finding in entry.findings]
        if findings:
            text = f"{len(findings):,} more: {listed_fields(findings, findings[0].crd)}"
            yield from self._page.wrapped(text, _INDENT, "  = also: ", "label")

    def _finding(self, finding: Diagnostic) -> Iterator[str]:
        yield from self._text.title(finding)
        yield from self._positions(finding)
        yield from self._source(finding)

    def _positions(self, finding: Diagnostic) -> Iterator[str]:
        """Yield the position and, behind it or without room there below it, that in the old CRD."""
        new = self._position("  --> ", finding)
        if finding.before is None:
            yield from self._page.flow(*new)
            return
        width = self._page.width
        old = self._position("", finding.before)
        length = sum(columns(part.text) for part in (*new, *old)) + len(", was ")
        if width is None or length <= width:
            yield from self._page.flow(*new, CellPart(", was "), *old)
            return
        yield from self._page.flow(*new)
        yield from self._page.flow(*self._position("  was ", finding.before))

    def _position(self, lead: str, side: Diagnostic | Related) -> list[CellPart]:
        """Return the parts of a line with a position, the file of which is a link."""
        position = printable_line(f"{side.file}:{side.line}:{side.column}")
        link = self._page.file_link(side.file)
        return [CellPart(lead, "gutter" if lead else ""), CellPart(position, "", link)]

    def _source(self, finding: Diagnostic) -> Iterator[str]:
        """Yield the old and the new line under each other, with carets at the words that differ."""
        sides = shown_lines(finding, self._lines.get(id(finding), ""))
        digits = max((len(str(number)) for number, _, _ in sides), default=0)
        room = max((self._page.width or PIPED) - digits - len(" - "), 20)
        for number, mark, parts in sides:
            fitted = list(differences.fitted(parts, room))
            style = _STYLES.get(mark, "gutter")
            line = "".join(part.text for part in fitted)
            yield self._page.styled(f"{number:>{digits}} {mark} {line}", style).rstrip()
            marks = differences.carets(fitted)
            if marks:
                yield self._page.styled(f"{' ' * digits}   {marks}", style)

    def _example(self, finding: Diagnostic) -> Iterator[str]:
        """Yield the object that the change breaks, if the run explains its changes."""
        if not self._view.examples or finding.example is None:
            return
        if not finding.example:
            yield from self._page.wrapped(
                _NO_EXAMPLE,
                _INDENT,
                "  = example: ",
                "label",
            )
            return
        from crdlint.resources.dump import dump  # few changes have an example

        yield "  = example: valid before, and not any more"
        for line in dump(json.loads(finding.example)):
            yield from (f"{_INDENT}{_shortened(part)}" for part in line.splitlines())


def _help(cluster: Cluster, helped: dict[str, str]) -> str:
    """Return the help of a cluster, or the field that the same help was shown for, if that is shorter."""
    field = helped.get(cluster.help)
    reference = f"the same as for `{field}` above"
    if field and len(reference) < len(cluster.help):
        return reference
    helped[cluster.help] = cluster.entries[0].first.field
    return cluster.help


_NO_EXAMPLE: Final = "none was found among the small objects that the old CRD accepts"


def _shortened(line: str) -> str:
    """Return a line of an example; of a long run of one character, its start and the number of its characters."""
    run = _RUN.search(line)
    if run is None:
        return line
    rest = line[run.end() :]
    return f"{line[: run.start() + _SHOWN_OF_RUN]}…{rest}  # {len(run[0]):,} times `{run[1]}`"


_RUN: Final = regex(r"(\w)\1{63,}")
_SHOWN_OF_RUN: Final = 16  # characters


def shown_lines(finding: Diagnostic, line: str) -> list[tuple[int, str, Sequence[Part]]]:
    """Return the numbers of the lines that a change is about, `-`, `+` or `|`, and their parts; ``line`` is the new one.

    Both lines are shown if both have what the change is about, or the same key; else the only one that has it.
    """
    before, new = finding.before, line.strip()
    old = _old_line(before)
    removed, added = differences.changed_parts(old, new)
    old_number, is_missing = before.line if before else 0, finding.missing_in
    is_pair = old != new and (
        differences.has_same_key(old, new) or not (is_missing or _is_built(finding))
    )
    if old and new and is_pair and len(is_missing) < len(("old", "new")):
        return [(old_number, "-", removed), (finding.line, "+", added)]
    if is_missing == ("new",):
        return [(old_number, "-", [Part(old, False)])] if old else []
    if is_missing == ("old",):
        return [(finding.line, "+", [Part(new, False)])]
    return [] if is_missing else [(finding.line, "|", [Part(new, False)])]


def _is_built(finding: Diagnostic) -> bool:
    """Return whether a finding is about what a build makes, at the patch because of which it does."""
    return finding.file.rpartition("/")[2] in KUSTOMIZATIONS


def _old_line(before: Related | None) -> str:
    return "" if before is None else before.text.partition("\n")[0].strip()
