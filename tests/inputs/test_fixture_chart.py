"""The bundled chart, checked by the command as a user would: each place of a CRD in it has its finding."""

from __future__ import annotations

import shutil
from pathlib import Path

from click.testing import CliRunner

from crdlint.cli.main import cli

CHART = Path(__file__).parents[2] / "fixtures" / "charts" / "widgets"
FOUND = [
    ("crds/gadgets.yaml", "24:44", "warning[helm-template-in-crds]"),
    ("templates/dynamic.yaml", "7:10", "warning[helm-skipped]"),
    ("templates/widgets.yaml", "30:36", "warning[helm-unescaped-braces]"),
    ("templates/widgets.yaml", "33:29", "error[kube-version-too-old]"),
    ("templates/widgets.yaml", "44:23", "error[list-map-key-required]"),
    ("templates/dynamic.yaml", "2:1", "info[helm-crd-without-keep]"),
]


def test_findings() -> None:
    done = CliRunner().invoke(cli, ["check", "--no-helm", "--format", "concise", str(CHART)])
    assert done.exit_code == 1
    expected = [f"{(CHART / name).as_posix()}:{place}: {rule}:" for name, place, rule in FOUND]
    lines = [line.replace("\\", "/") for line in done.stdout.splitlines()]
    assert [line[: len(start)] for line, start in zip(lines, expected, strict=True)] == expected


def test_what_the_chart_supports_is_said() -> None:
    done = CliRunner().invoke(cli, ["check", "--no-helm", "--format", "json", str(CHART)])
    assert "(Chart.yaml has `kubeVersion: >=1.29.0-0`)" in done.stdout
    newer = CliRunner().invoke(
        cli, ["check", "--no-helm", "--kube-version", "1.31", "--format", "concise", str(CHART)]
    )
    assert "kube-version-too-old" not in newer.stdout
    assert "list-map-key-required" in newer.stdout


def test_that_helm_is_missing_is_said_once(tmp_path: Path) -> None:
    text = (CHART / "templates" / "dynamic.yaml").read_text(encoding="utf-8")
    shutil.copytree(CHART, tmp_path / "chart")
    for name in "abc":
        (tmp_path / "chart" / "templates" / f"{name}.yaml").write_text(text, encoding="utf-8")
    command = ["check", "--no-helm", "--select", "helm-skipped", str(tmp_path)]
    once = CliRunner().invoke(cli, command).stdout
    assert once.count("warning[helm-skipped]") == 1
    place = (tmp_path / "chart" / "templates" / "b.yaml").as_posix()
    assert (
        f"3 more CRDs not checked without Helm, at {place}:7 and 2 other places: --show-all shows them\n"
        in once
    )
    assert " 4 warnings" in once
    each = CliRunner().invoke(cli, [*command, "--show-all"]).stdout
    assert (each.count("warning[helm-skipped]"), "more CRDs" in each) == (4, False)
