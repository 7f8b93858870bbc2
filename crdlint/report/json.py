"""Findings as JSON: crdlint's own object (docs/json-output.md), GitLab's Code Quality and reviewdog; and costs (docs/cost.md)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.report import words
from crdlint.report.escapes import json_text, printable, printable_line
from crdlint.report.locations import TextPositions, fingerprints, is_printable, relative
from crdlint.report.page import rule_link
from crdlint.report.pieces import Costs, Lines, Outcome, Report, View, WholeReport
from crdlint.rules.consequences import causes

if TYPE_CHECKING:
    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.cost_entries import Entry
    from crdlint.linting.result import FileResult

# Incremented if a field is removed or changes its meaning; new fields do not increment it.
FORMAT_VERSION: Final = 1
_GITLAB_SEVERITIES: Final = {"error": "major", "warning": "minor", "info": "info"}


class _Array(Report):
    """The base of formats with the findings in an array, each in a line, between `head` and `tail`."""

    head = "["
    tail = "]\n"

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._before = f"{self.head}\n"

    def file(self, result: FileResult) -> Iterator[str]:
        return self._items(list(self._shown(result)), result.text)

    def end(self, outcome: Outcome) -> Iterator[str]:
        yield from self._items(list(outcome.unreadable()), "")
        yield ("\n" if self._before == ",\n" else self.head) + self.tail

    def _items(self, findings: list[Diagnostic], text: str) -> Iterator[str]:
        for value in self._values(findings, TextPositions(text)):
            yield f"{self._before}{json_text(value)}"
            self._before = ",\n"

    def _values(self, findings: list[Diagnostic], positions: TextPositions) -> Iterable[dict[str, Any]]:
        raise NotImplementedError


class JSON(_Array):
    """The complete object: findings in the order of the files, then data about the files and the run."""

    head = f'{{\n"version": {FORMAT_VERSION},\n"crdlint": {json_text(__version__)},\n"diagnostics": ['
    tail = '],\n"files": ['

    def __init__(self, view: View) -> None:
        super().__init__(view)
        self._files = Lines()

    def file(self, result: FileResult) -> Iterator[str]:
        """Return the findings of a file."""
        about = {
            "file": result.file,
            "documents": result.documents,
            "skipped": result.skipped,
            "crds": [{"name": crd.name, "line": crd.line} for crd in result.crds],
            "notices": list(result.notices),
        }
        self._files.add(about)
        return super().file(result)

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the rest of the object, with the unreadable inputs in an array of their own."""
        yield from super().end(replace(outcome, problems=()))
        yield from self._files.pieces()
        unreadable = json_text(_unreadable(outcome.problems))
        yield f'],\n"unreadable": {unreadable},\n"summary": {json_text(asdict(outcome.summary))}\n}}\n'

    def _values(self, findings: list[Diagnostic], positions: TextPositions) -> Iterator[dict[str, Any]]:
        first = causes(findings)
        return (_finding(finding, positions, first.get(id(finding))) for finding in findings)


def _finding(finding: Diagnostic, positions: TextPositions, cause: Diagnostic | None) -> dict[str, Any]:
    """Return a finding as an object with the URL of its rule's page; its fix has the lines and columns of edits."""
    fix, fields = finding.fix, {**asdict(replace(finding, fix=None)), "url": rule_link(finding.rule)}
    if finding.related is not None:
        del fields["related"]["text"]  # its lines are in the file
    del fields["lacks"], fields["errors"]
    fields["example"] = None if finding.example is None else json.loads(finding.example)
    fields["follows_from"] = (
        None
        if cause is None
        else {"rule": cause.rule, "message": cause.message, "line": cause.line, "column": cause.column}
    )
    if fix is not None:
        edits = [asdict(edit) for edit in positions.ranges(fix)]
        fields["fix"] = {"title": fix.title, "applicability": fix.applicability, "edits": edits}
    return fields


def _unreadable(problems: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"file": file, "reason": reason} for file, reason in problems]


class GitLab(_Array):
    """GitLab's Code Quality report."""

    def _values(self, findings: list[Diagnostic], positions: TextPositions) -> Iterator[dict[str, Any]]:
        del positions
        for finding, fingerprint in fingerprints(findings):
            yield {
                "description": printable_line(words.headline(finding)),
                "content": {"body": printable(words.text(finding))},
                "check_name": finding.rule,
                "fingerprint": fingerprint,
                "severity": _GITLAB_SEVERITIES[finding.severity],
                "location": {
                    "path": printable_line(relative(finding.file)),
                    "lines": {"begin": finding.line, "end": finding.end_line},
                },
            }


class RDJSON(_Array):
    """Reviewdog's diagnostic format, as one object: fixes become suggestions on pull requests."""

    head = '{\n"source": {"name": "crdlint"},\n"diagnostics": ['
    tail = "]\n}\n"

    def _values(self, findings: list[Diagnostic], positions: TextPositions) -> Iterator[dict[str, Any]]:
        for finding in findings:
            start = positions.index(finding.line, finding.column)
            end = positions.index(finding.end_line, finding.end_column)
            columns = positions.byte_column(start), positions.byte_column(end)
            made: dict[str, Any] = {
                "message": printable(words.message(finding)),
                "location": {
                    "path": printable_line(relative(finding.file)),
                    "range": _range(finding.line, columns[0], finding.end_line, columns[1]),
                },
                "severity": finding.severity.upper(),
                "code": {"value": finding.rule, "url": rule_link(finding.rule)},
            }
            if finding.fix is not None and is_printable(finding.fix):
                edit = positions.combined(finding.fix)
                replaced = _range(edit.line, edit.column, edit.end_line, edit.end_column)
                made["suggestions"] = [{"range": replaced, "text": edit.text}]
            yield made


def _range(line: int, column: int, end_line: int, end_column: int) -> dict[str, Any]:
    return {"start": {"line": line, "column": column}, "end": {"line": end_line, "column": end_column}}


class CostReport(WholeReport[Costs]):
    """The complete object of the costs of a run."""

    def pieces(self, content: Costs) -> Iterator[str]:
        """Yield the object."""
        document = {
            "version": 1,
            "limits": {"rule": RULE_COST_LIMIT, "schema": CRD_COST_LIMIT},
            "rules": [_rule(entry) for entry in content.shown],
            "unestimated": [asdict(finding) for finding in content.unestimated],
            "unreadable": _unreadable(content.problems),
        }
        yield f"{json_text(document, 2)}\n"


def _rule(entry: Entry) -> dict[str, object]:
    by_version = {version: asdict(cost) for version, cost in entry.by_version.items()}
    more = {"place": entry.value_path, "times": entry.times, "help": entry.help, "by_version": by_version}
    return asdict(entry.cost) | more
