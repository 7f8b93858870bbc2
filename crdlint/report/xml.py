"""Findings and the results of suites as XML: Checkstyle's, and JUnit's with a test for each CRD or test of a suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape, quoteattr

from crdlint.gathering import grouped, partitioned
from crdlint.report import pieces, words
from crdlint.report.pieces import Report, RunOutcome, Spool, SuiteOutcome, View
from crdlint.safety.escapes import xml_text

if TYPE_CHECKING:
    from crdlint.diagnostics import Diagnostic
    from crdlint.linting.result import FileResult
    from crdlint.suites.run import TestedCase

_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _tag(name: str, attributes: dict[str, object]) -> str:
    return name + "".join(
        f" {key}={quoteattr(xml_text(str(value)))}" for key, value in attributes.items()
    )


def _element(
    depth: int,
    name: str,
    text: str = "",
    /,
    **attributes: object,
) -> str:
    tag = f"{'  ' * depth}<{_tag(name, attributes)}"
    return f"{tag}>{escape(xml_text(text))}</{name}>\n" if text else f"{tag}/>\n"


def _around(
    depth: int,
    inner: str,
    name: str,
    /,
    **attributes: object,
) -> str:
    """Return the lines of an element around the lines of others."""
    indent = "  " * depth
    return f"{indent}<{_tag(name, attributes)}>\n{inner}{indent}</{name}>\n"


class Checkstyle(Report):
    """Checkstyle's document: an element for each file."""

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._head = f'{_HEAD}<checkstyle version="4.3">\n'

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the element of a file."""
        errors = (
            _element(
                2,
                "error",
                line=finding.line,
                column=finding.column,
                severity=finding.severity,
                message=words.message(finding),
                source=f"crdlint.{finding.rule}",
            )
            for finding in self._shown(result)
        )
        yield self._head + _around(1, "".join(errors), "file", name=result.file)
        self._head = ""

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the elements of inputs that could not be read, and the end."""
        yield self._head
        for problem in outcome.problems:
            position = {"line": problem.line or 1}
            position |= {"column": problem.column} if problem.line else {}
            error = _element(
                2,
                "error",
                **position,
                severity="error",
                message=problem.reason,
                source="crdlint.unreadable",
            )
            yield _around(1, error, "file", name=problem.file)
        yield "</checkstyle>\n"


class JUnit(Report):
    """JUnit's complete document; findings below severity error are not failures, but part of a test's output."""

    tells_time = True

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._tests = 0
        self._failures = 0
        self._suites = Spool()

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the totals precede the suites."""
        by_crd: dict[str, list[Diagnostic]] = {crd.name: [] for crd in result.crds}
        by_crd |= grouped(self._shown(result), lambda finding: finding.crd or "")
        by_crd = by_crd or {"": []}
        failures, cases = 0, ""
        for name, own in by_crd.items():
            errors, others = partitioned(own, lambda finding: finding.severity == "error")
            failures += bool(errors)
            failure = _failure(errors) if errors else ""
            cases += _case(
                failure,
                _texts(others),
                classname=result.file,
                name=name or "file",
            )
        counts = {"tests": len(by_crd), "failures": failures, "errors": 0, "skipped": 0}
        self._suites.write(_around(1, cases, "testsuite", name=result.file, **counts))
        self._tests += len(by_crd)
        self._failures += failures
        return ()

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete document."""
        problems, seconds = outcome.problems, f"{outcome.summary.seconds:.3f}"
        totals = {
            "tests": self._tests + len(problems),
            "failures": self._failures,
            "errors": len(problems),
        }
        yield f"{_HEAD}<{_tag('testsuites', {'name': 'crdlint', **totals, 'time': seconds})}>\n"
        yield from self._suites.pieces()
        for problem in problems:
            message = f"{problem.position}: {problem.reason}" if problem.line else problem.reason
            about = {"type": "unreadable", "message": message}
            yield _broken(problem.file, "file", about, skipped=0)
        yield "</testsuites>\n"


def _failure(errors: Sequence[Diagnostic]) -> str:
    """Return the failure of a test, with the first of its errors as the message."""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    message = f"{words.headline(errors[0])}{more}"
    return _element(
        3,
        "failure",
        _texts(errors),
        type=errors[0].rule,
        message=message,
    )


def _texts(findings: Sequence[Diagnostic]) -> str:
    return "\n\n".join(
        f"{finding.file}:{finding.line}:{finding.column}: {finding.severity}[{finding.rule}]: {words.headline(finding)}\n"
        + words.text(finding)
        for finding in findings
    )


class SuiteXML(pieces.SuiteReport):
    """JUnit's complete document, written at the end: the totals precede the suites."""

    def end(self, outcome: SuiteOutcome) -> Iterator[str]:
        """Yield the complete document."""
        results, broken = outcome.results, outcome.broken
        totals = {
            "tests": len(results) + len(broken),
            "failures": len(outcome.failed),
            "errors": len(broken),
        }
        yield f"{_HEAD}<{_tag('testsuites', {'name': 'crdlint', **totals, 'time': f'{outcome.seconds:.3f}'})}>\n"
        for (_, crd), group in groupby(
            results, key=lambda result: (result.suite.file, result.crd_file)
        ):
            own = list(group)
            counts = {
                "tests": len(own),
                "failures": sum(bool(result.failure) for result in own),
                "errors": 0,
            }
            yield _around(
                1,
                "".join(map(_result, own)),
                "testsuite",
                name=f"{own[0].suite.name} ({crd})",
                **counts,
            )
        for problem in broken:
            yield _broken(problem.position, "suite", {"message": problem.reason})
        yield "</testsuites>\n"


def _result(result: TestedCase) -> str:
    file, lines = result.suite.file, result.failure
    failure = _element(3, "failure", "\n".join(lines), message=lines[0]) if lines else ""
    about = {
        "classname": file,
        "name": result.case.name,
        "file": file,
        "line": result.case.expectation_line,
    }
    return _case(failure, "\n".join(result.disagreements), **about)


def _case(failure: str, output: str, **about: object) -> str:
    """Return a test with the element of its failure, if it failed, and with its output."""
    inner = failure + (_element(3, "system-out", output) if output else "")
    return _around(2, inner, "testcase", **about) if inner else _element(2, "testcase", **about)


def _broken(
    file: str,
    name: str,
    error: dict[str, str],
    **more: int,
) -> str:
    """Return a suite with one test, for what could not be read or run.

    A `message` of several lines is the text of the element, and its first line the attribute.
    """
    message = error["message"]
    first, *rest = message.split("\n")
    text = message if rest else ""
    case = _around(
        2,
        _element(3, "error", text, **{**error, "message": first}),
        "testcase",
        classname=file,
        name=name,
    )
    return _around(
        1,
        case,
        "testsuite",
        name=file,
        tests=1,
        failures=0,
        errors=1,
        **more,
    )
