"""CRDs in the templates of a chart, which Helm deletes with the chart unless an annotation keeps them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import SMALLEST

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

KEPT = SMALLEST.replace(
    "metadata:\n", "metadata:\n  annotations: {helm.sh/resource-policy: keep}\n"
)
BY_VALUES = SMALLEST.replace(
    "metadata:\n", "metadata:\n  annotations: {{- toYaml .Values.crds.annotations | nindent 4 }}\n"
)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"templates/a.yaml": SMALLEST, "templates/b.yaml": SMALLEST}, ["templates/a.yaml"]),
        ({"templates/a.yaml": KEPT, "templates/b.yaml": SMALLEST}, ["templates/b.yaml"]),
        ({"templates/a.yaml": KEPT}, []),
        ({"templates/a.yaml": BY_VALUES}, []),
        ({"crds/a.yaml": SMALLEST}, []),
        ({"templates/a.yaml": SMALLEST, "charts/b/Chart.yaml": "name: b\n", "charts/b/templates/c.yaml": SMALLEST}, [
            "templates/a.yaml",
        ]),
    ],
)  # fmt: skip
def test_a_chart_is_reported_once(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    for name, text in {"Chart.yaml": "apiVersion: v2\nname: a\nversion: 0.1.0\n", **files}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    arguments = ["check", "--no-cache", "--no-helm", "--format", "json", str(tmp_path)]
    result = CliRunner().invoke(cli, arguments)
    found = [
        one
        for one in json.loads(result.stdout)["diagnostics"]
        if one["rule"] == "helm-crd-without-keep"
    ]
    assert [one["file"] for one in found] == [str(tmp_path / name) for name in expected]
    assert {(one["line"], one["severity"]) for one in found} <= {(2, "info")}


def test_a_comment_ignores_it(tmp_path: Path) -> None:
    ignored = SMALLEST.replace(
        "Definition\n", "Definition  # crdlint: ignore[helm-crd-without-keep] for tests\n"
    )
    templates = tmp_path / "templates"
    templates.mkdir()
    (tmp_path / "Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 0.1.0\n")
    for text, count in (
        (ignored, "0 infos"),
        (SMALLEST, "1 info"),
        ("# crdlint: ignore[x]\n" + ignored, "0 infos"),
    ):
        (templates / "a.yaml").write_text(text)
        arguments = ["check", "--no-cache", "--min-severity", "info", str(tmp_path)]
        result = CliRunner().invoke(cli, arguments)
        assert result.stdout.count("helm-crd-without-keep]:") == (count == "1 info")
        assert "ignore-unused" not in result.stdout
        assert result.stdout.count("ignore-unknown") <= 1
