"""The JSON objects of findings (docs/json-output.md) and of costs (docs/cost.md)."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any, Final

from crdlint.__about__ import __version__
from crdlint.kubecel.limits import CRD_COST_LIMIT, RULE_COST_LIMIT
from crdlint.report.edit_ranges import Places
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


# Raised when a field goes or changes its meaning; new fields may come without.
FORMAT_VERSION: Final = 1


def _finding(one: Diagnostic, places: Places, cause: Diagnostic | None) -> dict[str, Any]:
    """Return a finding as an object with the URL of its rule's page; its fix has the lines and columns of edits."""
    fix, given = one.fix, {**asdict(replace(one, fix=None)), "url": rule_link(one.rule)}
    given["follows_from"] = (
        None
        if cause is None
        else {"rule": cause.rule, "message": cause.message, "line": cause.line, "column": cause.column}
    )
    if fix is not None:
        edits = [asdict(edit) for edit in places.ranges(fix)]
        given["fix"] = {"title": fix.title, "applicability": fix.applicability, "edits": edits}
    return given


class Report:
    """The whole object: findings as they come, each in a line, then what is known of the files and the run."""

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
            "crds": [asdict(crd) for crd in result.crds],
            "notices": list(result.notices),
        }
        self._files.add(about)
        places = Places(result.text)
        found = list(shown(result, hidden=self._hidden))
        first = causes(found)
        for one in found:
            yield f"{self._before}{json_text(_finding(one, places, first.get(id(one))))}"
            self._before = ",\n"

    def end(self, outcome: Outcome) -> Iterator[str]:
        """Yield the rest of the object."""
        yield "\n" if self._before == ",\n" else self._head
        yield '],\n"files": ['
        yield from self._files.pieces()
        unreadable = [{"file": file, "reason": reason} for file, reason in outcome.problems]
        yield f'],\n"unreadable": {json_text(unreadable)},\n"summary": {json_text(asdict(outcome.summary))}\n}}\n'


class CostReport:
    """The whole object of the costs of a run."""

    def __init__(self, view: View) -> None:
        del view

    def pieces(self, costs: Costs) -> Iterator[str]:
        """Yield the object."""
        document = {
            "version": 1,
            "limits": {"rule": RULE_COST_LIMIT, "schema": CRD_COST_LIMIT},
            "rules": [_rule(one) for one in costs.shown],
            "unestimated": [asdict(one) for one in costs.unestimated],
            "unreadable": [{"file": file, "reason": reason} for file, reason in costs.problems],
        }
        yield f"{json_text(document, 2)}\n"


def _rule(one: Entry) -> dict[str, object]:
    by_version = {version: asdict(cost) for version, cost in one.by_version.items()}
    return asdict(one.cost) | {"place": one.place, "times": one.times, "help": one.help, "by_version": by_version}
