"""Other programs: where they are looked for, and what they get."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from crdlint.safety.programs import ProgramError, find, run

if TYPE_CHECKING:
    from pathlib import Path

PYTHON = sys.executable


def test_a_program_of_the_working_directory_is_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = tmp_path / "git"
    planted.write_text("#!/bin/sh\n")
    planted.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", "sub/.."]))
    assert find("git") is None
    monkeypatch.setenv("PATH", os.pathsep.join([".", str(tmp_path)]))
    assert find("git") == str(planted)


def test_a_program_gets_its_input_and_nothing_of_the_environment() -> None:
    code = "import os, sys; print(sys.stdin.read(), os.environ.get('HOME'), os.environ.get('ONE'))"
    done = run([PYTHON, "-c", code], data=b"text", environment={"ONE": "1"})
    assert (done.status, done.output) == (0, "text None 1\n")


def test_a_program_that_cannot_be_run() -> None:
    with pytest.raises(
        ProgramError, match="no-such-program cannot be run: No such file or directory"
    ):
        run(["/no-such-program"])
    with pytest.raises(ProgramError, match="cannot be run: embedded null byte"):
        run([PYTHON, "a\0b"])
