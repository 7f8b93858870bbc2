"""`crdlint init` and `crdlint clean`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from commands import crdlint
from crds import SMALLEST
from tables import each

from crdlint.cli.setup import CONFIGURATION
from crdlint.config.load import read_config
from crdlint.config.model import Config
from crdlint.kubernetes.servers import parse_range

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_configuration_is_written_that_changes_nothing(tmp_path: Path) -> None:
    done = crdlint("init")
    assert (done.returncode, done.stdout) == (
        0,
        ".crdlint.yaml: written; each key in it is a comment with an example\n",
    )
    path = str(tmp_path / ".crdlint.yaml")
    assert read_config(path) == Config(file=".crdlint.yaml", folder=str(tmp_path))
    assert crdlint("init", str(tmp_path)).returncode == 2


def test_each_example_in_it_is_valid(tmp_path: Path) -> None:
    keys = re.sub(r"^# (?=[a-z-]+:|  |- )", "", CONFIGURATION, flags=re.MULTILINE)
    (tmp_path / ".crdlint.yaml").write_text(keys.replace("yaml-language-server:", "# "))
    config = read_config(str(tmp_path / ".crdlint.yaml"))
    assert config.kube_version == parse_range(">=1.30")
    assert config.select == ("*", "ssa")
    assert config.ignores[0].crd == "widgets.example.com"
    assert (config.exclude, config.severity) != ((), ())


@each(
    "name, text",
    [
        (".crdlint.yml", "ignore: []\n"),
        (".crdlint.yaml", "nope: 1\n"),
        ("pyproject.toml", "[tool.crdlint]\n"),
    ],
)
def test_a_configuration_is_not_replaced(name: str, text: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(text)
    done = crdlint("init")
    assert (done.returncode, name in done.stderr) == (2, True)
    assert (tmp_path / name).read_text() == text
    (tmp_path / name).unlink()


def test_a_pyproject_of_others_does_not_matter(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert crdlint("init").returncode == 0


def test_the_cache_is_removed(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    variables = {"CRDLINT_CACHE_DIR": str(cache), "CRDLINT_CACHE_KEY": "x"}
    (tmp_path / "a.yaml").write_text(SMALLEST)
    crdlint("check", **variables)
    (cache / "mine.txt").write_text("kept")
    assert crdlint("clean", **variables).stdout == f"{cache}: removed 1 result\n"
    assert crdlint("clean", **variables).stdout == f"{cache}: removed 0 results\n"
    assert (cache / "mine.txt").read_text() == "kept"
    assert crdlint("clean", CRDLINT_CACHE_DIR=str(tmp_path / "none")).returncode == 0
