"""Charts rendered by Helm, by a stand-in for it: where findings of what it makes stand in the templates."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import crd_with_schema
from tables import each

from crdlint.cli.main import cli
from crdlint.linting.pipeline import lint_file
from crdlint.linting.request import CheckRequest
from crdlint.safety.programs import ProgramError, run
from crdlint.sources.helm import render as helm
from crdlint.sources.helm.check import ChartFile, Charts
from crdlint.sources.helm.layout import ChartLayout, HelmValues

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path
    from typing import Any

    from crdlint.linting.result import FileResult

CRD = crd_with_schema("""\
type: object
properties:
  size:
    type: int
""")
TYPE = ("schema-type-unsupported", 18, 19)


def chart(folder: Path, templates: Mapping[str, str], **files: str) -> Path:
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text(
        "apiVersion: v2\nname: demo\nversion: 0.1.0\n", encoding="utf-8"
    )
    for name, text in templates.items():
        (folder / "templates" / name).write_text(text, encoding="utf-8")
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_yaml", ".yaml").replace("_", "-")
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def check(
    folder: Path, name: str = "crd.yaml", charts: Charts | None = None, *, keep: bool = False
) -> FileResult:
    path = str(folder / "templates" / name)
    text = (folder / "templates" / name).read_text(encoding="utf-8")
    place = ChartLayout().locate(path)
    assert place is not None
    return (charts or Charts()).check(
        ChartFile(path, text, place),
        lambda given, file: lint_file(given, file, CheckRequest(skip_unfinished=True, keep=keep)),
    )


def said(result: FileResult) -> list[tuple[str, int, int]]:
    return [(one.rule, one.line, one.column) for one in result.diagnostics]


def rule_of(text: str) -> str:
    [one] = lint_file(text, filename="c.yaml").diagnostics
    return one.rule


@pytest.mark.usefixtures("fake_helm")
def test_a_finding_stands_at_its_own_characters(tmp_path: Path) -> None:
    text = "{{- if .Values.install }}\n# first\n---\n" + CRD + "{{- end }}\n"
    result = check(chart(tmp_path / "c", {"crd.yaml": text}, values_yaml="install: true\n"))
    assert said(result) == [(rule_of(CRD), 3 + 18, 19)]
    assert text.splitlines()[20][18:] == "int"
    assert [(crd.name, crd.line) for crd in result.crds] == [("foos.example.com", 4)]


@pytest.mark.usefixtures("fake_helm")
def test_what_only_values_make_stands_at_the_directive(tmp_path: Path) -> None:
    text = CRD.replace("            type: int\n", "            {{ .Values.schema }}\n")
    result = check(chart(tmp_path / "c", {"crd.yaml": text}, values_yaml='schema: "type: int"\n'))
    [one] = result.diagnostics
    assert (one.line, one.column) == (18, 13)
    assert "of this line: type: int" in str(one.help)


@pytest.mark.usefixtures("fake_helm")
def test_a_null_stands_at_the_directive_without_a_value(tmp_path: Path) -> None:
    lines = "description: {{ .Values.text }}\n            type: {{ .Values.type }}\n"
    text = CRD.replace("type: int\n", lines)
    [one] = check(
        chart(tmp_path / "c", {"crd.yaml": text}, values_yaml='type: ""\ntext: "x"\n')
    ).diagnostics
    assert (one.line, one.column) == (19, 19)


@pytest.mark.usefixtures("fake_helm")
def test_what_a_value_fills_in_stands_at_its_directive(tmp_path: Path) -> None:
    text = CRD.replace("type: int\n", "type: {{ .Values.type }} # of {{ .Values.a }}\n")
    [one] = check(
        chart(tmp_path / "c", {"crd.yaml": text}, values_yaml="type: int\na: b\n")
    ).diagnostics
    assert (one.line, one.column, one.end_column) == (18, 19, 58)
    assert "in what Helm makes of this line: type: int # of b" in str(one.help)


@pytest.mark.usefixtures("fake_helm")
@pytest.mark.parametrize(
    "kind", ["", "kind: CustomResourceDefinitoin\n", "kind: {{ .Values.kind }}\n"]
)
def test_what_has_not_the_kind_of_a_crd_is_judged(kind: str, tmp_path: Path) -> None:
    text = CRD.replace("kind: CustomResourceDefinition\n", kind).replace(
        "Namespaced", "{{ .Values.scope }}"
    )
    folder = chart(tmp_path / "c", {"crd.yaml": text}, values_yaml='scope: Namespaced\nkind: ""\n')
    [one] = check(folder).diagnostics
    assert one.severity == "error"


@pytest.mark.usefixtures("fake_helm")
def test_a_value_that_makes_it_valid(tmp_path: Path) -> None:
    text = CRD.replace("type: int\n", "type: {{ .Values.type }}\n")
    folder = chart(tmp_path / "c", {"crd.yaml": text}, values_yaml="type: integer\n")
    assert said(check(folder)) == []
    assert said(check(folder, charts=Charts(None))) == []


def test_each_values_file_of_ci_is_tried_and_said_once(fake_helm: Path, tmp_path: Path) -> None:
    text = CRD.replace("type: int\n", "type: {{ .Values.type }}\n")
    folder = chart(
        tmp_path / "c",
        {"crd.yaml": text},
        values_yaml="type: integer\n",
        ci__good_values_yaml="type: string\n",
        ci__bad_values_yaml="type: int\n",
        ci__worse_values_yaml="type: int\n",
    )
    assert len(said(check(folder))) == 1
    assert fake_helm.read_text().count("ci/") == 3


def test_values_that_are_given(fake_helm: Path, tmp_path: Path) -> None:
    text = CRD.replace("type: int\n", "type: {{ .Values.type }}\n")
    folder = chart(tmp_path / "c", {"crd.yaml": text}, ci__good_values_yaml="type: string\n")
    (tmp_path / "mine.yaml").write_text("type: string\n", encoding="utf-8")
    result = check(folder, charts=Charts(HelmValues((str(tmp_path / "mine.yaml"),), ("type=int",))))
    assert len(said(result)) == 1
    assert "ci/" not in fake_helm.read_text()


def test_helm_is_told_the_newest_version_that_the_chart_supports(
    fake_helm: Path, tmp_path: Path
) -> None:
    folder = chart(tmp_path / "c", {"crd.yaml": "{{/* c */}}\n" + CRD})
    (folder / "Chart.yaml").write_text(
        'name: demo\nkubeVersion: ">=1.29.0-0 <1.33.0-0"\n', encoding="utf-8"
    )
    check(folder)
    assert "--kube-version=v1.32.0" in fake_helm.read_text()


@pytest.mark.usefixtures("fake_helm")
def test_what_the_values_leave_out_is_read_without_helm(tmp_path: Path) -> None:
    other = CRD.replace("foos", "bars").replace("Foo", "Bar")
    text = (
        "{{ if .Values.a }}\n"
        + CRD
        + "{{ end }}\n---\n{{ if .Values.b }}\n"
        + other
        + "{{ end }}\n"
    )
    result = check(chart(tmp_path / "c", {"crd.yaml": text}, values_yaml="a: true\n"))
    assert [line for _, line, _ in said(result)] == [19, 40]
    [notice] = result.notices
    assert notice.startswith(
        "not rendered with the values given, read without Helm: bars.example.com. "
    )


@pytest.mark.usefixtures("fake_helm")
def test_a_template_that_comes_to_nothing_is_read_without_helm(tmp_path: Path) -> None:
    files = {
        "a.yaml": "{{ if .Values.a }}\n" + CRD + "{{ end }}\n",
        "b.yaml": "{{/* b */}}\n" + CRD,
    }
    folder = chart(tmp_path / "c", files)
    result = check(folder, "a.yaml")
    assert len(said(result)) == 1
    [notice] = result.notices
    assert notice.startswith(
        "no CRD comes of this template with the values given: it was read without Helm. "
    )


def test_the_chart_is_rendered_once_for_all_its_templates(fake_helm: Path, tmp_path: Path) -> None:
    folder = chart(tmp_path / "c", {f"{name}.yaml": "{{/* c */}}\n" + CRD for name in "abc"})
    charts = Charts()
    for name in "abc":
        check(folder, f"{name}.yaml", charts)
    assert fake_helm.read_text().count("template") == 1


@pytest.mark.usefixtures("fake_helm")
def test_braces_that_helm_executes_are_told_of_though_it_renders(tmp_path: Path) -> None:
    text = CRD.replace("type: int\n", "type: integer\n            description: Use {{ .Value }}.\n")
    result = check(chart(tmp_path / "c", {"crd.yaml": text}))
    assert [one.rule for one in result.diagnostics] == ["helm-unescaped-braces"]


def test_a_chart_within_another_is_rendered_with_the_outer_ones_values(
    fake_helm: Path, tmp_path: Path
) -> None:
    outer = chart(tmp_path / "c", {}, values_yaml="inner: {type: int}\n")
    inner = chart(
        outer / "charts" / "inner",
        {"crd.yaml": CRD.replace("type: int\n", "type: {{ .Values.type }}\n")},
    )
    (inner / "Chart.yaml").write_text("name: inner\n", encoding="utf-8")
    assert [(line, column) for _, line, column in said(check(inner))] == [(18, 19)]
    assert f"template crdlint {outer} " in fake_helm.read_text()


FAILING = "import sys\nif sys.argv[1] == 'version': print('v3.11.1')\nelse: sys.exit({!r})\n"


def failures(
    reason: str, program: Callable[..., Any], folder: Path, values: HelmValues | None = None
) -> list[tuple[str, int, int, str]]:
    """Return the findings about a Helm that fails with a reason: file below the chart, line, column and severity."""
    program("helm", FAILING.format(f"Error: {reason}"))
    charts = Charts(values or HelmValues())
    for name in ("crd.yaml", "crd.yaml"):
        check(folder, name, charts)
    results = [failure.result() for failure in charts.take_failures()]
    return [
        (os.path.relpath(one.file, folder), one.line, one.column, one.severity)
        for result in results
        for one in result.diagnostics
    ]


REASONS = {
    "execution error at (demo/templates/x.yaml:2:6): a is needed": (
        "templates/x.yaml",
        2,
        7,
        "error",
    ),
    'template: demo/templates/x.yaml:2:6: executing "demo/templates/x.yaml" at <include "h" .>: error calling include: '
    'template: demo/templates/_h.tpl:1:9: executing "h" at <.Values.q.r>: nil pointer': (
        "templates/_h.tpl",
        1,
        8,
        "error",
    ),
    'demo/templates/x.yaml:2:6 executing "demo/templates/x.yaml" at <.a>: nil': (
        "templates/x.yaml",
        2,
        7,
        "error",
    ),
    'parse error at (demo/templates/x.yaml:2): function "foo" not defined': (
        "templates/x.yaml",
        2,
        3,
        "error",
    ),
    "YAML parse error on demo/templates/x.yaml: error converting YAML": (
        "templates/x.yaml",
        1,
        1,
        "error",
    ),
    "cannot load values.yaml: error converting YAML to JSON: yaml: line 2: did not": (
        "values.yaml",
        2,
        1,
        "error",
    ),
    "found in Chart.yaml, but missing in charts/ directory: x": ("Chart.yaml", 4, 1, "warning"),
    "chart requires kubeVersion: >=1.99 which is incompatible with Kubernetes v1.36.0": (
        "Chart.yaml",
        1,
        1,
        "warning",
    ),
    "execution error at (demo/templates/gone.yaml:2:6): no": ("Chart.yaml", 2, 1, "error"),
    "execution error at (demo/templates/x.yaml:99:6): library charts are not installable": (
        "templates/x.yaml",
        3,
        1,
        "error",
    ),
    "execution error at (demo/../outside.yaml:1:1): no": ("Chart.yaml", 2, 1, "error"),
    "no reason": ("Chart.yaml", 2, 1, "error"),
}


def test_what_helm_does_not_render_is_a_finding_where_helm_says_so(
    program: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "outside.yaml").write_text("secret: x\n", encoding="utf-8")
    files = {
        "crd.yaml": "{{/* c */}}\n" + CRD,
        "x.yaml": "a:\n  b: {{ x }}\n",
        "_h.tpl": "\u00e4\u00e4: {{ a }}\n",
    }
    folder = chart(tmp_path / "c", files, values_yaml="a: b\nc: d\n")
    (folder / "Chart.yaml").write_text(
        "apiVersion: v2\nname: demo\nversion: 0.1.0\ndependencies: []\n", encoding="utf-8"
    )
    found = {reason: failures(reason, program, folder) for reason in REASONS}
    assert found == {reason: [place] for reason, place in REASONS.items()}
    assert failures("missing in charts/", program, folder, HelmValues(sets=("a=b",))) == [
        ("Chart.yaml", 4, 1, "error")
    ]


@pytest.mark.parametrize(
    ("template", "severity"), [("a: {{ x }}\n", "info"), (f"{{{{/* c */}}}}\n{CRD}", "warning")]
)
def test_a_missing_dependency_of_a_chart_without_crds_in_templates_is_an_info(
    template: str, severity: str, program: Callable[..., Any], tmp_path: Path
) -> None:
    program("helm", FAILING.format("Error: missing in charts/ directory: x"))
    folder = chart(tmp_path / "c", {"x.yaml": template})
    findings = [
        finding
        for result in Charts(HelmValues()).results(str(folder))
        for finding in result.diagnostics
        if finding.rule == "helm-render"
    ]
    assert [finding.severity for finding in findings] == [severity]


# Why Helm does not render two charts, a part of their Chart.yaml, and the entries of the text.
ENTRIES = {
    "dependencies of both are missing": ("missing in charts/ directory: x", "dependencies: []", 1),
    "no version of Kubernetes is accepted": (
        "chart requires kubeVersion: >=9 which is incompatible with Kubernetes v1.37.0",
        "kubeVersion: '>=9'",
        2,
    ),
    "their templates fail": ("execution error at (demo/templates/x.yaml:2:1): no", "", 2),
}


@each(("reason", "line", "entries"), ENTRIES.values(), ids=ENTRIES)
def test_what_several_charts_lack_is_one_entry(
    reason: str,
    line: str,
    entries: int,
    program: Callable[..., Any],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    program("helm", FAILING.format(f"Error: {reason}"))
    folder = tmp_path_factory.mktemp("charts")
    for name in ("a", "b"):
        crd = CRD.replace("foos", f"{name}foos").replace("Foo", f"Foo{name}")
        template = "{{/* c */}}\n" + crd.replace("type: int\n", "type: integer\n")
        own = chart(folder / name, {"x.yaml": template})
        with (own / "Chart.yaml").open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    done = CliRunner().invoke(cli, ["check", "--no-cache", str(folder)])
    assert done.stdout.count("\n  --> ") == entries


def test_values_that_helm_does_not_render_end_the_run_with_status_2(
    program: Callable[..., Any], tmp_path: Path
) -> None:
    program("helm", FAILING.format("Error: execution error at (demo/templates/crd.yaml:1:3): no"))
    folder = chart(tmp_path / "c", {"crd.yaml": "{{/* c */}}\n" + CRD.replace("int", "integer")})
    for options, status in (([], 1), (["--set", "a=b"], 2)):
        for _ in range(2):  # the second one has it from the cache
            result = CliRunner().invoke(
                cli, ["check", str(folder), "-q", "--format", "concise", *options]
            )
            assert result.exit_code == status
            assert (
                "crd.yaml:1:4: error[helm-render]: Helm does not render the chart: execution"
                in result.stdout
            )
    compared = CliRunner().invoke(cli, ["diff", str(folder), str(folder)])
    assert "crd.yaml:1: note: Helm does not render the chart: execution" in compared.stderr


def test_a_comment_ignores_that_helm_does_not_render(
    program: Callable[..., Any], tmp_path: Path
) -> None:
    program("helm", FAILING.format("Error: execution error at (demo/templates/crd.yaml:2:3): no"))
    text = "# crdlint: ignore-file[helm-render] needs a value\n{{ fail }}\n" + CRD.replace(
        "int", "integer"
    )
    result = CliRunner().invoke(cli, ["check", str(chart(tmp_path / "c", {"crd.yaml": text}))])
    assert (
        result.exit_code,
        result.stdout.count("[helm-render]"),
        result.stdout.count("ignore-unused"),
    ) == (0, 0, 0)


@pytest.mark.usefixtures("fake_helm")
@pytest.mark.parametrize("charts", [Charts(), Charts(None)])
def test_all_crds_of_a_template_count(charts: Charts, tmp_path: Path) -> None:
    rule = "            type: string\n            x-kubernetes-validations:\n            - rule: self == 1\n"
    broken = (
        CRD.replace("            type: int\n", rule).replace("foos", "bars").replace("Foo", "Bar")
    )
    text = f"{{{{- if .Values.a }}}}\n{CRD.replace('type: int', 'type: integer')}---\n{broken}{{{{- end }}}}\n"
    result = check(
        chart(tmp_path / "c", {"crd.yaml": text}, values_yaml="a: true\n"), charts=charts, keep=True
    )
    assert result.documents == len(result.crds) == 2
    line = text[: text.index("self == 1")].count("\n") + 1
    assert [(one.rule, one.line) for one in result.unestimated] == [("cel-compilation", line)]


@pytest.mark.usefixtures("fake_helm")
def test_costs_of_a_template_that_has_a_rule_without_one(tmp_path: Path) -> None:
    rule = "            type: string\n            x-kubernetes-validations:\n            - rule: self == 1\n"
    bad = CRD.replace("            type: int\n", rule)
    other = bad.replace("foos", "bars").replace("Foo", "Bar").replace("self == 1", "self == 'a'")
    text = f"{{{{- if .Values.a }}}}\n{other}{{{{- else }}}}\n{bad}{{{{- end }}}}\n"
    for helm_values, status in (("a: true\n", 1), ("a: false\n", 1)):
        folder = chart(tmp_path / helm_values[3], {"crd.yaml": text}, values_yaml=helm_values)
        assert CliRunner().invoke(cli, ["cost", str(folder)]).exit_code == status


def test_values_files_that_helm_refuses_alike_are_told_of_once(
    program: Callable[..., Any], tmp_path: Path
) -> None:
    program("helm", FAILING.format("Error: no way"))
    files = {f"ci__{name}_values_yaml": "" for name in "abc"}
    folder = chart(tmp_path / "c", {"crd.yaml": "{{/* c */}}\n" + CRD}, **files)
    charts = Charts()
    check(folder, charts=charts)
    [failure] = charts.take_failures()
    assert failure.values == f" with {folder}/ci/a-values.yaml and 2 more"


LEFT_OUT = {
    "if .Values.crds.install": "The values leave it out: `--set crds.install=true` renders it",
    "if or .Values.a (not .Values.b)": "The values leave it out: `--set a=true` renders it",
    "if and .Values.a (not .Values.b)": "The values leave it out: `--set a=true --set b=false` renders it",
    'if eq .Values.a "b"': '`{{ if eq .Values.a "b" }}` in line 1 leaves it out: choose others with `--set` or `--values`',
}


def test_the_value_that_renders_a_crd_is_named(program: Callable[..., Any], tmp_path: Path) -> None:
    program("helm", "import sys\nif sys.argv[1] == 'version': print('v3.11.1')\n")
    unknown = CRD.replace("type: int\n", "type: {{ .Values.type }}\n")
    helps = {}
    for i, condition in enumerate(LEFT_OUT):
        [one] = check(
            chart(
                tmp_path / f"c{i}", {"crd.yaml": f"{{{{ {condition} }}}}\n{unknown}{{{{ end }}}}\n"}
            )
        ).diagnostics
        helps[condition] = one.help
    assert helps == LEFT_OUT
    outer = chart(tmp_path / "outer", {})
    with (outer / "Chart.yaml").open("a", encoding="utf-8") as file:
        file.write("dependencies:\n- {name: inner, condition: 'inner.enabled,x'}\n")
    text = "{{ if .Values.a }}\n" + unknown + "{{ end }}\n"
    inner = chart(outer / "charts" / "inner", {"crd.yaml": text, "plain.yaml": unknown})
    assert "--set inner.a=true" in str(check(inner).diagnostics[0].help)
    assert "--set inner.enabled=true" in str(check(inner, "plain.yaml").diagnostics[0].help)


@pytest.mark.usefixtures("fake_helm")
def test_a_crd_that_only_helm_can_read_and_the_values_leave_out_is_reported(tmp_path: Path) -> None:
    other = (
        CRD.replace("foos", "bars")
        .replace("Foo", "Bar")
        .replace("type: int\n", "type: {{ .Values.type }}\n")
    )
    text = CRD + "---\n{{ if .Values.b }}\n" + other + "{{ end }}\n"
    folder = chart(tmp_path / "c", {"crd.yaml": text})
    result = check(folder)
    assert [(rule, line) for rule, line, _ in said(result)] == [
        (rule_of(CRD), 18),
        ("helm-skipped", 38),
    ]


TROUBLE = {
    "is too old": (
        "print('Client: v2.16.1')\n",
        "helm v2.16.1 is too old, crdlint needs 3.11.1 or later",
    ),
    "looks up host names": (
        "print('v3.11.0+g4')\n",
        "helm v3.11.0 is too old, crdlint needs 3.11.1 or later",
    ),
    "has no version": (
        "import sys\nsys.exit('nonsense')\n",
        "helm does not print its version (nonsense)",
    ),
    "prints bytes": (
        "import sys\nsys.stdout.buffer.write(b'\\xff\\xfe')\n",
        "helm does not print its version",
    ),
}


@pytest.mark.parametrize(("source", "words"), TROUBLE.values(), ids=TROUBLE)
def test_a_helm_that_is_of_no_use(
    source: str, words: str, program: Callable[..., Any], tmp_path: Path
) -> None:
    program("helm", source)
    folder = chart(
        tmp_path / "c", {"a.yaml": "{{/* c */}}\n" + CRD, "b.yaml": "{{/* c */}}\n" + CRD}
    )
    charts = Charts()
    first, second = check(folder, "a.yaml", charts), check(folder, "b.yaml", charts)
    assert len(said(first)) == len(said(second)) == 1
    assert [words in one for one in first.notices] == [True], first.notices
    assert second.notices == ()
    assert "read without Helm" in first.notices[0]


def test_a_helm_that_replaces_another_is_asked_again(
    program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    majors = []
    for printed in ("v3.19.5", "v4.3.1+another"):
        program("helm", f"print('{printed}')\n")
        majors.append(helm.helm().major)
    monkeypatch.setenv("PATH", "")
    assert (majors, helm.helm().program) == ([3, 4], None)


@pytest.mark.usefixtures("program")
def test_without_helm_nothing_is_said_of_it(tmp_path: Path) -> None:
    result = check(chart(tmp_path / "c", {"crd.yaml": "{{/* c */}}\n" + CRD}))
    assert (len(said(result)), result.notices) == (1, ())


def test_a_program_that_does_not_end(
    program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crdlint.safety.programs.TIMEOUT", 0.3)
    script = program(
        "slow",
        "import signal, subprocess, sys\nsubprocess.Popen([sys.executable, '-c', 'input()'])\nsignal.pause()\n",
    )
    with pytest.raises(ProgramError, match=r"slow took more than 0\.3 s"):
        run([str(script)])


def test_a_program_that_cannot_be_run(tmp_path: Path) -> None:
    (tmp_path / "helm").write_text("no program")
    with pytest.raises(ProgramError, match="helm cannot be run"):
        run([str(tmp_path / "helm")])


@pytest.mark.usefixtures("fake_helm")
def test_the_command_renders_passes_values_on_and_can_do_without(tmp_path: Path) -> None:
    text = CRD.replace("type: int\n", "type: {{ .Values.type }}\n")
    folder = str(chart(tmp_path / "c", {"crd.yaml": text}, values_yaml="type: integer\n"))
    cli_run = CliRunner().invoke
    assert cli_run(cli, ["check", folder]).exit_code == 0
    refused = cli_run(cli, ["check", folder, "--set", "type=int", "--format", "concise"])
    assert refused.exit_code == 1
    assert "crd.yaml:18:19: error" in refused.stdout
    without = cli_run(cli, ["check", folder, "--no-helm"])
    assert (without.exit_code, "helm-skipped" in without.stdout) == (0, False)
    missing = cli_run(cli, ["check", folder, "--values", "none.yaml"])
    assert (missing.exit_code, "none.yaml: no such file" in missing.stderr) == (2, True)


@pytest.mark.parametrize("options", [[], ["--no-helm"]])
@pytest.mark.usefixtures("fake_helm")
def test_comments_of_a_template_count(options: list[str], tmp_path: Path) -> None:
    text = (
        "{{- if .Values.a }}\n"
        + CRD.replace("type: int\n", "type: string\n            format: x # {}\n")
        + "{{- end }}\n"
    )
    for number, (comment, said_) in enumerate(
        [("crdlint: ignore[format-unrecognized] y", 0), ("none", 1)]
    ):
        folder = chart(
            tmp_path / f"c{number}",
            {"crd.yaml": text.replace("{}", comment)},
            values_yaml="a: true\n",
        )
        result = CliRunner().invoke(cli, ["check", str(folder), *options])
        assert (result.exit_code, result.stdout.count("warning[")) == (0, said_), result.stdout


@pytest.mark.skipif(shutil.which("helm") is None, reason="helm is not on the path")
def test_the_real_helm(tmp_path: Path) -> None:
    text = (
        "{{- if .Values.install }}\n"
        + CRD.replace("type: int\n", "type: {{ .Values.type }}\n")
        + "{{- end }}\n"
    )
    folder = chart(tmp_path / "c", {"crd.yaml": text}, values_yaml="install: true\ntype: int\n")
    [one] = check(folder).diagnostics
    assert (one.line, one.column) == (19, 19)
    assert "in what Helm makes of this line: type: int" in str(one.help)


@pytest.mark.parametrize("options", [[], ["--no-helm"]])
@pytest.mark.usefixtures("fake_helm")
def test_a_crd_in_a_file_of_named_templates_is_not_checked_in_silence(
    options: list[str], tmp_path: Path
) -> None:
    named = f'{{{{- define "crd" }}}}\n{CRD}{{{{- end }}}}\n'
    folder = chart(tmp_path / "c", {"_crd.tpl": named, "_other.tpl": "a", "crd.yaml": "# crd\n"})
    result = CliRunner().invoke(cli, ["check", "--format", "concise", *options, str(folder)])
    assert "_crd.tpl:1:1: warning[helm-skipped]" in result.stdout
    assert "_other.tpl" not in result.output
