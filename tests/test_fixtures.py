"""Every fixture gives what it says: `# <- TEXT` marks the line of a finding and the exact characters under its caret.

`fixtures/expected/NAME.txt` holds the findings in full, one a line; `pytest --update-expected` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import crdlint
from crdlint.rules.catalog import all_rules

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
VALID = sorted((FIXTURES / "valid").iterdir())
INVALID = sorted((FIXTURES / "invalid").iterdir())
_OTHER_INPUTS = (
    "helm-",
    "resource-",
)  # rules about charts and custom resources, with fixtures of their own
MARKER = re.compile(r"  # <- (.+?)\r?$", re.MULTILINE)


def name(path: Path) -> str:
    return path.stem


def read(path: Path) -> str:
    return path.read_bytes().decode()


def covered(text: str, diagnostic: crdlint.Diagnostic) -> str:
    """Return the characters under the diagnostic's caret, up to the end of its first line."""
    line = re.split(r"\r\n|\n", text)[diagnostic.line - 1]
    end = diagnostic.end_column - 1 if diagnostic.end_line == diagnostic.line else len(line)
    return line[diagnostic.column - 1 : end]


def test_a_valid_fixture_has_no_finding() -> None:
    findings = {path.name: crdlint.lint_text(read(path), filename=path.name) for path in VALID}
    assert {name: found for name, found in findings.items() if found} == {}


@pytest.mark.parametrize("path", INVALID, ids=name)
def test_the_caret_stands_under_the_marked_characters(path: Path) -> None:
    text = read(path)
    marked = {(text.count("\n", 0, m.start()) + 1, m[1]) for m in MARKER.finditer(text)}
    found = {
        (d.line, covered(text, d))
        for d in crdlint.lint_text(text, filename=path.name)
        if not d.hidden
    }
    if marked:
        assert found == marked
    else:
        assert found


@pytest.mark.parametrize("path", INVALID, ids=name)
def test_the_findings_are_as_recorded(path: Path, request: pytest.FixtureRequest) -> None:
    found = "".join(
        f"{d.line}:{d.column}-{d.end_line}:{d.end_column} {d.severity}[{d.rule}]{' (hidden)' if d.hidden else ''} {d.message}\n"
        f"    help: {d.help}\n"
        for d in crdlint.lint_text(read(path), filename=path.name)
    )
    expected = FIXTURES / "expected" / f"{path.stem}.txt"
    if request.config.getoption("--update-expected"):
        expected.parent.mkdir(exist_ok=True)
        expected.write_text(found, encoding="utf-8")
    assert found == expected.read_text(encoding="utf-8")


# Rules that no text of a file breaks by itself, or only one that is too large, by what they need.
_NO_FIXTURE = {
    "internal-error": "a bug",
    "unreadable": "a file",
    "ignore-malformed": "the configuration",
    "ignore-unknown-rule": "the configuration",
    "ignore-unused": "the configuration",
    "crd-misspelled": "a file of its own",
    "metadata-immutable": "an old CRD",
    "spec-immutable": "an old CRD",
    "name-in-use": "two files",
    "crd-copies-differ": "two files",
    "crd-twice-in-file": "a file with templates",
    "stored-version-missing": "a stored CRD",
    "conversion-webhook-ca-bundle": "a stored CRD",
    "apply-rejected": "a sender",
    "list-set-of-objects": "an older server",
    "evaluation-limit": "a large file",
    "metadata-annotations-too-long": "a large file",
    "too-large-to-apply": "a large file",
    "kube-version-too-old": "a range of versions",
    "kube-version-drops-field": "a range of versions",
}


def test_each_default_rule_about_a_text_has_a_fixture() -> None:
    found = {
        diagnostic.rule
        for path in INVALID
        for diagnostic in crdlint.lint_text(read(path), filename=path.name)
    }
    rules = {
        rule.id
        for rule in all_rules().values()
        if not (rule.on_request or rule.compares or rule.id.startswith(_OTHER_INPUTS))
    }
    assert rules - found - set(_NO_FIXTURE) == set()
    assert set(_NO_FIXTURE) & found == set()
