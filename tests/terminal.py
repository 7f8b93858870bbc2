"""Commands run on a terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import termios
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def on_terminal(
    command: Sequence[str], columns: int = 80, env: Mapping[str, str] = os.environ, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run a command whose standard output is a terminal of so many columns; standard error is a pipe."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    # pytest sets COLUMNS, which goes before the terminal's own size.
    options["env"] = {name: value for name, value in env.items() if name != "COLUMNS"}
    options = {"stdin": subprocess.DEVNULL, "stderr": subprocess.PIPE, **options}
    with subprocess.Popen(command, stdout=follower, **options) as process:
        os.close(follower)
        output = _drained(leader)
        errors = process.stderr.read() if process.stderr is not None else b""
    os.close(leader)
    return subprocess.CompletedProcess(
        command, process.returncode, output.decode().replace("\r\n", "\n"), errors.decode()
    )


def _drained(leader: int) -> bytes:
    """Return what is written to a terminal until nothing has it open, which Linux reports as an error."""
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            part = b""
        if not part:
            return b"".join(parts)
        parts.append(part)
