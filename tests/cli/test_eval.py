"""`crdlint eval` on the command line."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner
from commands import crdlint
from terminal import on_terminal

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from click.testing import Result

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "eval"
CRD, SAMPLE, OLD = (str(FIXTURES / name) for name in ("crd.yaml", "sample.yaml", "old.yaml"))


def run(*args: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["eval", *args], catch_exceptions=False, input=stdin)


def on_spec(*args: str) -> Result:
    return run(*args, "--crd", CRD, "--field", "spec", "--object", SAMPLE)


def as_json(*args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(on_spec(*args, "--format", "json").stdout)
    return found


def test_type_costs_and_value() -> None:
    result = on_spec("self.replicas > size(self.zones)")
    assert result.exit_code == 0
    assert result.stdout == (
        "type    bool\n"
        "cost    6 at most; <0.01% of the 10,000,000 that a rule may cost\n"
        "spent   6\n"
        "value   false\n"
    )  # fmt: skip


def test_objects_that_are_not_used_are_noted(tmp_path: Path) -> None:
    twice = tmp_path / "twice.yaml"
    twice.write_text(f"{Path(SAMPLE).read_text()}---\n{Path(SAMPLE).read_text()}")
    for options, what in ((("--crd", CRD), "objects of"), ((), "documents")):
        result = run("self.spec.replicas", "--object", str(twice), *options)
        assert (result.exit_code, f"{twice}: 2 {what}" in result.stderr) == (0, True)
        assert "the first one is used" in result.stderr


def test_explain_in_a_pipe_is_indented() -> None:
    assert on_spec("self.replicas > size(self.zones)", "--explain").stdout.splitlines()[4:] == [
        "",
        "self.replicas > size(self.zones)  = false  (bool, cost 6)",
        "  self.replicas  = 1  (int, cost 2)",
        "  size(self.zones)  = 2  (int, cost 3)",
        '    self.zones  = ["a", "b"]  (list(string), cost 2)',
    ]


def test_explain_on_a_terminal_has_guides_and_fits() -> None:
    command = [
        sys.executable,
        "-m",
        "crdlint",
        "eval",
        "self.ports.all(p, p.port > 50)",
        "--explain",
        "--crd",
        CRD,
    ]
    done = on_terminal([*command, "--field", "spec", "--object", SAMPLE, "--color", "never"], 60)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert "├── self.ports  = [" in done.stdout
    assert max(map(len, lines)) <= 60


def test_json() -> None:
    found = as_json("self.zones.map(z, z + '!')", "--explain")
    assert (found["type"], found["value"], found["cost"], found["error"]) == (
        "list(string)",
        ["a!", "b!"],
        31,
        None,
    )
    assert found["estimate"]["cost"] >= found["cost"]
    assert found["field"] == "spec"
    bodies = [part for part in found["tree"]["parts"] if part["variables"]]
    assert [(part["variables"], part["value"]) for part in bodies] == [
        ({"z": "a"}, "a!"),
        ({"z": "b"}, "b!"),
    ]


def test_an_error_has_the_caret_and_help_of_check() -> None:
    result = on_spec("self.replica > 1")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert "  --> <expression>:1:6" in lines
    assert lines[lines.index("1 | self.replica > 1") + 1] == "  |      ^^^^^^^"
    assert "  = help: Write `replicas` instead" in lines


def test_an_evaluation_that_ends_in_an_error() -> None:
    result = on_spec("self.zones[7]")
    assert result.exit_code == 1
    assert "value   error: index out of bounds: 7" in result.stdout


def test_an_expression_over_the_budget_is_rejected() -> None:
    result = run("self.phase.contains(self.phase)", "--crd", CRD, "--field", "status")
    assert result.exit_code == 1
    assert "9,896 times the 10,000,000" in result.stdout


def test_no_budget_applies_without_a_crd() -> None:
    result = run("self.all(x, self.all(y, x == y))", "--type", "list(string)")
    assert result.exit_code == 0
    assert "without the limits of a CRD; 35 billion times the 10,000,000" in result.stdout


def test_a_list_multiplies_the_estimate() -> None:
    result = run("self.port > 1", "--crd", CRD, "--field", "spec.ports[0]", "--object", SAMPLE)
    assert "24 at most: 3 for each of 8 values" in result.stdout


def test_old_object() -> None:
    assert "value   false" in on_spec("self.class == oldSelf.class", "--old", OLD).stdout
    assert (
        "not evaluated: oldSelf has no value: name an object with --old"
        in on_spec("oldSelf.class == ''").stdout
    )


def test_defaults_are_applied() -> None:
    assert 'value   "gold"' in on_spec("self.class").stdout


def test_types_from_the_object_without_a_crd() -> None:
    assert (
        "value   true"
        in run("self.spec.replicas == 1 && self.kind == 'Cluster'", "--object", SAMPLE).stdout
    )


def test_any_value_on_standard_input() -> None:
    result = run("self.exists(x, x > 2)", "--object", "-", stdin="[1, 2, 3]")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "value   true")


@pytest.mark.parametrize(
    ("type_", "expression", "expected"),
    [
        ("int", "self + 1", "int"),
        ("list(string)", "self.map(x, size(x))", "list(int)"),
        ("map(string, double)", "self['a']", "double"),
        ("{name: string, ports?: list({port: int})}", "self.ports.map(p, p.port)", "list(int)"),
        ("duration", "self", "duration"),
    ],
)
def test_types_that_are_given(type_: str, expression: str, expected: str) -> None:
    result = run(expression, "--type", type_)
    assert (result.exit_code, result.stdout.splitlines()[0]) == (0, f"type    {expected}")


def test_no_input_at_all() -> None:
    result = run("1 + 2 == 3")
    assert (result.exit_code, result.stdout.splitlines()[-1]) == (0, "value   true")


def test_second_opinion() -> None:
    assert (
        "second  cel-python agrees: false"
        in on_spec("self.replicas > 3", "--second-opinion").stdout
    )
    assert as_json("self.replicas", "--second-opinion")["second_opinion"]["value"] == 1
    result = on_spec("self.zones.isSorted()", "--second-opinion")
    assert "second  none: cel-python does not have a function" in result.stdout


def test_an_older_server_lacks_functions() -> None:
    expression = ("self.zones.map(z, isSemver(z))", "--kube-version")
    assert on_spec(*expression, "1.36").exit_code == 0
    result = on_spec(*expression, "1.30")
    assert result.exit_code == 1
    assert "undeclared reference to 'isSemver'" in result.stdout


def test_rules_at_a_field() -> None:
    result = run("--rule", "spec", "--crd", CRD, "--object", SAMPLE)
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "spec, rule 1: false, cost 8"
    assert "    spec: Invalid value: each zone needs a replica" in lines
    assert "  why:  self.replicas >= size(self.zones) = false" in lines
    assert "          size(self.zones) = 2" in lines
    assert '  why:  p = {"name": "admin", "port": 8080}: p.name != \'admin\' = false' in lines
    assert lines[-1] == "0 accepted, 2 rejected, 1 not evaluated"


def test_rules_for_items_and_by_text() -> None:
    items = run("--rule", "spec.ports[*]", "--crd", CRD, "--object", SAMPLE).stdout
    assert [line for line in items.splitlines() if line.startswith("spec.ports[")] == [
        "spec.ports[0], rule 1: true, cost 6",
        "spec.ports[1], rule 1: false, cost 6",
        "spec.ports[2], rule 1: true, cost 3",
    ]
    assert run("--rule", "self.port > 1024", "--crd", CRD, "--object", SAMPLE).stdout == items


def test_transition_rules_need_an_old_object() -> None:
    result = run(
        "--rule", "oldSelf", "--crd", CRD, "--object", SAMPLE, "--old", OLD, "--format", "json"
    )
    (rule,) = json.loads(result.stdout)["rules"]
    assert (rule["accepted"], rule["message"]) == (
        False,
        "spec: Invalid value: class may not be changed",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["1", "--crd", "missing.yaml"], "missing.yaml: No such file or directory"),
        (["1", "--object", "missing.yaml"], "missing.yaml: No such file or directory"),
        (["1", "--crd", SAMPLE], "no CustomResourceDefinition in it"),
        (["1", "--crd", CRD, "--field", "spek"], "help: Write `spec` instead"),
        (
            ["1", "--crd", CRD, "--field", "spec.ports.name"],
            "help: Select an item first: `spec.ports[0].name`",
        ),
        (["1", "--crd", CRD, "--field", "spec..["], "is not the path of a field"),
        (
            ["1", "--crd", CRD, "--version", "v1alpha2"],
            "has no version 'v1alpha2': did you mean v1alpha1?",
        ),
        (["1", "--crd", CRD, "--kind", "Clutter"], "no CRD defines Clutter: did you mean Cluster?"),
        (["1", "--type", "strin"], "--type: 'strin' is not a type"),
        (["1", "--type", "list(int"], "--type: 'list(int' is not a type"),
        (["1", "--type", "int", "--crd", CRD], "--type is for expressions without --crd"),
        (["1", "--kube-version", "1.29..1.36"], "--kube-version: name one version to evaluate for"),
        (["--rule", "spec"], "--kind, --version and --rule need --crd"),
        (
            ["--rule", "nothing", "--crd", CRD, "--object", SAMPLE],
            "help: There are rules at spec, spec.ports[*]",
        ),
        (["self", "--field", "a"], "the type of `self` is not known"),
        (["1", "--crd", CRD, "--object", "-", "--old", "-"], "- can be read only once"),
    ],
)
def test_usage_and_unreadable_input(arguments: list[str], message: str) -> None:
    with pytest.raises(click.ClickException) as error:
        cli.main(["eval", *arguments], standalone_mode=False)
    assert message in error.value.format_message()


def test_unreadable_input_is_status_2() -> None:
    done = crdlint("eval", "1", "--object", "missing.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: missing.yaml: No such file or directory\n"


def test_other_kinds_and_other_versions(tmp_path: Path) -> None:
    pod = tmp_path / "pod.yaml"
    pod.write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n")
    done = run("true", "--crd", CRD, "--object", str(pod))
    assert done.exit_code != 0
    assert "no Cluster of example.com in it, only Pod (v1)" in done.output
    both = tmp_path / "both.yaml"
    both.write_text(f"{pod.read_text()}---\n{Path(SAMPLE).read_text()}")
    assert "value   1" in run("self.spec.replicas", "--crd", CRD, "--object", str(both)).stdout
    assert "type    int" in run("self.spec.size", "--crd", CRD, "--version", "v1alpha1").stdout


def test_unknown_fields_are_dropped_with_a_note(tmp_path: Path) -> None:
    sample = tmp_path / "sample.yaml"
    sample.write_text(Path(SAMPLE).read_text() + "  extra: 1\n")
    result = run("self.spec.replicas", "--crd", CRD, "--object", str(sample))
    assert (
        f"crdlint: note: {sample}: the API server drops the unknown field spec.extra"
        in result.stderr
    )
