"""Findings for logs and summaries: short lines, the API server's own sentences, commands of CI systems, and Markdown."""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final

from crdlint.diagnostics import RANKS, UNKNOWN_FIELD, Diagnostic, Kind, in_server_words
from crdlint.linting.result import FileResult
from crdlint.phrases import counted
from crdlint.report import words
from crdlint.report.locations import relative, uri
from crdlint.report.page import rule_link
from crdlint.report.pieces import Report, RunOutcome, Spool, View
from crdlint.report.words import advice, combined, describe_others, headline, where
from crdlint.safety.escapes import (
    command_data,
    command_property,
    issue_data,
    issue_property,
    markdown,
    markdown_with_code,
    printable,
    printable_line,
)

_STAGES: Final = ("decode", "strict", "field", "warning")
_GITHUB_LEVELS: Final = {"error": "error", "warning": "warning", "info": "notice"}


class Concise(Report):
    """A line for each finding: `file:line:column: severity[rule]: headline`."""

    def _piece(self, finding: Diagnostic) -> str:
        versions = f" (Kubernetes {', '.join(finding.versions)})" if finding.versions else ""
        text = f"{finding.severity}[{finding.rule}]: {words.headline(finding)}{versions}"
        return printable_line(f"{finding.file}:{finding.line}:{finding.column}: {text}") + "\n"


class ServerMessages(Report):
    """The API server's messages, file by file; a message of several lines keeps its lines.

    They are those in the answer to one create request for each document, which has the text of the document itself and
    fieldValidation=Strict, or Warn if unknown fields are warnings. The API server stops at the first of these that finds
    something: decoding, strict decoding, validation. Warnings are only sent if the object is accepted.
    """

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the messages about a file."""
        starts = [crd.line for crd in result.crds]
        of_server = (finding for finding in result.diagnostics if finding.origin == "apiserver")
        by_crd = groupby(
            of_server, key=lambda finding: (finding.crd, bisect_right(starts, finding.line))
        )
        for _, of_crd in by_crd:
            for finding in self._answered(list(of_crd)):
                if finding.server_message != "":
                    yield f"{printable(in_server_words(finding).message)}\n"

    def _answered(self, findings: Sequence[Diagnostic]) -> list[Diagnostic]:
        """Return the findings about a CRD that the API server reports for the first request."""
        shown = [finding for finding in findings if not finding.hidden]
        stages = set(map(_stage, shown))
        first = next((stage for stage in _STAGES if stage in stages), None)
        return [finding for finding in shown if _stage(finding) == first]

    def end(self, outcome: RunOutcome) -> Iterable[str]:
        """Return nothing: the API server has no summary."""
        del outcome
        return ()


def _stage(finding: Diagnostic) -> Kind:
    return (
        "warning" if finding.rule == UNKNOWN_FIELD and finding.severity != "error" else finding.kind
    )


class Azure(Report):
    """Logging commands of Azure Pipelines, escaped as azure-pipelines-task-lib does.

    There is one for each error and warning, and a line of the log for each info, which Azure has no command for.
    """

    lists_infos = False

    def _piece(self, finding: Diagnostic) -> str:
        file, line, column = relative(finding.file), finding.line, finding.column
        text = f"{finding.rule}: {words.message(finding)}"
        if finding.severity == "info":
            return printable_line(f"{file}:{line}:{column}: info {text}".partition("\n")[0]) + "\n"
        position = {"sourcepath": file, "linenumber": line, "columnnumber": column}
        return _issue({"type": finding.severity, **position, "code": finding.rule}, text)

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the unreadable inputs, and the totals."""
        for problem in outcome.problems:
            position: dict[str, object] = {"sourcepath": relative(problem.file)}
            if problem.line:
                position |= {"linenumber": problem.line, "columnnumber": problem.column}
            yield _issue({"type": "error", **position}, problem.reason)
        yield f"{outcome.summary.counts()}\n"


def _issue(values: dict[str, object], text: str) -> str:
    properties = "".join(f"{name}={issue_property(str(value))};" for name, value in values.items())
    return f"##vso[task.logissue {properties}]{issue_data(text)}\n"


class GitHub(Report):
    """Workflow commands, escaped as actions/toolkit does, the most severe first: GitHub shows ten of each level for a step."""

    lists_infos = False

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._spools = {severity: Spool() for severity in _GITHUB_LEVELS}

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: a later file may have more severe findings."""
        for finding in self._shown(result):
            self._spools[finding.severity].write(self._piece(finding))
        return ()

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the unreadable inputs, then errors, warnings and infos."""
        for problem in outcome.problems:
            file = command_property(relative(problem.file))
            position = f",line={problem.line},col={problem.column}" if problem.line else ""
            yield f"::error file={file}{position}::{command_data(problem.reason)}\n"
        for spool in self._spools.values():
            yield from spool.pieces()
        yield f"crdlint: {outcome.summary.counts()} in {counted(outcome.summary.files, 'file')}\n"

    def _piece(self, finding: Diagnostic) -> str:
        values = {"file": relative(finding.file), "line": finding.line, "endLine": finding.end_line}
        values["title"] = words.headline(finding)
        if finding.line == finding.end_line:  # columns go with one line only
            values |= {
                "col": finding.column,
                "endColumn": max(finding.end_column - 1, finding.column),
            }
        properties = ",".join(
            f"{name}={command_property(str(value))}" for name, value in values.items()
        )
        text = f"{finding.file}:{finding.line}:{finding.column}: {finding.rule}: {words.message(finding)}"
        return f"::{_GITHUB_LEVELS[finding.severity]} {properties}::{command_data(text)}\n"


_LIMIT: Final = 1_000_000  # bytes; GitHub takes a step's summary of up to 1 MiB
_ICONS: Final = {"error": "🔴", "warning": "🟡", "info": "🔵"}
_TABLE: Final = "\n| | finding | place |\n| --- | --- | --- |\n"


class Markdown(Report):
    """Totals and one table for the run, cut with a note if it is too long."""

    lists_infos = False

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._rows: list[str] = []
        self._room = _LIMIT
        self._left = 0

    def file(self, result: FileResult) -> Iterable[str]:
        """Return nothing: the first line contains the totals of all files."""
        entries = combined(self._shown(result), show_all=self._view.show_all)
        for finding, others in sorted(entries, key=lambda entry: RANKS[entry[0].severity]):
            row = _row(finding, others)
            self._room -= len(row.encode())
            if self._left or self._room < 0:
                self._left += 1 + len(others)
            else:
                self._rows.append(row)
        return ()

    def end(self, outcome: RunOutcome) -> Iterator[str]:
        """Yield the complete page."""
        head = _head(outcome)
        room = _LIMIT - len(head.encode())
        yield head
        yield _TABLE if self._rows else ""
        for i, row in enumerate(self._rows):
            room -= len(row.encode())
            if room < 0:
                self._left += len(self._rows) - i
                break
            yield row
        if self._left:
            yield f"\n… and {counted(self._left, 'more finding')}, for which there is no room here.\n"


def _head(outcome: RunOutcome) -> str:
    summary, problems = outcome.summary, outcome.problems
    counts = [counted(summary.errors, "error"), counted(summary.warnings, "warning")]
    counts += [counted(summary.infos, "info")] if summary.infos else []
    mark = "❌" if summary.errors or problems else "✅"
    head = f"## crdlint\n\n{mark} {', '.join(counts)} in {counted(summary.crds, 'CRD')}\n"
    lines = (
        f"- <code>{markdown(printable_line(problem.position))}</code> could not be read: {markdown(problem.reason)}\n"
        for problem in problems
    )
    return "".join([head, "\n" * bool(problems), *lines])


def _row(finding: Diagnostic, others: Sequence[Diagnostic]) -> str:
    rule = f"[`{finding.rule}`]({rule_link(finding.rule)})"
    help_ = f"<br>**help:** {markdown_with_code(advice(finding))}" if advice(finding) else ""
    more = f"<br>{markdown(describe_others(finding, others))}" if others else ""
    position = f"[{markdown(printable_line(f'{finding.file}:{finding.line}'))}]({_link(finding)})"
    about = f"<br>{markdown(printable_line(where(finding)))}" if where(finding) else ""
    text = f"{markdown_with_code(headline(finding))} ({rule})"
    return f"| {_ICONS[finding.severity]} | {text}{help_}{more} | {position}{about} |\n"


def _link(finding: Diagnostic) -> str:
    """Return the URL of the line of a finding: within GitHub Actions that of the commit, else a relative one."""
    environment = os.environ
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA")
    base = "".join(
        f"{environment[name]}/{'blob/' * (name == names[1])}"
        for name in names
        if name in environment
    )
    return f"{base if all(name in environment for name in names) else ''}{uri(finding.file)}#L{finding.line}"
