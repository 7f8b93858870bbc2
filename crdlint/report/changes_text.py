"""The changes between two versions of CRDs for people, in the shape of `crdlint check`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from crdlint.diagnostics import Diagnostic, Related
from crdlint.phrases import counted
from crdlint.report import differences, words
from crdlint.report.changes import AtEnd, Cluster, clusters
from crdlint.report.differences import Part
from crdlint.report.page import CellPart
from crdlint.report.pieces import RunOutcome, View
from crdlint.report.text import PIPED, TextReport, fold
from crdlint.safety.escapes import printable_line
from crdlint.sources.kustomize import KUSTOMIZATIONS

_INDENT: Final = " " * 4
_MOST: Final = 5  # findings of a cluster that are shown one by one
_SHOWN: Final = 3  # of more findings, before the paths of the others


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
            title = f"{name}: {counted(sum(map(len, by_crd.values())), 'change')}"
            yield f"\n{self._page.styled(title, 'title')}\n"
            for crd, findings in by_crd.items():
                yield f"\n{self._page.styled(printable_line(crd), 'title')}\n"
                for cluster in clusters(findings):
                    yield "\n"
                    yield from (f"{line}\n" for line in self._cluster(cluster))

    def _cluster(self, cluster: Cluster) -> Iterator[str]:
        findings = cluster.findings
        shown = findings if len(findings) <= _MOST else findings[:_SHOWN]
        for finding in shown:
            yield from self._finding(finding)
            if len(findings) > 1:
                yield from self._example(finding)
        others = findings[len(shown) :]
        if others:
            yield from self._page.wrapped(
                f"{len(others):,} more: {_listed(others)}", _INDENT, "  = also: ", "label"
            )
        for sentence in cluster.sentences:
            yield from self._page.wrapped(fold(sentence.text), _INDENT, f"  = {sentence.label}: ")
        if cluster.help:
            yield from self._page.wrapped(cluster.help, _INDENT, "  = help: ", "label")
        if len(findings) == 1:
            yield from self._example(findings[0])

    def _finding(self, finding: Diagnostic) -> Iterator[str]:
        yield from self._text.title(finding)
        position, link = (
            printable_line(f"{finding.file}:{finding.line}:{finding.column}"),
            self._page.file_link,
        )
        parts = [CellPart("  --> ", "gutter"), CellPart(position, "", link(finding.file))]
        if finding.before is not None:
            old = printable_line(
                f"{finding.before.file}:{finding.before.line}:{finding.before.column}"
            )
            parts += [CellPart(", was "), CellPart(old, "", link(finding.before.file))]
        yield from self._page.flow(*parts)
        yield from self._source(finding)

    def _source(self, finding: Diagnostic) -> Iterator[str]:
        """Yield the old and the new line under each other, with carets at the words that differ."""
        sides = shown_lines(finding, self._lines.get(id(finding), ""))
        digits = max((len(str(number)) for number, _, _ in sides), default=0)
        room = max((self._page.width or PIPED) - digits - len(" - "), 20)
        for number, mark, parts in sides:
            fitted = list(differences.fitted(parts, room))
            style = "good" if mark == "+" else "error" if mark == "-" else "gutter"
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
            yield from self._page.wrapped(_NO_EXAMPLE, _INDENT, "  = example: ", "label")
            return
        from crdlint.resources.dump import dump  # few changes have an example

        yield "  = example: valid before, and not any more"
        for line in dump(json.loads(finding.example)):
            yield from (f"{_INDENT}{_shortened(part)}" for part in line.splitlines())


_NO_EXAMPLE: Final = "none was found among the small objects that the old CRD accepts"


def _shortened(line: str) -> str:
    """Return a line of an example; of a long run of one character, its start and the number of its characters."""
    run = _RUN.search(line)
    if run is None:
        return line
    rest = line[run.end() :]
    return f"{line[: run.start() + _SHOWN_OF_RUN]}…{rest}  # {len(run[0]):,} times `{run[1]}`"


_RUN: Final = re.compile(r"(\w)\1{63,}")
_SHOWN_OF_RUN: Final = 16  # characters


def shown_lines(finding: Diagnostic, line: str) -> list[tuple[int, str, Sequence[Part]]]:
    """Return the numbers of the lines that a change is about, `-`, `+` or `|`, and their parts; ``line`` is the new one.

    Both lines are shown if both have what the change is about, or the same key; else the only one that has it.
    """
    before, new = finding.before, line.strip()
    old = _old_line(before)
    removed, added = differences.changed_parts(old, new)
    old_number, is_missing = before.line if before else 0, finding.missing_in
    is_pair = old != new and (_key(old) == _key(new) or not (is_missing or _is_built(finding)))
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


def _key(line: str) -> str:
    return line.removeprefix("- ").partition(":")[0]


def _listed(findings: Sequence[Diagnostic]) -> str:
    """Return the fields of findings, those of an object together, or what their headlines name; each one once."""
    by_parent: dict[str, dict[str, None]] = {}
    for finding in findings:
        parent, dot, name = finding.field.rpartition(".")
        if not dot:
            parent, name = "", words.headline(finding).partition(":")[0].replace("`", "")
        by_parent.setdefault(parent, {})[name] = None
    return ", ".join(
        text for parent, names in by_parent.items() for text in _of_parent(parent, list(names))
    )


def _of_parent(parent: str, names: Sequence[str]) -> Iterator[str]:
    """Yield the fields of an object as one text, or names that are of none."""
    if not parent:
        yield from (f"`{name}`" for name in names)
    elif len(names) == 1:
        yield f"`{parent}.{names[0]}`"
    else:
        yield f"`{parent}.{{{', '.join(names)}}}`"
