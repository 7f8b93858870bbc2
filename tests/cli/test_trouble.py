"""What goes wrong on our side, and what a person does to a running command."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
BROKEN = """
import sys
import crdlint.linting.pipeline
def broken(text, filename, *options, **more):
    if "minimal" in filename:
        raise RuntimeError("boom")
    return real(text, filename, *options, **more)
real, crdlint.linting.pipeline.lint_file = crdlint.linting.pipeline.lint_file, broken
from crdlint.cli.main import main
sys.argv = ["crdlint", *sys.argv[1:]]
main()
"""


def run(code: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_a_bug_of_ours_is_told_and_the_others_are_checked() -> None:
    done = run(
        BROKEN,
        "check",
        "--no-cache",
        str(FIXTURES / "valid" / "minimal.yaml"),
        str(FIXTURES / "invalid" / "ref.yaml"),
    )
    assert done.returncode == 3
    assert "forbidden-ref" in done.stdout
    assert "RuntimeError: boom" in done.stderr
    assert "issues" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_bug_that_many_files_have_is_told_once() -> None:
    done = run(
        BROKEN.replace('"minimal"', '"a"'),
        "check",
        "--no-cache",
        "--jobs",
        "1",
        str(FIXTURES / "valid"),
    )
    assert done.returncode == 3
    assert done.stderr.count("Please report it") == 1
    assert "crdlint: the same bug in" in done.stderr


def test_the_traceback_is_for_those_who_ask() -> None:
    done = run(
        BROKEN, "check", "--no-cache", str(FIXTURES / "valid" / "minimal.yaml"), CRDLINT_DEBUG="1"
    )
    assert done.returncode == 3
    assert "Traceback" in done.stderr


CONTAINED = """
from crdlint.linting import manifest
manifest.read_crd = lambda *_, **__: 1 // 0
from crdlint.cli.main import main
main()
"""


def test_a_bug_that_no_command_reports_is_told_at_the_end() -> None:
    done = run(CONTAINED, "eval", "--crd", str(FIXTURES / "resources" / "crd.yaml"), "1")
    assert (done.returncode, done.stderr.count("a bug in crdlint: ZeroDivisionError")) == (3, 1)


@pytest.mark.parametrize("name", ["check", "validate", "cost", "diff"])
def test_a_run_shows_what_it_reads_on_a_terminal_alone(name: str, tmp_path: Path) -> None:
    text = (FIXTURES / "valid" / "minimal.yaml").read_text(encoding="utf-8")
    for i in range(2):
        (tmp_path / f"{i}.yaml").write_text(text, encoding="utf-8")
    arguments = {
        "validate": ["--crd", str(FIXTURES / "valid" / "minimal.yaml")],
        "diff": [str(tmp_path)],
    }
    command = [sys.executable, "-m", "crdlint", name, *arguments.get(name, []), str(tmp_path)]
    leader, follower = pty.openpty()
    on_terminal = subprocess.run(command, stdout=subprocess.PIPE, stderr=follower, check=False)
    os.close(follower)
    shown = b""
    with suppress(OSError):  # at the end
        while read := os.read(leader, 100_000):
            shown += read
    os.close(leader)
    first = f"checking 1 of 2: {tmp_path}/0.yaml"[:79]
    assert shown.startswith(f"\r\x1b[2K{first}".encode())
    assert b"\r\x1b[2K" in shown[len(first) :]
    assert b"checking" not in on_terminal.stdout
    piped = subprocess.run(command, capture_output=True, check=False)
    assert b"checking" not in piped.stderr
