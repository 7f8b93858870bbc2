"""`crdlint check --baseline`: what is printed when it is written, and what stays known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import SMALLEST

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

FINDING = SMALLEST.replace(
    "{type: object}", "{type: object, properties: {a: {type: string, enum: [on]}}}"
)
VERSION = """\
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema: {type: object}
"""
# Edits after which the finding is still the known one.
EDITS = {
    "moved lines": "# a comment\n\n" + FINDING,
    "an added version behind": FINDING + VERSION,
    "an added version before": FINDING.replace("  - name: v1\n", VERSION + "  - name: v1\n"),
    "another property": FINDING.replace("properties: {", "properties: {c: {type: string}, "),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(FINDING)


def check(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(
        cli, ["check", "--fail-on", "warning", "--baseline", "known.json", *arguments]
    )
    return result.exit_code, result.stdout, result.stderr


def test_an_update_prints_counts_and_no_known_findings(tmp_path: Path) -> None:
    status, shown, notes = check("--update-baseline")
    assert (status, "yaml-boolean" in shown, notes) == (
        0,
        False,
        "crdlint: known.json: 1 entry: 1 added\n",
    )
    assert check("--update-baseline")[2] == "crdlint: known.json: 1 entry: none added or removed\n"
    (tmp_path / "a.yaml").write_text(
        FINDING.replace("{a: {type: string, enum: [on]}}", "{b: {type: string, enum: [on, no]}}")
    )
    assert check("--update-baseline")[2] == "crdlint: known.json: 1 entry: 1 added, 1 removed\n"
    (tmp_path / "broken.yaml").write_text("kind: CustomResourceDefinition\na: [\n")
    status, shown, _ = check("--update-baseline")
    assert (status, "yaml-syntax" in shown, "yaml-boolean" in shown) == (1, True, False)


def test_findings_stay_known_after_edits_and_renames(tmp_path: Path) -> None:
    check("--update-baseline")
    (tmp_path / "a.yaml").unlink()
    (tmp_path / "sub").mkdir()
    failures = {}
    for name, text in EDITS.items():
        (tmp_path / "sub/renamed.yaml").write_text(text)
        status, shown, notes = check()
        if (status, "yaml-boolean" in shown, notes) != (0, False, ""):
            failures[name] = shown + notes
    assert failures == {}
