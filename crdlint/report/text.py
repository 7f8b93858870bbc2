"""For people: findings by file and CRD, each with its source line, the server's message and a help."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from crdlint.crd.paths import SHARED, is_within
from crdlint.report.escapes import printable, printable_line
from crdlint.report.fold import fold, snippet
from crdlint.report.page import Part, rule_link
from crdlint.report.selection import MOST_INFOS, by_crd, most_severe_first, once_a_place, once_a_rule
from crdlint.report.summary import counted
from crdlint.rules.consequences import causes
from crdlint.yaml.edit import split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View
    from crdlint.report.summary import Summary


class Report:
    """Results as text for a page. A terminal also shows the duration; files and pipes do not, so that output is reproducible."""

    def __init__(self, view: View) -> None:
        self._page = view.page
        self._view = view
        self._explained: set[str] = set()  # the paths that a note has explained

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the text about a file."""
        return (f"{line}\n" for line in self.lines(result))

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the statistics, and the closing line."""
        view, summary = self._view, outcome.summary
        if view.statistics:
            for rule, count in sorted(outcome.by_rule.items(), key=lambda item: (-item[1], item[0])):
                yield f"{count:6}  {self._page.styled(rule, '', rule_link(rule))}\n"
        if not view.quiet and (summary.files or not outcome.problems):
            yield f"{self.summary(summary)}\n"

    def lines(self, result: FileResult) -> Iterator[str]:
        """Yield the lines about a file; none if there is nothing to report."""
        for notice in () if self._view.quiet else result.notices:
            yield printable_line(f"{result.file}: note: {notice}")
        lines = split_lines(result.text) if result.diagnostics else []
        for crd, findings in by_crd(result.diagnostics):
            visible = most_severe_first(d for d in findings if not d.hidden)
            hidden = [d for d in findings if d.hidden]
            if visible or (hidden and self._view.hidden):
                title = self._page.styled(printable_line(result.file), "title", self._page.file_link(result.file))
                yield title + (self._page.styled(printable_line(f"  {crd}"), "title") if crd else "")
                yield ""
            yield from self._findings(visible, lines)
            if visible:
                yield from self._moved(visible)
                yield from self._stopped(visible)
            if hidden and self._view.hidden:
                yield self._page.styled("after these are fixed, the API server would also report:", "title")
                yield ""
                yield from self._grouped(hidden, lines)
            elif hidden and visible:
                count = counted(len(hidden), "more finding")
                yield from self._note(f"{count} after these are fixed: crdlint check --hidden shows them")
                yield ""

    def _findings(self, findings: Sequence[Diagnostic], lines: list[str]) -> Iterator[str]:
        """Yield findings of a CRD, the infos of a rule in one line if the CRD has many of them."""
        infos = [finding for finding in findings if finding.severity == "info"]
        if self._view.show_all or len(infos) <= MOST_INFOS:
            shown, left = (findings, Counter[str]()) if self._view.show_all else _without_repeated_advice(findings)
            yield from self._grouped(shown, lines)
            for rule, times in left.items():
                yield from self._note(f"{times:,} more {rule} here: --show-all shows them")
                yield ""
            return
        yield from self._grouped([finding for finding in findings if finding.severity != "info"], lines)
        for first, others in once_a_rule(infos):
            position = printable_line(f"{first.file}:{first.line}:{first.column}")
            more = f" (and {others:,} more)" if others else ""
            head = self._page.styled(f"info[{first.rule}]", "info", rule_link(first.rule))
            yield f"{head} {self._page.styled(position, '', self._page.file_link(first.file))}"
            yield from self._page.wrapped(f"{fold(first.message)}{more}", "  ")
        yield ""
        yield from self._note(f"{len(infos):,} infos, in one entry for each rule: --show-all shows each of them")
        yield ""

    def _grouped(self, findings: Sequence[Diagnostic], lines: list[str]) -> Iterator[str]:
        """Yield findings, each with those below it that only follow from it."""
        entries = [(finding, 0) for finding in findings] if self._view.show_all else once_a_place(findings)
        findings = [finding for finding, _ in entries]
        repeated = {id(finding): times for finding, times in entries if times}
        first = causes(findings)
        following: dict[int, list[Diagnostic]] = {}
        for finding in findings:
            if id(finding) in first:
                following.setdefault(id(first[id(finding)]), []).append(finding)
        for finding in findings:
            if id(finding) in first:
                continue
            yield from self._finding(finding, lines)
            for other in following.get(id(finding), ()):
                yield from self._consequence(other)
            if id(finding) in repeated:
                yield from self._note(
                    f"{repeated[id(finding)]:,} more paths lead here: --show-all shows the same for each"
                )
                yield ""

    def _consequence(self, diagnostic: Diagnostic) -> Iterator[str]:
        """Yield a finding that follows from the one above: its position and message, without its help."""
        position = printable_line(f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}")
        head = self._page.styled(
            f"{diagnostic.severity}[{diagnostic.rule}]", diagnostic.severity, rule_link(diagnostic.rule)
        )
        mark = "" if diagnostic.fix is None else f" {self._page.styled('[*]', 'good')}"
        where = self._page.styled(position, "", self._page.file_link(diagnostic.file))
        yield f"{head}{mark} {where}: follows from the finding above"
        yield from self._message(diagnostic)
        yield ""

    def _finding(self, diagnostic: Diagnostic, lines: list[str]) -> Iterator[str]:
        styled, severity, rule = self._page.styled, diagnostic.severity, diagnostic.rule
        position = printable_line(f"{diagnostic.file}:{diagnostic.line}:{diagnostic.column}")
        mark = "" if diagnostic.fix is None else f" {styled('[*]', 'good')}"
        head = styled(f"{severity}[{rule}]", severity, rule_link(rule))
        yield f"{head}{mark} {styled(position, '', self._page.file_link(diagnostic.file))}"
        shown = snippet(lines, diagnostic, self._page.width or _PIPED)
        if shown is not None:
            number, line, carets = shown
            gutter = " " * len(number)
            yield styled(f"{gutter} |", "gutter")
            yield f"{styled(f'{number} |', 'gutter')} {self._page.yaml(line)[0]}".rstrip()
            yield f"{styled(f'{gutter} |', 'gutter')} {styled(carets, severity)}"
        yield from self._message(diagnostic)
        if diagnostic.related is not None:
            other = diagnostic.related
            yield from self._page.wrapped(
                printable_line(f"{other.label} at {other.file}:{other.line}:{other.column}"), "  "
            )
        if diagnostic.help:
            yield from self._page.wrapped(diagnostic.help, "        ", "  help: ", "label")
        yield ""

    def _message(self, diagnostic: Diagnostic) -> list[str]:
        text = fold(diagnostic.message)
        lines = []
        for line in text.split("\n"):
            if line.startswith(" | "):  # a caret block of CEL: its columns must not change
                lines.append(f"  {printable(line)}".rstrip())
            else:
                lines.extend(self._page.wrapped(line, "  "))
        return lines

    def _moved(self, findings: Sequence[Diagnostic]) -> Iterator[str]:
        """Explain once in a run the paths that the server moved up."""
        for internal, name in SHARED.items():
            if internal not in self._explained and any(is_within(d.field, internal) for d in findings):
                note = f"{internal} is where the API server keeps what all versions share: spec.versions[0].{name} here"
                self._explained.add(internal)
                yield from self._note(note)
                yield ""

    def _stopped(self, findings: Sequence[Diagnostic]) -> Iterator[str]:
        """Explain which findings the API server reports first, since a strict request stops at unknown fields."""
        errors = [error for error in findings if error.kind == "field" and error.severity == "error" and error.errors]
        if errors and any(finding.rule == _UNKNOWN and finding.severity == "error" for finding in findings):
            others = "the other error" if len(errors) == 1 else f"the other {len(errors):,} errors"
            yield from self._note(
                f"with fieldValidation=Strict, kubectl's default, the API server stops at unknown fields: it reports {others} "
                "after they are fixed"
            )
            yield ""

    def _note(self, text: str) -> list[str]:
        return self._page.wrapped(text, "          ", "  = note: ")

    def summary(self, summary: Summary) -> str:
        """Return the closing line."""
        skipped = f" ({counted(summary.skipped, 'other document')} skipped)" if summary.skipped else ""
        counts = [counted(summary.errors, "error"), counted(summary.warnings, "warning")]
        findings = ", ".join([*counts, *([counted(summary.infos, "info")] if summary.infos else [])])
        if summary.below_minimum:
            findings += f" ({summary.below_minimum:,} below the minimum severity)"
        seconds = "" if self._page.width is None else f" in {summary.seconds:.2f} s"
        style = "error" if summary.errors else "warning" if summary.warnings else "good"
        start = f"checked {counted(summary.files, 'file')}, {counted(summary.crds, self._view.noun)}{skipped}: "
        lines = self._page.flow(Part(start), Part(findings, style), Part(seconds))
        fixable = _fixable(summary)
        return "\n".join([*lines, *(self._page.wrapped(fixable, "    ", "[*] ", "good") if fixable else ())])


def _fixable(summary: Summary) -> str:
    """Return how many findings `--fix` would fix, as the end of the closing line."""
    safe, unsafe, advice = summary.fixable, summary.fixable_unsafe, summary.fixable_advice
    parts = [f"{safe:,} fixable with --fix"] if safe else []
    if unsafe:
        parts.append(
            f"{unsafe:,} more with --unsafe-fixes" if safe else f"{unsafe:,} fixable with --fix --unsafe-fixes"
        )
    if advice:
        parts.append(f"{advice:,} {'more ' if parts else 'fixable '}with --fix --unsafe-fixes --select RULE")
    return ", ".join(parts)


def _without_repeated_advice(findings: Sequence[Diagnostic]) -> tuple[list[Diagnostic], Counter[str]]:
    """Return the findings of a CRD without repeated advice, and the number of omitted findings by rule."""
    advice: Counter[str] = Counter()
    left: Counter[str] = Counter()
    shown = []
    for finding in findings:
        if finding.severity == "info":
            advice[finding.rule] += 1
            if advice[finding.rule] > _ADVICE_SHOWN:
                left[finding.rule] += 1
                continue
        shown.append(finding)
    return shown, left


_UNKNOWN: Final = "unknown-field"
_ADVICE_SHOWN: Final = 2  # of a rule in a CRD
_PIPED: Final = 120  # columns of source lines, which are cut rather than wrapped
