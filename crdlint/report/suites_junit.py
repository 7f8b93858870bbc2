"""The results of suites as JUnit's XML."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from crdlint.report.xml import XML

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from crdlint.report.pieces import SuiteOutcome, View
    from crdlint.suites.read import Suite
    from crdlint.suites.run import Result


class Report:
    """The whole document, written at the end: the totals go before the suites."""

    def __init__(self, view: View) -> None:
        del view
        self._xml = XML()

    def test(self, suite: Suite, result: Result) -> Iterable[str]:
        """Return nothing."""
        del suite, result
        return ()

    def end_suite(self, suite: Suite) -> Iterable[str]:
        """Return nothing."""
        del suite
        return ()

    def end(self, outcome: SuiteOutcome) -> Iterator[str]:
        """Yield the whole document."""
        xml, results, broken = self._xml, outcome.results, outcome.broken
        totals = {
            "name": "crdlint",
            "tests": len(results) + len(broken),
            "failures": sum(bool(result.failure) for result in results),
            "errors": len(broken),
            "time": f"{outcome.seconds:.3f}",
        }
        xml.open("testsuites", totals)
        for (file, crd), group in groupby(results, key=lambda result: (result.suite.file, result.crd_file)):
            own = list(group)
            failed = sum(bool(result.failure) for result in own)
            name = f"{own[0].suite.name} ({crd})"
            xml.open("testsuite", {"name": name, "tests": len(own), "failures": failed, "errors": 0})
            for result in own:
                self._case(result, file)
            xml.close("testsuite")
            yield xml.take()
        for file, reason in broken:
            xml.open("testsuite", {"name": file, "tests": 1, "failures": 0, "errors": 1})
            xml.open("testcase", {"classname": file, "name": "suite"})
            xml.element("error", {"message": reason})
            xml.close("testcase")
            xml.close("testsuite")
        xml.close("testsuites")
        yield xml.take()

    def _case(self, result: Result, file: str) -> None:
        about = {"classname": file, "name": result.case.name, "file": file, "line": result.case.line}
        if not (result.failure or result.disagreements):
            self._xml.element("testcase", about)
            return
        self._xml.open("testcase", about)
        if result.failure:
            self._xml.element("failure", {"message": result.failure[0]}, "\n".join(result.failure))
        if result.disagreements:
            self._xml.element("system-out", {}, "\n".join(result.disagreements))
        self._xml.close("testcase")
