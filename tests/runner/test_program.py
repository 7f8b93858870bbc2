"""What tells two programs apart: results of one are never those of the other."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

import crdlint

PACKAGE = Path(crdlint.__file__).parent
DIGEST = "from crdlint.runner.program import program_digest; print(program_digest().hex())"
TIME = 1_700_000_000


def install(folder: Path) -> Path:
    """Copy crdlint's files with fixed times, as from an archive, and return the folder for Python to import them from."""
    site = folder / "site-packages"
    shutil.copytree(
        PACKAGE,
        site / "crdlint",
        ignore=shutil.ignore_patterns("__pycache__"),
        copy_function=shutil.copy,
    )
    info = site / "crdlint-0.1.0.dist-info"
    info.mkdir()
    (info / "RECORD").write_text("crdlint/phrases.py,sha256=abc,100\n")
    for path in site.rglob("*"):
        os.utime(path, (TIME, TIME))
    return site


def digest(path: Path) -> str:
    environment = {**os.environ, "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [sys.executable, "-c", DIGEST],
        env=environment, cwd=path.parent, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip


def another_text(site: Path) -> None:
    path = site / "crdlint/phrases.py"
    path.write_text(
        path.read_text(encoding="utf-8").replace("nearest", "farthest"), encoding="utf-8"
    )


def another_data_file(site: Path) -> None:
    (site / "crdlint/config/schema.json").write_text("{}")


def another_record(site: Path) -> None:
    """The size and the time of the changed file are the same."""
    another_text(site)
    (site / "crdlint-0.1.0.dist-info/RECORD").write_text("crdlint/phrases.py,sha256=xyz,100\n")
    os.utime(site / "crdlint/phrases.py", (TIME, TIME))


def another_parser(site: Path) -> None:
    (site / "_ruamel_yaml.py").write_text("")


def other_regular_expressions(site: Path) -> None:
    (site / "re2.py").write_text("")


CHANGES = [
    another_text,
    another_data_file,
    another_record,
    another_parser,
    other_regular_expressions,
]


def test_each_change_makes_another_program(tmp_path: Path, subtests: pytest.Subtests) -> None:
    site = install(tmp_path)
    first = digest(site)
    assert digest(site) == first
    for change in CHANGES:
        with subtests.test(change.__name__):
            before = digest(site)
            change(site)
            assert digest(site) != before


def test_an_archive_is_known_by_its_contents(tmp_path: Path) -> None:
    site = install(tmp_path)
    digests = []
    for name in ("a", "b", "c"):
        if name == "c":
            another_text(site)
        with ZipFile(tmp_path / f"{name}.pyz", "w") as archive:
            for path in sorted(site.rglob("*")):
                archive.write(path, path.relative_to(site))
        digests.append(digest(tmp_path / f"{name}.pyz"))
    assert digests[0] == digests[1] != digests[2]
