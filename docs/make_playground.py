"""Builds the playground: `python docs/make_playground.py FOLDER`. It needs node, npm and their registries."""

from __future__ import annotations

import ast
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Final
from zipfile import ZipFile

ROOT: Final = Path(__file__).parents[1]
PLAYGROUND: Final = ROOT / "playground"
# What crdlint needs of its dependencies where nothing is rendered, configured or shown on a terminal.
REQUIREMENTS: Final = ("antlr4-python3-runtime", "packaging", "ruamel.yaml")
TIME_ZONES: Final = "tzdata"  # which Pyodide does not have
# What is imported by name.
BY_NAME: Final = ("crdlint/rules/**/*.py", "tzdata/**/*")


def build(folder: Path) -> None:
    """Write the playground's files to a folder."""
    with tempfile.TemporaryDirectory() as temporary:
        python = Path(temporary, "python")
        _unpack_wheels(Path(temporary, "wheels"), python)
        for part in ("python", "stand_ins"):
            ignored = shutil.ignore_patterns("__pycache__")
            shutil.copytree(PLAYGROUND / part, python, dirs_exist_ok=True, ignore=ignored)
        _leave_needed(python)
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
            archive.extractall(
                target, [name for name in archive.namelist() if ".dist-info/" not in name]
            )


def _leave_needed(folder: Path) -> None:
    """Remove the modules that nothing in the page imports, and the data of packages without any other."""
    pending = [
        *folder.glob("*.py"),
        *(file for pattern in BY_NAME for file in folder.glob(pattern)),
    ]
    needed: set[Path] = set()
    while pending:
        file = pending.pop()
        if file in needed:
            continue
        needed.add(file)
        for name in _imports(file, folder) if file.suffix == ".py" else ():
            for end in range(1, len(name) + 1):
                place = folder.joinpath(*name[:end])
                pending += filter(Path.is_file, (place.with_suffix(".py"), place / "__init__.py"))
    for file in filter(Path.is_file, folder.rglob("*")):
        is_data = file.suffix != ".py" and file.parent / "__init__.py" in needed
        if not is_data and file not in needed:
            file.unlink()


def _imports(file: Path, folder: Path) -> Iterator[list[str]]:
    """Yield the names that a module imports when it runs, each as its parts."""
    pending: list[ast.AST] = [ast.parse(file.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = file.relative_to(folder).parts[: -node.level] if node.level else ()
            module = [*parents, *filter(None, (node.module or "").split("."))]
            yield from ([*module, alias.name] for alias in node.names)
        pending += ast.iter_child_nodes(node)


def _run(*command: str) -> None:
    subprocess.run(command, cwd=PLAYGROUND, check=True)  # noqa: S603  the commands above


if __name__ == "__main__":
    build(Path(sys.argv[1]))
