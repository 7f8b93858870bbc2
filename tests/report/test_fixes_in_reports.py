"""Fixes in reports: the edits that JSON, SARIF and rdjson name lead to the fixed text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema
import pytest

from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.report import formats
from crdlint.report.pieces import RunOutcome, Summary, View
from crdlint.rules.engine.examples import HEAD
from crdlint.yaml.edit import apply, line_starts

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult

SCHEMAS = Path(__file__).parent / "schemas"
TEXT = f"""\
# äöü 𝄞
{HEAD}        type: object
        properties:
          größe: {{description: "𝄞", type: int, maxlength: 4}}
          host:
            type: string
            required: true
"""


def checked(text: str) -> FileResult:
    return lint_file(text, "a b.yaml", CheckRequest(fixes=True))


def render(name: str, result: FileResult) -> str:
    """Return the report of a run over one file."""
    report = formats.findings(name, View())
    summary = Summary(files=1)
    summary.add(result)
    return "".join([*report.file(result), *report.end(RunOutcome([], summary))])


def replaced(
    text: str, ranges: list[tuple[int, int, int, int, str]], *, in_bytes: bool = False
) -> str:
    """Return a text with the characters of 1-based lines and columns replaced."""
    lines = line_starts(text)

    def index(line: int, column: int) -> int:
        start = lines[line - 1]
        if not in_bytes:
            return start + column - 1
        return start + len(text[start:].encode()[: column - 1].decode())

    made = [(index(line, column), index(end, last), new) for line, column, end, last, new in ranges]
    for start, stop, new in sorted(made, reverse=True):
        text = text[:start] + new + text[stop:]
    return text


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_edits_lead_to_the_fixed_text(ending: str) -> None:
    text = TEXT.replace("\n", ending)
    run = checked(text)
    fixed = [
        apply(text, one.fix.edits)
        for one in run.diagnostics
        if one.fix is not None and not one.hidden
    ]
    assert fixed
    found = json.loads(render("json", run))
    jsons = [one["fix"]["edits"] for one in found["diagnostics"] if one["fix"] is not None]
    columns = ("line", "column", "end_line", "end_column", "text")
    assert [
        replaced(text, [tuple(edit[name] for name in columns) for edit in edits]) for edits in jsons
    ] == fixed
    sarif = json.loads(render("sarif", run))
    changes = [
        one["fixes"][0]["artifactChanges"][0]
        for one in sarif["runs"][0]["results"]
        if "fixes" in one
    ]
    names = ("startLine", "startColumn", "endLine", "endColumn")
    made = [
        replaced(text, [
            (*(edit["deletedRegion"][name] for name in names), edit.get("insertedContent", {}).get("text", ""))
            for edit in change["replacements"]
        ])
        for change in changes
    ]  # fmt: skip
    assert made == fixed
    rdjson = json.loads(render("rdjson", run))
    suggested = [one["suggestions"] for one in rdjson["diagnostics"] if "suggestions" in one]
    assert [len(one) for one in suggested] == [1] * len(fixed)
    ranges = [
        (
            *(one["range"][end][name] for end in ("start", "end") for name in ("line", "column")),
            one["text"],
        )
        for (one,) in suggested
    ]
    assert [replaced(text, [one], in_bytes=True) for one in ranges] == fixed


@pytest.mark.parametrize("name", ["rdjson", "gitlab", "sarif"])
@pytest.mark.parametrize("text", [TEXT, "a: [\nkind: CustomResourceDefinition\n", ""])
def test_reports_fit_their_schemas(name: str, text: str) -> None:
    jsonschema.validate(
        json.loads(render(name, checked(text))), json.loads((SCHEMAS / f"{name}.json").read_text())
    )


def test_the_summary_counts_fixes() -> None:
    summary = json.loads(render("json", checked(TEXT)))["summary"]
    assert (summary["fixable"], summary["fixable_unsafe"]) == (0, 1)
    summary = json.loads(render("json", checked(TEXT.replace("            required: true\n", ""))))[
        "summary"
    ]
    assert (summary["fixable"], summary["fixable_unsafe"]) == (2, 0)
