"""The program that links the API server's own packages (tests/upstream/recorder), as what crdlint is measured against."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT: Final = Path(__file__).resolve().parents[1]
_BUILT: Final = """
from tests.upstream.recorder import program
from tests.upstream.versions import newest
print(program(newest()))
"""


def program() -> str | None:
    """Return the path of the program, which CRDLINT_RECORDER names, or built if Go is installed; else None, with a note."""
    if "CRDLINT_RECORDER" in os.environ:
        return os.environ["CRDLINT_RECORDER"]
    built = subprocess.run(
        [sys.executable, "-c", _BUILT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if built.returncode:
        print(f"left out: the API server's packages: {built.stderr.strip()}", file=sys.stderr)
        return None
    return built.stdout.strip()


def request(text: str, old: str | None = None) -> dict[str, str]:
    """Return the request that creates a CRD, or that updates an old one."""
    if old is None:
        return {"op": "create", "yaml": text}
    return {"op": "update", "old": old, "new": text}


def seconds(path: str, *requests: Mapping[str, str]) -> float:
    """Return the CPU seconds of the program for some requests, with its start."""
    before = _of_children()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as given:
        given.writelines(f"{json.dumps(each)}\n" for each in requests)
        given.seek(0)
        subprocess.run([path], stdin=given, stdout=subprocess.DEVNULL, check=True)
    return _of_children() - before


def _of_children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
