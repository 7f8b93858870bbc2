"""How a command reports and ends: its reports on standard output and of `--output`, its totals and its exit status."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as SetOf
from dataclasses import field
from typing import TYPE_CHECKING, Final, Generic

import click

from crdlint.cli import console
from crdlint.diagnostics import InputProblem
from crdlint.files.paths import Found, Selection, discover
from crdlint.gathering import grouped
from crdlint.light import dataclass, replace
from crdlint.phrases import counted, some
from crdlint.report import formats
from crdlint.report.formats import AnyReport
from crdlint.report.page import PLAIN
from crdlint.report.pieces import Report, RunOutcome, Spool, Summary, View, batches
from crdlint.report.words import kind_of
from crdlint.runner.task import CheckOutcome, shown_name

if TYPE_CHECKING:
    from crdlint.cli.options import FindingOptions
    from crdlint.config.apply import Applied
    from crdlint.config.model import IgnoredBy
    from crdlint.linting.result import FileResult
    from crdlint.runner.fix_files import Fixing

_NAMED: Final = 3  # paths in a message
# What a command checks, by the option that accepts an input without it.
_WHAT: Final = {
    "--no-require-crds": "CustomResourceDefinition",
    "--no-require-resources": "custom resource",
}


class Reports(Generic[AnyReport]):
    """The reports of a run, of a kind; ``write`` writes to standard output."""

    def __init__(
        self,
        kind: formats.ReportKind[AnyReport],
        format_: str,
        outputs: Iterable[str],
        view: View,
        write: Callable[..., None] | None = None,
    ) -> None:
        """Make the reports; a file of ``outputs`` that cannot be written ends the run."""
        try:
            format_, outputs = formats.on_standard_output(format_, outputs)
            parsed = formats.parse_outputs(outputs, kind.name)
            name = formats.choose(format_)
            formats.require_known(name, kind.name)
        except formats.OutputError as error:
            raise click.UsageError(f"--output: {error}") from error
        self.is_text = name == formats.TEXT
        self._write = write or console.out
        self._report = kind(name, view)
        self.tell_time = isinstance(self._report, Report) and self._report.tells_time
        self._spool: Spool | None = None
        plain = view._replace(page=PLAIN)
        self._files = [
            (name == formats.TEXT, formats.FileOutput(path, kind(name, plain)))
            for name, path in parsed
        ]

    def add(
        self,
        pieces: Callable[[AnyReport], Iterable[str]],
        of_text: Callable[[AnyReport], Iterable[str]] | None = None,
    ) -> None:
        """Add the pieces that a function returns for each report; `of_text` returns those of text."""
        text = of_text or pieces
        self.show(text if self.is_text else pieces)
        for is_text, file in self._files:
            file.add(text if is_text else pieces)

    def show(self, pieces: Callable[[AnyReport], Iterable[str]]) -> None:
        """Add pieces to the report on standard output only."""
        for text in batches(pieces(self._report)):
            if self._spool is None:
                self._write(text, nl=False)
            else:
                self._spool.write(text)

    def hold(self) -> None:
        """Keep what a text report shows until `release`; raise SpoolError later if it cannot be kept."""
        if self.is_text:
            self._spool = Spool()

    def release(self, headline: str) -> None:
        """Write a line about the run, and after it what was kept."""
        self.note(headline)
        spool, self._spool = self._spool, None
        for text in () if spool is None else spool.pieces():
            self._write(text, nl=False)

    def save(self, pieces: Callable[[AnyReport], Iterable[str]]) -> list[str]:
        """Add the last pieces to the files and write them; return the problems of files that cannot be written."""
        problems = []
        for _, file in self._files:
            file.add(pieces)
            problem = file.write()
            if problem is not None:
                problems.append(f"--output: {problem}")
        return problems

    def note(self, line: str) -> None:
        """Write a line about the run, which is part of a report in text only."""
        (self._write if self.is_text else console.err)(line)


@dataclass(slots=True)
class Totals:
    """What a run has found so far; a run with ``problems`` or ``unwritten`` files of the command line fails."""

    problems: list[InputProblem] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    unwritten: list[str] = field(default_factory=list)
    bugs: console.Bugs = field(default_factory=console.Bugs)
    failed: bool = False
    accepted: Counter[IgnoredBy] = field(default_factory=Counter)  # errors of the API server
    show_all: bool | None = None  # None in commands without that option
    noted: Counter[str] = field(default_factory=Counter)  # notices by kind
    remarks: list[str] = field(default_factory=list)  # lines below the reports
    has_findings: bool = False  # whether there is a finding, hidden ones included
    by_rule: Counter[str] = field(default_factory=Counter)

    def count(self, applied: Applied) -> None:
        """Count the findings that remain after configuration."""
        shown = applied.result
        self.summary.add(shown)
        self.failed |= applied.failed
        self.accepted.update(applied.accepted)
        if shown.diagnostics:
            self.has_findings = True
            self.by_rule.update(finding.rule for finding in shown.diagnostics if not finding.hidden)

    def problem(self, name: str, reason: str) -> None:
        """Count in an input that cannot be read."""
        self.problems.append(InputProblem(name, reason))

    def accept_by(self, new: IgnoredBy) -> None:
        """Count what a run writes ignores for as accepted by these, not by a baseline."""
        self.accepted[new] += self.accepted.pop("baseline", 0)

    def count_outcome(self, outcome: CheckOutcome) -> None:
        """Count in why an input could not be checked, and its internal errors."""
        if outcome.problem is not None:
            self.problem(outcome.name, outcome.problem)
        self.bugs.add(outcome.name, outcome.bugs)

    def show_file(
        self,
        reports: Reports[Report],
        result: FileResult,
        brief: FileResult | None = None,
        *,
        quiet: bool,
        infos: bool = True,
    ) -> None:
        """Add what the reports have about a file; without text, notices go to standard error.

        Text has what is in `brief`, by default all. Without `infos`, formats for people only count them.
        """
        shown = result if brief is None else brief
        reports.add(
            lambda report: report.file(_counted(result, infos=infos or report.lists_infos)),
            lambda report: report.file(_counted(shown, infos=infos)),
        )
        self.note(result.file, () if quiet or reports.is_text else shown.notices)

    def note(self, about: str, notices: Iterable[str]) -> None:
        """Write notices to standard error, of each kind the first one."""
        for notice in notices:
            self.noted[kind_of(notice)] += 1
            if self.show_all or self.noted[kind_of(notice)] == 1:
                console.err(f"{about}: note: {notice}")

    def report_trouble(self, notices: Iterable[str]) -> None:
        """Write notices, what could not be checked, and how often internal errors were repeated."""
        self.note("crdlint", notices)
        repeated = self.noted.total() - len(self.noted)
        if repeated and not self.show_all:
            how = "" if self.show_all is None else ": --show-all shows them"
            console.err(f"crdlint: note: {counted(repeated, 'more note')} of the same kinds{how}")
        for inputs, reason in _by_reason(self.problems):
            console.err(*f"crdlint: {inputs}: {reason}".split("\n"))
        self.bugs.report_repeated()

    def end(self, reports: Reports[Report]) -> None:
        """Write the end of the reports of findings, and how many errors of the API server are accepted."""
        self.summary.accepted = self.accepted.total()
        self.summary.unreadable = len(self.problems)
        outcome = RunOutcome(
            self.problems,
            self.summary,
            self.by_rule,
            self.bugs.by_file,
        )
        if self.accepted:
            from crdlint.config.apply import closing_line

            self.remark(closing_line(self.accepted))
        self.finish(reports, lambda report: report.end(outcome))

    def finish(
        self, reports: Reports[AnyReport], pieces: Callable[[AnyReport], Iterable[str]]
    ) -> None:
        """Write the last pieces of the reports and the remarks below them, and which files are not written."""
        reports.show(pieces)
        for remark in self.remarks:
            reports.note(remark)
        self.unwritten += reports.save(pieces)
        for problem in self.unwritten:
            console.err(f"crdlint: {problem}")

    def remark(self, text: str | None) -> None:
        """Add a line below the reports, if there is one."""
        if text is not None:
            self.remarks.append(text)

    @property
    def has_trouble(self) -> bool:
        """Whether something could not be read, checked or written."""
        return bool(self.problems or self.bugs or self.unwritten)

    def status_after(self, fixing: Fixing | None) -> int:
        """Return the exit status: that of a diff is 1 if fixes would change files, whatever the findings are."""
        if fixing is not None and fixing.diff:
            self.failed = bool(fixing.files)
        return self.status

    @property
    def status(self) -> int:
        """The exit status: 3 for internal errors, 2 for unreadable input, 1 for findings that fail the run, else 0."""
        if self.bugs:
            return console.BUG
        return 2 if self.has_trouble else int(self.failed)


def find_files(
    paths: Sequence[str],
    selection: Selection,
    problem: Callable[[str, str], None],
    notice: Callable[[str, str], None],
) -> Found:
    """Return the files of paths, after reporting what cannot be read as problems, and what is left out as notices."""
    files = discover(paths, selection)
    for unread in files.problems:
        (problem if unread.fatal else notice)(unread.path, unread.message)
    return files


def print_notice(file: str, message: str) -> None:
    """Write a notice about an input to standard error."""
    console.err(f"crdlint: {file}: {message}")


def _by_reason(problems: Iterable[InputProblem]) -> Iterator[tuple[str, str]]:
    """Yield the names of inputs that cannot be used, and why; a reason of several lines once for all its inputs."""

    def shared(problem: InputProblem) -> object:
        return problem.reason if "\n" in problem.reason else id(problem)

    for same in grouped(problems, shared).values():
        yield some([problem.position for problem in same], _NAMED), same[0].reason


def _counted(result: FileResult, *, infos: bool) -> FileResult:
    """Return a result without its infos, which are only counted, unless they are listed."""
    if infos:
        return result
    rest = tuple(each for each in result.diagnostics if each.severity != "info")
    return replace(result, diagnostics=rest)


def nothing_found(
    arguments: FindingOptions,
    required: bool | None,
    discovered: Found,
    left_out: SetOf[str],
    skipped: int,
    option: str,
    remark: str = "",
) -> bool:
    """Report a run that checked nothing, and return whether that is an error, which `option` accepts.

    `required` is whether there must be anything, by default only in files that are named. `left_out` are files that a
    configuration excludes, `skipped` is the number of skipped documents.
    """
    what, paths = _WHAT[option], arguments.paths
    checked = set(discovered.files) - left_out
    named = [path for path in paths if path in checked]
    is_required = bool(named) if required is None else required
    if is_required:
        missing = what if checked else ".yaml, .yml or .json file to check"
        console.err(
            f"crdlint: no {missing} in {_listed(named or paths)} ({option} accepts that){remark}"
        )
    elif not arguments.quiet:
        counts = (
            (len(checked), "file", "checked"),
            (skipped, "document", "skipped"),
            (discovered.ignored, "path", "ignored by git"),
            (discovered.excluded + len(left_out), "path", "excluded"),
        )
        details = [f"{counted(number, noun)} {state}" for number, noun, state in counts if number]
        shown = ", ".join(details) or "no .yaml, .yml or .json file"
        console.err(f"crdlint: note: no {what} in {_listed(paths)}: {shown}{remark}")
    return is_required


def _listed(paths: Sequence[str]) -> str:
    return some([*map(shown_name, paths)], _NAMED)
