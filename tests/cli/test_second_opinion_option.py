"""`--second-opinion` of `crdlint validate` and `crdlint test`."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from crdlint.cli.main import cli
from crdlint.kubecel import second_opinion

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
RESOURCES = FIXTURES / "resources"
CRD, GOOD = str(RESOURCES / "crd.yaml"), str(RESOURCES / "good.yaml")
SUITE = str(FIXTURES / "suites" / "widgets.testsuite.yaml")


def run(*args: str) -> Result:
    return CliRunner().invoke(cli, args, catch_exceptions=False)


@pytest.fixture
def _other_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have cel-python give the other answer to every rule."""
    real = second_opinion.evaluate

    def other(*given: Any) -> bool:
        return not real(*given)

    monkeypatch.setattr(second_opinion, "evaluate", other)


def test_validate_reports_agreement_in_a_note() -> None:
    plain, result = (
        run("validate", "--crd", CRD, GOOD),
        run("validate", "--second-opinion", "--crd", CRD, GOOD),
    )
    assert (result.exit_code, result.stdout) == (0, plain.stdout)
    assert result.stderr.splitlines() == [
        "crdlint: note: second opinion of cel-python: 1 of 1 evaluations of rules agree"
    ]


@pytest.mark.usefixtures("_other_answers")
def test_validate_reports_disagreements_as_warnings() -> None:
    args = ("validate", "--second-opinion", "--crd", CRD, GOOD)
    result = run(*args)
    assert result.exit_code == 0
    assert ": crdlint evaluates the rule to true, cel-python to false\n" in result.stdout
    assert "0 of 1 evaluations of rules agree" in result.stderr
    assert run(*args, "--fail-on", "warning").exit_code == 1
    assert "crdlint evaluates" not in run(*args, "--ignore", "resource-second-opinion").stdout


@pytest.mark.usefixtures("_other_answers")
def test_disagreements_in_json() -> None:
    document = json.loads(
        run("validate", "--second-opinion", "--crd", CRD, "--format", "json", GOOD).stdout
    )
    first = document["diagnostics"][0]
    assert (first["rule"], first["severity"], first["field"]) == (
        "resource-second-opinion",
        "warning",
        "spec",
    )
    assert first["message"] == "crdlint evaluates the rule to true, cel-python to false"
    assert (first["related"]["file"], first["related"]["label"][:6]) == (CRD, "rule `")
    assert first["crd"] == "Widget good"


def test_suites_agree() -> None:
    result = run("test", "--second-opinion", SUITE)
    assert result.exit_code == 0
    assert "second opinion of cel-python: " in result.stderr
    assert "warning" not in result.stdout


@pytest.mark.usefixtures("_other_answers")
def test_suites_with_disagreements(tmp_path: Path) -> None:
    report = tmp_path / "report.xml"
    result = run("test", "--second-opinion", "--output", f"junit={report}", SUITE)
    assert result.exit_code == 0  # the tests pass
    lines = [line for line in result.stdout.splitlines() if ": warning: " in line]
    assert lines[0].startswith(f"{SUITE}:")
    assert ", cel-python to " in lines[0]
    texts = [found.text or "" for found in ET.parse(report).iter("system-out")]
    assert sum(text.count("cel-python to") for text in texts) == len(lines)


def test_cel_python_is_only_imported_on_request() -> None:
    code = (
        "import sys\nfrom crdlint.cli.main import cli\n"
        f"cli.main(['validate', '--crd', {CRD!r}, {GOOD!r}], standalone_mode=False)\n"
        "print(*[name for name in sys.modules if name in ('celpy', 'lark', 'pendulum')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == ""


def test_without_cel_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "celpy", None)
    result = run("validate", "--second-opinion", "--crd", CRD, GOOD)
    assert result.exit_code == 2
    assert "Error: --second-opinion: cel-python cannot be imported: " in result.stderr
