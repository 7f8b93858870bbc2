"""The results of suites for people: a mark for each test, the failures, and a closing line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.report import pieces
from crdlint.report.escapes import printable, printable_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.report.pieces import SuiteOutcome, View
    from crdlint.suites.read import Suite
    from crdlint.suites.run import Result

_MARKS: Final = 76  # a line of them fits a narrow terminal
_DIFF: Final = {"-": "error", "+": "good"}


class SuiteReport(pieces.SuiteReport):
    """Results in the order of the tests."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._marks: list[str] = []

    def test(self, suite: Suite, result: Result) -> Iterator[str]:
        """Yield the line of a test, if every test is named; otherwise its mark is kept for the end of the suite."""
        if self._view.verbose:
            failed = bool(result.failure)
            word = self._page.styled("FAILED", "error") if failed else self._page.styled("PASSED", "good")
            yield f"{printable_line(f'{suite.file}:{result.case.line} {result.case.name}')} {word}\n"
        else:
            self._marks.append(self._page.styled("F", "error") if result.failure else ".")

    def end_suite(self, suite: Suite) -> Iterator[str]:
        """Yield the marks of a suite."""
        if self._marks and not self._view.quiet:
            columns = _MARKS if self._page.width is None else max(min(self._page.width - 2, _MARKS), 1)
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
            case = result.case
            yield f"\n{styled(printable_line(case.name), 'title')}\n"
            yield printable_line(f"{result.suite.file}:{case.line}  ({result.crd_file})") + "\n"
            for line in result.failure:
                yield f"{styled(printable(f'  {line}'), _DIFF.get(line[:1], ''))}\n"
        for result in outcome.results:
            for line in result.disagreements:
                yield printable_line(f"{result.suite.file}:{result.case.line}: warning: {line}") + "\n"
        passed = len(outcome.results) - len(failed)
        parts = [f"{len(failed)} failed"] * bool(failed) + [f"{passed} passed"]
        if outcome.broken:
            parts.append(f"{len(outcome.broken)} could not be run")
        closing = styled(
            f"{', '.join(parts)} in {outcome.seconds:.2f} s", "error" if failed or outcome.broken else "good"
        )
        yield ("\n" if outcome.results else "") + f"{closing}\n"
