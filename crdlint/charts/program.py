"""Other programs run for what they print: bounded in time, with all that they start."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

TIMEOUT: Final = 60.0  # seconds


class ProgramError(Exception):
    """A program that cannot be run or does not end; ``str`` says why."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a program printed, and its exit status."""

    output: str
    errors: str
    status: int


def shortened(text: str, longest: int) -> str:
    """Return what a program said in one line, cut after ``longest`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[:longest] + "..."


def run(command: Sequence[str], timeout: float = TIMEOUT) -> Done:
    """Run a program without input. Raises ProgramError where it is not there, or still runs after ``timeout`` seconds."""
    name = os.path.basename(command[0])
    try:
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        message = f"{name} cannot be run: {error.strerror or error}"
        raise ProgramError(message) from error
    with process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                message = f"{name} took more than {timeout:g} s"
                raise ProgramError(message) from error
            raise
    return Done(output.decode("utf-8", "replace"), errors.decode("utf-8", "replace"), process.returncode)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with what it has started, which would keep its output open otherwise."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
