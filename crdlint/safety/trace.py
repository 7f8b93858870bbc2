"""What a run does, for `-v`: the files that it skips and the programs that it runs, on standard error of every process."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import Final

VARIABLE: Final = "CRDLINT_VERBOSE"  # in the environment, which worker processes inherit


def trace(text: str) -> None:
    """Write a line to standard error if that is asked for, without control characters and commands of a CI system."""
    if os.environ.get(VARIABLE):
        line = text if text.isprintable() else ascii(text)[1:-1]
        with suppress(OSError, ValueError):
            sys.stderr.write(f"crdlint: {line.replace('##', '#_')}\n")
            sys.stderr.flush()
