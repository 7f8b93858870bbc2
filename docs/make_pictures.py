"""Writes the pictures of docs/pictures/ from runs on a terminal, as SVG and as HTML: `python docs/make_pictures.py`."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

ROOT: Final = Path(__file__).parents[1]
PICTURES: Final = Path(__file__).with_name("pictures")
COLUMNS: Final = 80
NARROW: Final = 38  # columns that fit a phone
_COLORS: Final = [  # black, red, green, yellow, blue, magenta, cyan, white: of a contrast of at least 4.5
    (136, 138, 140), (255, 138, 138), (127, 213, 150), (240, 188, 94),
    (132, 193, 245), (212, 165, 230), (134, 223, 224), (255, 255, 255),
]  # fmt: skip
_THEME: Final = TerminalTheme((17, 20, 24), (255, 255, 255), _COLORS, _COLORS)
_MARK: Final = re.compile(r" *# <- .*")  # what the tests of a fixture expect
_HTML: Final = '<pre class="terminal {width}" tabindex="0" role="region" aria-label="{label}"><code>{{code}}</code></pre>\n'

# Picture: the fixtures by their names in the run, each with a text and what takes its place, and the command.
RUNS: Final[dict[str, tuple[dict[str, tuple[str, str, str]], str]]] = {
    "check": (
        {"config/crd/widgets.yaml": ("invalid/list-map-key-optional.yaml", "", "")},
        "crdlint check config/crd/",
    ),
    "fix": (
        {"config/crd/widgets.yaml": ("invalid/type-unknown.yaml", "", "")},
        "crdlint check --diff config/crd/",
    ),
    "diff": (
        {
            "old/crd.yaml": ("eval/crd.yaml", "", ""),
            "new/crd.yaml": (
                "eval/crd.yaml",
                "class: {type: string, maxLength: 20, ",
                "class: {type: string, maxLength: 10, ",
            ),
        },
        "crdlint diff old/ new/",
    ),
    "cost": (
        {"config/crd/widgets.yaml": ("invalid/rule-too-expensive.yaml", "", "")},
        "crdlint cost config/crd/",
    ),
    "validate": (
        {
            "crd.yaml": ("resources/crd.yaml", "", ""),
            "samples/widget.yaml": ("resources/good.yaml", "size: 3", 'size: "3"'),
        },
        "crdlint validate --crd crd.yaml samples/",
    ),
    "explain": ({}, "crdlint explain list-map-key-required"),
}


def output(name: str, columns: int) -> str:
    """Return what the run of a picture prints on a terminal of some columns."""
    fixtures, command = RUNS[name]
    with tempfile.TemporaryDirectory() as folder:
        for path, (fixture, before, after) in fixtures.items():
            target = Path(folder, path)
            target.parent.mkdir(parents=True, exist_ok=True)
            text = Path(ROOT, "fixtures", fixture).read_text(encoding="utf-8")
            text = _MARK.sub("", text)
            target.write_text(text.replace(before, after) if before else text, encoding="utf-8")
        return _run([sys.executable, "-m", *command.split()], folder, columns)


def _run(command: list[str], folder: str, columns: int) -> str:
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    dropped = ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "GITHUB_ACTIONS", "COLORTERM")
    kept = {key: value for key, value in os.environ.items() if key not in dropped}
    environment = {
        **kept,
        "TERM": "xterm-256color",
        "FORCE_HYPERLINK": "0",
        "PYTHONPATH": str(ROOT),
    }
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


def recording(name: str, columns: int = COLUMNS) -> Console:
    """Return a console that has recorded a run."""
    console = Console(
        record=True, width=columns, file=io.StringIO(), force_terminal=True, highlight=False
    )
    console.print(Text(f"$ {RUNS[name][1]}", "bold"))
    for line in output(name, columns).rstrip("\n").split("\n"):
        console.print(Text.from_ansi(line))
    return console


def picture(name: str) -> str:
    """Return the picture of a run as SVG."""
    svg = recording(name).export_svg(title="crdlint", unique_id=name)
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # the fonts of another host


def text_in_html(name: str) -> str:
    """Return a run as text in HTML, whose letters have the size of the page: for a wide page, then for a narrow one."""
    label = f"What {RUNS[name][1]} prints"
    return "".join(
        recording(name, columns).export_html(
            theme=_THEME, inline_styles=True, code_format=_HTML.format(label=label, width=width)
        )
        for columns, width in ((COLUMNS, "wide"), (NARROW, "narrow"))
    )


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    for name in RUNS:
        (PICTURES / f"{name}.svg").write_text(picture(name), encoding="utf-8")
        (PICTURES / f"{name}.html").write_text(text_in_html(name), encoding="utf-8")
