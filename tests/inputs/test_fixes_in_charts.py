"""Fixes in Helm templates and kustomizations: what is the file's own text is fixed, what a value or a patch makes is not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from crds import HEAD

from crdlint.cli.main import cli
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.sources.helm.render import RenderedDocument
from crdlint.sources.helm.rendered import check_rendered

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from crdlint.diagnostics import Diagnostic
    from crdlint.linting.result import FileResult

BAD = HEAD + "        type: object\n        properties:\n          size: {type: int}\n"
GOOD = BAD.replace("int}", "integer}")
LABELS = 'metadata:\n  labels:\n    {{- include "demo.labels" . | nindent 4 }}\n  name: foos.example.com\n'
CRD = HEAD.replace("metadata: {name: foos.example.com}\n", LABELS) + (
    "        type: object\n        properties:\n          spec:\n            type: object\n            properties:\n"
    "              {{- if .Values.sized }}\n              size:\n                type: integer\n              {{- end }}\n"
    "              host:\n                type: string\n"
)
WHOLE = "{{- if .Values.install }}\n# first\n" + CRD + "{{- end }}\n"

TYPE = "                type: string\n"
BRANCHES = (
    "{{- if .Values.a }}\n                type: %s\n                {{- else }}\n                type: %s\n"
    "                {{- end }}\n"
)


def changed(old: str, new: str) -> tuple[str, str]:
    assert old in WHOLE
    return WHOLE.replace(old, new, 1), WHOLE


FIXED = {
    "a type within a block": changed("type: integer", "type: int"),
    "a field after a block": changed("                type: string", "                typ: string"),
    "a field beside an included helper": changed("name: foos.example.com", "name: foo.example.com"),
    "the name of the field with a block": changed("            properties:\n    ", "            propertys:\n    "),
    "a scope": changed("scope: Namespaced", "scope: namespaced"),
    "a field of the same line as a comment of the template": (
        WHOLE.replace("type: string\n", "type: str {{/* a name */}}\n"),
        WHOLE.replace("type: string\n", "type: string {{/* a name */}}\n"),
    ),
    "both branches": (WHOLE.replace(TYPE, BRANCHES % ("str", "bool")), WHOLE.replace(TYPE, BRANCHES % ("string", "boolean"))),
    "a description with an escaped directive": (
        WHOLE.replace("type: string\n", "description: '{{ `{{ x }}` }}'\n                type: str\n"),
        WHOLE.replace("type: string\n", "description: '{{ `{{ x }}` }}'\n                type: string\n"),
    ),
}  # fmt: skip
# The second text is what a fix would have to change, and must be there afterwards.
KEPT = {
    "a type from a value": WHOLE.replace("type: string", "type: {{ .Values.type }}"),
    "a number from a value in quotes": WHOLE.replace(TYPE, f'{TYPE}                maxLength: "{{{{ .Values.max }}}}"\n'),
    "a type from an included helper": WHOLE.replace("type: string", '{{- include "demo.host" . | nindent 16 }}'),
    "a name from a value": WHOLE.replace("name: foos.example", "name: foo.{{ .Values.domain }}"),
    "a type that is partly a value": WHOLE.replace("type: string", "type: str{{ .Values.rest }}"),
    "a field that a loop writes": WHOLE.replace(
        "              host:\n", "              {{- range .Values.names }}\n              {{ . }}:\n"
    ).replace("type: string\n", "type: str\n              {{- end }}\n"),
    "a schema that a value writes": WHOLE.replace("                type: string\n", "{{ toYaml .Values.host | indent 16 }}\n"),
    "a CRD in a helper": '{{- define "demo.crd" }}\n' + CRD.replace("type: string", "type: str") + "{{- end }}\n",
}  # fmt: skip


def chart(folder: Path, text: str) -> Path:
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(
        "apiVersion: v2\nname: demo\nversion: 0.1.0\n", encoding="utf-8"
    )
    path = folder / "templates" / "crd.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def line_of(text: str, whole: str) -> int:
    return whole[: whole.index(text)].count("\n") + 1


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, ["check", "--no-cache", *arguments])


@pytest.mark.parametrize(("text", "wanted"), FIXED.values(), ids=FIXED)
def test_the_text_of_a_template_is_fixed(text: str, wanted: str, tmp_path: Path) -> None:
    path = chart(tmp_path, text)
    before = run("--no-helm", "--no-kustomize", "--fail-on=warning", str(tmp_path))
    assert before.exit_code == 1
    assert "  [*]\n" in before.stdout
    assert re.search(r"^\[\*\] [12] fixable with --fix", before.stdout, re.MULTILINE) is not None
    diff = run("--no-helm", "--diff", "--unsafe-fixes", str(tmp_path))
    assert (diff.exit_code, path.read_text(encoding="utf-8")) == (1, text)
    done = run("--no-helm", "--fix", "--unsafe-fixes", str(tmp_path))
    assert path.read_text(encoding="utf-8") == wanted
    assert (done.exit_code, "fixable" in done.stdout) == (0, False)
    again = run("--no-helm", "--diff", "--unsafe-fixes", str(tmp_path))
    assert (again.exit_code, again.stdout) == (0, "")


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_what_values_and_helpers_write_is_not_fixed(text: str, tmp_path: Path) -> None:
    path = chart(tmp_path, text)
    done = run("--no-helm", "--fix", "--unsafe-fixes", str(tmp_path))
    assert path.read_text(encoding="utf-8") == text
    assert "fixed 0 findings in 0 files" in done.stderr
    assert "fixable" not in done.stdout


@pytest.mark.usefixtures("fake_helm")
def test_findings_of_a_rendered_chart_are_marked(tmp_path: Path) -> None:
    text = "{{- if .Values.install }}\n" + BAD + "{{- end }}\n"
    path = chart(tmp_path / "chart", text)
    (tmp_path / "chart" / "values.yaml").write_text("install: true\n", encoding="utf-8")
    before = run(str(tmp_path / "chart"))
    headline = "error[type-unsupported]: `size` has the unknown type `int`"
    assert f"{headline}\n  --> {path}:{line_of('type: int', text)}:24" in before.stdout
    assert "[*] 1 fixable with --fix" in before.stdout
    run("--fix", str(tmp_path / "chart"))
    assert path.read_text(encoding="utf-8") == text.replace("type: int}", "type: integer}")


@pytest.mark.usefixtures("fake_helm")
def test_what_helm_makes_of_values_is_not_marked(tmp_path: Path) -> None:
    text = (
        HEAD
        + "        type: object\n        properties:\n          size:\n            type: {{ .Values.type }}\n"
    )
    path = chart(tmp_path / "chart", text)
    (tmp_path / "chart" / "values.yaml").write_text("type: int\n", encoding="utf-8")
    before = run(str(tmp_path / "chart"))
    assert "error[type-unsupported]: " in before.stdout
    assert "[*]" not in before.stdout
    run("--fix", "--unsafe-fixes", str(tmp_path / "chart"))
    assert path.read_text(encoding="utf-8") == text


# Templates with an error in the field `size`, what Helm makes of them, and whether the fix is one of the rendered text.
RENDERED = {
    "the same lines": ("# {{ .Values.a }}\n" + BAD, "# b\n" + BAD, True),
    "a comment in the line": (
        BAD.replace("int}", "int} {{/* a */}}"), BAD.replace("int}", "int} "), False,
    ),
    "another indentation": (BAD.replace("          size:", "            size:"), BAD, False),
    "a value": (BAD.replace("int}", "{{ .Values.a }}}"), BAD, False),
}  # fmt: skip


@pytest.mark.parametrize(("text", "made", "is_own"), RENDERED.values(), ids=RENDERED)
def test_a_template_is_read_without_helm_for_a_fix_of_what_helm_changes(
    text: str, made: str, is_own: bool
) -> None:
    asked = []

    def own_findings() -> list[Diagnostic]:
        asked.append(True)
        return []

    def lint(part: str, file: str) -> FileResult:
        return lint_file(part, file, CheckRequest(fixes=True))

    result = check_rendered(
        "a.yaml", text, [RenderedDocument(made, ("",))], lint, own_findings=own_findings
    )
    [fix] = [each.fix for each in result.diagnostics if each.rule == "type-unsupported"]
    assert bool(asked) is not is_own
    if is_own:
        assert fix is not None
        assert fix.apply(text) == text.replace("int}", "integer}")
    else:
        assert fix is None


def overlay(root: Path) -> tuple[Path, Path]:
    """Write a kustomization that takes a CRD from another directory and patches it; return the CRD and the overlay."""
    for name, text in {
        "base/kustomization.yaml": "resources: [crd.yaml]\n",
        "base/crd.yaml": BAD,
        "overlay/kustomization.yaml": "resources: [../base]\npatches:\n- path: patch.yaml\n",
        "overlay/patch.yaml": (
            "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: foos.example.com}\n"
            "spec: {scope: cluster}\n"
        ),
    }.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root / "base" / "crd.yaml", root / "overlay"


def build_of(text: str, program: Callable[[str, str], Path], folder: Path) -> None:
    (folder / "built.yaml").write_text(text.replace("Namespaced", "cluster"), encoding="utf-8")
    program("kustomize", f"print(open({str(folder / 'built.yaml')!r}).read(), end='')")


def test_the_file_of_a_kustomizations_resource_is_fixed(
    tmp_path: Path, program: Callable[[str, str], Path]
) -> None:
    crd, folder = overlay(tmp_path)
    build_of(BAD, program, tmp_path)
    before = run(str(folder))
    assert f"type `int`\n  --> {crd}:{line_of('type: int', BAD)}:24" in before.stdout
    assert f"--> {folder / 'kustomization.yaml'}:3:3" in before.stdout
    assert "[*] 1 fixable with --fix" in before.stdout
    diff = run("--diff", str(folder))
    assert diff.exit_code == 1
    assert "+          size: {type: integer}\n" in diff.stdout
    assert crd.read_text(encoding="utf-8") == BAD
    build_of(GOOD, program, tmp_path)
    patch = (folder / "patch.yaml").read_text(encoding="utf-8")
    done = run("--fix", "--unsafe-fixes", str(folder))
    assert crd.read_text(encoding="utf-8") == GOOD
    assert (folder / "patch.yaml").read_text(encoding="utf-8") == patch
    assert done.exit_code == 1  # of what the patch makes
    assert "error[scope-invalid]: " in done.stdout
    assert "type-unsupported" not in done.stdout


def test_kustomizations_that_are_not_read_have_no_further_files(tmp_path: Path) -> None:
    crd, folder = overlay(tmp_path)
    done = run("--fix", "--no-kustomize", str(folder))
    assert crd.read_text(encoding="utf-8") == BAD
    assert "fixed 0 findings in 0 files" in done.stderr
