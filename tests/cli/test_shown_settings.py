"""What a run would do: its files, its settings with their origins, and what it ignores."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import SMALLEST

from crdlint.cli.main import cli
from crdlint.safety.programs import run

if TYPE_CHECKING:
    from pathlib import Path

WITH_BOOLEANS = SMALLEST.replace(
    "{type: object}", "{type: object, properties: {a: {type: string, enum: [on, off]}}}"
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(WITH_BOOLEANS)
    (tmp_path / "pod.yaml").write_text("kind: Pod\n")
    (tmp_path / ".crdlint.yaml").write_text("fail-on: warning\nignore: [cel-*]\n")


def check(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["check", *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_files_that_may_have_crds_are_listed() -> None:
    assert check("--show=files") == (0, "a.yaml\n", "")
    assert check("--show=files", "gone.yaml")[::2] == (
        2,
        "crdlint: gone.yaml: No such file or directory\n",
    )


def test_settings_have_origins() -> None:
    status, shown, _ = check(
        "--show=settings",
        "--select",
        "yaml-*",
        "--extend-select",
        "ssa",
        "--ignore",
        "too-large-to-apply",
    )
    assert status == 0
    title, *lines = shown.splitlines()
    assert title == "# the settings of a.yaml"
    settings = dict(line.split(" = ", 1) for line in lines)
    assert settings["select"] == '["yaml-*", "ssa"]  # command line'
    assert (
        settings["ignore"] == '["cel-*", "too-large-to-apply"]  # .crdlint.yaml:2 and command line'
    )
    assert settings["fail-on"] == '"warning"  # .crdlint.yaml:1'
    assert settings["min-severity"] == '"info"  # default'
    assert '"error"  # default' in check("--show=settings", "--isolated")[1]


def test_files_with_other_settings_are_named(tmp_path: Path) -> None:
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        for name in ("b.yaml", "c.yaml"):
            (tmp_path / folder / name).write_text(WITH_BOOLEANS)
    (tmp_path / "y/.crdlint.yaml").write_text("fail-on: never\n")
    assert check("--show=settings")[1].splitlines()[:2] == [
        "# the settings of a.yaml",
        "# 2 files have the settings in y/.crdlint.yaml",
    ]
    assert check("--show=settings", "y")[1].startswith("# the settings of y/b.yaml\nselect = ")
    assert "y/.crdlint.yaml" not in check("--show=settings", "--isolated")[1]


def test_findings_are_counted_in_each_format() -> None:
    assert "     2  yaml-boolean\n" in check("--statistics")[1]
    for format_ in ("concise", "json", "sarif", "github", "junit"):
        _, shown, notes = check("--statistics", "--format", format_)
        assert "     2  yaml-boolean\n" in notes
        assert "     2  yaml-boolean\n" not in shown


def test_no_configuration_and_more_rules() -> None:
    assert check("a.yaml")[0] == 1
    assert check("--isolated", "a.yaml")[0] == 0
    assert check("--isolated", "--config", ".crdlint.yaml", "a.yaml")[0] == 2
    assert "names-defaulted" not in check("a.yaml")[1]
    extended = check("--extend-select", "names-defaulted", "a.yaml")[1]
    assert "names-defaulted" in extended
    assert "yaml-boolean" in extended


def test_a_mistake_in_a_configuration_ends_the_run(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.yaml").write_text(WITH_BOOLEANS)
    (tmp_path / "sub/.crdlint.yaml").write_text("select: [nope]\n")
    message = "crdlint: sub/.crdlint.yaml:1:10: there is no rule 'nope'\n"
    assert check() == (2, "", message)
    assert check("--show=settings") == (2, "", message)
    for format_, place in (
        (
            "json",
            '"file": "sub/.crdlint.yaml", "reason": "there is no rule \'nope\'", "line": 1, "column": 10',
        ),
        ("sarif", '"region": {"startLine": 1, "startColumn": 10}'),
        ("github", "::error file=sub/.crdlint.yaml,line=1,col=10::"),
        ("azure", "sourcepath=sub/.crdlint.yaml;linenumber=1;columnnumber=10;"),
        ("gitlab", '"path": "sub/.crdlint.yaml", "lines": {"begin": 1,'),
        ("rdjson", '"path": "sub/.crdlint.yaml", "range": {"start": {"line": 1, "column": 10}'),
        ("checkstyle", '<file name="sub/.crdlint.yaml">\n    <error line="1" column="10"'),
        ("junit", 'message="sub/.crdlint.yaml:1:10: there is no rule'),
        ("concise", "sub/.crdlint.yaml:1:10: error[unreadable]: there is no rule 'nope'\n"),
        ("markdown", "sub/.crdlint.yaml:1:10</code> could not be read"),
        ("html", "sub/.crdlint.yaml:1:10 could not be read"),
    ):
        status, shown, notes = check("--format", format_)
        assert (status, place in shown) == (2, True), shown
        assert "sub/.crdlint.yaml:1:10: there is no rule 'nope'\n" in notes


def test_skipped_files_and_programs_are_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / ".crdlint.yaml").write_text("exclude: [c.yaml]\n")
    for name in ("b.yaml", "c.yaml", "d ##[x]\x1b.yaml"):
        (tmp_path / name).write_text(WITH_BOOLEANS)
    _, _, lines = check("-v", "--exclude", "b.yaml", "--exclude", "d*", ".")
    assert sorted(lines.splitlines()) == [
        "crdlint: .crdlint.yaml: skipped: no CustomResourceDefinition in it",
        "crdlint: b.yaml: skipped: it matches --exclude",
        "crdlint: c.yaml: skipped: .crdlint.yaml excludes it",
        "crdlint: d #\\x23[x]\\x1b.yaml: skipped: it matches --exclude",
        "crdlint: pod.yaml: skipped: no CustomResourceDefinition in it",
    ]
    run([sys.executable, "-c", "pass"], folder=str(tmp_path))
    assert capsys.readouterr().err == f"crdlint: runs {sys.executable} -c pass in {tmp_path}\n"
    assert check("a.yaml")[2] == ""
    monkeypatch.setenv("CRDLINT_VERBOSE", "1")
    assert "pod.yaml: skipped" in check(".")[2]
    monkeypatch.delenv("CRDLINT_VERBOSE")
    assert check("a.yaml")[2] == ""


def test_ignore_comments_are_added(tmp_path: Path) -> None:
    rejected = WITH_BOOLEANS.replace("enum: [on, off]", "enum: [on, on]").replace(
        "type: string, ", "type: strin, "
    )
    (tmp_path / "b.yaml").write_text(rejected.replace("foos", "bars").replace("Foo", "Bar"))
    (tmp_path / "c.json").write_text(
        '{"kind": "CustomResourceDefinition", "apiVersion": "apiextensions.k8s.io/v1"}'
    )
    status, shown, notes = check("--add-ignore")
    assert (status, "crdlint: ignored " in notes, "in 2 files" in notes) == (0, True, True)
    assert "accepted by ignore comments" in shown
    assert "a.yaml" not in shown
    assert "# crdlint: ignore[yaml-boolean]" in (tmp_path / "a.yaml").read_text()
    assert check("a.yaml")[:2] == (0, "checked 1 file, 1 CRD: 0 errors, 0 warnings\n")
    status, shown, _ = check("b.yaml")
    assert (status, "accepted by ignore comments" in shown) == (0, True)
    assert check("--add-ignore", "--fix")[0] == 2


def test_ignored_findings_have_reasons(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        WITH_BOOLEANS.rstrip() + " # crdlint: ignore[yaml-boolean] old clients\n"
    )
    where = f"a.yaml:{SMALLEST.count(chr(10))}:"
    ignored = [
        line.partition(": ")[2]
        for line in check("--show=ignored")[1].splitlines()
        if line.startswith(where)
    ]
    assert (
        ignored
        == [f"ignored warning yaml-boolean by line {SMALLEST.count(chr(10))}: old clients"] * 2
    )
    (tmp_path / "a.yaml").write_text(WITH_BOOLEANS)
    (tmp_path / ".crdlint.yaml").write_text(
        "ignore:\n- rules: [yaml-*]\n  crd: '*'\n  reason: old servers\n"
    )
    assert (
        "ignored warning yaml-boolean by .crdlint.yaml:2: old servers\n"
        in check("--show=ignored")[1]
    )
    assert (
        "ignored warning yaml-boolean by ignore\n"
        in check("--show=ignored", "--ignore", "yaml-boolean", "--isolated")[1]
    )
