"""The wheel: what it holds, and that it runs where nothing else is."""

from __future__ import annotations

import json
import re
import zipfile
from typing import TYPE_CHECKING

import pytest
from scratch import BAD, GOOD, ROOT, must, run, write

from crdlint import __version__
from crdlint.kubernetes.servers import NEWEST, OLDEST

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

pytestmark = pytest.mark.exhaustive


@pytest.fixture(scope="module")
def wheel(wheelhouse: Path) -> zipfile.ZipFile:
    [path] = wheelhouse.glob("crdlint-*.whl")
    assert path.name == f"crdlint-{__version__}-py3-none-any.whl"
    return zipfile.ZipFile(path)


@pytest.fixture(scope="module")
def commands(new_venv: Callable[[str], Path]) -> Path:
    return new_venv("crdlint")


def test_holds_the_package_and_nothing_else(wheel: zipfile.ZipFile, source: Path) -> None:
    held = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert held == set(must("git", "ls-files", "crdlint", cwd=source).splitlines())
    assert {one.rpartition(".")[2] for one in held} <= {
        "py",
        "typed",
        "json",
        "md",
        "g4",
        "interp",
        "css",
        "html",
        "js",
    }


@pytest.mark.parametrize(
    "name",
    [
        "crdlint/py.typed",
        "crdlint/config/schema.json",
        "crdlint/report/output.schema.json",
        "crdlint/cel/antlr/CEL.interp",
        "crdlint/report/templates/page.css",
        "crdlint/report/templates/page.html",
        "crdlint/report/templates/page.js",
    ],
)
def test_holds_what_is_no_module_or_made_by_a_tool(wheel: zipfile.ZipFile, name: str) -> None:
    assert name in wheel.namelist()


def test_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    folder = f"crdlint-{__version__}.dist-info"
    metadata = wheel.read(f"{folder}/METADATA").decode()
    assert f"Version: {__version__}" in metadata
    assert "Requires-Python: >=3.10" in metadata
    assert "crdlint = crdlint.__main__:run" in wheel.read(f"{folder}/entry_points.txt").decode()
    assert wheel.read(f"{folder}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()


def test_nothing_within_imports_what_the_wheel_does_not_ask_for(
    commands: Path, tmp_path: Path
) -> None:
    code = """
import importlib, json, pkgutil, crdlint
skipped = {"crdlint.__main__"}
extras = ("crdlint.lsp.", "crdlint.cli.prompt_terminal", "crdlint.report.html")  # what needs an extra; their commands name it
found = pkgutil.walk_packages(crdlint.__path__, "crdlint.")
names = [one.name for one in found if one.name not in skipped and not one.name.startswith(extras)]
for name in names:
    importlib.import_module(name)
print(json.dumps(len(names)))
"""
    assert json.loads(must(commands / "python", "-I", "-c", code, cwd=tmp_path)) > 100


def test_checks(commands: Path, tmp_path: Path, offline: Mapping[str, str]) -> None:
    write(tmp_path, {"good.yaml": GOOD, "bad.yaml": BAD, ".crdlint.yaml": "fail-on: warning\n"})
    crdlint = commands / "crdlint"
    assert must(crdlint, "--version", cwd=tmp_path, env=offline) == (
        f"crdlint {__version__}, Kubernetes {OLDEST} to {NEWEST}\n"
    )
    assert "checked 1 file, 1 CRD" in must(crdlint, "check", "good.yaml", cwd=tmp_path, env=offline)
    refused = run(crdlint, "check", "--format=concise", ".", cwd=tmp_path, env=offline)
    assert refused.returncode == 1, refused.stderr
    assert re.search(r"^bad\.yaml:15:15: error\[", refused.stdout, re.MULTILINE)


def test_words_syntax_errors_of_cel_by_the_packed_tables(
    commands: Path, tmp_path: Path, offline: Mapping[str, str]
) -> None:
    rule = GOOD + '        x-kubernetes-validations:\n        - rule: "self. =="\n'
    write(tmp_path, {"rule.yaml": rule})
    done = run(
        commands / "crdlint", "check", "--format=server", "rule.yaml", cwd=tmp_path, env=offline
    )
    assert done.returncode == 1, done.stderr
    assert "Syntax error: " in done.stdout
