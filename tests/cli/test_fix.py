"""`crdlint check --fix` and files that change while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import crdlint.runner.fixes
from crdlint.cli.main import cli
from crdlint.safety import atomic

FIXABLE = (Path(__file__).parents[2] / "fixtures/invalid/rule-optional-old-self-unused.yaml").read_text(
    encoding="utf-8"
)
SAID = "crd.yaml: not fixed: the file was changed while crdlint ran; run it again"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "crd.yaml"
    path.write_text(FIXABLE, encoding="utf-8")
    return path


def fix(file: Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["check", "--no-cache", "--fix", "--format=concise", str(file)])
    return result.exit_code, result.stdout, result.stderr


@pytest.mark.parametrize("edited", [FIXABLE + "# edited meanwhile\n", "", None])
@pytest.mark.parametrize("moment", ["while it is fixed", "right before it is replaced"])
def test_edits_made_meanwhile_are_kept(
    file: Path, monkeypatch: pytest.MonkeyPatch, edited: str | None, moment: str
) -> None:
    def edit() -> None:
        file.unlink()
        if edited is not None:
            file.write_text(edited, encoding="utf-8")

    owner, name = (crdlint.runner.fixes, "fixed") if moment == "while it is fixed" else (atomic, "_take_over")
    real = getattr(owner, name)

    def edited_during(*given: object, **more: object) -> object:
        if file.exists() and file.read_text(encoding="utf-8") == FIXABLE:
            edit()
        return real(*given, **more)

    monkeypatch.setattr(owner, name, edited_during)
    status, findings, errors = fix(file)
    assert status == 2
    assert SAID in errors
    assert "mended 0 files" in errors
    assert "crd.yaml:" in findings  # of the text that was checked
    assert (file.read_text(encoding="utf-8") if file.exists() else None) == edited
    assert [one.name for one in file.parent.iterdir()] == ([] if edited is None else ["crd.yaml"])


def test_a_file_behind_a_link_is_fixed(file: Path) -> None:
    link = file.parent / "sub/link.yaml"
    link.parent.mkdir()
    link.symlink_to("../crd.yaml")
    assert fix(link)[0] == 0
    assert link.is_symlink()
    assert "optionalOldSelf: true" not in file.read_text(encoding="utf-8")


def test_a_file_that_cannot_be_written_keeps_its_findings(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(atomic, "write", fail)
    status, findings, errors = fix(file)
    assert status == 2
    assert "crd.yaml:" in findings
    assert "crd.yaml: cannot be written: Permission denied" in errors
