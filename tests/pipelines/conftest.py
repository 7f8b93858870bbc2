"""crdlint as others install it: a copy of the tree, wheels of it and of all that it needs, virtual environments."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from scratch import ROOT, clean, commit, must, run

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

_PACKAGED = (
    ".ci/runtime.txt",
    ".gitignore",
    ".pre-commit-hooks.yaml",
    "LICENSE",
    "README.md",
    "action.yml",
    "pyproject.toml",
)


@pytest.fixture(scope="session")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a checkout of crdlint holds, without the tests, as a git repository with one commit."""
    folder = tmp_path_factory.mktemp("source") / "crdlint"
    shutil.copytree(
        ROOT / "crdlint",
        folder / "crdlint",
        ignore=shutil.ignore_patterns("__pycache__", ".*_cache"),
    )
    (folder / ".ci").mkdir()
    for name in _PACKAGED:
        shutil.copy(ROOT / name, folder / name)
    commit(folder)
    return folder


@pytest.fixture(scope="session")
def wheelhouse(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """crdlint's wheel, those of its dependencies, of its build, and of pre-commit."""
    folder = tmp_path_factory.mktemp("wheelhouse")
    wheel = (
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "wheel",
        "--quiet",
        "--wheel-dir",
        folder,
    )
    brought = run(*wheel, "hatchling", "pre-commit", cwd=folder)
    if brought.returncode != 0:
        said = (brought.stderr.strip() or "no word of why").splitlines()[-1]
        pytest.skip(f"pip cannot bring hatchling and pre-commit from its registry: {said}")
    pinned = (
        "download",
        "--quiet",
        "--dest",
        folder,
        "--require-hashes",
        "-r",
        source / ".ci/runtime.txt",
    )
    must(*wheel[:4], *pinned, cwd=folder)
    must(*wheel, source, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def offline(wheelhouse: Path) -> dict[str, str]:
    """An environment in which pip has nothing but the wheels."""
    return {
        **clean(),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_FIND_LINKS": str(wheelhouse),
        "PIP_NO_INDEX": "1",
    }


@pytest.fixture(scope="session")
def new_venv(
    tmp_path_factory: pytest.TempPathFactory, offline: Mapping[str, str]
) -> Callable[[str], Path]:
    """Make a virtual environment with a distribution of the wheels, and return its folder of commands."""

    def make(distribution: str) -> Path:
        folder = tmp_path_factory.mktemp("venv")
        must(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
        commands = next(one for one in (folder / "bin", folder / "Scripts") if one.is_dir())
        pip = (sys.executable, "-m", "pip", "--python", commands / "python")
        must(*pip, "install", "--quiet", distribution, cwd=folder, env=offline)
        return commands

    return make
