"""JUnit's XML: a suite for each file with a test for each CRD, or a suite for each suite of tests."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from crdlint.report import words
from crdlint.report.pieces import Spool, shown
from crdlint.report.xml import XML

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, SuiteOutcome, View
    from crdlint.suites.read import Suite
    from crdlint.suites.run import Result


class Report:
    """The complete document; findings below severity error are not failures, but part of a test's output."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._tests = 0
        self._failures = 0
        self._suites = Spool()
        self._xml = XML(depth=1)

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the totals precede the suites."""
        by_crd: dict[str, list[Diagnostic]] = {crd.name: [] for crd in result.crds}
        for finding in shown(result, hidden=self._hidden):
            by_crd.setdefault(finding.crd or "", []).append(finding)
        self._add(result.file, by_crd or {"": []})
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete document."""
        problems = outcome.problems
        xml = XML()
        xml.open(
            "testsuites",
            {
                "name": "crdlint",
                "tests": self._tests + len(problems),
                "failures": self._failures,
                "errors": len(problems),
                "time": f"{outcome.summary.seconds:.3f}",
            },
        )
        yield xml.take()
        yield from self._suites.pieces()
        for file, reason in problems:
            xml.open("testsuite", {"name": file, "tests": 1, "failures": 0, "errors": 1, "skipped": 0})
            xml.open("testcase", {"classname": file, "name": "file"})
            xml.element("error", {"type": "unreadable", "message": reason})
            xml.close("testcase")
            xml.close("testsuite")
        xml.close("testsuites")
        yield xml.take()

    def _add(self, file: str, by_crd: dict[str, list[Diagnostic]]) -> None:
        failures = sum(any(finding.severity == "error" for finding in own) for own in by_crd.values())
        self._tests += len(by_crd)
        self._failures += failures
        totals = {"name": file, "tests": len(by_crd), "failures": failures, "errors": 0, "skipped": 0}
        self._xml.open("testsuite", totals)
        for name, own in by_crd.items():
            self._test({"classname": file, "name": name or "file"}, own)
            self._suites.write(self._xml.take())
        self._xml.close("testsuite")
        self._suites.write(self._xml.take())

    def _test(self, about: dict[str, str], findings: Sequence[Diagnostic]) -> None:
        if not findings:
            self._xml.element("testcase", about)
            return
        self._xml.open("testcase", about)
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors:
            self._xml.element("failure", {"type": errors[0].rule, "message": _headline(errors)}, _texts(errors))
        others = [finding for finding in findings if finding.severity != "error"]
        if others:
            self._xml.element("system-out", {}, _texts(others))
        self._xml.close("testcase")


def _headline(errors: Sequence[Diagnostic]) -> str:
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{words.headline(errors[0])}{more}"


def _texts(findings: Sequence[Diagnostic]) -> str:
    return "\n\n".join(
        f"{finding.file}:{finding.line}:{finding.column}: {finding.severity}[{finding.rule}]: {words.headline(finding)}\n"
        + words.text(finding)
        for finding in findings
    )


class SuiteReport:
    """The complete document, written at the end: the totals precede the suites."""

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
        """Yield the complete document."""
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
