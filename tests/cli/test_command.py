"""The command as its users run it: exit status, streams, formats."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import pytest
from click.testing import CliRunner
from commands import crdlint
from crds import SMALLEST
from terminal import on_terminal

from crdlint.__about__ import __version__
from crdlint.cli.main import cli
from crdlint.diagnostics import Diagnostic

GOOD = SMALLEST
BAD = GOOD.replace("type: object", "type: object, properties: {size: {}}")
WARNED = GOOD.replace(
    "type: object", "type: object, properties: {at: {type: string, format: soon}}"
)
PLACE = "spec.validation.openAPIV3Schema.properties[size].type"
SENTENCE = f"{PLACE}: Required value: must not be empty for specified object fields"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "CRDLINT_DEBUG"):
        monkeypatch.delenv(name, raising=False)
    for name, text in {
        "good.yaml": GOOD,
        "bad.yaml": BAD,
        "warned.yaml": WARNED,
        "pod.yaml": "kind: Pod\n",
    }.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("junk.yaml").write_bytes(b"kind: CustomResourceDefinition\0")


STATUS: Final = [
    (["good.yaml"], 0),
    (["warned.yaml"], 0),
    (["bad.yaml"], 1),
    (["bad.yaml", "junk.yaml"], 2),
    (["bad.yaml", "gone.yaml"], 2),
    (["--kube-version", "1.27", "good.yaml"], 2),
    (["--kube-version", "v1.30", "good.yaml"], 0),
    (["--against", "nowhere", "good.yaml"], 2),
    (["--exclude", "*.yaml", "."], 0),
    (["--exclude", "*.yaml", "--require-crds", "."], 2),
    (["--exclude", "*.yaml", "pod.yaml"], 0),
    (["pod.yaml"], 2),
    (["--no-require-crds", "pod.yaml"], 0),
    (["pod.yaml", "good.yaml"], 0),
    (["pod*.yaml"], 0),
    (["-"], 2),
    (["--no-require-crds", "-"], 0),
    (["--include", "[", "."], 2),
    (["--exclude", "[[:nothing:]]", "."], 2),
    (["--include", "[z-a]", "."], 0),
    (["--stdin-filename", "good.yaml", "."], 2),
    (["--config", "nope.yaml", "."], 2),
]


def test_the_exit_status_says_what_came_of_it(subtests: pytest.Subtests) -> None:
    for arguments, status in STATUS:
        with subtests.test(" ".join(arguments)):
            done = crdlint("check", *arguments)
            assert done.returncode == status
            assert "Traceback" not in done.stderr


def test_an_unreadable_file_keeps_no_other_from_being_checked() -> None:
    done = crdlint("check", "--format", "server", "junk.yaml", "bad.yaml")
    assert done.stdout == SENTENCE + "\n"
    assert "junk.yaml: binary data: a NUL character at line 1" in done.stderr


def test_the_server_format_is_the_sentences_alone() -> None:
    assert crdlint("check", "--format", "server", "-", stdin=BAD).stdout == SENTENCE + "\n"
    assert (
        crdlint("check", "--format", "server", "warned.yaml").stdout
        == 'unrecognized format "soon"\n'
    )
    assert crdlint("check", "--format", "server", "good.yaml").stdout == ""


def test_json_has_every_field_of_a_diagnostic() -> None:
    report: dict[str, Any] = json.loads(
        crdlint("check", "--format", "json", "bad.yaml", "pod.yaml", "gone.yaml").stdout
    )
    assert report["version"] == 1
    assert [file["crds"] for file in report["files"]] == [[{"name": "foos.example.com", "line": 1}]]
    assert report["unreadable"] == [
        {
            "file": "gone.yaml",
            "reason": "No such file or directory",
            "line": None,
            "column": None,
        }
    ]
    (diagnostic,) = report["diagnostics"]
    names = {field.name for field in fields(Diagnostic)} - {"lacks", "cause", "errors"}
    assert set(diagnostic) == {*names, "url", "follows_from"}
    assert diagnostic["message"] == SENTENCE
    assert report["summary"]["files"] == 2
    assert report["summary"]["errors"] == 1


def test_text_on_a_terminal_is_as_wide_as_that() -> None:
    columns = 40
    done = on_terminal(
        [sys.executable, "-m", "crdlint", "check", "--color", "never", "bad.yaml"], columns
    )
    assert "bad.yaml:14:52" in done.stdout
    lines = done.stdout.splitlines()
    wrapped = [
        line for line in lines if not line.startswith(("error[", "bad.yaml  "))
    ]  # those are for clicking
    assert max(map(len, wrapped)) <= columns
    assert "checked 1 file, 1 CRD: 1 error, 0 warnings in " in " ".join(lines)


@pytest.mark.parametrize("columns", ["40", "80"])
def test_text_in_a_log_is_neither_coloured_nor_wrapped_nor_timed(columns: str) -> None:
    text = crdlint("check", "bad.yaml", COLUMNS=columns).stdout
    assert "\x1b" not in text
    assert f"\n  = server: {SENTENCE}\n" in text
    assert text.splitlines()[-2] == "checked 1 file, 1 CRD: 1 error, 0 warnings"
    assert crdlint("check", "bad.yaml").stdout == text


def test_the_caret_stands_under_the_characters() -> None:
    lines = crdlint("check", "bad.yaml", COLUMNS="80").stdout.splitlines()
    carets = next(i for i, line in enumerate(lines) if line.endswith("^"))
    start, end = lines[carets].index("^"), len(lines[carets])
    assert lines[carets - 1][start:end] == "size"


@pytest.mark.parametrize(
    ("arguments", "environment", "coloured"),
    [
        ((), {}, False),
        (("--color", "always"), {}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_for_terminals_and_those_who_ask(
    arguments: tuple[str, ...], environment: dict[str, str], coloured: bool
) -> None:
    assert ("\x1b[" in crdlint("check", *arguments, "bad.yaml", **environment).stdout) is coloured


def test_against_judges_as_an_update(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    established = "status:\n  conditions:\n  - {type: Established, status: 'True'}\n"
    (tmp_path / "old/foos.yaml").write_text(GOOD + established, encoding="utf-8")
    moved = tmp_path / "new.yaml"
    moved.write_text(GOOD.replace("Namespaced", "Cluster"), encoding="utf-8")
    assert crdlint("check", str(moved)).returncode == 0
    done = crdlint("check", "--against", "old", "--format", "server", str(moved))
    assert done.stdout == 'spec.scope: Invalid value: "Cluster": field is immutable\n'


def test_a_reader_that_goes_away_is_no_bug() -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "crdlint", "check", *["bad.yaml"]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert said == b""


def test_version_imports_nothing_heavy() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "crdlint", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("crdlint ")
    executed = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    # The package `ruamel` is a folder without code.
    assert not executed & {"ruamel.yaml", "rich", "_ruamel_yaml"}


def test_the_version_has_the_commit_and_the_kubernetes_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pattern = rf"crdlint {re.escape(__version__)} \({{}}\), Kubernetes 1\.\d+ to 1\.\d+\n"
    assert re.fullmatch(
        pattern.format("[0-9a-f]{12}"), crdlint("--version").stdout
    )  # of this checkout
    origin = tmp_path / "crdlint-0.1.0.dist-info" / "direct_url.json"
    origin.parent.mkdir()
    origin.write_text(json.dumps({"vcs_info": {"commit_id": "1" * 40}}), encoding="utf-8")
    monkeypatch.setattr("crdlint.cli.main.__file__", str(tmp_path / "crdlint" / "cli" / "main.py"))
    assert re.fullmatch(
        pattern.format("1{12}"), CliRunner().invoke(cli, ["-V"]).stdout
    )  # pip install git+URL
    monkeypatch.setattr("crdlint.cli.main.COMMIT", "2" * 40)
    assert re.fullmatch(
        pattern.format("2{12}"), CliRunner().invoke(cli, ["-V"]).stdout
    )  # of a release


def test_explain_and_rules_tell_of_every_rule() -> None:
    listed = json.loads(crdlint("rules", "--format", "json").stdout)
    assert crdlint("rules").stdout.count("\n") == len(listed)
    assert listed[0]["id"] in crdlint("explain", listed[0]["id"]).stdout
    assert json.loads(crdlint("explain", listed[0]["id"], "--format", "json").stdout) == listed[0]
    assert (
        "Rules that begin with it: list-map-keys-without-map, "
        in crdlint("explain", "list-map").stderr
    )
    # What the API server accepts is only changed for a rule that is selected.
    assert (
        "(`--fix --unsafe-fixes --select status-without-subresource`)"
        in crdlint("explain", "status-without-subresource").stdout
    )
    wrong = crdlint("explain", "structural-typ-required")
    assert wrong.returncode == 2
    assert "Did you mean 'structural-type-required'?" in wrong.stderr


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_for_the_shell(shell: str) -> None:
    assert "_CRDLINT_COMPLETE" in crdlint("completion", shell).stdout


# What is looked at


def test_without_a_path_the_working_directory_is_checked() -> None:
    Path("junk.yaml").unlink()
    assert crdlint("check").stdout == crdlint("check", ".").stdout
    assert crdlint("check").returncode == 1


def test_a_run_without_crds_says_what_it_looked_at() -> None:
    Path("none/gen").mkdir(parents=True)
    for name in ("a.yaml", "b.yaml", "gen/c.yaml", "left.yaml"):
        Path("none", name).write_text("kind: Pod\n", encoding="utf-8")
    Path("none/.gitignore").write_text("gen/\n", encoding="utf-8")
    done = crdlint("check", "none", "--exclude", "left.yaml")
    note = "no CustomResourceDefinition in none: 2 files checked, 1 path ignored by git, 1 path excluded"
    assert done.stderr == f"crdlint: note: {note}\n"
    assert done.returncode == 0
    assert crdlint("check", "-q", "none").stderr == ""
    required = crdlint("check", "none", "--require-crds")
    assert (
        required.stderr
        == "crdlint: no CustomResourceDefinition in none (--no-require-crds accepts that)\n"
    )
    assert required.returncode == 2


def test_templates_without_a_chart_are_read_without_helm() -> None:
    Path("lone/templates").mkdir(parents=True)
    text = "{{- if .Values.crds }}\n" + GOOD + "{{- end }}\n"
    Path("lone/templates/crd.yaml").write_text(text, encoding="utf-8")
    for _ in range(2):  # the second one is from the cache, if it is in it
        done = crdlint("check", "lone")
        assert (done.stderr, done.returncode) == ("", 0)
        assert "1 CRD: 0 errors, 0 warnings" in done.stdout
    Path("lone/Chart.yaml").write_text(
        "apiVersion: v2\nname: lone\nversion: 0.1.0\n", encoding="utf-8"
    )
    done = crdlint("check", "--no-helm", "lone")
    assert (done.stderr, "1 CRD" in done.stdout) == ("", True)


def test_a_missing_file_is_an_error_without_figures() -> None:
    done = crdlint("check", "gone.yaml")
    assert (done.stdout, done.stderr) == ("", "crdlint: gone.yaml: No such file or directory\n")


def test_a_broken_configuration_of_the_command_line_is_reported_once() -> None:
    done = crdlint("check", "--config", "nope.yaml", "good.yaml", "bad.yaml")
    assert done.stderr.count("nope.yaml") == 1
    assert done.stdout == ""


def test_standard_input_is_checked_as_the_file_that_it_is_the_text_of() -> None:
    Path("sub/gen").mkdir(parents=True)
    rules = "per-file-ignores: {/gen/: [format-unrecognized]}\nexclude: [/out/]\nseverity: {format-unrecognized: error}\n"
    Path("sub/.crdlint.yaml").write_text(rules, encoding="utf-8")
    plain = crdlint("check", "--format", "concise", "-", stdin=WARNED)
    assert plain.stdout.startswith("<stdin>:14:")
    assert plain.returncode == 0
    named = crdlint(
        "check", "--format", "concise", "-", "--stdin-filename", "sub/a.yaml", stdin=WARNED
    )
    assert named.stdout.startswith("sub/a.yaml:14:")
    assert named.returncode == 1
    ignored = crdlint(
        "check", "--format", "concise", "-", "--stdin-filename", "sub/gen/a.yaml", stdin=WARNED
    )
    assert (ignored.stdout, ignored.returncode) == ("", 0)
    for arguments in (
        ["--stdin-filename", "sub/out/a.yaml"],
        ["--stdin-filename", "sub/a.yaml", "--exclude", "sub/"],
    ):
        excluded = crdlint("check", "--format", "concise", "-", *arguments, stdin=BAD)
        assert (excluded.stdout, excluded.returncode) == ("", 0)
        assert "1 path excluded" in excluded.stderr


def test_standard_input_may_be_a_template_of_a_chart() -> None:
    Path("chart/templates").mkdir(parents=True)
    Path("chart/Chart.yaml").write_text(
        "apiVersion: v2\nname: a\nversion: 0.1.0\n", encoding="utf-8"
    )
    template = "{{- if .Values.crds }}\n" + BAD + "{{- end }}\n"
    done = crdlint(
        "check",
        "--format",
        "concise",
        "-",
        "--stdin-filename",
        "chart/templates/a.yaml",
        stdin=template,
    )
    assert "chart/templates/a.yaml:15:" in done.stdout
    assert done.returncode == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a directory in use cannot be deleted")
@pytest.mark.parametrize("arguments", ["check -", "cost .", "validate .", "test ."])
def test_a_deleted_working_directory_is_reported(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    done = crdlint(*arguments.split(), stdin=GOOD)
    assert "the working directory cannot be read: No such file or directory" in done.stderr
    assert done.returncode == 2


def test_a_process_substitution_is_read() -> None:
    command = f"exec {sys.executable} -m crdlint check --format concise <(cat bad.yaml)"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "[list" not in done.stdout
    assert "error[structural-type-required]: `size` has no `type`" in done.stdout
    assert done.returncode == 1
