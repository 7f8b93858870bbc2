"""Pointers of Git LFS in place of each file that a command reads: their content is unknown, never empty."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Any

from click.testing import CliRunner
from commands import crdlint
from crds import crd_with_schema
from tables import each

from crdlint.cli.main import cli

if TYPE_CHECKING:
    from pathlib import Path
    from subprocess import CompletedProcess

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 1234\n"
CRD = crd_with_schema("type: object\n")
SENTENCE = "a pointer of Git LFS, not the file itself"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def run(folder: Path, arguments: str, stdin: str = "") -> CompletedProcess[str]:
    """Run a command in which `@` is the folder of the files."""
    return crdlint(*arguments.replace("@", f"{folder}/").split(), stdin=stdin)


@each(
    "command",
    [
        "check @p.yaml",
        "check --no-require-crds -",
        "check --fix @p.yaml",
        "check --against @p.yaml @crd.yaml",
        "check --against @old @crd.yaml",
        "check --config @p.yaml @crd.yaml",
        "check --baseline @p.json @crd.yaml",
        "check --include-dependencies @chart",
        "validate --crd @p.yaml @crd.yaml",
        "validate --crd @crd.yaml @p.yaml",
        "validate --crd @crd.yaml -",
        "diff @p.yaml @crd.yaml",
        "diff @crd.yaml @p.yaml",
        "diff @old @new",
        "diff @new @old",
        "diff @p.yaml @other.yaml",
        "diff @old @others",
        "test --crd @crd.yaml @p.testsuite.yaml",
        "test --crd @p.yaml @good.testsuite.yaml",
        "eval true --object @p.yaml",
        "eval true --crd @p.yaml --object @crd.yaml",
    ],
)
def test_a_pointer_is_no_input(tmp_path: Path, command: str) -> None:
    suite = "crdName: foos.example.com\ntests: {onCreate: [{name: a, initial: 'kind: Foo'}]}\n"
    chart = "apiVersion: v2\nname: c\nversion: 1.0.0\n"
    pointers = ("p.yaml", "p.json", "p.testsuite.yaml", "old/crd.yaml", "chart/charts/s.tgz")
    write(tmp_path, dict.fromkeys(pointers, POINTER))
    write(tmp_path, {"crd.yaml": CRD, "new/crd.yaml": CRD, "chart/crds/crd.yaml": CRD})
    write(tmp_path, {"good.testsuite.yaml": suite, "chart/Chart.yaml": chart})
    other = POINTER.replace("size ", "size 1")
    write(tmp_path, {"other.yaml": other, "others/crd.yaml": other})
    result = run(tmp_path, command, POINTER)
    assert result.returncode == 2, result.stdout
    assert SENTENCE in result.stderr
    assert "removed" not in result.stdout


def test_equal_pointers_on_both_sides_are_no_change(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("old/crd.yaml", "new/crd.yaml"), POINTER))
    assert run(tmp_path, "diff @old @new").returncode == 0


def test_a_folder_with_pointers_is_checked_without_them(tmp_path: Path) -> None:
    write(tmp_path, {"crd.yaml": CRD, "p.yaml": POINTER, "data.json": POINTER})
    result = run(tmp_path, "check @.")
    assert result.returncode == 0, result.stderr
    assert f"p.yaml: skipped: {SENTENCE}" in result.stderr


class TestPointersOfGitLFS:
    def test_an_old_pointer_is_not_a_new_crd(self, checkout: Any) -> None:
        checkout.commit(
            {"crd.yaml": POINTER, "data.json": POINTER, "gone.yaml": POINTER, "kept.yaml": POINTER}
        )
        checkout.write({"crd.yaml": CRD, "data.json": "{}"})
        (checkout.top / "gone.yaml").unlink()
        for command in (["check", "--against", "HEAD", "."], ["diff", "HEAD"]):
            result = CliRunner().invoke(cli, command)
            assert result.exit_code == 2, result.output
            assert "crd.yaml: a pointer of Git LFS" in result.stderr
            assert "data.json: a pointer" not in result.stderr

    def test_pointers_of_other_files_are_no_problem(self, checkout: Any) -> None:
        checkout.commit({"crd.yaml": CRD, "data.json": POINTER, "kept.yaml": POINTER})
        result = CliRunner().invoke(cli, ["check", "--against", "HEAD", "."])
        assert result.exit_code == 0, result.output
        assert "kept.yaml: skipped: a pointer of Git LFS" in result.stderr

    def test_a_new_pointer_removes_no_crd(self, checkout: Any) -> None:
        checkout.commit({"crd.yaml": CRD, "gone.yaml": CRD.replace("foo", "bar")})
        checkout.write({"crd.yaml": POINTER})
        (checkout.top / "gone.yaml").unlink()
        for command in (["check", "--against", "HEAD", "."], ["diff", "HEAD"]):
            result = CliRunner().invoke(cli, command)
            assert result.exit_code == 2, result.output
            assert f"crd.yaml: not compared: its new version is {SENTENCE}" in result.stderr
            assert "foos.example.com" not in result.stdout
            assert "bars.example.com was removed" in result.stdout

    def test_a_folder(self, tmp_path: Path) -> None:
        for folder, text in (("old", POINTER), ("new", CRD)):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "crd.yaml").write_text(text, encoding="utf-8")
        result = CliRunner().invoke(cli, ["diff", str(tmp_path / "old"), str(tmp_path / "new")])
        assert result.exit_code == 2, result.output


@each("data", [gzip.compress(CRD.encode()), b"\0GITCRYPT\0" + bytes(range(99)), b"\xff\xfe\x00"])
def test_other_files_that_are_no_text_are_no_new_crds(checkout: Any, data: bytes) -> None:
    (checkout.top / "crd.yaml").write_bytes(data)
    (checkout.top / "other.yaml").write_bytes(data)
    checkout.commit({"x.yaml": "a: 1\n"})
    (checkout.top / "old.yaml").write_bytes(data)
    checkout.write({"crd.yaml": CRD})
    for command in (
        ["check", "--against", "HEAD", "."],
        ["diff", "HEAD"],
        ["check", "--against", "old.yaml", "crd.yaml"],
        ["diff", "old.yaml", "crd.yaml"],
    ):
        result = CliRunner().invoke(cli, command)
        assert result.exit_code == 2, (command, result.output)
        assert "other.yaml" not in result.stderr


@each("arguments", ["check --against old crd.yaml", "diff old new", "diff old crd.yaml"])
def test_an_old_link_out_of_the_repository_is_no_new_crd(checkout: Any, arguments: str) -> None:
    checkout.commit({"crd.yaml": CRD, "new/crd.yaml": CRD, "old/a.yaml": "a: 1\n"})
    (checkout.top / "old" / "crd.yaml").unlink(missing_ok=True)
    (checkout.top / "old" / "crd.yaml").symlink_to("../../outside.yaml")
    (checkout.top.parent / "outside.yaml").write_text(CRD, encoding="utf-8")
    result = CliRunner().invoke(cli, arguments.split())
    assert result.exit_code == 2, result.output
    assert "crd.yaml: skipped: a link that leads out" in result.stderr


def test_a_link_out_of_the_repository_in_a_commit_is_no_new_crd(checkout: Any) -> None:
    (checkout.top.parent / "outside.yaml").write_text(CRD, encoding="utf-8")
    (checkout.top / "crd.yaml").symlink_to("../outside.yaml")
    (checkout.top / "kept.yaml").symlink_to("../outside.yaml")
    checkout.commit({"other.yaml": "a: 1\n"})
    (checkout.top / "crd.yaml").unlink()
    (checkout.top / "crd.yaml").write_text(CRD, encoding="utf-8")
    for command in ("check --against HEAD crd.yaml", "check --against HEAD .", "diff HEAD"):
        result = CliRunner().invoke(cli, command.split())
        assert result.exit_code == 2, (command, result.output)
        assert "HEAD:crd.yaml: skipped: a link that leads out" in result.stderr
        assert "HEAD:kept.yaml" not in result.stderr


def test_a_link_on_both_sides_is_compared_with_nothing(checkout: Any) -> None:
    checkout.commit({"new/a.yaml": CRD, "old/a.yaml": CRD})
    (checkout.top.parent / "outside.yaml").write_text(CRD, encoding="utf-8")
    for side in ("old", "new"):
        (checkout.top / side / "crd.yaml").symlink_to("../../outside.yaml")
    result = CliRunner().invoke(cli, ["diff", "old", "new"])
    assert result.exit_code == 0, result.output
