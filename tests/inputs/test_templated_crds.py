"""CRDs in the templates of charts, as the commands other than `check` read them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.rules.engine.examples import HEAD

if TYPE_CHECKING:
    from pathlib import Path

RULE = "        x-kubernetes-validations: [{rule: 'self.size == 0 || self.size > 1'}]\n"
SCHEMA = f"        type: object\n        required: [size]\n        properties: {{size: {{type: TYPE}}}}\n{RULE}"
TEXT = (
    "{{- if .Values.install }}\n"
    + HEAD.replace("metadata:\n", "metadata:\n  labels: {a: {{ .Values.a }}}\n")
    + SCHEMA
)
MASKED = TEXT.replace("TYPE", "integer") + "{{- end }}\n"
RENDERED = TEXT.replace("TYPE", "{{ .Values.type }}") + "{{- end }}\n"
OBJECT = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\nsize: 1\n"


def chart(folder: Path, text: str) -> Path:
    files = {
        "c/Chart.yaml": "apiVersion: v2\nname: demo\nversion: 0.1.0\n",
        "c/values.yaml": "install: true\ntype: integer\na: b\n",
        "c/templates/crd.yaml": text,
        "foo.yaml": OBJECT,
    }
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    return folder


def run(folder: Path) -> dict[str, tuple[int, str]]:
    """Return the exit status and the output of each command about a chart."""
    template, resource = str(folder / "c"), str(folder / "foo.yaml")
    calls = {
        "cost": ["cost", template],
        "validate": ["validate", "--crd", template, resource],
        "eval": ["eval", "self.size + 1", "--crd", template, "--object", resource],
        "patch": ["cost", "--suggest", template],
    }
    results = {name: CliRunner().invoke(cli, arguments) for name, arguments in calls.items()}
    return {name: (result.exit_code, result.output) for name, result in results.items()}


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("has_helm", [True, False])
def test_templates_are_read_as_check_reads_them(
    has_helm: bool, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    if has_helm:
        request.getfixturevalue("fake_helm")
    folder = chart(tmp_path, RENDERED if has_helm else MASKED)
    line = (RENDERED if has_helm else MASKED).split("\n").index(RULE[:-1]) + 1
    found = run(folder)
    assert {name: status for name, (status, _) in found.items()} == {
        "cost": 0,
        "validate": 1,
        "eval": 0,
        "patch": 0,
    }
    assert "templates/crd.yaml" in found["cost"][1]
    assert f"line {line}" in found["cost"][1]
    assert f"templates/crd.yaml:{line}" in found["validate"][1]
    assert "value   2" in found["eval"][1]


@pytest.mark.usefixtures("program")
def test_what_only_helm_can_read_is_not_left_out_in_silence(tmp_path: Path) -> None:
    found = run(chart(tmp_path, RENDERED.replace("{{ .Values.type }}", "{{ lower .Values.type }}")))
    assert {name: status for name, (status, _) in found.items()} == {
        "cost": 1,
        "validate": 2,
        "eval": 1,
        "patch": 1,
    }
    for name, (_, output) in found.items():
        words = " ".join(output.split())
        assert re.search(
            r"this CRD is not checked without Helm(:| .* note:) `\{\{ lower \.Values\.type \}\}`",
            words,
        ), name


def test_templates_outside_of_charts_are_read_without_helm(tmp_path: Path) -> None:
    folder = chart(tmp_path, MASKED)
    (folder / "c" / "Chart.yaml").unlink()
    line = MASKED.split("\n").index(RULE[:-1]) + 1
    found = run(folder)
    assert {name: status for name, (status, _) in found.items()} == {
        "cost": 0,
        "validate": 1,
        "eval": 0,
        "patch": 0,
    }
    assert "templates/crd.yaml" in found["cost"][1]
    assert f"line {line}" in found["cost"][1]
    broken = MASKED.replace("size > 1", "sizze > 1")
    (folder / "c" / "templates" / "crd.yaml").write_text(broken, encoding="utf-8")
    arguments = ["check", "--format", "concise", "--no-cache", str(folder / "c")]
    checked = CliRunner().invoke(cli, arguments)
    assert (checked.exit_code, f"crd.yaml:{line}:" in checked.output) == (1, True)
    fixed = CliRunner().invoke(
        cli, ["check", "--fix", "--unsafe-fixes", "--no-cache", str(folder / "c")]
    )
    assert fixed.exit_code == 0, fixed.output
    assert (folder / "c" / "templates" / "crd.yaml").read_text(encoding="utf-8") == MASKED
    (folder / "c" / "templates" / "crd.yaml").write_text(RENDERED, encoding="utf-8")
    checked = CliRunner().invoke(cli, arguments)
    assert (
        "crd.yaml:19:35: warning[helm-skipped]: this CRD is not checked without Helm\n"
        in checked.output
    )


def test_templates_outside_of_charts_are_compared(tmp_path: Path) -> None:
    old, new = (
        chart(tmp_path / name, MASKED.replace("integer", type_))
        for name, type_ in (("old", "integer"), ("new", "string"))
    )
    for folder in (old, new):
        (folder / "c" / "Chart.yaml").unlink()
    compared = CliRunner().invoke(
        cli, ["diff", "--format", "concise", str(old / "c"), str(new / "c")]
    )
    assert (compared.exit_code, "change-type" in compared.output) == (1, True), compared.output
