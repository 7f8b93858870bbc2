"""Builds the playground: `python docs/make_playground.py FOLDER`. It needs node, npm and their registries."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Final
from zipfile import ZipFile

ROOT: Final = Path(__file__).parents[1]
PLAYGROUND: Final = ROOT / "playground"
# What crdlint needs of its dependencies where nothing is rendered, configured or shown on a terminal.
REQUIREMENTS: Final = ("antlr4-python3-runtime", "packaging", "ruamel.yaml")
TIME_ZONES: Final = "tzdata"  # which Pyodide does not have


def build(folder: Path) -> None:
    """Write the playground's files to a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        python = Path(temporary, "python")
        _unpack_wheels(Path(temporary, "wheels"), python)
        for file in (PLAYGROUND / "python").glob("*.py"):
            shutil.copy(file, python)
        _run("npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
        folder.mkdir(parents=True, exist_ok=True)
        _run("node", "build.mjs", str(python), str(folder.resolve()))


def _unpack_wheels(wheels: Path, target: Path) -> None:
    pip = (sys.executable, "-m", "pip")
    _run(*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    pinned = [*(f"{name}=={version(name)}" for name in REQUIREMENTS), TIME_ZONES]
    _run(
        *pip,
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--platform=any",
        "--dest",
        str(wheels),
        *pinned,
    )
    for wheel in wheels.glob("*.whl"):
        with ZipFile(wheel) as archive:
            archive.extractall(target, [name for name in archive.namelist() if ".dist-info/" not in name])


def _run(*command: str) -> None:
    subprocess.run(command, cwd=PLAYGROUND, check=True)  # noqa: S603  the commands above


if __name__ == "__main__":
    build(Path(sys.argv[1]))
