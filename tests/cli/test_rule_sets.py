"""Rules that are only reported on request, alone and as sets, and the lowest severity to report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import HEAD

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path

CRD = (
    HEAD
    + "        type: object\n        properties: {spec: {type: object, properties: {a: {type: boolean}}}}\n"
)
INFO = HEAD + "        type: object\n        properties: {spec: {type: object}}\n"
TWO = CRD.replace(
    "  versions:\n",
    "  versions:\n"
    "  - {name: v0, served: true, storage: false, schema: {openAPIV3Schema: {type: object, properties: {spec: {type: string}}}}}\n",
)


def rules(folder: Path, *arguments: str) -> list[str]:
    result = CliRunner().invoke(
        cli, ["check", "--format", "json", "--no-cache", *arguments, str(folder)]
    )
    assert result.exit_code in {0, 1}, result.output
    return [one["rule"] for one in json.loads(result.stdout)["diagnostics"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "crd.yaml").write_text(CRD)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], []),
        (["--select", "*"], []),
        (["--select", "bool"], ["bool"]),
        (["--select", "*", "--select", "bool"], ["bool"]),
        (
            ["--select", "conventions"],
            ["bool", "description-missing", "description-missing", "description-missing"],
        ),
        (["--select", "conventions", "--ignore", "description-missing"], ["bool"]),
        (["--select", "ssa"], []),
        (["--select", "gitops"], ["names-defaulted"]),
    ],
)
def test_rules_and_sets_are_requested_by_name(
    folder: Path, arguments: list[str], expected: list[str]
) -> None:
    assert sorted(rules(folder, *arguments)) == expected


@pytest.mark.parametrize(
    ("configuration", "arguments", "expected"),
    [
        ("select: ['*', ours]\nsets: {ours: [bool, 'names-*']}\n", [], ["bool", "names-defaulted"]),
        ("sets: {ours: [bool]}\n", ["--select", "ours"], ["bool"]),
        ("select: ['*', gitops]\nsets: {ours: [names-defaulted]}\nignore: [ours]\n", [], []),
        ("sets: {ours: [bool]}\nseverity: {ours: warning}\n", [], ["bool"]),
        (
            "select: [a]\nsets: {a: [b], b: [c, nullable, c], c: [bool, gitops]}\n",
            [],
            ["bool", "names-defaulted"],
        ),
        ("sets: {b: [bool], a: [b], c: [b, a]}\n", ["--select", "c"], ["bool"]),
        ("severity: {gitops: warning}\n", [], ["names-defaulted"]),
        ("select: ['*', bool]\nmin-severity: warning\n", [], []),
        ("select: ['*', bool]\nmin-severity: warning\n", ["--min-severity", "info"], ["bool"]),
        ("select: ['*', bool]\nseverity: {bool: error}\nmin-severity: error\n", [], ["bool"]),
        (
            "select: ['*', gitops]\nper-file-ignores: {crd.yaml: [ours]}\nsets: {ours: [gitops]}\n",
            [],
            [],
        ),
    ],
)
def test_sets_of_a_configuration(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    configuration: str,
    arguments: list[str],
    expected: list[str],
) -> None:
    (folder / ".crdlint.yaml").write_text(configuration)
    monkeypatch.chdir(folder)
    assert sorted(rules(folder, *arguments)) == expected


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ("sets: {ours: [boool]}\n", "there is no rule 'boool'; did you mean 'bool'?"),
        ("sets: {a: [b], b: [a]}\n", ":1:8: the set 'a' contains itself through 'b'"),
        (
            "sets: {a: [b], b: [limits, c], c: [bool, a]}\n",
            ":1:8: the set 'a' contains itself through 'b', 'c'",
        ),
        ("sets: {c: [a], a: [bool, a]}\n", ":1:16: the set 'a' contains itself"),
        ("sets: {a: [our], ours: [bool]}\n", "there is no rule 'our'; did you mean 'ours'?"),
        ("sets: {ours: [bool]}\nselect: [our]\n", "there is no rule 'our'; did you mean 'ours'?"),
        ("sets: {bool: [nullable]}\n", "'bool' is the name of a rule or of one of crdlint's sets"),
        (
            "sets: {gitops: [nullable]}\n",
            "'gitops' is the name of a rule or of one of crdlint's sets",
        ),
        ("select: [convention]\n", "there is no rule 'convention'; did you mean 'conventions'?"),
        (
            "min-severity: warn\n",
            "'min-severity' is error, warning or info, not 'warn'; did you mean 'warning'?",
        ),
    ],
)
def test_mistakes_in_sets(folder: Path, configuration: str, message: str) -> None:
    (folder / ".crdlint.yaml").write_text(configuration)
    result = CliRunner().invoke(cli, ["check", str(folder)])
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.parametrize(
    ("configuration", "options", "message"),
    [
        ("sets: {ours: [bool]}\n", [], "--select: there is no rule 'our'; did you mean 'ours'?"),
        (
            "sets: {our: [bool]}\nmin-severity: warn\n",
            [],
            "--select: there is no rule 'our', and .crdlint.yaml:2:15 has an error: ",
        ),
        ("sets: {our: [bool]}\n", ["--isolated"], "--select: there is no rule 'our'"),
    ],
)
def test_an_unknown_set_of_the_command_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    configuration: str,
    options: list[str],
    message: str,
) -> None:
    (folder / ".crdlint.yaml").write_text(configuration)
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(cli, ["check", "--select", "our", ".", *options])
    assert result.exit_code == 2
    assert message in result.stderr


def test_the_cache_keeps_results_of_each_request(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
    for arguments, expected in (
        ([], 0),
        (["--select", "bool"], 1),
        ([], 0),
        (["--select", "bool"], 1),
    ):
        result = CliRunner().invoke(cli, ["check", "--format", "json", *arguments, str(folder)])
        assert len(json.loads(result.stdout)["diagnostics"]) == expected


def test_the_last_line_counts_what_is_below_the_minimum(tmp_path: Path) -> None:
    (tmp_path / "crd.yaml").write_text(INFO)
    result = CliRunner().invoke(
        cli, ["check", "--no-cache", "--min-severity", "warning", str(tmp_path)]
    )
    assert (
        result.stdout
        == "checked 1 file, 1 CRD: 0 errors, 0 warnings (1 below the minimum severity)\n"
    )
    result = CliRunner().invoke(cli, ["check", "--no-cache", str(tmp_path)])
    assert "0 errors, 0 warnings, 1 info (--min-severity info shows it)\n" in result.stdout


def test_versions_are_compared_where_no_build_can_add_a_webhook(tmp_path: Path) -> None:
    bases = tmp_path / "config" / "crd" / "bases"
    bases.mkdir(parents=True)
    (bases / "crd.yaml").write_text(TWO)
    requested = ("--select", "type-differs-between-versions", "--no-kustomize")
    assert rules(bases, *requested) == ["type-differs-between-versions"]
    (bases.parent / "kustomization.yaml").write_text("resources: [bases/crd.yaml]\n")
    assert rules(bases, *requested) == []


def test_the_list_of_rules_has_sets_defaults_and_fixes() -> None:
    listed = json.loads(CliRunner().invoke(cli, ["rules", "--format", "json"]).stdout)
    found = {one["id"]: (one["default"], one["sets"], bool(one["fixes"])) for one in listed}
    assert found["not-stored"] == (True, ["gitops"], True)
    assert found["bool"] == (False, ["conventions"], False)
    assert found["merge-key-override"] == (False, [], False)
    text = CliRunner().invoke(cli, ["rules", "--set", "gitops"]).stdout
    assert [line.split()[:3] for line in text.splitlines()] == [
        ["leftover-field", "info", "safe"],
        ["not-stored", "info", "safe"],
        ["names-defaulted", "info", "safe"],
    ]


def test_the_help_names_the_marker_of_controller_gen(tmp_path: Path) -> None:
    annotated = INFO.replace(
        "metadata:\n",
        "metadata:\n  annotations: {controller-gen.kubebuilder.io/version: v0.21.0}\n",
    )
    (tmp_path / "crd.yaml").write_text(annotated)
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--format", "json", str(tmp_path)])
    [one] = json.loads(result.stdout)["diagnostics"]
    assert one["help"].endswith(
        "With controller-gen v0.21.0: write `+kubebuilder:pruning:PreserveUnknownFields`"
    )
