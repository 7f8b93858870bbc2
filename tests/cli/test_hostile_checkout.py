"""No command of a checkout is run, whatever crdlint is asked for."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from commands import crdlint
from crds import SMALLEST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from conftest import Checkout, Trap

CRD = SMALLEST
OBJECT = "apiVersion: example.com/v1\nkind: Foo\nmetadata: {name: a}\n"
SUITE = "name: a\nversion: v1\ntests: {}\n"
COMMANDS = [
    ["check", "."],
    ["check", "--no-ignore", "."],
    ["check", "**/*.yaml"],
    ["check", "--fix", "."],
    ["check", "--against", "HEAD", "."],
    ["check", "--against", "main~0", "crds"],
    ["check", "--against", "nothing", "."],
    ["check", "--jobs", "2", "--against", "HEAD", "."],
    ["cost", "."],
    ["cost", "--suggest", "."],
    ["validate", "--crd", "crds", "."],
    ["validate", "."],
    ["test", "."],
]


FILES = {
    "crds/foos.yaml": CRD,
    "samples/foo.yaml": OBJECT,
    "suites/a.testsuite.yaml": SUITE,
    "ignored.yaml": CRD,
    ".gitignore": "ignored.yaml\n",
    ".gitattributes": "* filter=x diff=x merge=x\n",
}


def run_all(commands: list[list[str]], trap: Trap, subtests: pytest.Subtests) -> None:
    for arguments in commands:
        with subtests.test(" ".join(arguments)):
            done = crdlint(*arguments)
            assert done.returncode in {0, 1, 2}, done.stderr
            assert trap.ran == ""


def test_a_hostile_git_configuration(
    checkout: Checkout, trap: Trap, subtests: pytest.Subtests
) -> None:
    checkout.commit(FILES)
    (checkout.top / ".git/config").write_text(trap.config(), encoding="utf-8")
    run_all(COMMANDS, trap, subtests)


@pytest.mark.parametrize("inside", [True, False], ids=["inside", "outside"])
def test_a_folder_that_looks_like_a_repository(
    new_checkout: Callable[[str], Checkout],
    trap: Trap,
    tmp_path: Path,
    inside: bool,
    monkeypatch: pytest.MonkeyPatch,
    subtests: pytest.Subtests,
) -> None:
    """Its files are ordinary ones to the repository that it comes in, so everybody who clones that has them."""
    charts = new_checkout("charts")
    charts.commit(FILES)
    git = charts.top / ".git"
    (git / "config").write_text("[core]\n\tworktree = .\n" + trap.config(), encoding="utf-8")
    for path in git.iterdir():
        path.rename(charts.top / path.name)
    git.rmdir()
    found = subprocess.run(
        ["git", "rev-parse", "--absolute-git-dir"], cwd=charts.top, capture_output=True, check=True
    )
    assert found.stdout == f"{charts.top}\n".encode()
    monkeypatch.chdir(charts.top if inside else tmp_path)
    run_all(
        [*COMMANDS, ["check", "charts"], ["check", "--against", "HEAD", "charts"]], trap, subtests
    )


def test_a_git_program_of_the_checkout(
    checkout: Checkout, trap: Trap, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout.commit(FILES)
    (checkout.top / "git").symlink_to(trap.program)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", os.environ["PATH"]]))
    assert crdlint("check", "--against", "HEAD", ".").returncode == 0
    assert crdlint("check", ".").returncode == 0
    assert trap.ran == ""
