"""The pages of findings and of comparisons: what they show, and that nothing in a CRD is taken for markup."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import crdlint
from crds import crd_with_spec
from tables import each
from test_html_costs import read, words

from crdlint.api import lint_text
from crdlint.diagnostics import InputProblem
from crdlint.linting.documents import collect_crds
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.report import formats
from crdlint.report.pieces import RunOutcome, Summary, View

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult

FIXTURES = Path(__file__).parents[2] / "fixtures"
TWICE = FIXTURES / "invalid" / "additional-items.yaml"
# Some of these errors the API server reports only after others are fixed.
HIDDEN = [
    str(FIXTURES / "invalid" / f"{name}.yaml")
    for name in (
        "hidden-behind-ref",
        "items-array",
        "rule-message-expression-empty",
        "pattern-unclosed",
    )
]

SPEC = """\
type: object
properties:
  mode: {type: string, maxLength: 9, description: "<script>alert(1)</script>"}
  replicas:
    type: integer
    maximum: 9
"""
OLD = crd_with_spec(SPEC)
NEW = OLD.replace("maximum: 9", "maximum: 5")
BROKEN = OLD.replace("maxLength: 9", "maxLenght: 9").replace("type: integer", "type: int")


def checked(text: str, old: str = "") -> FileResult:
    previous = collect_crds(old, "old.yaml").by_name.get if old else None
    return lint_file(text, "a&b.yaml", CheckRequest(fixes=True, previous=previous))


def page(result: FileResult, kind: str) -> str:
    report = (formats.findings if kind == "findings" else formats.changes)("html", View())
    summary = Summary(files=1)
    summary.add(result)
    return "".join(
        [
            *report.file(result),
            *report.end(RunOutcome([InputProblem("c.yaml", "<no file>")], summary)),
        ]
    )


def test_findings_show_their_line_and_what_to_do() -> None:
    text = page(checked(BROKEN), "findings")
    assert re.findall(r"<mark>(.*?)</mark>", text) == ["maxLenght", "int"]
    shown = words(text)
    for part in (
        "2 errors, 0 warnings, 0 infos",
        "Write `maxLength` instead".replace("`", ""),
        "unknown-field",
        "c.yaml",
    ):
        assert part in shown
    assert {"h1", "select", "mark", "details"} <= set(read(text).tags)


def test_a_comparison_shows_both_sides() -> None:
    text = page(checked(NEW, OLD), "changes")
    sources = re.findall(r'<pre class="source">(.*?)</pre>', text, re.DOTALL)
    assert sources == ["maximum: <mark>9</mark>", "maximum: <mark>5</mark>"]
    shown = words(text)
    assert "1 CRD changed" in shown
    assert "1 CRD changed: 1 breaking" in shown


@pytest.mark.parametrize(("old", "kind"), [("", "findings"), (OLD, "changes")])
def test_pages_stand_alone(old: str, kind: str) -> None:
    text = page(checked(NEW if old else BROKEN, old), kind)
    assert text.count("<script>") == 1
    assert (
        re.findall(r'(?:src|href)="(?!https://crdlint\.github\.io/crdlint/rules/|#file-\d+")', text)
        == []
    )
    assert "default-src 'none'" in text
    assert "&lt;no file&gt;" in text


def test_nothing_to_report() -> None:
    assert lint_text(OLD) == []
    assert "Nothing to report." in page(checked(OLD), "findings")
    assert "No change of the CRDs has a consequence." in page(checked(OLD, OLD), "changes")


def test_the_place_of_a_removed_crd_is_that_before(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "other.yaml").write_text(OLD.replace("foo", "bar").replace("Foo", "Bar"))
    (tmp_path / "old" / "crd.yaml").write_text(OLD)
    run = crdlint("diff", str(tmp_path / "old"), str(tmp_path / "new"), "--format", "html")
    captions = re.findall(r"<figcaption>(\w+) .*?</figcaption>", run.stdout)
    assert "change-crd-removed" in run.stdout
    assert captions == ["before"]


def counted(text: str) -> Counter[str]:
    """Return how many findings the entries of a page stand for, by what the filter calls their severity."""
    counts: Counter[str] = Counter()
    for number, group in re.findall(r'data-count="(\d+)" data-severity="(\w*)"', text):
        counts[group] += int(number)
    return +counts


@each(
    "arguments",
    [
        ["check", str(FIXTURES / "invalid")],
        ["check", *HIDDEN],
        ["check", *HIDDEN, "--show-all"],
        ["check", *HIDDEN, "--min-severity", "error"],
        ["check", "{copies}"],
        ["check", "{copies}", "--show-all"],
        ["validate", "{object}", "--crd", "{crd}"],
    ],
)
def test_the_header_the_overview_and_the_entries_have_the_same_numbers(
    arguments: list[str], tmp_path: Path
) -> None:
    names = {name: tmp_path / name for name in ("copies", "object", "crd")}
    for folder in ("a", "b"):
        (names["copies"] / folder).mkdir(parents=True, exist_ok=True)
        (names["copies"] / folder / "crd.yaml").write_text(TWICE.read_text())
    rules = "replicas: {type: integer, x-kubernetes-validations: [{rule: self < 9}]}"
    names["crd"].write_text(crd_with_spec(f"type: object\nproperties:\n  {rules}\n"))
    names["object"].write_text(OBJECT)
    text = crdlint(
        *(argument.format(**names) for argument in arguments),
        "--format",
        "html",
    ).stdout

    numbers = [int(number) for number in re.findall(r"\d+", heading(text))]
    entries = counted(text)
    groups = ("error", "warning", "info", "later")
    assert numbers == [entries[group] for group in groups][: len(numbers)]
    assert entries.total() == sum(numbers)
    for overview in re.findall(r'<section aria-label="By .*?</section>', text, re.DOTALL):
        bars = re.findall(r'<span class="number">(\d+)</span>', overview)
        assert sum(map(int, bars)) == entries.total()
    assert (entries["later"] > 0) == ('<option value="later">' in text)


def heading(text: str) -> str:
    found = re.search("<h1>(.*?)</h1>", text)
    assert found is not None
    return found[1]


OBJECT = """\
apiVersion: example.com/v1
kind: Foo
metadata: {name: foo}
spec: {replicas: many}
"""
