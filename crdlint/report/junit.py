"""JUnit's XML: a suite for each file, a test for each CRD."""

from __future__ import annotations

from typing import TYPE_CHECKING

from crdlint.report.pieces import Spool, shown
from crdlint.report.xml import XML

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Outcome, View


class Report:
    """The whole document; findings below severity error are no failures, and go to a test's output."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._tests = 0
        self._failures = 0
        self._suites = Spool()
        self._xml = XML(depth=1)

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the totals go before the suites."""
        found: dict[str, list[Diagnostic]] = {crd.name: [] for crd in result.crds}
        for one in shown(result, hidden=self._hidden):
            found.setdefault(one.crd or "", []).append(one)
        self._add(result.file, found or {"": []})
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the whole document."""
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

    def _add(self, file: str, found: dict[str, list[Diagnostic]]) -> None:
        failures = sum(any(one.severity == "error" for one in own) for own in found.values())
        self._tests += len(found)
        self._failures += failures
        totals = {"name": file, "tests": len(found), "failures": failures, "errors": 0, "skipped": 0}
        self._xml.open("testsuite", totals)
        for name, own in found.items():
            self._test({"classname": file, "name": name or "file"}, own)
            self._suites.write(self._xml.take())
        self._xml.close("testsuite")
        self._suites.write(self._xml.take())

    def _test(self, about: dict[str, str], found: Sequence[Diagnostic]) -> None:
        if not found:
            self._xml.element("testcase", about)
            return
        self._xml.open("testcase", about)
        errors = [one for one in found if one.severity == "error"]
        if errors:
            self._xml.element("failure", {"type": errors[0].rule, "message": _headline(errors)}, _texts(errors))
        others = [one for one in found if one.severity != "error"]
        if others:
            self._xml.element("system-out", {}, _texts(others))
        self._xml.close("testcase")


def _headline(errors: Sequence[Diagnostic]) -> str:
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{errors[0].message}{more}"


def _texts(found: Sequence[Diagnostic]) -> str:
    return "\n\n".join(
        f"{one.file}:{one.line}:{one.column}: {one.severity}[{one.rule}]\n{one.message}"
        + (f"\nhelp: {one.help}" if one.help else "")
        for one in found
    )
