"""No command of a checkout is run, whatever crdlint is asked for."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from crds import SMALLEST

if TYPE_CHECKING:
    from pathlib import Path

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


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run crdlint as a user does, with the environment of a shell."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(
        [sys.executable, "-m", "crdlint", *arguments],
        cwd=folder,
        env=kept,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


FILES = {
    "crds/foos.yaml": CRD,
    "samples/foo.yaml": OBJECT,
    "suites/a.testsuite.yaml": SUITE,
    "ignored.yaml": CRD,
    ".gitignore": "ignored.yaml\n",
    ".gitattributes": "* filter=x diff=x merge=x\n",
}


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_hostile_git_configuration(checkout: Any, trap: Any, arguments: list[str]) -> None:
    checkout.commit(FILES)
    (checkout.top / ".git/config").write_text(trap.config(), encoding="utf-8")
    done = run(arguments, checkout.top)
    assert done.returncode in {0, 1, 2}, done.stderr
    assert trap.ran == ""


@pytest.mark.parametrize(
    "arguments", [*COMMANDS, ["check", "charts"], ["check", "--against", "HEAD", "charts"]], ids=" ".join
)
@pytest.mark.parametrize("inside", [True, False], ids=["inside", "outside"])
def test_a_folder_that_looks_like_a_repository(
    new_checkout: Any, trap: Any, tmp_path: Path, arguments: list[str], inside: bool
) -> None:
    """Its files are ordinary ones to the repository that it comes in, so everybody who clones that has them."""
    charts = new_checkout("charts")
    charts.commit(FILES)
    git = charts.top / ".git"
    (git / "config").write_text("[core]\n\tworktree = .\n" + trap.config(), encoding="utf-8")
    for path in git.iterdir():
        path.rename(charts.top / path.name)
    git.rmdir()
    found = subprocess.run(["git", "rev-parse", "--absolute-git-dir"], cwd=charts.top, capture_output=True, check=True)
    assert found.stdout == f"{charts.top}\n".encode()
    done = run(arguments, charts.top if inside else tmp_path)
    assert done.returncode in {0, 1, 2}, done.stderr
    assert trap.ran == ""


def test_a_git_program_of_the_checkout(checkout: Any, trap: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    checkout.commit(FILES)
    (checkout.top / "git").symlink_to(trap.program)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", os.environ["PATH"]]))
    assert run(["check", "--against", "HEAD", "."], checkout.top).returncode == 0
    assert run(["check", "."], checkout.top).returncode == 0
    assert trap.ran == ""
