"""Other programs run for what they print: bounded in time, with all that they start."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

TIMEOUT: Final = 60.0  # seconds


class ProgramError(Exception):
    """A program that cannot be run or does not end; ``str`` says why."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a program printed, and its exit status."""

    data: bytes
    errors: str
    status: int

    @property
    def output(self) -> str:
        """Standard output as text."""
        return self.data.decode("utf-8", "replace")


def find(name: str) -> str | None:
    """Return the absolute path of a program on the PATH, None if there is none.

    Relative entries of the PATH are skipped: they are folders of the checkout that crdlint reads.
    """
    folders = [folder for folder in os.get_exec_path() if Path(folder).is_absolute()]
    found = shutil.which(name, path=os.pathsep.join(folders)) if folders else None
    # Windows looks in the working directory first, whatever the PATH is.
    return found if found is not None and Path(found).is_absolute() else None


def shortened(text: str, longest: int) -> str:
    """Return what a program said in one line, cut after ``longest`` characters."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[:longest] + "..."


def run(
    command: Sequence[str],
    timeout: float = TIMEOUT,
    *,
    data: bytes = b"",
    environment: Mapping[str, str] | None = None,
) -> Done:
    """Run a program with ``data`` as its standard input; ``environment`` replaces the environment as a whole.

    Raises ProgramError if the program cannot be run, or still runs after ``timeout`` seconds.
    """
    name = Path(command[0]).name
    try:
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE if data else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=os.name == "posix",
        )
    except (OSError, ValueError) as error:
        message = f"{name} cannot be run: {getattr(error, 'strerror', None) or error}"
        raise ProgramError(message) from error
    with process:
        try:
            output, errors = process.communicate(data or None, timeout)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                message = f"{name} took more than {timeout:g} s"
                raise ProgramError(message) from error
            raise
    return Done(output, errors.decode("utf-8", "replace"), process.returncode)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program with what it has started, which would keep its output open otherwise."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
