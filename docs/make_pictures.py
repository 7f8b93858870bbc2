"""Writes the pictures of docs/pictures/ from runs on a terminal: `python docs/make_pictures.py`."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.text import Text

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = Path(__file__).with_name("pictures")
COLUMNS: Final = 80

# Picture: the fixture that is config/crd/widgets.yaml in the run, and the command.
RUNS: Final = {
    "check": ("invalid/list-map-key-optional.yaml", "crdlint check config/crd/"),
    "cost": ("invalid/rule-too-expensive.yaml", "crdlint cost config/crd/"),
    "explain": ("valid/minimal.yaml", "crdlint explain list-map-key-required"),
}


def output(name: str) -> str:
    """Return what the run of a picture prints on a terminal."""
    fixture, command = RUNS[name]
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder, "config", "crd", "widgets.yaml")
        target.parent.mkdir(parents=True)
        shutil.copy(ROOT / "fixtures" / fixture, target)
        return _run([sys.executable, "-m", *command.split()], folder)


def _run(command: list[str], folder: str) -> str:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, COLUMNS, 0, 0))
    dropped = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "GITHUB_ACTIONS", "COLORTERM")
    kept = {key: value for key, value in os.environ.items() if key not in dropped}
    environment = {**kept, "TERM": "xterm-256color", "FORCE_HYPERLINK": "0", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(  # noqa: S603  the commands above
        command, stdin=subprocess.DEVNULL, stdout=follower, cwd=folder, env=environment
    ):
        os.close(follower)
        parts = []
        while part := _read(leader):
            parts.append(part)
    os.close(leader)
    return b"".join(parts).decode().replace("\r\n", "\n")


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # as Linux reports that nothing has the terminal open any more
        return b""


def picture(name: str) -> str:
    """Return the picture of a run as SVG."""
    command = RUNS[name][1]
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False)
    console.print(Text(f"$ {command}", "bold"))
    for line in output(name).rstrip("\n").split("\n"):
        console.print(Text.from_ansi(line))
    svg = console.export_svg(title="crdlint", unique_id=name)
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # the fonts of another host


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in RUNS:
        (PICTURES / f"{name}.svg").write_text(picture(name), encoding="utf-8")
