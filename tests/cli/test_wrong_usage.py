"""Mistakes on the command line: each is answered with what is meant, and changes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import click
import pytest
from commands import crdlint
from crds import SMALLEST
from tables import each

from crdlint.cli.fields import PathName
from crdlint.cli.main import cli

WITH_BOOLEANS = SMALLEST.replace(
    "{type: object}", "{type: object, properties: {a: {type: string, enum: [on]}}}"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "")
    (tmp_path / "a.yaml").write_text(WITH_BOOLEANS)


# The command line, and a part of the answer.
ANSWERED: Final = [
    ("lint", "No such command 'lint'. Did you mean 'crdlint check'?"),
    ("version", "Did you mean 'crdlint --version'?"),
    ("fmt", "Did you mean 'crdlint check --fix'?"),
    ("breaking", "Did you mean 'crdlint diff'?"),
    ("a.yaml", "Did you mean 'crdlint check a.yaml'?"),
    ("gone.yaml", "Did you mean 'crdlint check gone.yaml'?"),
    ("./", "Did you mean 'crdlint check ./'?"),
    ("CHECK", "Did you mean 'check'?"),
    ("-", "No such command '-'."),
    ("check --select a,b", "--select: there is no rule 'a'"),
    ("check --select yaml-boolean,yaml-booleen", "did you mean 'yaml-boolean'?"),
    ("check --select all", "did you mean '*'?"),
    ("check --sender helm-3,helm-5", "'helm-5' is not one of"),
    ("check --selct x", "--select"),
    ("check --format jsn", "'jsn' is not one of"),
    ("check --output x.json", "'x.json' is not FORMAT=FILE"),
    ("check --output jsn=x", "there is no format 'jsn' for files: did you mean json?"),
    ("check --output jsn=-", "there is no format 'jsn' for files: did you mean json?"),
    ("check --format sarif --output json=-", "standard output has one format, which is sarif"),
    ("check --output json=- --output sarif=-", "standard output has one format, which is json"),
    ("check --output html=no/such/x.html", "no such folder"),
    ("check --fix --diff", "--diff cannot be used with --fix"),
    ("check --unsafe-fixes", "--unsafe-fixes requires --fix or --diff"),
    ("check --show fixes", "--show fixes requires --fix or --diff"),
    ("validate --crd a.yaml --show files a.yaml", "'files' is not 'fixes'"),
    ("check --update-baseline", "--update-baseline requires --baseline FILE"),
    ("check --baseline gone.json", "--update-baseline makes it"),
    ("check --config gone.yaml", "gone.yaml:1:1: cannot be read"),
    ("check --config a.yaml --isolated", "--config cannot be used with --isolated"),
    ("check --kube-version 1.3", "'1.3' is not within"),
    ("check --jobs 0", "0 is not in the range x>=1"),
    ("check --stdin-filename x.yaml", "--stdin-filename requires - as PATH"),
    ("check --no-helm --set a=1", "--set cannot be used with --no-helm"),
    ("check --no-helm --values a.yaml --namespace b", "--values and --namespace cannot be used"),
    ("check --values gone.yaml", "--values: gone.yaml: no such file"),
    ("check https://example.com/crd.yaml", "curl -sSfL https://example.com/crd.yaml | crdlint check -"),
    ("check gone.yaml", "gone.yaml: No such file or directory"),
    ("check gone*.yaml", "no file matches"),
    ("explain nope-nope", "`crdlint rules` lists them."),
    ("explain yaml-booleen", "Did you mean 'yaml-boolean'?"),
    ("explain stabilit", "Rules that begin with it"),
    ("init no/such", "no/such: no such folder"),
    ("completion tcsh", "'tcsh' is not one of"),
    ("completion", "Choose one of bash, zsh, fish."),
    ("chek a.yaml", "Did you mean 'check'?"),
    ("format a.yaml", "Did you mean 'crdlint check --fix'?"),
    ("check --fix=all a.yaml", "does not take a value"),
    ("check --kube-version latest", "'latest' is not a Kubernetes version such as"),
    ("check --kube-version >=2", "no version within 1.28..1.37 satisfies '>=2'"),
    ("check --kube-version 1.37..1.30", "ends before it begins"),
    ("check --select cel_*", "did you mean 'cel-*'?"),
    ("check --exit-zero", "Did you mean '--fail-on never'?"),
    ("check --strict", "Did you mean '--fail-on warning'?"),
    ("check -o json", "Did you mean '--format'?"),
    ("check -r .", "Did you mean 'PATH'?"),
    ("check --kubernetes-version 1.30", "Did you mean '--kube-version'?"),
    ("check --fail-on errors", "did you mean 'error'?"),
    ("check --min-severity warn", "did you mean 'warning'?"),
    ("check --sender argocd", "did you mean 'argo-cd'?"),
    ("check --format yml", "'yml' is not one of"),
    ("check --jobs many", "'many' is not a valid integer"),
    ("check --against nope", "--against: no file or folder named 'nope'"),
    ("check --add-ignore --fix", "--add-ignore cannot be used with --fix"),
    ("check --watch -", "--watch cannot be used with standard input"),
    ("check --watch --fix", "--watch cannot be used with --fix"),
    ("diff", "Missing argument 'OLD'."),
    ("diff a.yaml gone.yaml", "no file or folder named 'gone.yaml'"),
    ("cost --top 0", "0 is not in the range x>=1"),
    ("cost --explain zzz", "no rule has 'zzz'"),
    ("eval --rule spec", "--kind, --version and --rule need --crd"),
    ("eval x --type lst(int)", "'lst(int)' is not a type"),
    ("test a.yaml", "`crdName` is missing"),
    ("test gone/", "gone/: No such file or directory"),
    ("explain", "Missing argument 'RULE_OR_SET'."),
    ("rules --format xml", "'xml' is not one of 'text', 'json'"),
    ("help check extra", "unexpected extra argument (extra)"),
    ("clean now", "unexpected extra argument (now)"),
    ("lsp --port 3", "No such option '--port'."),
    ("--helpall", "'--help-all'"),
    ("check - --require-crds", "no CustomResourceDefinition in <stdin>"),
    ("validate --crd gone a.yaml", "gone: No such file or directory"),
    ("validate --old gone.yaml a.yaml", "gone.yaml: No such file or directory"),
    ("help chek", "Did you mean 'check'?"),
    ("eval --explain", "Missing argument 'EXPRESSION'"),
    ("eval --kube-version 1.29..1.30 1", "name one version to evaluate for"),
    ("validate", "no custom resource"),
    ("test a.yaml", "`crdName` is missing"),
    ("cost --explain nothing a.yaml", "--explain: no rule has 'nothing'"),
    ("diff gone", "gone"),
]  # fmt: skip


def test_mistakes_are_answered(subtests: pytest.Subtests) -> None:
    for line, answer in ANSWERED:
        with subtests.test(line):
            done = crdlint(*line.split())
            said = " ".join(done.stderr.split())
            assert answer in said
            if not line.startswith("validate"):
                assert done.returncode == 2
            assert "Traceback" not in said
    assert Path("a.yaml").read_text() == WITH_BOOLEANS
    assert [path.name for path in Path().iterdir()] == ["a.yaml"]


def path_options() -> list[tuple[str, str]]:
    """Return the options of all commands that name a file, a folder or a revision, with their commands."""
    context = click.Context(cli)
    commands = [cli.get_command(context, name) for name in cli.list_commands(context)]
    return [
        (str(command.name), option.opts[-1])
        for command in commands
        if command is not None
        for option in command.params
        if isinstance(option.type, PathName)
    ]


@pytest.mark.parametrize(("command", "option"), path_options())
def test_the_empty_value_of_an_unset_variable_names_no_file(command: str, option: str) -> None:
    done = crdlint(command, option, "", "a.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "an empty text names no file or folder" in done.stderr


def test_values_without_helm_are_noted() -> None:
    done = crdlint("check", "--set", "a=1", "--release-name", "b", ".")
    start = "note: helm is not on the PATH: --set"
    assert f"{start} and --release-name have no effect on what only Helm" in done.stderr
    assert (
        f"{start} has no effect on what only Helm renders"
        in crdlint("cost", "--set", "a=1", ".").stderr
    )
    assert crdlint("check", ".").stderr == ""


@each(
    "arguments",
    [
        ["--select", "yaml-boolean,cel-*"],
        ["--select=yaml-*, cel-*,"],
        ["--select", "yaml-boolean", "--select", "cel-*,ssa"],
    ],
)
def test_names_of_rules_are_lists_with_commas(arguments: list[str]) -> None:
    findings = json.loads(crdlint("check", "--format", "json", *arguments).stdout)["diagnostics"]
    assert {finding["rule"] for finding in findings} == {"yaml-boolean"}


def test_other_lists_with_commas() -> None:
    assert "yaml-boolean" not in crdlint("check", "--ignore", "cel-*,yaml-boolean").stdout
    assert crdlint("check", "--sender", "helm-3,helm-4").returncode == 0
    assert "names-defaulted" in crdlint("check", "--extend-select", "ssa,names-defaulted").stdout


@pytest.mark.parametrize("command", ["check a.yaml", "cost a.yaml", "diff a.yaml a.yaml"])
@pytest.mark.parametrize("name", ["x" * 300, "/".join(["x" * 200] * 30), "a.yaml/x", "."])
def test_a_report_with_a_name_that_no_file_has_is_wrong_usage(command: str, name: str) -> None:
    done = crdlint(*command.split(), "--output", f"json={name}")
    assert (done.returncode, name[:90] in done.stderr) == (2, True)


@pytest.mark.parametrize(
    "arguments",
    [
        "check --output json=a.yaml a.yaml",
        "check --output json=./a.yaml a.yaml",
        "check --output json=link.yaml a.yaml",
        "validate --output json=a.yaml --crd a.yaml b.yaml",
        "cost --output json=a.yaml a.yaml",
        "diff --output json=a.yaml b.yaml a.yaml",
        "test --output json=a.yaml a.yaml",
        "test --output junit=a.yaml --crd a.yaml b.yaml",
        "check --config a.yaml --output json=a.yaml b.yaml",
        "check --baseline a.yaml --output json=a.yaml b.yaml",
    ],
)
def test_no_report_is_written_over_an_input(arguments: str) -> None:
    Path("b.yaml").write_text(WITH_BOOLEANS)
    Path("link.yaml").symlink_to("a.yaml")
    done = crdlint(*arguments.split())
    assert (done.returncode, "which is an input" in done.stderr) == (2, True)
    assert Path("a.yaml").read_text() == WITH_BOOLEANS


def test_a_report_on_standard_output_by_output() -> None:
    for format_ in ("json", "sarif", "concise"):
        by_output = crdlint("check", "--output", f"{format_}=-").stdout
        seconds = crdlint("check", "--format", format_).stdout
        assert without_seconds(by_output) == without_seconds(seconds)
        assert without_seconds(
            crdlint("check", "--format", format_, "--output", f"{format_}=-").stdout
        ) == without_seconds(seconds)
    assert json.loads(crdlint("cost", "--output", "json=-").stdout)["rules"] == []
    assert not Path("-").exists()


def without_seconds(text: str) -> str:
    return text.partition('"summary"')[0]


def test_the_environment_sets_options(subtests: pytest.Subtests) -> None:
    for variables, part in (
        ({"CRDLINT_CHECK_FORMAT": "json"}, '"version": 1'),
        ({"CRDLINT_FORMAT": "json"}, '"version": 1'),
        ({"CRDLINT_FORMAT": "sarif", "CRDLINT_CHECK_FORMAT": "json"}, '"version": 1'),
        ({"CRDLINT_FAIL_ON": "warning"}, "yaml-boolean"),
        ({"CRDLINT_EXTEND_SELECT": "names-defaulted,ssa"}, "names-defaulted"),
        ({"CRDLINT_EXTEND_SELECT": "names-defaulted ssa"}, "names-defaulted"),
        ({"CRDLINT_QUIET": "0"}, "checked 1 file"),
        ({"CRDLINT_NO_CACHE": ""}, "checked 1 file"),
    ):  # fmt: skip
        with subtests.test(str(variables)):
            assert part in crdlint("check", **variables).stdout
    assert crdlint("check", CRDLINT_FAIL_ON="warning").returncode == 1
    assert crdlint("check", "--fail-on", "never", CRDLINT_FAIL_ON="warning").returncode == 0
    assert "checked" not in crdlint("check", CRDLINT_QUIET="1").stdout
    assert crdlint("cost", CRDLINT_CHECK_FORMAT="json").stdout == "no rules\n"


@each(
    "variable, value",
    [
        ("CRDLINT_FORMAT", "jsn"),
        ("CRDLINT_CHECK_KUBE_VERSION", "1.20"),
        ("CRDLINT_QUIET", "perhaps"),
        ("CRDLINT_JOBS", "x"),
        ("CRDLINT_SENDER", "helm-5"),
        ("CRDLINT_EXCLUDE", "[[:x:]]"),
    ],
)
def test_a_wrong_variable_is_named(variable: str, value: str) -> None:
    done = crdlint("check", **{variable: value})
    assert done.returncode == 2
    assert f"(from {variable})" in " ".join(done.stderr.split())
    option = "--" + variable.removeprefix("CRDLINT_").removeprefix("CHECK_").lower().replace(
        "_", "-"
    )
    assert "(from" not in crdlint("check", option, value).stderr


def test_each_help_that_is_longer_is_there() -> None:
    for command in ("", "check", "cost", "lsp", "help", "init", "clean", "explain"):
        done = crdlint(*command.split(), "--help-all")
        assert (done.returncode, done.stdout[:5]) == (0, "Usage")


def test_a_set_is_explained() -> None:
    shown = crdlint("explain", "ssa").stdout
    assert shown.startswith("ssa: a set of ")
    assert "\nselector-not-atomic " in shown
    rules = json.loads(crdlint("explain", "ssa", "--format", "json").stdout)
    assert {rule["sets"][0] for rule in rules} == {"ssa"}


def test_changed_files_fail_a_diff_only() -> None:
    assert crdlint("check", "--diff").returncode == 1
    assert crdlint("check", "--fix").returncode == 0
    assert Path("a.yaml").read_text() != WITH_BOOLEANS
    assert crdlint("check", "--diff").returncode == 0
