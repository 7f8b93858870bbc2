"""For people: findings by file and CRD, each with its source line, the server's message and a help."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from crdlint.diagnostics import NOT_RENDERED, UNKNOWN_FIELD, Diagnostic
from crdlint.light import NamedTuple, regex, replace
from crdlint.phrases import Routine, agreeing, counted, some
from crdlint.report import pieces, words
from crdlint.report.page import CellPart, columns, fitting, rule_link
from crdlint.report.repetitions import Repetitions
from crdlint.rules.consequences import causes
from crdlint.safety.escapes import printable, printable_line
from crdlint.yaml.edit import split_lines

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import RunOutcome, SuiteOutcome, Summary, View
    from crdlint.suites.read import Suite
    from crdlint.suites.run import TestedCase


class _FindingsOfFile(NamedTuple):
    """What the text about a file needs: its text, the lines of that, and the findings that only follow from others.

    - `following`: these by the identity of their cause
    - `shown_before`: the causes that an earlier result of the file has
    """

    text: str
    lines: Sequence[str]
    following: Mapping[int, Sequence[Diagnostic]]
    shown_before: Sequence[Diagnostic] = ()

    @classmethod
    def of(cls, result: FileResult, earlier: Sequence[Diagnostic]) -> _FindingsOfFile:
        """Return that of a result; `earlier` are findings of earlier results of the file."""
        following: dict[int, list[Diagnostic]] = {}
        causes_of = causes(_with_others_of_crd([*earlier, *result.diagnostics]))
        for finding in result.diagnostics:
            if id(finding) in causes_of:
                following.setdefault(id(causes_of[id(finding)]), []).append(finding)
        before = [cause for cause in earlier if id(cause) in following]
        return cls(
            result.text,
            split_lines(result.text),
            following,
            before,
        )

    def following_from(self, cause: Diagnostic) -> list[Diagnostic]:
        """Return what follows from a finding; what the server reports later is gone when the cause is fixed."""
        return [each for each in self.following.get(id(cause), ()) if each.hidden <= cause.hidden]

    def causes(self, result: FileResult) -> list[Diagnostic]:
        """Return the findings that follow from no other one."""
        consequences = {id(each) for own in self.following.values() for each in own}
        return [finding for finding in result.diagnostics if id(finding) not in consequences]


def _with_others_of_crd(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Return the findings that are not the only one of their CRD, which follow from no other one."""
    counts = Counter(finding.crd for finding in findings)
    return [finding for finding in findings if counts[finding.crd] > 1]


class TextReport(pieces.Report):
    """Results as text for a page. A terminal also shows the duration; files and pipes do not, so that output is reproducible."""

    lists_infos = False

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._infos = 0  # infos that are shown
        self._noted: set[str] = set()  # kinds of notices
        self._repeated_notices = 0  # that are not shown
        self._skipped: list[Diagnostic] = []  # the CRDs that only Helm can render: one is shown
        self._repetitions = Repetitions()
        self._about_texts: dict[str, list[Diagnostic]] = {}  # by file: what is about no CRD

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the text about a file."""
        return (f"{line}\n" for line in self.lines(result))

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the statistics, and the closing line."""
        view, summary = self._view, outcome.summary
        if view.statistics:
            for rule, count in pieces.most_frequent(outcome.by_rule):
                yield f"{count:6}  {self._page.styled(rule, '', rule_link(rule))}\n"
        for severity, line in self._repetitions.lines():
            lead = f"{severity}: "
            first, *below = self._page.wrapped(printable_line(line), "  ", " " * len(lead))
            yield f"{self._page.styled(severity, severity)}: {first[len(lead) :]}\n"
            yield from (f"{each}\n" for each in below)
        if len(self._skipped) > 1 and not view.show_all:
            _, second, *others = self._skipped
            more = f" and {counted(len(others), 'other place')}" if others else ""
            line = f"{counted(len(others) + 1, 'more CRD')} not checked without Helm, at {second.file}:{second.line}{more}"
            yield f"{printable_line(line)}: --show-all shows {'them' if others else 'it'}\n"
        if self._repeated_notices:
            notes = counted(self._repeated_notices, "more note")
            them = agreeing(self._repeated_notices, "it", "them")
            yield f"{notes} of the same kinds: --show-all shows {them}\n"
        if not view.quiet and (summary.files or not outcome.problems):
            yield f"{self.summary(summary)}\n"

    def lines(self, result: FileResult) -> Iterator[str]:
        """Yield the lines about a file; none if there is nothing to report."""
        yield from self._notes(result)
        if not result.diagnostics:
            return
        earlier = self._about_texts.setdefault(result.file, [])
        file = _FindingsOfFile.of(result, earlier)
        earlier += [finding for finding in result.diagnostics if finding.crd is None]
        for findings in words.by_crd(file.causes(result), show_all=self._view.show_all):
            yield from self._of_crd(findings, file)
        for cause in file.shown_before:
            yield from self._later_consequences(cause, file.following.get(id(cause), ()))

    def _later_consequences(
        self, cause: Diagnostic, findings: Sequence[Diagnostic]
    ) -> Iterator[str]:
        """Yield what follows from a finding that an earlier result of the file has: a note, unless all are to be shown."""
        note = words.describe_consequences(findings)
        if self._view.show_all:
            yield from self._consequences(findings, f"follows from line {cause.line}")
        elif note:
            yield printable_line(f"{cause.file}:{cause.line}: note: {note}")
            yield ""

    def _of_crd(self, findings: Sequence[Diagnostic], file: _FindingsOfFile) -> Iterator[str]:
        """Yield the findings of a CRD or an object, those that the server reports first before the others."""
        visible = [d for d in findings if not d.hidden and not self._is_repeated(d)]
        if not self._view.show_all:
            visible = self._repetitions.without(visible)
        self._infos += sum(d.severity == "info" for d in visible)
        yield from self._entries(visible, file)
        if visible:
            yield from self._stopped(visible)
        hidden = [d for d in findings if d.hidden]
        if hidden:
            yield from self._later(hidden, file)

    def _notes(self, result: FileResult) -> Iterator[str]:
        """Yield the notices about a file, one of each kind."""
        kinds: dict[str, list[str]] = {}  # notices by their text without names, numbers and values
        for notice in () if self._view.quiet else result.notices:
            if self._view.verbose or not isinstance(notice, Routine):
                kinds.setdefault(words.kind_of(notice), []).append(notice)
        for kind, notices in kinds.items():
            if kind in self._noted and not self._view.show_all:
                self._repeated_notices += len(notices)
                continue
            self._noted.add(kind)
            more = f" (and {len(notices) - 1:,} more)" if len(notices) > 1 else ""
            yield printable_line(f"{result.file}: note: {notices[0]}{more}")

    def _later(self, hidden: Sequence[Diagnostic], file: _FindingsOfFile) -> Iterator[str]:
        """Yield the findings that the API server reports after others are fixed."""
        title = "after these are fixed, the API server would also report:"
        for line in self._page.wrapped(title, ""):
            yield self._page.styled(line, "title")
        yield ""
        yield from self._entries(hidden, file)

    def _is_repeated(self, finding: Diagnostic) -> bool:
        """Return whether it is not the first CRD that only Helm can render."""
        if finding.rule != NOT_RENDERED:
            return False
        self._skipped.append(finding)
        return len(self._skipped) > 1 and not self._view.show_all

    def _entries(self, findings: Sequence[Diagnostic], file: _FindingsOfFile) -> Iterator[str]:
        """Yield findings, each with those that it includes, and with those that only follow from them."""
        entries = words.combined(findings, show_all=self._view.show_all, lines=file.lines)
        for finding, others in entries:
            following = [
                each for cause in (finding, *others) for each in file.following_from(cause)
            ]
            yield from self._entry(finding, others, file)
            if self._view.show_all:
                yield ""
                yield from self._consequences(following)
                continue
            note = words.describe_consequences(following)
            yield from self._note(printable_line(note)) if note else ()
            yield ""

    def _entry(
        self, finding: Diagnostic, others: Sequence[Diagnostic], file: _FindingsOfFile
    ) -> Iterator[str]:
        """Yield a finding, with a note about those that its entry includes."""
        yield from self._head(finding)
        yield from self._source(finding, file.lines)
        for each in (finding, *(d for d in others if words.is_beside(d, finding))):
            yield from self._sentences(each)
        other = finding.related
        if other is not None and other is not words.other_line(finding):
            yield from self._note(
                printable_line(f"{other.label} at {other.file}:{other.line}:{other.column}")
            )
        if words.advice(finding):
            yield from self._page.wrapped(
                words.advice(finding),
                _INDENT,
                "  = help: ",
                "label",
            )
        yield from self._fix(finding, file.text)
        note = words.describe_others(finding, others)
        if note:
            yield from self._note(note)

    def _consequences(
        self, findings: Sequence[Diagnostic], remark: str = "follows from the finding above"
    ) -> Iterator[str]:
        """Yield what follows from the finding above: of each rule the first one, unless all are to be shown."""
        by_rule: dict[object, list[Diagnostic]] = {}
        for finding in findings:
            # Without errors, it only reports that not everything was checked.
            if finding.errors or self._view.show_all:
                key: object = id(finding) if self._view.show_all else finding.rule
                by_rule.setdefault(key, []).append(finding)
        for first, *others in by_rule.values():
            yield from self._head(first, remark)
            yield from self._sentences(first)
            if others:
                yield from self._note(words.describe_others(first, others))
            yield ""

    def title(self, finding: Diagnostic) -> Iterator[str]:
        """Yield the lines with the severity, the rule and the headline of a finding."""
        rule, width = finding.rule, len(f"{finding.severity}[{finding.rule}]: ")
        lead = self._page.styled(f"{finding.severity}[{rule}]", finding.severity, rule_link(rule))
        first, *others = self._page.wrapped(words.headline(finding), "  ", " " * width)
        yield f"{lead}: {first[width:]}".rstrip()
        yield from others

    def _head(self, finding: Diagnostic, remark: str = "") -> Iterator[str]:
        yield from self.title(finding)
        position = printable_line(f"{finding.file}:{finding.line}:{finding.column}")
        parts = [
            CellPart("  --> ", "gutter"),
            CellPart(position, "", self._page.file_link(finding.file)),
        ]
        about = printable_line("  ".join(filter(None, (words.where(finding), remark))))
        mark = "  [*]" if finding.has_safe_fix else ""
        if (
            self._page.width is not None
            and columns(f"  --> {position}  {about}{mark}") > self._page.width
        ):
            yield from self._page.flow(*parts, CellPart(mark, "good"))
            yield from self._page.wrapped(about, _INDENT * 2, "      ") if about else ()
        else:
            yield from self._page.flow(
                *parts, CellPart(f"  {about}" if about else ""), CellPart(mark, "good")
            )

    def _source(self, finding: Diagnostic, lines: Sequence[str]) -> Iterator[str]:
        """Yield the line of a finding, with the other line of the file that it is about above or below."""
        other, numbers = words.other_line(finding), [finding.line]
        if other is not None and other.line <= len(lines):
            numbers = sorted([finding.line, other.line])
        digits = len(str(numbers[-1]))
        for i, number in enumerate(numbers):
            if i and number > numbers[0] + 1:
                yield self._page.styled(f"{' ' * digits} ⋮", "gutter")
            if number == finding.line:
                yield from self._marked(finding, lines, digits)
            elif other is not None:
                word = _WORD.match(lines[number - 1], other.column - 1)
                end = other.column if word is None else word.end() + 1
                marked = replace(
                    finding,
                    line=number,
                    column=other.column,
                    end_line=number,
                    end_column=end,
                )
                yield from self._marked(marked, lines, digits, other.label)

    def _marked(
        self,
        finding: Diagnostic,
        lines: Sequence[str],
        digits: int,
        label: str = "",
    ) -> Iterator[str]:
        """Yield a line with carets below, or with dashes and a label; `digits` is the width of line numbers."""
        width, styled = self._page.width or PIPED, self._page.styled
        shown = snippet(lines, finding, width)
        if shown is None:
            return
        number, line, marks = shown
        style: str = finding.severity
        if label:
            room = width - digits - 4 - columns(marks)
            marks = marks.replace("^", "-") + (f" {fitting(label, room)}" if room > _SHORT else "")
            style = "label"
        yield f"{styled(f'{number:>{digits}} |', 'gutter')} {self._page.yaml(line)[0]}".rstrip()
        yield f"{styled(' ' * digits + ' |', 'gutter')} {styled(marks, style)}"

    def _sentences(self, finding: Diagnostic) -> Iterator[str]:
        for label, text in words.sentences(finding):
            first: str | None = f"  = {label}: "
            for line in (text if self._view.show_all else fold(text)).split("\n"):
                if line.startswith(" | "):  # a caret block of CEL: its columns must not change
                    yield f"  {printable(line)}".rstrip()
                else:
                    yield from self._page.wrapped(line, _INDENT, first)
                first = None

    def _fix(self, finding: Diagnostic, text: str) -> Iterator[str]:
        """Yield what the fix of a finding changes, on a terminal and as far as it is short."""
        if finding.fix is None or self._page.width is None:
            return
        from crdlint.report.locations import changed_lines  # most findings have no fix

        changed = changed_lines(text, finding.fix.edits)
        if len(changed) > _LONGEST_FIX:
            return
        start = finding.fix.edits[0].start
        start -= text.rfind("\n", 0, start) + 1
        longest = max((columns(line) for _, _, line in changed), default=0)
        for number, mark, line in changed:
            room = self._page.width - len(f"{number} - ")
            skipped = (
                max(start - room // 2, 0) if longest > room and len(changed) == len("-+") else 0
            )
            shown = printable_line(f"…{line[skipped : skipped + room]}" if skipped else line)
            shown = shown if columns(shown) <= room else f"{fitting(shown, room - 1)}…"
            yield self._page.styled(f"{number} {mark} {shown}", "good" if mark == "+" else "error")

    def _stopped(self, findings: Sequence[Diagnostic]) -> Iterator[str]:
        """Explain once which findings the API server reports first, since a strict request stops at unknown fields."""
        errors = [error for error in findings if error.severity == "error" and error.errors]
        has_both = any(error.rule == UNKNOWN_FIELD for error in errors) and any(
            error.kind == "field" for error in errors
        )
        if has_both and _STOPPED not in self._noted:
            self._noted.add(_STOPPED)
            yield from (*self._note(_STOPPED), "")

    def _note(self, text: str) -> list[str]:
        return self._page.wrapped(text, _INDENT, "  = note: ")

    def summary(self, summary: Summary) -> str:
        """Return the closing line."""
        skipped = (
            f" ({counted(summary.skipped, 'other document')} skipped)" if summary.skipped else ""
        )
        counts = [counted(summary.errors, "error"), counted(summary.warnings, "warning")]
        infos = counted(summary.infos, "info")
        if summary.infos and not self._infos:
            them = agreeing(summary.infos, "it", "them")
            infos += f" (--min-severity info shows {them})"
        findings = ", ".join([*counts, *([infos] if summary.infos else [])])
        if summary.below_minimum:
            findings += f" ({summary.below_minimum:,} below the minimum severity)"
        seconds = "" if self._page.width is None else f" in {summary.seconds:.2f} s"
        style = "error" if summary.errors else "warning" if summary.warnings else "good"
        resources = f", {counted(summary.resources, 'resource')}" if summary.resources else ""
        crds = f"{counted(summary.crds, self._view.noun)}{resources}{skipped}"
        start = f"checked {counted(summary.files, 'file')}, {crds}: "
        lines = self._page.flow(CellPart(start), CellPart(findings, style), CellPart(seconds))
        lines += self._page.wrapped(summary.repetitions(), "") if summary.repeated else []
        fixable = _fixable(summary)
        if fixable:
            mark = "[*] " if summary.fixable else ""
            lines += self._page.wrapped(fixable, "    ", mark, "good")
        return "\n".join(lines)


def _fixable(summary: Summary) -> str:
    """Return how many findings `--fix` would fix, as the end of the closing line."""
    safe, unsafe, advice = summary.fixable, summary.fixable_unsafe, summary.fixable_advice
    parts = [f"{safe:,} fixable with --fix"] if safe else []
    if unsafe:
        parts.append(
            f"{unsafe:,} {'more' if safe else 'fixable'} with {'' if safe else '--fix '}--unsafe-fixes"
        )
    if advice:
        names = sorted(summary.fixable_advice_rules)
        selected = ",".join(names) if len(names) <= _MOST_RULES else "RULE"
        choice = f" ({some(names, _MOST_RULES)})" if selected == "RULE" else ""
        parts.append(
            f"{advice:,} {'more ' if parts else 'fixable '}with --fix --unsafe-fixes --select {selected}{choice}"
        )
    return ", ".join(parts)


_MOST_RULES: Final = 3  # in a command that can be copied


_STOPPED: Final = (
    "with fieldValidation=Strict, kubectl's default, the API server stops at unknown fields: it reports the other errors after "
    "they are fixed"
)
_INDENT: Final = " " * 4
_LONGEST_FIX: Final = 6  # lines
_SHORT: Final = 8  # columns of a label
PIPED: Final = 120  # columns of source lines, which are cut rather than wrapped


_MARKS: Final = 76  # a line of them fits a narrow terminal
_WORD: Final = regex(r"[^\s:,\]}]+")
_DIFF: Final = {"-": "error", "+": "good"}
_LABEL: Final = regex(r" *(?:- |\w+: +)?")  # of a line of a failure, behind which it is wrapped


class SuiteText(pieces.SuiteReport):
    """Results in the order of the tests."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._marks: list[str] = []

    def test(self, suite: Suite, result: TestedCase) -> Iterator[str]:
        """Yield the line of a test, if every test is named; otherwise its mark is kept for the end of the suite."""
        if self._view.verbose:
            word, style = ("FAILED", "error") if result.failure else ("PASSED", "good")
            text = printable_line(f"{suite.file}:{result.case.expectation_line} {result.case.name}")
            lead = f"{word} "
            yield from _ended(self._page.wrapped(text, " " * len(lead), lead, style))
        else:
            self._marks.append(self._page.styled("F", "error") if result.failure else ".")

    def end_suite(self, suite: Suite) -> Iterator[str]:
        """Yield the marks of a suite."""
        if self._marks and not self._view.quiet:
            columns = max(min((self._page.width or _MARKS + 2) - 2, _MARKS), 1)
            yield f"{printable_line(suite.file)}\n"
            for start in range(0, len(self._marks), columns):
                yield f"  {''.join(self._marks[start : start + columns])}\n"
            self._marks.clear()

    def end(self, outcome: SuiteOutcome) -> Iterator[str]:
        """Yield the failures and the closing line."""
        failed = outcome.failed
        styled = self._page.styled
        if failed:
            width = self._page.width or _MARKS
            title = " FAILURES "
            before = (width - len(title)) // 2
            yield f"\n{'=' * before}{styled(title, 'title')}{'=' * (width - before - len(title))}\n"
        for result in failed:
            yield "\n"
            yield from _ended(self._failure(result))
        for result in outcome.results:
            position = f"{result.suite.file}:{result.case.expectation_line}"
            for line in result.disagreements:
                warning = printable_line(f"{position}: warning: {line}")
                yield from _ended(self._page.wrapped(warning, _INDENT, ""))
        parts = [f"{len(failed)} failed"] * bool(failed) + [
            f"{len(outcome.results) - len(failed)} passed"
        ]
        parts += [f"{len(outcome.broken)} could not be run"] * bool(outcome.broken)
        style = "error" if failed or outcome.broken else "good"
        yield (
            "\n" * bool(outcome.results)
            + styled(f"{', '.join(parts)} in {outcome.seconds:.2f} s", style)
            + "\n"
        )

    def _failure(self, result: TestedCase) -> Iterator[str]:
        """Yield the name of a failed test, its place, and what failed."""
        case = result.case
        position = f"{result.suite.file}:{case.expectation_line}  ({result.crd_file})"
        yield from self._page.flow(CellPart(printable_line(case.name), "title"))
        yield from self._page.flow(CellPart(printable_line(position)))
        for line in result.failure:
            style = _DIFF.get(line[:1])
            if style is not None:
                yield from self._page.flow(CellPart(printable(f"  {line}"), style))
                continue
            label = _LABEL.match(line)
            lead = "  " + (label[0] if label else "")
            text = line[len(lead) - 2 :]
            yield from self._page.wrapped(text, " " * len(lead), lead)


def _ended(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines with their ends."""
    return (f"{line}\n" for line in lines)


# A bad value longer than this many characters is folded in the terminal; JSON output has it whole.
_LONGEST: Final = 80
_HEAD: Final = 60
_VALUE: Final = regex(
    r" value: (?:(?<=: Invalid value: )|(?<=: Unsupported value: )|(?<=: Duplicate value: ))(?=[\[{\"])"
)
_OBJECT: Final = regex(r"Object '\w+' is missing in (?=')")
_QUOTED: Final = regex(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)


def fold(message: str) -> str:
    """Return a message with its bad value cut to its beginning where that is long."""
    if len(message) <= _LONGEST:
        return message
    missing = _OBJECT.match(message)
    is_last = message.endswith(("]", "}")) or message.startswith("Object '")
    last_bracket = len(message) if is_last else max(map(message.rfind, ("]: ", "}: "))) + 1
    for match in _VALUE.finditer(message) if missing is None else (missing,):
        start = match.end()
        end = _end_of_quoted(message, start) if message[start] == '"' else last_bracket
        if end > start:
            size = end - start
            return (
                f"{message[: start + _HEAD]}… ({size:,} characters){message[end:]}"
                if size > _LONGEST
                else message
            )
    return message


def _end_of_quoted(message: str, start: int) -> int:
    """Return the end of the quoted value at ``start``, 0 if it does not end where a detail or nothing follows."""
    quoted = _QUOTED.match(message, start)
    if quoted is None or not (
        quoted.end() == len(message) or message.startswith(": ", quoted.end())
    ):
        return 0
    return quoted.end()


def snippet(
    lines: Sequence[str], diagnostic: Diagnostic, width: int
) -> tuple[str, str, str] | None:
    """Return (line number, the line or a window of it, the carets below), or None if the line does not exist."""
    if not 1 <= diagnostic.line <= len(lines):
        return None
    number = str(diagnostic.line)
    line = lines[diagnostic.line - 1]
    start = min(diagnostic.column - 1, len(line))
    end = (
        min(diagnostic.end_column - 1, len(line))
        if diagnostic.end_line == diagnostic.line
        else len(line)
    )
    end = max(end, start + 1)
    room = max(width - len(number) - 3, 20)
    # Only the part of the line that fits: it may be a megabyte long, with a finding for each word.
    before, marked, after = (
        printable_line(part.replace("\t", "    "))
        for part in (
            line[max(start - room, 0) : start],
            line[start : min(end, start + room)],
            line[end : end + room],
        )
    )
    if columns(before) + columns(marked) + columns(after) > room or end - start > room:
        before, marked, after = _window(before, marked, after, room)
    carets = " " * columns(before) + "^" * max(columns(marked), 1)
    return number, (before + marked + after).rstrip(), carets


def _window(
    before: str,
    marked: str,
    after: str,
    room: int,
) -> tuple[str, str, str]:
    """Cut a long line to the text around the caret; lengths are in columns."""
    if columns(marked) > room * 2 // 3:
        marked = fitting(marked, room * 2 // 3 - 1) + "…"
        after = ""
    left = room - columns(marked) - 2
    keep = max(left * 2 // 3, left - columns(after))
    if columns(before) > keep:
        before = "…" + fitting(before[::-1], keep - 1)[::-1]
    keep = room - columns(before) - columns(marked)
    if columns(after) > keep:
        after = fitting(after, keep - 1) + "…"
    return before, marked, after
