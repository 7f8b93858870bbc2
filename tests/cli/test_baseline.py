"""`crdlint check --baseline`: what is printed when it is written, and what stays known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import SMALLEST
from tables import each

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


REJECTED = FINDING.replace("{a: {type: string, enum: [on]}}", "{a: {type: strin}}")
NEW = REJECTED.replace("{a: {type: strin}}", "{a: {type: strin}, b: {type: strin}}")
ACCEPTED = "1 error of the API server is accepted by the baseline"


def test_known_rejections_do_not_fail_a_run(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(REJECTED)
    status, shown, _ = check("--update-baseline")
    assert (status, shown.splitlines()[-1]) == (0, ACCEPTED)
    status, shown, _ = check()
    assert (status, shown.splitlines()[-1]) == (0, ACCEPTED)
    (tmp_path / "a.yaml").write_text(NEW)
    status, shown, _ = check()
    assert (status, "type-unsupported" in shown, shown.splitlines()[-1]) == (1, True, ACCEPTED)


@each(
    "ignored",
    [
        REJECTED.rstrip() + " # crdlint: ignore[type-unsupported] old clients\n",
        REJECTED.rstrip() + " # crdlint: ignore[*]\n",
        "# crdlint: ignore-file[type-unsupported]\n" + REJECTED,
        REJECTED.replace(
            "metadata:\n", "metadata:\n  annotations: {crdlint/ignore: 'type-unsupported: old'}\n"
        ),
    ],
)
def test_rejections_that_a_file_ignores_are_counted(ignored: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ignored)
    result = CliRunner().invoke(cli, ["check"])
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (
        0,
        "1 error of the API server is accepted by ignore comments",
    )


@each(
    "config, by",
    [
        ("ignore: [type-*]", "`ignore`"),
        ("ignore: [{rules: [type-unsupported], crd: '*', reason: old}]", "`ignore`"),
        ("per-file-ignores: {a.yaml: [type-unsupported]}", "`per-file-ignores`"),
        ("severity: {type-unsupported: off}", "`severity`"),
        ("severity: {type-unsupported: warning}", "`severity`"),
        ("ignore: [{rules: [type-*], crd: '*', severity: warning}]", "`ignore`"),
        ("select: [cel-*]", "`select`"),
    ],
)
def test_rejections_that_a_configuration_accepts_are_counted(
    config: str, by: str, tmp_path: Path
) -> None:
    (tmp_path / "a.yaml").write_text(REJECTED)
    (tmp_path / ".crdlint.yaml").write_text(config)
    for format_ in ("text", "json", "github"):
        result = CliRunner().invoke(cli, ["check", "--format", format_])
        printed = result.stdout if format_ == "text" else result.stderr
        assert (result.exit_code, printed.splitlines()[-1]) == (
            0,
            f"1 error of the API server is accepted by {by}",
        )


def test_ignores_are_printed_for_a_configuration(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(NEW + VERSION.replace("{type: object}", "{type: strin}"))
    (tmp_path / "b.yaml").write_text(FINDING.replace("foos", "bars").replace("Foo", "Bar"))
    before = CliRunner().invoke(cli, ["check", "--fail-on", "warning"])
    done = CliRunner().invoke(cli, ["check", "--add-ignore", "--to-config", "--quiet"])
    assert (before.exit_code, done.exit_code) == (1, 0)
    assert done.stdout.startswith("ignore:\n- rules: [")
    assert "  crd: foos.example.com\n  version: v1\n  path: schema.openAPIV3Schema." in done.stdout
    assert "entries for the configuration, which ignore " in done.stderr
    (tmp_path / ".crdlint.yaml").write_text(done.stdout)
    after = CliRunner().invoke(cli, ["check", "--fail-on", "warning"])
    assert after.exit_code == 0, after.output
    again = CliRunner().invoke(cli, ["check", "--add-ignore", "--to-config"])
    assert again.stdout == ""
    alone = CliRunner().invoke(cli, ["check", "--to-config"])
    assert (alone.exit_code, "--to-config requires --add-ignore" in alone.stderr) == (2, True)
