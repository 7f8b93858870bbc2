"""What a report of findings, costs, suites or values is made from, the bases of all formats, and their text.

Reports are written piece by piece, so that memory does not grow with the run.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, TypeVar

from crdlint.files.read import reason
from crdlint.light import NamedTuple, dataclass
from crdlint.phrases import agreeing, counted
from crdlint.report.page import PLAIN, Page
from crdlint.rules.consequences import is_advice
from crdlint.safety.escapes import json_text

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic, InputProblem
    from crdlint.evaluation.evaluate import Answer, RuleResult
    from crdlint.linting.cost_entries import CostEntry
    from crdlint.linting.result import FileResult
    from crdlint.sources.helm.release import Release
    from crdlint.suites.read import Suite
    from crdlint.suites.run import TestedCase


_MEMORY: Final = 1024 * 1024  # bytes of a spool before it goes to a temporary file
_PIECE: Final = 64 * 1024  # bytes


class View(NamedTuple):
    """The settings of a report; each format ignores those that do not apply to it.

    - `page`: the output that the text is formatted for
    - `show_all`: show also those that are combined into one entry
    - `quiet`: omit notices and closing lines
    - `statistics`: add the number of findings of each rule
    - `examples`: add objects that changes break
    - `verbose`: add the name of every test
    - `noun`: the name of the objects that a run counts
    - `kube_version`: the versions that the user asked for, empty if none
    """

    page: Page = PLAIN
    show_all: bool = False
    quiet: bool = False
    statistics: bool = False
    examples: bool = False
    verbose: bool = False
    noun: str = "CRD"
    kube_version: str = ""


@dataclass(slots=True)
class Summary:
    """Counts of a run; hidden findings do not count.

    - `resources`: those that are validated beside CRDs
    - `below_minimum`: the findings that are not reported because of their severity
    - `accepted`: the API server's errors that are ignored or have a lower severity
    - `repeated`: the findings about copies of CRDs, which are reported in the first file
    - `copies`: the files with such copies
    - `unreadable`: inputs that are no files checked
    - `fixable`: the safe fixes
    - `fixable_advice`: the unsafe fixes of what the API server accepts, which are those of `fixable_advice_rules`
    - `fixable_unsafe`: the other unsafe ones
    """

    files: int = 0
    documents: int = 0
    crds: int = 0
    resources: int = 0
    skipped: int = 0
    errors: int = 0
    warnings: int = 0
    infos: int = 0
    below_minimum: int = 0
    accepted: int = 0
    repeated: int = 0
    copies: int = 0
    unreadable: int = 0
    seconds: float = 0.0
    fixable: int = 0
    fixable_unsafe: int = 0
    fixable_advice: int = 0
    fixable_advice_rules: list[str] = field(default_factory=list)

    def add(self, result: FileResult) -> None:
        """Count in a file's results."""
        self.documents += result.documents
        self.crds += len(result.crds)
        self.resources += len(result.resources)
        self.skipped += result.skipped
        for diagnostic in result.diagnostics:
            group = counted_as(diagnostic)
            self.errors += group == "error"
            self.warnings += group == "warning"
            self.infos += group == "info"
            if not diagnostic.hidden and diagnostic.fix is not None:
                self._add_fixable(diagnostic)

    def _add_fixable(self, finding: Diagnostic) -> None:
        """Count the fix of a finding: a safe one, an unsafe one of what the API server accepts, or another unsafe one."""
        if finding.has_safe_fix:
            self.fixable += 1
        elif is_advice(finding):
            self._add_advice(finding.rule)
        else:
            self.fixable_unsafe += 1

    def _add_advice(self, rule: str) -> None:
        """Count an unsafe fix that is only applied if its rule is selected."""
        self.fixable_advice += 1
        if rule not in self.fixable_advice_rules:
            self.fixable_advice_rules.append(rule)

    def counts(self) -> str:
        """Return the number of findings of each severity, such as `1 error, 0 warnings, 2 infos`."""
        return f"{counted(self.errors, 'error')}, {counted(self.warnings, 'warning')}, {counted(self.infos, 'info')}"

    def repetitions(self) -> str:
        """Return a line about the findings of copies, which are left out."""
        these, files = (
            counted(self.repeated, "equal finding"),
            counted(self.copies, "copy", "copies"),
        )
        them = agreeing(self.repeated, "it", "them")
        return f"{these} in {files} of these CRDs: --show-all shows {them}"


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """The result of a run: totals, findings by rule, unreadable inputs, and (file, text) of internal errors."""

    problems: Sequence[InputProblem]
    summary: Summary
    by_rule: Counter[str] = field(default_factory=Counter)
    bugs: Sequence[tuple[str, str]] = ()

    def unreadable(self) -> Iterator[Diagnostic]:
        """Yield the unreadable inputs as findings."""
        from crdlint.crd.positions import Span  # few runs need it
        from crdlint.rules.texts.reading import UNREADABLE

        for problem in self.problems:
            line, column = problem.line or 1, problem.column or 1
            span = Span(line, column, line, column)
            yield UNREADABLE.diagnostic(
                problem.file,
                "advice",
                problem.reason,
                span,
            )


LATER: Final = "later"


def counted_as(finding: Diagnostic) -> str:
    """Return as what a report counts a finding: its severity, or `later`, or empty for one that only follows from others."""
    if finding.hidden:
        return LATER
    return "" if finding.severity == "error" and not finding.errors else finding.severity


def most_frequent(by_rule: Counter[str]) -> list[tuple[str, int]]:
    """Return the rules with the number of findings of each, the most frequent first."""
    return sorted(by_rule.items(), key=lambda item: (-item[1], item[0]))


class _Format:
    def __init__(self, view: View) -> None:
        self._view = view
        self._page = view.page


class Report(_Format):
    """The base of a run's findings in a format: the pieces of `file`, for each file in order, then those of `end`.

    A format that `lists_infos` has those that are not asked for, too; the others only count them. One that `tells_time` has the
    seconds or the time of the run; text has them at a terminal.
    """

    lists_infos: ClassVar[bool] = True
    tells_time: ClassVar[bool] = False

    def file(self, result: FileResult) -> Iterable[str]:
        """Return the pieces about a file: by default one for each finding."""
        return map(self._piece, self._shown(result))

    def end(self, outcome: RunOutcome) -> Iterable[str]:
        """Return the last pieces: by default one for each input that could not be read."""
        return map(self._piece, outcome.unreadable())

    def _piece(self, finding: Diagnostic) -> str:
        raise NotImplementedError

    def _shown(self, result: FileResult) -> list[Diagnostic]:
        """Return the findings of a file by place, those that others hide last."""
        return sorted(result.diagnostics, key=by_place)


def by_place(finding: Diagnostic) -> tuple[bool, int, int]:
    """Return the key by which findings of a file are sorted."""
    return finding.hidden, finding.line, finding.column


class SpoolError(Exception):
    """A temporary file cannot be written; `str()` is the reason."""


class Spool:
    """Text to write later, in memory while it is short, else in an anonymous temporary file."""

    def __init__(self) -> None:
        from tempfile import SpooledTemporaryFile  # few formats need it

        self._file = SpooledTemporaryFile(_MEMORY)  # noqa: SIM115  closed by `data`
        weakref.finalize(self, self._file.close)  # also if the run ends before

    def write(self, text: str) -> None:
        """Append text; raise SpoolError."""
        try:
            self._file.write(text.encode())
        except OSError as error:
            raise SpoolError(f"a temporary file cannot be written: {reason(error)}") from error

    def data(self) -> Iterator[bytes]:
        """Yield the written bytes, once."""
        self._file.seek(0)
        with self._file as file:
            while piece := file.read(_PIECE):
                yield piece

    def pieces(self) -> Iterator[str]:
        """Yield the written text, once."""
        left = b""
        for data in self.data():
            # A piece ends at the end of a line, so that no character is cut.
            complete, newline, left = (left + data).rpartition(b"\n")
            yield (complete + newline).decode()
        yield left.decode()


class Lines:
    """Members of a JSON array to be written later, each in a line."""

    def __init__(self) -> None:
        self._spool = Spool()
        self._before = "\n"

    def add(self, value: Any) -> None:
        """Append a JSON value; raise SpoolError."""
        self._spool.write(f"{self._before}{json_text(value)}")
        self._before = ",\n"

    def pieces(self) -> Iterator[str]:
        """Yield the text between the brackets, once."""
        yield from self._spool.pieces()
        yield "" if self._before == "\n" else "\n"


def batches(pieces: Iterable[str]) -> Iterator[str]:
    """Yield joined pieces, to write many of them at a time."""
    batch: list[str] = []
    size = 0
    for piece in pieces:
        batch.append(piece)
        size += len(piece)
        if size >= _PIECE:
            yield "".join(batch)
            batch, size = [], 0
    if batch:
        yield "".join(batch)


class Costs(NamedTuple):
    """The costs of the rules of a run, in order.

    `top` is the number of them that are shown, None for all; totals count all rules. `parts` requests the cost of each
    part of a rule. `problems` are the unreadable inputs. `releases` are what Helm stores of the charts, by their folders, for
    formats that show it; None if a file of the chart cannot be read.
    """

    entries: Sequence[CostEntry]
    results: Sequence[FileResult]
    problems: Sequence[InputProblem] = ()
    top: int | None = None
    parts: bool = False
    releases: Mapping[str, Release | None] = MappingProxyType({})

    @property
    def shown(self) -> Sequence[CostEntry]:
        """The rules to show."""
        return self.entries[: self.top]

    @property
    def unestimated(self) -> list[Diagnostic]:
        """The findings because of which rules have no estimate."""
        return [finding for result in self.results for finding in result.unestimated]


class SuiteOutcome(NamedTuple):
    """The result of a run; `broken` are suites that could not be run."""

    results: Sequence[TestedCase]
    broken: Sequence[InputProblem]
    seconds: float

    @property
    def failed(self) -> list[TestedCase]:
        """The results that are not as expected."""
        return [result for result in self.results if result.failure]


class SuiteReport(_Format):
    """The base of a run of suites in a format: the pieces of each test in order, of the end of each suite, and of the run's."""

    def test(self, suite: Suite, result: TestedCase) -> Iterable[str]:
        """Return the pieces about a test, by default none."""
        del suite, result
        return ()

    def end_suite(self, suite: Suite) -> Iterable[str]:
        """Return the pieces at the end of a suite, by default none."""
        del suite
        return ()

    def end(self, outcome: SuiteOutcome) -> Iterable[str]:
        """Return the last pieces."""
        raise NotImplementedError


class EvalResults(NamedTuple):
    """What `eval` found: the answer for an expression, or the results of rules; ``trees`` shows the sub-expressions."""

    answer: Answer | None = None
    rules: Sequence[RuleResult] = ()
    trees: bool = False
    notices: Sequence[str] = ()


Content = TypeVar("Content", Costs, EvalResults)


class WholeReport(_Format, Generic[Content]):
    """The base of costs or values in a format, written at once."""

    def pieces(self, content: Content) -> Iterable[str]:
        """Return the pieces of the report."""
        raise NotImplementedError
