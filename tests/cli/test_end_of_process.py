"""The process ends at once when all is done, and as Python ends it when something is left to do."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tables import each

_LATE = "import threading, time; threading.Thread(target=lambda: (time.sleep(3), print('left'))).start()"
_UNFREED = "class Value:\n    def __del__(self): print('left')\nsys.kept = Value()"


@each(
    ("before", "is_left_to_python"),
    [
        ("import atexit; atexit.register(print, 'left')", True),
        (_LATE, True),
        (_UNFREED, False),
        ("pass", False),
    ],
)
def test_what_is_left_to_do_is_done(before: str, *, is_left_to_python: bool) -> None:
    code = f"import sys\n{before}\nfrom crdlint.__main__ import run\nsys.argv[1:] = ['--version']\nrun()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    shown, *left = done.stdout.splitlines()
    assert shown.startswith("crdlint ")
    assert left == ["left"] * is_left_to_python


@pytest.mark.parametrize(("arguments", "status"), [(["--version"], 0), (["nothing"], 2)])
def test_the_status_is_that_of_the_command(arguments: list[str], status: int) -> None:
    command = [sys.executable, "-m", "crdlint", *arguments]
    assert (
        subprocess.run(command, capture_output=True, check=False, timeout=60).returncode == status
    )
