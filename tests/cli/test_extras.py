"""What needs an extra that is not installed is refused before the run, with the command that installs it."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from click.testing import CliRunner

from crdlint.cli.main import cli
from crdlint.suites.patches import Patcher, PatchError

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

CRD: Final = str(Path(__file__).parents[2] / "fixtures/valid/minimal.yaml")
_NEEDS: Final = "needs the extra html of crdlint, such as: pip install './crdlint[html]'"


def without(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    find = importlib.util.find_spec

    def find_others(name: str) -> ModuleSpec | None:
        return None if name == package else find(name)

    monkeypatch.setattr("crdlint.report.formats.find_spec", find_others)


@pytest.mark.parametrize(
    "command",
    [
        ["check", "--format", "html", CRD],
        ["check", "--output", "html=report.html", CRD],
        ["validate", "--format", "html", CRD],
        ["cost", "--format", "html", CRD],
        ["diff", "--format", "html", CRD, CRD],
    ],
    ids=" ".join,
)
def test_html_needs_its_extra(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    without(monkeypatch, "jinja2")
    done = CliRunner().invoke(cli, command, prog_name="crdlint")
    assert done.exit_code == 2
    assert _NEEDS in " ".join(done.output.split())
    assert list(tmp_path.iterdir()) == []


def test_other_formats_need_none(monkeypatch: pytest.MonkeyPatch) -> None:
    without(monkeypatch, "jinja2")
    done = CliRunner().invoke(cli, ["check", "--format", "json", CRD], prog_name="crdlint")
    assert done.exit_code == 0


def test_patches_need_their_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jsonpatch", None)
    with pytest.raises(PatchError, match="extra suites of crdlint"):
        Patcher().apply([{"op": "remove", "path": "/a"}], {"a": 1})
