"""Links of a checkout or an unpacked archive that lead out of it: crdlint neither reads nor writes behind them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest
from commands import crdlint
from crds import SMALLEST
from tables import each

if TYPE_CHECKING:
    from collections.abc import Callable

SECRET = "token-5f2a"
BROKEN = f"kind: CustomResourceDefinition\n{SECRET}: [\n"
FIXABLE = SMALLEST.replace("type: object", "type: Object")
OBJECT = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n"
MINE = '{"version": 1, "findings": []}'
NOTICE = "a link that leads out of the repository"


class Outside(NamedTuple):
    """A folder with a link, and the file behind it."""

    folder: Path
    file: Path


@pytest.fixture(params=["repository", "archive"])
def outside(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Outside:
    """Return the working directory, in a repository or not, and a file beside it."""
    folder = tmp_path / "r"
    folder.mkdir()
    if request.param == "repository":
        (folder / ".git").mkdir()
    monkeypatch.chdir(folder)
    return Outside(folder, tmp_path / "out.yaml")


def link(path: str, target: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).symlink_to(target)


def a_file() -> None:
    link("a.yaml", "../out.yaml")


def a_file_below() -> None:
    link("crds/deep/a.yaml", "../../../out.yaml")


def an_absolute_link() -> None:
    link("a.yaml", str(Path("../out.yaml").resolve()))


def a_chain() -> None:
    link("b.txt", "../out.yaml")
    link("a.yaml", "b.txt")


def a_folder() -> None:
    link("crds", "..")


def a_template() -> None:
    Path("templates").mkdir()
    Path("Chart.yaml").write_text("apiVersion: v2\nname: a\nversion: 1.0.0\n", encoding="utf-8")
    link("templates/a.yaml", "../../out.yaml")


LINKS = [a_file, a_file_below, an_absolute_link, a_chain, a_folder, a_template]
COMMANDS = [
    ["check", "."],
    ["check", "--no-ignore", "--jobs=2", "."],
    ["check", "**/*.yaml"],
    ["check", "*/*.yaml", "."],
    ["check", "--include=*.txt", "--include=*.yaml", "."],
    ["check", "--fix", "."],
    ["check", "--fix", "--unsafe-fixes", "**/*"],
    ["check", "--add-ignore", "."],
    ["cost", "."],
    ["validate", "."],
    ["diff", ".", "."],
    ["test", "."],
]


@pytest.mark.parametrize("make", LINKS)
def test_a_link_that_is_found_is_not_followed(make: Callable[[], None], outside: Outside) -> None:
    make()
    for text in (BROKEN, FIXABLE):
        outside.file.write_text(text, encoding="utf-8")
        for command in COMMANDS:
            done = crdlint(*command)
            assert done.returncode in {0, 2}, (command, done)
            assert SECRET not in done.stdout + done.stderr, command
            assert "Object" not in done.stdout, command
            assert outside.file.read_text(encoding="utf-8") == text, command


def test_it_is_said_that_a_link_is_skipped(outside: Outside) -> None:
    outside.file.write_text(FIXABLE, encoding="utf-8")
    a_file()
    for paths in ([], ["."], ["*.yaml"]):
        done = crdlint("check", "--no-cache", *paths)
        assert f"crdlint: a.yaml: skipped: {NOTICE}" in done.stderr, paths
    assert NOTICE in crdlint("validate", ".").stderr


def test_links_within_are_followed(outside: Outside) -> None:
    del outside
    Path("real.txt").write_text(FIXABLE, encoding="utf-8")
    link("crds/a.yaml", "../real.txt")
    for paths in (["."], ["crds/*.yaml", "."]):
        done = crdlint("check", "--no-cache", *paths)
        assert done.returncode == 1, done
        assert "crds/a.yaml" in done.stdout
        assert NOTICE not in done.stderr


def test_a_link_to_another_argument_is_followed(outside: Outside) -> None:
    outside.file.write_text(FIXABLE, encoding="utf-8")
    a_file()
    done = crdlint("check", "--no-cache", ".", "..")
    assert done.returncode == 1
    assert NOTICE not in done.stderr


def test_a_named_link_is_read_but_not_written_out_of_the_repository(outside: Outside) -> None:
    outside.file.write_text(FIXABLE, encoding="utf-8")
    a_file()
    assert "a.yaml" in crdlint("check", "--no-cache", "a.yaml").stdout
    done = crdlint("check", "--no-cache", "--fix", "a.yaml")
    if Path(".git").exists():
        assert done.returncode == 2
        assert f"a.yaml: not changed: {NOTICE}" in done.stderr
        assert outside.file.read_text(encoding="utf-8") == FIXABLE
    else:
        assert "a.yaml" not in done.stderr


@each(
    "options",
    [
        ["--output=json=report"],
        ["--baseline=report", "--update-baseline"],
        ["--output=sarif=sub/report"],
    ],
)
def test_no_report_is_written_through_a_link(options: list[str], outside: Outside) -> None:
    Path(".git").mkdir(exist_ok=True)
    Path("crd.yaml").write_text(FIXABLE, encoding="utf-8")
    outside.file.write_text(MINE, encoding="utf-8")
    for name in ("report", "sub"):
        Path(name).unlink(missing_ok=True)
    link("report", "../out.yaml")
    outside.file.with_name("report").write_text(MINE, encoding="utf-8")
    link("sub", "..")
    done = crdlint("check", "--no-cache", *options, "crd.yaml")
    assert done.returncode == 2
    assert NOTICE in done.stderr
    assert {
        path.read_text(encoding="utf-8") for path in outside.file.parent.iterdir() if path.is_file()
    } == {MINE}


@each(
    "name, text",
    [
        (".crdlint.yaml", f"fail-on: never\n{SECRET}: [\n"),
        (".crdlint.yml", f"{SECRET}: 1\n"),
        ("pyproject.toml", f"[tool.crdlint]\nfail-on = {SECRET}\n"),
    ],
)
def test_a_configuration_behind_a_link(name: str, text: str, outside: Outside) -> None:
    Path(".git").mkdir(exist_ok=True)
    Path("crd.yaml").write_text(SMALLEST, encoding="utf-8")
    outside.file.write_text(text, encoding="utf-8")
    link(name, "../out.yaml")
    done = crdlint("check", "crd.yaml")
    Path(name).unlink()
    assert done.returncode == 2
    assert f"{name}:1:1: not read: {NOTICE}" in done.stderr
    assert SECRET not in done.stderr


def test_a_pyproject_of_other_tools_behind_a_link(outside: Outside) -> None:
    Path("crd.yaml").write_text(SMALLEST, encoding="utf-8")
    outside.file.write_text("[tool.black]\n", encoding="utf-8")
    link("pyproject.toml", "../out.yaml")
    assert crdlint("check", "crd.yaml").returncode == 0


def test_crds_and_suites_near_a_file(outside: Outside) -> None:
    """No argument names these: they are looked for."""
    Path(".git").mkdir(exist_ok=True)
    outside.file.write_text(SMALLEST, encoding="utf-8")
    Path("o/foo.yaml").parent.mkdir()
    Path("o/foo.yaml").write_text(OBJECT, encoding="utf-8")
    link("o/crd.yaml", "../../out.yaml")
    link("o/crds", "../..")
    link("crds", "..")
    assert "no CRD" in crdlint("validate", "o/foo.yaml").stderr
    suite = "name: a\ncrd: {}\nversion: v1\ntests: {{onCreate: [{{name: a, initial: '{{}}'}}]}}\n"
    for crd in ("../out.yaml", "../../out.yaml", "crd.yaml", str(outside.file.resolve())):
        Path("o/a.testsuite.yaml").write_text(suite.format(crd), encoding="utf-8")
        done = crdlint("test", "o")
        assert done.returncode == 2, done
        assert f"no CRD {crd}" in done.stdout + done.stderr
    Path("top.testsuite.yaml").write_text(
        suite.format("x").replace("crd: x", "crdName: foos.example.com"), encoding="utf-8"
    )
    assert crdlint("test", "top.testsuite.yaml").returncode == 2
