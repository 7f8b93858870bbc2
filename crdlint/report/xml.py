"""Findings and the results of suites as XML: Checkstyle's, and JUnit's with a test for each CRD or test of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import StringIO
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING
from xml.sax.saxutils import XMLGenerator

from crdlint.report import pieces, words
from crdlint.report.escapes import xml_text
from crdlint.report.pieces import Outcome, Report, Spool, SuiteOutcome, View

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.suites.run import Result


class XML:
    """A document written piece by piece and indented, or the part of one that is ``depth`` elements deep."""

    def __init__(self, depth: int = 0) -> None:
        self._text = StringIO()
        self._writer = XMLGenerator(self._text, "UTF-8", short_empty_elements=True)
        self._depth = depth
        if not depth:
            self._writer.startDocument()

    @contextmanager
    def inside(self, name: str, /, **attributes: object) -> Iterator[None]:
        """Write an element that contains the elements written within."""
        self._start(name, attributes)
        self._writer.ignorableWhitespace("\n")
        self._depth += 1
        yield
        self._depth -= 1
        self._indent()
        self._end(name)

    def element(self, name: str, text: str = "", /, **attributes: object) -> None:
        """Write an element that contains text or nothing."""
        self._start(name, attributes)
        if text:
            self._writer.characters(xml_text(text))
        self._end(name)

    def take(self) -> str:
        """Return what was written since the last call."""
        text = self._text.getvalue()
        self._text.seek(0)
        self._text.truncate()
        return text

    def _start(self, name: str, attributes: dict[str, object]) -> None:
        self._indent()
        self._writer.startElement(name, {key: xml_text(str(value)) for key, value in attributes.items()})  # type: ignore[arg-type]

    def _end(self, name: str) -> None:
        self._writer.endElement(name)
        self._writer.ignorableWhitespace("\n")

    def _indent(self) -> None:
        self._writer.ignorableWhitespace("  " * self._depth)


class Checkstyle(Report):
    """Checkstyle's document: an element for each file."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._xml = XML()
        self._root = ExitStack()
        self._root.enter_context(self._xml.inside("checkstyle", version="4.3"))

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the element of a file."""
        with self._xml.inside("file", name=result.file):
            for finding in self._shown(result):
                self._xml.element(
                    "error", line=finding.line, column=finding.column, severity=finding.severity,
                    message=words.message(finding), source=f"crdlint.{finding.rule}",
                )  # fmt: skip
                yield self._xml.take()
        yield self._xml.take()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the elements of inputs that could not be read, and the end."""
        for file, reason in outcome.problems:
            with self._xml.inside("file", name=file):
                self._xml.element("error", line=1, severity="error", message=reason, source="crdlint.unreadable")
        self._root.close()
        yield self._xml.take()


class JUnit(Report):
    """JUnit's complete document; findings below severity error are not failures, but part of a test's output."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._tests = 0
        self._failures = 0
        self._suites = Spool()
        self._xml = XML(depth=1)

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the totals precede the suites."""
        by_crd: dict[str, list[Diagnostic]] = {crd.name: [] for crd in result.crds}
        for finding in self._shown(result):
            by_crd.setdefault(finding.crd or "", []).append(finding)
        by_crd = by_crd or {"": []}
        failures = sum(any(finding.severity == "error" for finding in own) for own in by_crd.values())
        self._tests += len(by_crd)
        self._failures += failures
        with self._xml.inside("testsuite", name=result.file, tests=len(by_crd), failures=failures, errors=0, skipped=0):
            for name, own in by_crd.items():
                errors = [finding for finding in own if finding.severity == "error"]
                others = [finding for finding in own if finding.severity != "error"]
                failure = (_texts(errors), {"type": errors[0].rule, "message": _headline(errors)}) if errors else None
                about = {"classname": result.file, "name": name or "file"}
                _write_case(self._xml, about, failure, _texts(others))
                self._suites.write(self._xml.take())
        self._suites.write(self._xml.take())
        return ()

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the complete document."""
        problems, seconds, xml = outcome.problems, f"{outcome.summary.seconds:.3f}", XML()
        totals = {"tests": self._tests + len(problems), "failures": self._failures, "errors": len(problems)}
        with xml.inside("testsuites", name="crdlint", **totals, time=seconds):
            yield xml.take()
            yield from self._suites.pieces()
            for file, reason in problems:
                error = {"type": "unreadable", "message": reason}
                _write_broken(xml, file, "file", error, {"skipped": 0})
        yield xml.take()


def _headline(errors: Sequence[Diagnostic]) -> str:
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{words.headline(errors[0])}{more}"


def _texts(findings: Sequence[Diagnostic]) -> str:
    return "\n\n".join(
        f"{finding.file}:{finding.line}:{finding.column}: {finding.severity}[{finding.rule}]: {words.headline(finding)}\n"
        + words.text(finding)
        for finding in findings
    )


class SuiteReport(pieces.SuiteReport):
    """JUnit's complete document, written at the end: the totals precede the suites."""

    def end(self, outcome: SuiteOutcome) -> Iterator[str]:
        """Yield the complete document."""
        xml, results, broken = XML(), outcome.results, outcome.broken
        totals = {"tests": len(results) + len(broken), "failures": len(outcome.failed), "errors": len(broken)}
        with xml.inside("testsuites", name="crdlint", **totals, time=f"{outcome.seconds:.3f}"):
            for (file, crd), group in groupby(results, key=lambda result: (result.suite.file, result.crd_file)):
                own = list(group)
                name, failed = f"{own[0].suite.name} ({crd})", sum(bool(result.failure) for result in own)
                with xml.inside("testsuite", name=name, tests=len(own), failures=failed, errors=0):
                    for result in own:
                        _write_result(xml, result, file)
                yield xml.take()
            for file, reason in broken:
                _write_broken(xml, file, "suite", {"message": reason})
        yield xml.take()


def _write_result(xml: XML, result: Result, file: str) -> None:
    about = {"classname": file, "name": result.case.name, "file": file, "line": result.case.line}
    failure = ("\n".join(result.failure), {"message": result.failure[0]}) if result.failure else None
    _write_case(xml, about, failure, "\n".join(result.disagreements))


def _write_case(xml: XML, about: Mapping[str, object], failure: tuple[str, dict[str, str]] | None, output: str) -> None:
    """Write a test, with the text and the attributes of its failure, and with its output."""
    if failure is None and not output:
        xml.element("testcase", **about)
        return
    with xml.inside("testcase", **about):
        if failure is not None:
            xml.element("failure", failure[0], **failure[1])
        if output:
            xml.element("system-out", output)


def _write_broken(
    xml: XML, file: str, name: str, error: Mapping[str, str], more: Mapping[str, int] = MappingProxyType({})
) -> None:
    """Write a suite with one test, for what could not be read or run."""
    with (
        xml.inside("testsuite", name=file, tests=1, failures=0, errors=1, **more),
        xml.inside("testcase", classname=file, name=name),
    ):
        xml.element("error", **error)
