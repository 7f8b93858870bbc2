"""What crdlint reports about charts that were installed and upgraded with Helm 3 and Helm 4, with Helm and without it."""

from __future__ import annotations

import json
import os
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tables import each
from upstream.charts import (
    CHECKED,
    CONFIG_MAP,
    DEPENDENCY,
    GROUP,
    HOOK,
    KEEP,
    UPGRADED,
    crd,
    gated,
    instance,
    write,
)

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from click.testing import Result


@pytest.fixture(params=["without Helm", "Helm 3", "Helm 4"])
def helm_on_path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a version of Helm on the path, or none; CRDLINT_HELM_3 and CRDLINT_HELM_4 are folders with a program named helm."""
    folder = ""
    if request.param != "without Helm":
        name = f"CRDLINT_HELM_{request.param[-1]}"
        folder = os.environ.get(name, "")
        if not folder or not Path(folder, "helm").is_file():
            pytest.skip(f"{request.param} is not installed: {name} names no folder with it")
    monkeypatch.setenv("PATH", folder)


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
def test_charts(
    files: dict[str, str], expected: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write(tmp_path_factory.mktemp("chart"), files)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(folder)])
    assert found(result, folder) == sorted(expected)


@pytest.mark.usefixtures("program")
@each("files, expected", [row for row in CHECKED.values() if ".helmignore" not in row[0]])
def test_packed_charts(
    files: dict[str, str], expected: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("packed")
    write(folder / "machine", files)
    packed = folder / "machine-0.1.0.tgz"
    with tarfile.open(packed, "w:gz") as archive:
        archive.add(folder / "machine", "machine")
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(packed)])
    assert [
        line.replace(f"{packed.name}:machine/", "") for line in found(result, folder)
    ] == sorted(expected)


def test_a_linked_folder_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "chart", {})
    write(tmp_path / "shared", {"a.yaml": crd(fields=WRONG)})
    (folder / "crds").symlink_to(Path("..") / "shared", target_is_directory=True)
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", "chart"])
    assert found(result, Path("chart")) == ["error type-unsupported crds/a.yaml"]
    assert "skipped" not in result.stderr


def test_charts_with_different_copies_of_a_crd(tmp_path: Path) -> None:
    other = crd(fields="size: {type: integer}")
    for name, text in (("a", crd()), ("b", other), ("c", f"# a copy\n{crd()}")):
        metadata = f"apiVersion: v2\nname: {name}\nversion: 0.1.0\n"
        write(tmp_path / name, {"Chart.yaml": metadata, "crds/a.yaml": text})
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(tmp_path)])
    assert found(result, tmp_path) == ["warning helm-crd-copies b/crds/a.yaml"]
    write(
        tmp_path / "b",
        {"Chart.yaml": "apiVersion: v2\nname: a\nversion: 0.2.0\n", "crds/a.yaml": other},
    )
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(tmp_path)])
    assert found(result, tmp_path) == []


@pytest.mark.usefixtures("helm_on_path")
@each("old, new, expected", UPGRADED.values(), ids=UPGRADED)
def test_upgrades(
    old: dict[str, str],
    new: dict[str, str],
    expected: list[str],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("charts")
    before, after = write(folder / "old", old), write(folder / "new", new)
    result = CliRunner().invoke(
        cli, ["check", "--no-cache", "--format", "json", "--against", str(before), str(after)]
    )
    changes = [line for line in found(result, after) if " change-" in line]
    assert changes == sorted(expected)


@pytest.fixture
def real_helm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a real Helm on the path."""
    folder = os.environ.get("CRDLINT_HELM_4") or os.environ.get("CRDLINT_HELM_3") or ""
    if not folder or not Path(folder, "helm").is_file():
        pytest.skip(
            "Helm is not installed: neither CRDLINT_HELM_3 nor CRDLINT_HELM_4 names a folder with it"
        )
    monkeypatch.setenv("PATH", folder)


WRONG = "teeth: {type: int}"
INCLUDED = '{{- define "machine.crd" }}\n' + crd(KEEP, fields=WRONG) + "{{- end }}\n"
LIBRARY = "apiVersion: v2\nname: parts\nversion: 0.1.0\ntype: library\n"
BY_VALUES = crd(KEEP, fields="").replace(
    "            properties: {}\n", "{{ toYaml .Values.schema | indent 12 }}\n"
)
SCHEMA = "schema:\n  properties:\n    teeth: {type: int}\n"
RENDERED: dict[str, tuple[dict[str, str], list[str]]] = {
    "a named template": (
        {"templates/_crd.tpl": INCLUDED, "templates/a.yaml": '# first\n{{ include "machine.crd" . }}\n'},
        ["templates/a.yaml:2:1"]),
    "a file": (
        {"files/crd.tpl": crd(KEEP, fields=WRONG), "templates/a.yaml": '{{ tpl (.Files.Get "files/crd.tpl") . }}\n'},
        ["templates/a.yaml:1:1"]),
    "a library chart": (
        {"charts/parts/Chart.yaml": LIBRARY, "charts/parts/templates/_crd.yaml": INCLUDED,
         "templates/a.yaml": '{{ include "machine.crd" . }}\n'},
        ["templates/a.yaml:1:1"]),
    "a value": ({"values.yaml": SCHEMA, "templates/a.yaml": BY_VALUES}, ["templates/a.yaml:20:1"]),
    "an alias of a chart": (
        {"Chart.yaml": DEPENDENCY.replace("condition: parts.enabled", "alias: big"),
         "values.yaml": "big: {type: int}\n",
         "charts/parts-0.1/Chart.yaml": "apiVersion: v2\nname: parts\nversion: 0.1.0\n",
         "charts/parts-0.1/templates/a.yaml": crd(KEEP, fields="teeth: {type: '{{ .Values.type }}'}")},
        ["charts/parts-0.1/templates/a.yaml:20:41"]),
    "the schema of the values": (
        {"values.yaml": "count: x\n", "values.schema.json": '{"properties": {"count": {"type": "integer"}}}',
         "crds/a.yaml": crd()},
        ["values.yaml:1:1"]),
    "another template": ({"crds/a.yaml": crd(), "templates/b.yaml": "a: {{ .Values.b.c }}\n"}, ["templates/b.yaml:1:14"]),
}  # fmt: skip


@pytest.mark.usefixtures("real_helm")
@each("files, expected", RENDERED.values(), ids=RENDERED)
def test_what_helm_renders(
    files: dict[str, str], expected: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write(tmp_path_factory.mktemp("chart"), files)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(folder)])
    findings = json.loads(result.stdout)["diagnostics"]
    assert [
        f"{Path(one['file']).relative_to(folder).as_posix()}:{one['line']}:{one['column']}"
        for one in findings
    ] == expected


GATE = 'semverCompare ">=1.31.0-0" .Capabilities.KubeVersion.Version'
RULE = "                x-kubernetes-validations: [{rule: isIP(self)}]\n"
ADDRESS = "            properties:\n              address:\n                type: string\n                maxLength: 60\n"
GATED = crd(KEEP, fields="").replace("            properties: {}\n", ADDRESS + gated(GATE, RULE))
OLD_TOO: dict[str, str] = {
    "Chart.yaml": "apiVersion: v2\nname: machine\nversion: 0.1.0\nkubeVersion: '>=1.28.0-0'\n"
}


@each("condition, named", [
    (GATE, ""),
    ('include "new" .', '{{- define "new" }}{{ if ' + GATE + " }}yes{{ end }}{{- end }}\n"),
    ('eq (include "newer" .) "yes"', '{{- define "newer" }}{{ include "new" . }}{{ end }}{{- define "new" }}{{ '
     "ternary \"yes\" \"\" (" + GATE + ") }}{{ end }}\n"),
], ids=["directly", "by a named template", "by one that includes another one"])  # fmt: skip
@pytest.mark.usefixtures("helm_on_path")
def test_a_crd_of_newer_versions_only(
    condition: str, named: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = crd(KEEP, fields="").replace("            properties: {}\n", ADDRESS + RULE)
    files = {**OLD_TOO, "templates/_new.tpl": named, "templates/a.yaml": gated(condition, text)}
    folder = write(tmp_path_factory.mktemp("chart"), files)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(folder)])
    assert found(result, folder) == []


NEWER = crd(KEEP, fields="").replace("            properties: {}\n", ADDRESS + RULE)


@each("condition, version, expected", [
    (GATE, "1.29", []),
    (GATE, "1.31", []),
    (GATE.replace(">=1.31", "<1.31"), "1.29", ["error cel-compilation templates/a.yaml"]),
    (GATE.replace(">=1.31", "<1.31"), "1.37", []),
    ("ge (atoi .Capabilities.KubeVersion.Minor) 31", "1.29", []),
    ("lt (int .Capabilities.KubeVersion.Minor) 31", "1.29", ["error cel-compilation templates/a.yaml"]),
    (f"and .Values.crds ({GATE})", "1.29", []),
    ('include "new" .', "1.29", []),
    ("true", "1.29", ["error cel-compilation templates/a.yaml"]),
])  # fmt: skip
@pytest.mark.usefixtures("helm_on_path")
def test_a_crd_of_other_versions_than_the_one_that_is_checked(
    condition: str, version: str, expected: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    named = '{{- define "new" }}{{ if ' + GATE + " }}yes{{ end }}{{- end }}\n"
    files = {**OLD_TOO, "values.yaml": "crds: true\n", "templates/_new.tpl": named}
    folder = write(
        tmp_path_factory.mktemp("chart"), {**files, "templates/a.yaml": gated(condition, NEWER)}
    )
    arguments = ["check", "--no-cache", "--kube-version", version, "--format", "json", str(folder)]
    assert found(CliRunner().invoke(cli, arguments), folder) == expected


@pytest.mark.usefixtures("helm_on_path")
def test_a_text_is_checked_for_the_versions_that_it_is_rendered_for(tmp_path: Path) -> None:
    folder = write(tmp_path, {**OLD_TOO, "templates/a.yaml": GATED})
    assert (
        found(
            CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(folder)]),
            folder,
        )
        == []
    )
    write(tmp_path, {**OLD_TOO, "templates/a.yaml": GATED.replace(GATE, "true")})
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(folder)])
    assert found(result, folder) == ["error kube-version-too-old templates/a.yaml"]


@pytest.mark.usefixtures("real_helm")
def test_objects_in_templates_are_validated(tmp_path: Path) -> None:
    text = gated(".Values.enabled", instance(spec="{teeth: {{ .Values.teeth }}}"))
    folder = write(
        tmp_path,
        {
            "values.yaml": "teeth: many\nenabled: true\n",
            "crds/a.yaml": crd(),
            "templates/b.yaml": text,
        },
    )
    result = CliRunner().invoke(cli, ["validate", "--format", "json", str(folder)])
    [finding] = json.loads(result.stdout)["diagnostics"]
    assert (finding["rule"], finding["line"], finding["column"]) == ("resource-value", 6, 15)
    result = CliRunner().invoke(
        cli, ["validate", "--set", "teeth=3", "--format", "json", str(folder)]
    )
    assert (result.exit_code, json.loads(result.stdout)["diagnostics"]) == (0, [])
    write(
        tmp_path,
        {
            "templates/a.yaml": crd(KEEP),
            "templates/b.yaml": instance(),
            "templates/c.yaml": CONFIG_MAP,
        },
    )
    (folder / "crds" / "a.yaml").unlink()
    result = CliRunner().invoke(cli, ["validate", "--format", "json", str(folder)])
    assert found(result, folder) == ["error helm-no-matches templates/b.yaml"]


@pytest.mark.usefixtures("real_helm")
def test_options_of_charts(tmp_path: Path) -> None:
    asks = f'.Capabilities.APIVersions.Has "other.{GROUP}/v1"'
    text = gated(asks, crd(KEEP, fields="teeth: {type: {{ .Values.type }}}"))
    folder = write(tmp_path, {"values.yaml": "type: integer\n", "templates/a.yaml": text})
    (tmp_path / "type.txt").write_text("int", encoding="utf-8")
    arguments = [
        "check",
        "--no-cache",
        "--format",
        "json",
        "--api-versions",
        f"other.{GROUP}/v1",
        str(folder),
    ]
    assert found(CliRunner().invoke(cli, arguments), folder) == []
    for options in (
        ("--set-string", "type=int"),
        ("--set-json", 'type="int"'),
        ("--set-file", f"type={tmp_path / 'type.txt'}"),
    ):
        assert found(CliRunner().invoke(cli, [*arguments, *options]), folder) == [
            "error type-unsupported templates/a.yaml"
        ]


@pytest.mark.usefixtures("helm_on_path")
def test_findings_of_a_conditional_template_can_be_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = gated(".Values.enabled", crd(KEEP, fields=WRONG))
    folder = write(tmp_path, {"values.yaml": "enabled: true\n", "templates/a.yaml": text})
    monkeypatch.chdir(folder)
    arguments = ["check", "--no-cache", "--format", "json", "."]
    assert found(CliRunner().invoke(cli, arguments), folder) == [
        "error type-unsupported templates/a.yaml"
    ]
    entry = f"ignore:\n- {{rules: [type-unsupported], crd: gears.{GROUP}, path: .spec.teeth, reason: for the test}}\n"
    (folder / ".crdlint.yaml").write_text(entry, encoding="utf-8")
    assert found(CliRunner().invoke(cli, arguments), folder) == []


# Templates whose values are known without Helm, and the findings, which are the same with Helm.
KNOWN_VALUES: dict[str, tuple[dict[str, str], list[str]]] = {
    "a whole value": (
        {"values.yaml": "kind: int\n", "templates/a.yaml": crd(KEEP, fields="teeth: {type: {{ .Values.kind }}}")},
        ["error type-unsupported templates/a.yaml"]),
    "a value in quotes": (
        {"values.yaml": "of: {teeth: int}\n", "templates/a.yaml": crd(KEEP, fields='teeth: {type: "{{ .Values.of.teeth }}"}')},
        ["error type-unsupported templates/a.yaml"]),
    "a valid value": (
        {"values.yaml": "most: 30\n", "templates/a.yaml": crd(KEEP, fields="teeth: {type: integer, maximum: {{ .Values.most }}}")},
        []),
    "a boolean": (
        {"values.yaml": "served: true\n", "templates/a.yaml": crd(KEEP).replace("served: true", "served: {{ $.Values.served }}")},
        []),
    "a value of a chart within": (
        {"values.yaml": "parts: {kind: int}\n", "charts/parts/values.yaml": "kind: integer\n",
         "charts/parts/templates/a.yaml": crd(KEEP, fields="teeth: {type: {{ .Values.kind }}}")},
        ["error type-unsupported charts/parts/templates/a.yaml"]),
    "an object": (
        {"values.yaml": "teeth: many\nenabled: true\n", "crds/a.yaml": crd(),
         "templates/b.yaml": gated(".Values.enabled", instance(spec="{teeth: {{ .Values.teeth }}}"))},
        ["error resource-value templates/b.yaml"]),
    "an object that the values turn off": (
        {"values.yaml": "teeth: many\nenabled: false\n", "crds/a.yaml": crd(),
         "templates/b.yaml": gated(".Values.enabled", instance(spec="{teeth: {{ .Values.teeth }}}"))}, []),
}  # fmt: skip


@pytest.mark.usefixtures("helm_on_path")
@each("files, expected", KNOWN_VALUES.values(), ids=KNOWN_VALUES)
def test_known_values(
    files: dict[str, str], expected: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = write(tmp_path_factory.mktemp("chart"), files)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(folder)])
    assert found(result, folder) == expected


def test_values_of_ci_are_not_known_without_helm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    files = {
        "values.yaml": "kind: int\n",
        "ci/a-values.yaml": "kind: integer\n",
        "templates/a.yaml": crd(KEEP, fields="teeth: {type: {{ .Values.kind }}}"),
    }
    folder = write(tmp_path, files)
    arguments = ["check", "--no-cache", "--format", "json", str(folder)]
    assert found(CliRunner().invoke(cli, arguments), folder) == [
        "warning helm-skipped templates/a.yaml"
    ]
    result = CliRunner().invoke(cli, [*arguments, "--values", str(folder / "values.yaml")])
    assert found(result, folder) == ["error type-unsupported templates/a.yaml"]


@pytest.mark.usefixtures("helm_on_path")
def test_all_commands_read_packed_charts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {
        "values.yaml": "most: 3\n",
        "templates/a.yaml": crd(KEEP, fields="teeth: {type: integer, maximum: {{ .Values.most }}}"),
        "templates/b.yaml": instance(HOOK.format("test"), spec="{teeth: 4}"),
    }
    write(tmp_path / "machine", files)
    with tarfile.open(tmp_path / "machine.tgz", "w:gz") as archive:
        archive.add(tmp_path / "machine", "machine")
    (tmp_path / "object.yaml").write_text(instance(spec="{teeth: 4}"))
    suite = SUITE.format(name=f"gears.{GROUP}", group=GROUP)
    (tmp_path / "gears.testsuite.yaml").write_text(suite)
    monkeypatch.chdir(tmp_path)
    for arguments, status, part in [
        (["validate", "--format", "concise", "CHART"], 1, "`teeth` is `4`, and its maximum is 3"),
        (["validate", "--set", "most=4", "CHART"], 0, "0 errors"),
        (["validate", "--set", "most=4", "CHART", "object.yaml"], 0, "2 resources"),
        (["eval", "--crd", "CHART", "--object", "object.yaml", "self.spec.teeth + 1"], 0, "5"),
        (["test", "--crd", "CHART", "gears.testsuite.yaml"], 0, "1 passed"),
        (["test", "--set", "most=4", "--crd", "CHART", "gears.testsuite.yaml"], 1, "1 failed"),
        (["cost", "CHART"], 0, ""),
    ]:
        for chart in ("machine", "machine.tgz"):
            command = [chart if each == "CHART" else each for each in arguments]
            result = CliRunner().invoke(cli, command)
            assert (result.exit_code, part in result.output) == (status, True), result.output


SUITE = """\
apiVersion: apiextensions.k8s.io/v1
name: gears
crdName: {name}
tests:
  onCreate:
  - name: too many
    initial: |
      apiVersion: {group}/v1
      kind: Gear
      spec: {{teeth: 4}}
    expectedError: spec.teeth in body should be less than or equal to 3
"""


def test_a_damaged_packed_chart_is_a_problem_of_all_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "machine", {"crds/a.yaml": crd()})
    with tarfile.open(tmp_path / "machine.tgz", "w:gz") as archive:
        archive.add(tmp_path / "machine", "machine")
    packed = tmp_path / "machine.tgz"
    packed.write_bytes(packed.read_bytes()[:-40])
    (tmp_path / "gears.testsuite.yaml").write_text(SUITE.format(name="a.b", group=GROUP))
    monkeypatch.chdir(tmp_path)
    for arguments, status in (
        (["validate", "machine.tgz"], 2),
        (["eval", "--crd", "machine.tgz", "self"], 1),
        (["test", "--crd", "machine.tgz", "gears.testsuite.yaml"], 2),
    ):
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == status, arguments
        assert "machine.tgz: cannot be unpacked" in result.output


TOO_SMALL = "teeth: {type: integer, minimum: 5, maximum: 3}"
IGNORED: dict[str, str] = {
    "a condition around it": gated(".Values.crds", crd(KEEP, fields=TOO_SMALL)),
    "a comment of the template before it": "{{- /* of crds */ -}}\n" + gated(".Values.crds", crd(KEEP, fields=TOO_SMALL)),
    "the other branch": "{{- if .Values.crds }}\n" + crd(KEEP) + "{{- else }}\n"
    + crd(KEEP, plural="cogs", kind="Cog", fields=TOO_SMALL) + "{{- end }}\n",
    "a value in its line": gated(
        ".Values.crds", crd(KEEP, fields="teeth: {type: integer, minimum: 5, maximum: {{ .Values.most }}}")),
    "windows": gated(".Values.crds", crd(KEEP, fields=TOO_SMALL)).replace("\n", "\r\n"),
}  # fmt: skip


@pytest.mark.usefixtures("helm_on_path")
@each("text", IGNORED.values(), ids=IGNORED)
def test_comments_that_ignore_findings_of_templates(
    text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    files = {"values.yaml": "crds: true\nmost: 3\n"}
    folder = write(tmp_path_factory.mktemp("chart"), files)
    (folder / "templates").mkdir()
    template = folder / "templates" / "a.yaml"
    template.write_text(text, newline="")
    check = ["check", "--no-cache", "--format", "json", str(folder)]
    expected = ["warning never-valid templates/a.yaml"]
    assert found(CliRunner().invoke(cli, check), folder) == expected
    baseline = folder / "baseline.json"
    known = ["check", "--no-cache", "--baseline", str(baseline), str(folder)]
    CliRunner().invoke(cli, [*known, "--update-baseline"])
    result = CliRunner().invoke(cli, [*known, "--format", "json"])
    assert found(result, folder) == []
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--add-ignore", str(folder)])
    assert "ignored 1 finding in 1 file" in result.stderr
    assert found(CliRunner().invoke(cli, check), folder) == []
    assert len(template.read_text().splitlines()) - len(text.splitlines()) in {0, 1}


def test_no_comment_is_written_where_helm_writes_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    wrong = 'metadata:\n  extra: 1\n  labels: {{- include "labels" . | nindent 4 }}\n'
    text = crd(KEEP).replace("metadata:\n", wrong)
    folder = write(tmp_path, {"templates/a.yaml": text})
    template = folder / "templates" / "a.yaml"
    CliRunner().invoke(cli, ["check", "--no-cache", "--add-ignore", str(folder)])
    lines = template.read_text().splitlines()
    assert all("{{" not in line for line in lines if "# crdlint: ignore" in line)
