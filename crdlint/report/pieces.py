"""What a report of findings, costs or suites is made from, and its text.

Reports are written piece by piece, so that memory does not grow with the run.
"""

from __future__ import annotations

import weakref
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from crdlint.report.escapes import json_text
from crdlint.report.page import PLAIN, Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.evaluation.evaluate import Answer
    from crdlint.evaluation.rules import RuleResult
    from crdlint.linting.cost_entries import Entry
    from crdlint.linting.result import FileResult
    from crdlint.report.summary import Summary
    from crdlint.suites.read import Suite
    from crdlint.suites.run import Result


_MEMORY: Final = 1024 * 1024  # bytes of a spool before it goes to a temporary file
_PIECE: Final = 64 * 1024  # bytes


class View(NamedTuple):
    """The settings of a report; each format ignores the settings that do not apply to it.

    `page` is the output that the text is formatted for. `hidden` adds the findings that others hide, `show_all` those
    that are combined into one entry. `quiet` omits notices and closing lines, `statistics` adds the number of findings
    of each rule, `verbose` the name of every test, `examples` objects that changes break. `noun` names the
    objects that a run counts.
    """

    page: Page = PLAIN
    hidden: bool = False
    show_all: bool = False
    quiet: bool = False
    statistics: bool = False
    examples: bool = False
    verbose: bool = False
    noun: str = "CRD"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a run: the totals, the number of findings by rule, and what was not checked.

    `problems` are (file, reason) of unreadable inputs, `bugs` (file, text) of internal errors.
    """

    problems: Sequence[tuple[str, str]]
    summary: Summary
    by_rule: Counter[str] = field(default_factory=Counter)
    bugs: Sequence[tuple[str, str]] = ()

    def unreadable(self) -> Iterator[Diagnostic]:
        """Yield the unreadable inputs as findings."""
        from crdlint.crd.positions import Span  # few runs need it
        from crdlint.rules.internal import UNREADABLE

        for file, reason in self.problems:
            yield UNREADABLE.diagnostic(file, "advice", reason, Span(1, 1, 1, 1))


class Report(Protocol):
    """A run in one format: the pieces of `file`, for each file in order, then those of `end`."""

    def file(self, result: FileResult) -> Iterable[str]:
        """Return the pieces about a file."""
        ...

    def end(self, outcome: Outcome) -> Iterable[str]:
        """Return the last pieces."""
        ...


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
            raise SpoolError(f"a temporary file cannot be written: {error.strerror or error}") from error

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


def shown(result: FileResult, *, hidden: bool) -> Iterator[Diagnostic]:
    """Yield the findings of a file that a report shows; `hidden` adds those that others hide."""
    return (finding for finding in result.diagnostics if hidden or not finding.hidden)


class Costs(NamedTuple):
    """The costs of the rules of a run, in order.

    `top` is the number of them that are shown, None for all; totals count all rules. `parts` requests the cost of each
    part of a rule. `problems` are (file, reason) of unreadable inputs.
    """

    entries: Sequence[Entry]
    results: Sequence[FileResult]
    problems: Sequence[tuple[str, str]] = ()
    top: int | None = None
    parts: bool = False

    @property
    def shown(self) -> Sequence[Entry]:
        """The rules to show."""
        return self.entries[: self.top]

    @property
    def unestimated(self) -> list[Diagnostic]:
        """The findings because of which rules have no estimate."""
        return [finding for result in self.results for finding in result.unestimated]


class CostReport(Protocol):
    """The costs of a run in one format."""

    def pieces(self, costs: Costs) -> Iterable[str]:
        """Return the pieces of the report."""
        ...


class SuiteOutcome(NamedTuple):
    """The result of a run; `broken` are suites that could not be run, and the reasons."""

    results: Sequence[Result]
    broken: Sequence[tuple[str, str]]
    seconds: float

    @property
    def failed(self) -> list[Result]:
        """The results that are not as expected."""
        return [result for result in self.results if result.failure]


class SuiteReport(Protocol):
    """A run of suites in one format: the pieces of each test in order, of the end of each suite, and of the run's end."""

    def test(self, suite: Suite, result: Result) -> Iterable[str]:
        """Return the pieces about a test."""
        ...

    def end_suite(self, suite: Suite) -> Iterable[str]:
        """Return the pieces at the end of a suite."""
        ...

    def end(self, outcome: SuiteOutcome) -> Iterable[str]:
        """Return the last pieces."""
        ...


class Values(NamedTuple):
    """What `eval` found: the answer for an expression, or the results of rules; ``trees`` shows the sub-expressions."""

    answer: Answer | None = None
    rules: Sequence[RuleResult] = ()
    trees: bool = False
    notices: Sequence[str] = ()


class ValuesReport(Protocol):
    """The values of expressions in one format."""

    def pieces(self, values: Values) -> Iterable[str]:
        """Return the pieces of the report."""
        ...
