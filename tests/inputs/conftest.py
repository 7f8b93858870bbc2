"""Programs that crdlint starts, replaced by scripts of the tests."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Make scripts in Python the only programs on the path."""
    if os.name != "posix":
        pytest.skip("the scripts are started by their first line")
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def make(name: str, source: str) -> Path:
        path = folder / name
        path.write_text(f"#!{sys.executable}\n{source}", encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return make


@pytest.fixture
def fake_helm(program: Callable[[str, str], Path], tmp_path: Path) -> Path:
    """Put a stand-in for Helm on the path; what it is called with stands in the file returned."""
    source = (Path(__file__).parent / "fake_helm.py").read_text(encoding="utf-8")
    log = tmp_path / "helm.log"
    log.touch()
    program("helm", source.replace("LOG = os.devnull", f"LOG = {str(log)!r}"))
    return log
