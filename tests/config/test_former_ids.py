"""A rule keeps its former ids wherever a user names a rule: configuration, comments, options, baselines, `explain`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.config.rule_patterns import unknown_rule
from crdlint.rules.catalog import all_rules, get
from crdlint.rules.engine.examples import manifest

if TYPE_CHECKING:
    from pathlib import Path

FORMER: Final = {alias: rule for rule in all_rules().values() for alias in rule.aliases}
OLD, NEW = "cel-schema-undeclared", "cel-schema-without-type"


def check(folder: Path, *options: str) -> list[str]:
    """Return the rules of the findings in the CRD of ``folder``."""
    result = CliRunner().invoke(
        cli, ["check", "--format", "json", *options, str(folder / "crd.yaml")]
    )
    assert result.exit_code in {0, 1}, result.output
    return [f"{one['severity']} {one['rule']}" for one in json.loads(result.stdout)["diagnostics"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "crd.yaml").write_text(manifest(get(NEW), get(NEW).bad))
    return tmp_path


def test_former_ids_are_unique_and_no_rule_has_one() -> None:
    aliases = [alias for rule in all_rules().values() for alias in rule.aliases]
    assert len(set(aliases)) == len(aliases) > 0
    assert not set(aliases) & all_rules().keys()


@pytest.mark.parametrize("alias", FORMER)
def test_explain_knows_a_former_id(alias: str) -> None:
    result = CliRunner().invoke(cli, ["explain", alias])
    assert result.exit_code == 0
    assert FORMER[alias].summary in result.output


@pytest.mark.parametrize("pattern", [*FORMER, "cel-schema-undec*"])
def test_a_former_id_is_known(pattern: str) -> None:
    assert unknown_rule(pattern) is None


def test_options_take_a_former_id(folder: Path) -> None:
    assert check(folder) == [f"error {NEW}"]
    assert check(folder, "--select", OLD) == [f"error {NEW}"]
    assert check(folder, "--select", "pattern-invalid") == []
    assert check(folder, "--ignore", OLD) == []
    assert check(folder, "--ignore", "cel-schema-undec*") == []


@pytest.mark.parametrize(
    ("config", "found"),
    [
        (f"ignore: [{OLD}]", []),
        (f"select: [{OLD}]", [f"error {NEW}"]),
        (f"severity: {{{OLD}: info}}", [f"info {NEW}"]),
        (f"severity: {{{OLD}: warning, 'cel-*': info}}", [f"warning {NEW}"]),
        (f"per-file-ignores: {{'*.yaml': [{OLD}]}}", []),
    ],
)
def test_a_configuration_takes_a_former_id(folder: Path, config: str, found: list[str]) -> None:
    (folder / ".crdlint.yaml").write_text(f"{config}\n")
    assert check(folder) == found


def test_an_ignore_comment_takes_a_former_id(folder: Path) -> None:
    crd = folder / "crd.yaml"
    crd.write_text(f"# crdlint: ignore-file[{OLD}] an old schema\n{crd.read_text()}")
    assert check(folder) == []


def test_a_baseline_takes_a_former_id(folder: Path) -> None:
    baseline = folder / "baseline.json"
    check(folder, "--baseline", str(baseline), "--update-baseline")
    text = baseline.read_text()
    assert NEW in text
    baseline.write_text(text.replace(NEW, OLD))
    assert check(folder, "--baseline", str(baseline)) == []
