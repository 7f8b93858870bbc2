"""The name of a file of the checkout is no option, as pre-commit and xargs pass names without `--`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from commands import crdlint
from crds import SMALLEST
from ruamel.yaml import YAML
from scratch import ROOT
from tables import each

if TYPE_CHECKING:
    from conftest import Checkout

COMMANDS = [
    ["check"],
    ["check", "--no-require-crds", "good.yaml"],
    ["check", "--diff"],
    ["validate"],
    ["cost"],
    ["diff", "good.yaml"],
    ["test"],
    ["eval", "true", "--object"],
    ["explain"],
]
NAMES = [
    "--output=json=/tmp/x.json",
    "--output=concise=outside.yaml",
    "--baseline=x.yaml",
    "--config=x.yaml",
    "--update-baseline",
    "--fix",
    "--include=x.yaml",
    "--unknown.yaml",
    "-q",
    "-v.yaml",
    "-x.yaml",
]


@pytest.fixture
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text(SMALLEST, encoding="utf-8")


def write(name: str) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(SMALLEST, encoding="utf-8")


def files() -> dict[str, str]:
    return {
        str(path): path.read_text(encoding="utf-8") for path in Path().rglob("*") if path.is_file()
    }


@pytest.mark.usefixtures("_folder")
@pytest.mark.parametrize("name", NAMES)
def test_an_option_that_is_a_file_ends_the_run(name: str) -> None:
    write(name)
    before = files()
    for command in COMMANDS:
        done = crdlint(*command, name)
        assert done.returncode == 2, (command, done)
        assert done.stdout == ""
        assert f"{name!r} is an option and the name of a file" in done.stderr
    assert files() == before


@pytest.mark.usefixtures("_folder")
@each("name", NAMES)
def test_it_is_a_file_after_two_dashes(name: str) -> None:
    write(name)
    done = crdlint("check", "--no-cache", "--", name)
    assert done.returncode == 0, done.stderr
    assert "1 CRD" in done.stdout


def test_a_name_from_the_top_of_the_repository(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`git diff --name-only` prints these in every folder."""
    checkout.commit({"--output=json=x.json": SMALLEST, "crds/a.yaml": SMALLEST})
    monkeypatch.chdir("crds")
    done = crdlint("check", "--output=json=x.json", "a.yaml")
    assert done.returncode == 2
    assert not Path("x.json").exists()


@pytest.mark.usefixtures("_folder")
def test_other_options_stay_options() -> None:
    done = crdlint("check", "--quiet", "--no-cache", "--output=json=new.json", "good.yaml")
    assert (done.returncode, done.stderr) == (0, "")
    assert Path("new.json").is_file()


def test_hooks_end_their_options() -> None:
    for hook in YAML(typ="safe").load(ROOT / ".pre-commit-hooks.yaml"):
        passes_names = hook.get("pass_filenames", True)
        assert hook.get("args", [])[-1:] == (["--"] if passes_names else []), hook["id"]
