"""What crdlint reports about charts that were installed and upgraded with Helm 3 and Helm 4, with Helm and without it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from chart_scenarios import CHECKED, UPGRADED, write
from click.testing import CliRunner
from tables import each

from crdlint.cli.main import cli
from crdlint.sources.helm import render as helm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result


@pytest.fixture(params=["without Helm", "Helm 3", "Helm 4"])
def helm_on_path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put a version of Helm on the path, or none; CRDLINT_HELM_3 and CRDLINT_HELM_4 are folders with a program named helm."""
    folder = ""
    if request.param != "without Helm":
        name = f"CRDLINT_HELM_{request.param[-1]}"
        folder = os.environ.get(name, "")
        if not folder or not Path(folder, "helm").is_file():
            pytest.skip(f"{request.param} is not installed: {name} names no folder with it")
    monkeypatch.setenv("PATH", folder)
    helm.helm.cache_clear()
    yield
    helm.helm.cache_clear()


def found(result: Result, folder: Path) -> list[str]:
    """Return severity, rule and file of each finding, sorted."""
    assert result.exit_code in {0, 1}, result.output
    findings = json.loads(result.stdout)
    findings = findings["diagnostics"] if isinstance(findings, dict) else findings
    return sorted(
        f"{one['severity']} {one['rule']} {os.path.relpath(one['file'], folder).replace(os.sep, '/')}"
        for one in findings
    )


@pytest.mark.usefixtures("helm_on_path")
@each("files, expected", CHECKED.values(), ids=CHECKED)
def test_charts(files: dict[str, str], expected: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = write(tmp_path_factory.mktemp("chart"), files)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(folder)])
    assert found(result, folder) == sorted(expected)


@pytest.mark.usefixtures("helm_on_path")
@each("old, new, expected", UPGRADED.values(), ids=UPGRADED)
def test_upgrades(
    old: dict[str, str], new: dict[str, str], expected: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("charts")
    before, after = write(folder / "old", old), write(folder / "new", new)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", "--against", str(before), str(after)])
    changes = [line for line in found(result, after) if " change-" in line]
    assert changes == sorted(expected)
