"""The JSON objects of findings (docs/json-output.md) and of costs (docs/cost.md)."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.report.edit_ranges import TextPositions
from crdlint.report.escapes import json_text
from crdlint.report.page import rule_link
from crdlint.report.pieces import Lines, shown
from crdlint.rules.consequences import causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.diagnostics.diagnostic import Diagnostic
    from crdlint.linting.cost_entries import Entry
    from crdlint.linting.result import FileResult
    from crdlint.report.pieces import Costs, Outcome, View


# Incremented if a field is removed or changes its meaning; new fields do not increment it.
FORMAT_VERSION: Final = 1


def _finding(finding: Diagnostic, positions: TextPositions, cause: Diagnostic | None) -> dict[str, Any]:
    """Return a finding as an object with the URL of its rule's page; its fix has the lines and columns of edits."""
    fix, fields = finding.fix, {**asdict(replace(finding, fix=None)), "url": rule_link(finding.rule)}
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


class Report:
    """The complete object: findings in the order of the files, one a line, then data about the files and the run."""

    def __init__(self, view: View) -> None:
        self._hidden = view.hidden
        self._head = f'{{\n"version": {FORMAT_VERSION},\n"crdlint": {json_text(__version__)},\n"diagnostics": ['
        self._before = f"{self._head}\n"
        self._files = Lines()

    def file(self, result: FileResult) -> Iterator[str]:
        """Yield the findings of a file."""
        about = {
            "file": result.file,
            "documents": result.documents,
            "skipped": result.skipped,
            "crds": [{"name": crd.name, "line": crd.line} for crd in result.crds],
            "notices": list(result.notices),
        }
        self._files.add(about)
        positions = TextPositions(result.text)
        findings = list(shown(result, hidden=self._hidden))
        first = causes(findings)
        for finding in findings:
            yield f"{self._before}{json_text(_finding(finding, positions, first.get(id(finding))))}"
            self._before = ",\n"

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the rest of the object."""
        yield "\n" if self._before == ",\n" else self._head
        yield '],\n"files": ['
        yield from self._files.pieces()
        unreadable = [{"file": file, "reason": reason} for file, reason in outcome.problems]
        yield f'],\n"unreadable": {json_text(unreadable)},\n"summary": {json_text(asdict(outcome.summary))}\n}}\n'


class CostReport:
    """The complete object of the costs of a run."""

    def __init__(self, view: View) -> None:
        del view

    def pieces(self, costs: Costs) -> Iterator[str]:
        """Yield the object."""
        document = {
            "version": 1,
            "limits": {"rule": RULE_COST_LIMIT, "schema": CRD_COST_LIMIT},
            "rules": [_rule(entry) for entry in costs.shown],
            "unestimated": [asdict(finding) for finding in costs.unestimated],
            "unreadable": [{"file": file, "reason": reason} for file, reason in costs.problems],
        }
        yield f"{json_text(document, 2)}\n"


def _rule(entry: Entry) -> dict[str, object]:
    by_version = {version: asdict(cost) for version, cost in entry.by_version.items()}
    return asdict(entry.cost) | {
        "place": entry.value_path,
        "times": entry.times,
        "help": entry.help,
        "by_version": by_version,
    }
