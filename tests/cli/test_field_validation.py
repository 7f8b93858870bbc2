"""What the API server does about unknown fields, by the client: kubectl, or Helm in a chart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.rules.engine.examples import HEAD

if TYPE_CHECKING:
    from pathlib import Path

SELECTABLE = HEAD + "        type: object\n    selectableFields: [{jsonPath: .spec.a}]\n"
UNKNOWN = HEAD + "        type: object\n        maxlength: 3\n"
IN_CHART = "kubectl and Helm 4 reject it; Helm 3 installs it, and the API server drops the field"
ELSEWHERE = (
    "kubectl rejects it by default; with this field validation the API server drops the field"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", "")  # the Helm of a machine would send its chart
    (tmp_path / "chart/crds").mkdir(parents=True)
    (tmp_path / "chart/Chart.yaml").write_text(
        "apiVersion: v2\nname: c\nversion: 0.1.0\n", encoding="utf-8"
    )
    for name in ("chart/crds/crd.yaml", "crd.yaml"):
        (tmp_path / name).write_text(UNKNOWN, encoding="utf-8")
    return tmp_path


def test_the_default_follows_the_place(folder: Path) -> None:
    rows = [
        ("chart", "", [], ("warning", IN_CHART, 0)),
        ("crd.yaml", "", [], ("error", "", 1)),
        ("chart", "", ["--field-validation", "strict"], ("error", "", 1)),
        ("crd.yaml", "", ["--field-validation", "warn"], ("warning", ELSEWHERE, 0)),
        ("chart", "field-validation: strict\n", [], ("error", "", 1)),
        (
            "chart",
            "field-validation: strict\n",
            ["--field-validation", "warn"],
            ("warning", IN_CHART, 0),
        ),
        ("crd.yaml", "field-validation: ignore\n", [], ("", "", 0)),
        (
            "crd.yaml",
            "severity: {unknown-field: info}\nfield-validation: warn\n",
            [],
            ("info", ELSEWHERE, 0),
        ),
    ]
    for name, configuration, arguments, expected in rows:
        (folder / ".crdlint.yaml").write_text(configuration, encoding="utf-8")
        result = CliRunner().invoke(
            cli, ["check", str(folder / name), "--format", "json", *arguments]
        )
        found = [
            one
            for one in json.loads(result.stdout)["diagnostics"]
            if one["rule"] == "unknown-field"
        ]
        severity, help_ = (found[0]["severity"], found[0]["help"]) if found else ("", "")
        shown = next((text for text in (IN_CHART, ELSEWHERE) if help_.endswith(text)), "")
        assert (severity, shown, result.exit_code) == expected, (name, configuration, arguments)
    (folder / ".crdlint.yaml").write_text("field-validation: warning\n", encoding="utf-8")
    wrong = CliRunner().invoke(cli, ["check", str(folder)])
    assert (
        "'field-validation' is strict, warn or ignore, not 'warning'; did you mean 'warn'?"
        in wrong.stderr
    )


def test_a_field_that_only_older_servers_do_not_know(folder: Path) -> None:
    (folder / "chart/crds/crd.yaml").write_text(SELECTABLE, encoding="utf-8")
    result = CliRunner().invoke(
        cli, ["check", str(folder / "chart"), "--kube-version", "1.28..1.31", "--format", "concise"]
    )
    assert (
        "warning[unknown-field]: unknown field `selectableFields` in `versions[0]` (Kubernetes 1.28, 1.29)"
        in result.stdout
    )


def test_the_server_only_warns_and_goes_on(folder: Path) -> None:
    (folder / "chart/crds/crd.yaml").write_text(
        UNKNOWN.replace("Namespaced", "Clusterish"), encoding="utf-8"
    )
    for validation, begins in (
        ("strict", "unknown field"),
        ("warn", "spec.scope: Unsupported value"),
    ):
        options = ["--format", "server", "--field-validation", validation]
        result = CliRunner().invoke(cli, ["check", str(folder / "chart"), *options])
        assert [line.startswith(begins) for line in result.stdout.splitlines()] == [True]
    shown = CliRunner().invoke(cli, ["check", str(folder / "chart")]).stdout
    assert "the API server stops at unknown fields" not in shown


def test_resources_of_a_chart(folder: Path) -> None:
    (folder / "crd.yaml").write_text(HEAD + "        type: object\n", encoding="utf-8")
    text = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\nspce: {}\n"
    for name, status in (("chart/templates/foo.yaml", 0), ("foo.yaml", 1)):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        result = CliRunner().invoke(
            cli, ["validate", "--crd", str(folder / "crd.yaml"), str(folder / name)]
        )
        assert (result.exit_code, result.stdout.count("unknown-field")) == (status, 1), (
            result.stdout
        )
