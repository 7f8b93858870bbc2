"""`crdlint check --fix` and files that change while it runs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from crds import crd_with_spec

import crdlint.runner.fixes
from crdlint.cli.main import cli
from crdlint.runner.task import Checker, CheckOutcome, Task
from crdlint.safety import atomic

if TYPE_CHECKING:
    from crdlint.linting.result import FileResult

FIXABLE = (
    Path(__file__).parents[2] / "fixtures/invalid/rule-optional-old-self-unused.yaml"
).read_text(encoding="utf-8")
SAID = "crd.yaml: not fixed: the file was changed while crdlint ran; run it again"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "crd.yaml"
    path.write_text(FIXABLE, encoding="utf-8")
    return path


def fix(file: Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(
        cli, ["check", "--no-cache", "--fix", "--format=concise", str(file)]
    )
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("edited", [FIXABLE + "# edited meanwhile\n", "", None])
@pytest.mark.parametrize("moment", ["while it is fixed", "right before it is replaced"])
def test_edits_made_meanwhile_are_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch, edited: str | None, moment: str
) -> None:
    def edit() -> None:
        file.unlink()
        if edited is not None:
            file.write_text(edited, encoding="utf-8")

    owner, name = (
        (crdlint.runner.fixes, "fix") if moment == "while it is fixed" else (atomic, "_take_over")
    )
    real = getattr(owner, name)

    def edited_during(*given: object, **more: object) -> object:
        if file.exists() and file.read_text(encoding="utf-8") == FIXABLE:
            edit()
        return real(*given, **more)

    monkeypatch.setattr(owner, name, edited_during)
    status, findings, errors = fix(file)
    assert status == 2
    assert SAID in errors
    assert "fixed 0 findings in 0 files" in errors
    assert "crd.yaml:" in findings  # of the text that was checked
    assert (file.read_text(encoding="utf-8") if file.exists() else None) == edited
    assert [one.name for one in file.parent.iterdir()] == ([] if edited is None else ["crd.yaml"])


def test_a_fixed_file_is_checked_once_more(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    check_text = Checker.check_text

    def counted(
        self: Checker, text: str, task: Task, known: FileResult | None = None
    ) -> CheckOutcome:
        texts.append(text)
        return check_text(self, text, task, known)

    monkeypatch.setattr(Checker, "check_text", counted)
    fix(file)
    assert texts == [FIXABLE, file.read_text(encoding="utf-8")]


def test_a_file_behind_a_link_is_fixed(file: Path) -> None:
    link = file.parent / "sub/link.yaml"
    link.parent.mkdir()
    link.symlink_to("../crd.yaml")
    assert fix(link)[0] == 0
    assert link.is_symlink()
    assert "optionalOldSelf: true" not in file.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_keeps_its_findings(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic, "write", fail)
    status, findings, errors = fix(file)
    assert status == 2
    assert "crd.yaml:" in findings
    assert "crd.yaml: cannot be written: Permission denied" in errors


def test_a_diff_changes_nothing(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(cli, ["check", "--diff", "crd.yaml"])
    assert result.exit_code == 1
    assert file.read_text(encoding="utf-8") == FIXABLE
    assert result.stdout.startswith("--- a/crd.yaml\n+++ b/crd.yaml\n@@ ")
    assert [
        line
        for line in result.stdout.splitlines()
        if line.startswith("-") and "optionalOldSelf" in line
    ]
    assert "would fix 1 finding in 1 file" in result.stderr
    assert fix(file)[0] == 0
    again = CliRunner().invoke(cli, ["check", "--diff", "crd.yaml"])
    assert (again.exit_code, again.stdout) == (0, "")


def test_fixes_are_listed(file: Path) -> None:
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--fix", "--show=fixes", str(file)])
    assert (
        f"- {file}:\n    1 x cel-optional-old-self-unused (Remove `optionalOldSelf`)"
        in result.stderr
    )


def test_ignored_findings_are_not_fixed(file: Path) -> None:
    text = "# crdlint: ignore-file[cel-optional-old-self-unused] kept on purpose\n" + FIXABLE
    file.write_text(text, encoding="utf-8")
    fix(file)
    assert file.read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "options",
    [["--fix", "--diff"], ["--unsafe-fixes"], ["--show=fixes"], ["--diff", "-"]],
    ids=" ".join,
)
def test_options_that_do_not_go_together(file: Path, options: list[str]) -> None:
    assert CliRunner().invoke(cli, ["check", str(file), *options]).exit_code == 2


def test_findings_with_fixes_are_marked_and_counted(file: Path) -> None:
    result = CliRunner().invoke(cli, ["check", str(file)])
    assert re.search(
        r"error\[cel-optional-old-self-unused\]: .*\n  --> .*  \[\*\]\n", result.stdout
    )
    assert result.stdout.endswith("[*] 1 fixable with --fix\n")


def test_the_last_line_names_the_rules_that_must_be_selected(tmp_path: Path) -> None:
    path = tmp_path / "crd.yaml"
    name = "name: {type: string, pattern: '^[^“”]+$'}"
    path.write_text(crd_with_spec(f"type: object\nproperties:\n  {name}\n  n: {{type: string}}"))
    fixing = ["check", "--fix", "--unsafe-fixes", "--select", "curly-quotes,yaml-key"]
    last_line = CliRunner().invoke(cli, ["check", str(path)]).stdout.splitlines()[-1]
    assert last_line == "2 fixable with --fix --unsafe-fixes --select curly-quotes,yaml-key"
    CliRunner().invoke(cli, [*fixing, str(path)])
    assert "'n': {type: string}" in path.read_text()


def test_a_diff_has_colors_only_where_they_are_wanted(tmp_path: Path) -> None:
    fixture = Path(__file__).parents[2] / "fixtures/invalid/type-unknown.yaml"
    path = tmp_path / "a.yaml"
    path.write_text(fixture.read_text(encoding="utf-8"), encoding="utf-8")
    plain, colored = (
        CliRunner().invoke(cli, ["check", "--diff", "--color", color, str(path)]).stdout
        for color in ("never", "always")
    )
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain
    styled = [line for line in colored.splitlines() if "\x1b" in line]
    assert len(styled) == 5  # the names, the place, what is removed and what is added
