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
    + "        type: object\n        properties: {spec: {type: object, properties: {token: {type: string}}}}\n"
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
        (["--select", "plain-secret"], ["plain-secret"]),
        (["--select", "*", "--select", "plain-secret"], ["plain-secret"]),
        (
            ["--select", "conventions"],
            ["plain-secret"],
        ),
        (["--select", "conventions", "--ignore", "plain-secret"], []),
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
        (
            "select: ['*', ours]\nsets: {ours: [plain-secret, 'names-*']}\n",
            [],
            ["names-defaulted", "plain-secret"],
        ),
        ("sets: {ours: [plain-secret]}\n", ["--select", "ours"], ["plain-secret"]),
        ("select: ['*', gitops]\nsets: {ours: [names-defaulted]}\nignore: [ours]\n", [], []),
        ("sets: {ours: [plain-secret]}\nseverity: {ours: warning}\n", [], ["plain-secret"]),
        (
            "select: [a]\nsets: {a: [b], b: [c, category-all, c], c: [plain-secret, gitops]}\n",
            [],
            ["names-defaulted", "plain-secret"],
        ),
        ("sets: {b: [plain-secret], a: [b], c: [b, a]}\n", ["--select", "c"], ["plain-secret"]),
        ("severity: {gitops: warning}\n", [], ["names-defaulted"]),
        ("select: ['*', plain-secret]\nmin-severity: warning\n", [], []),
        (
            "select: ['*', plain-secret]\nmin-severity: warning\n",
            ["--min-severity", "info"],
            ["plain-secret"],
        ),
        (
            "select: ['*', plain-secret]\nseverity: {plain-secret: error}\nmin-severity: error\n",
            [],
            ["plain-secret"],
        ),
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
        (
            "sets: {ours: [plain-secrt]}\n",
            "there is no rule 'plain-secrt'; did you mean 'plain-secret'?",
        ),
        ("sets: {a: [b], b: [a]}\n", ":1:8: the set 'a' contains itself through 'b'"),
        (
            "sets: {a: [b], b: [stability, c], c: [plain-secret, a]}\n",
            ":1:8: the set 'a' contains itself through 'b', 'c'",
        ),
        ("sets: {c: [a], a: [plain-secret, a]}\n", ":1:16: the set 'a' contains itself"),
        (
            "sets: {a: [our], ours: [plain-secret]}\n",
            "there is no rule 'our'; did you mean 'ours'?",
        ),
        (
            "sets: {ours: [plain-secret]}\nselect: [our]\n",
            "there is no rule 'our'; did you mean 'ours'?",
        ),
        (
            "sets: {plain-secret: [category-all]}\n",
            "'plain-secret' is the name of a rule or of one of crdlint's sets",
        ),
        (
            "sets: {gitops: [category-all]}\n",
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
        (
            "sets: {ours: [plain-secret]}\n",
            [],
            "--select: there is no rule 'our'; did you mean 'ours'?",
        ),
        (
            "sets: {our: [plain-secret]}\nmin-severity: warn\n",
            [],
            "--select: there is no rule 'our', and .crdlint.yaml:2:15 has an error: ",
        ),
        ("sets: {our: [plain-secret]}\n", ["--isolated"], "--select: there is no rule 'our'"),
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
        (["--select", "plain-secret"], 1),
        ([], 0),
        (["--select", "plain-secret"], 1),
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
    assert found["plain-secret"] == (False, ["conventions"], False)
    assert found["merge-key-override"] == (False, [], False)
    text = CliRunner().invoke(cli, ["explain", "gitops"]).stdout
    assert [line.split()[:3] for line in text.splitlines()[1:]] == [
        ["leftover-field", "info", "safe"],
        ["names-defaulted", "info", "safe"],
        ["not-stored", "info", "safe"],
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
