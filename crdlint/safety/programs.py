"""Execution of other programs, with a time limit that includes their child processes."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import IO, Final

from crdlint.gathering import without_none
from crdlint.light import dataclass
from crdlint.safety.escapes import trace

TIMEOUT: Final = 60.0  # seconds that a program may take
_CHUNK: Final = 65536  # bytes


class ProgramError(Exception):
    """A program cannot be run or does not end; `str()` is the reason."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The maximum resources of a program, on Linux: bytes of memory that it may write to, and seconds of CPU time."""

    memory: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Done:
    """The output of a program, and its exit status."""

    data: bytes
    errors: str
    status: int

    @property
    def output(self) -> str:
        """Standard output as text."""
        return self.data.decode("utf-8", "replace")


def find(name: str) -> str | None:
    """Return the absolute path of a program, or None; relative entries of the PATH, which lead into the checkout, are skipped."""
    folders = [folder for folder in os.get_exec_path() if Path(folder).is_absolute()]
    program = shutil.which(name, path=os.pathsep.join(folders)) if folders else None
    # Windows searches the working directory first, regardless of the PATH.
    return program if program is not None and Path(program).is_absolute() else None


def identity_of(program: str) -> str:
    """Return a text that changes when a program is replaced: its real path, its size and its time."""
    try:
        status = Path(program).stat()
    except OSError:  # it cannot be run, either
        return program
    return f"{os.path.realpath(program)} {status.st_size} {status.st_mtime_ns}"


def shortened(text: str, longest: int) -> str:
    """Return a program's message in one line, truncated to `longest` characters."""
    text = " ".join(text.split())
    return text if len(text) <= longest else text[:longest] + "..."


def run(
    command: Sequence[str],
    *,
    data: bytes = b"",
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    limit: int | None = None,
    limits: Limits | None = None,
) -> Done:
    """Run a program with `data` as its standard input; `environment` replaces the whole environment.

    `folder` is its working directory. `limit` is the maximum output in bytes. Raise ProgramError if the program cannot be run,
    prints more, or does not end in time.
    """
    name = Path(command[0]).name
    trace(f"runs {shlex.join(command)}{f' in {folder}' if folder else ''}")
    try:
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.PIPE if data else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=environment,
            start_new_session=os.name == "posix",
        )
    except (OSError, ValueError) as error:
        message = f"{name} cannot be run: {getattr(error, 'strerror', None) or error}"
        raise ProgramError(message) from error
    with process:
        _running.add(process)
        try:
            if limits is not None:
                _restrict(process, limits)
            output, errors = _communicate(process, data, limit)
        except BaseException as error:
            _end(process)
            if isinstance(error, subprocess.TimeoutExpired):
                message = f"{name} took more than {TIMEOUT:g} s"
                raise ProgramError(message) from error
            raise
        finally:
            _running.discard(process)
    if limit is not None and max(len(output), len(errors)) > limit:
        message = f"{name} printed more than {limit // 1024 // 1024} MiB"
        raise ProgramError(message)
    if limits is not None and _is_killed(process):
        message = f"{name} took more than {limits.seconds} s of CPU time"
        raise ProgramError(message)
    return Done(output, errors.decode("utf-8", "replace"), process.returncode)


def _communicate(
    process: subprocess.Popen[bytes], data: bytes, limit: int | None
) -> tuple[bytes, bytes]:
    """Return the output of a program as Popen.communicate does, but end it if it prints more than `limit` bytes."""
    deadline = time.monotonic() + TIMEOUT
    printed = bytearray(), bytearray()

    def read(stream: IO[bytes], into: bytearray) -> None:
        while chunk := os.read(stream.fileno(), _CHUNK):
            into += chunk
            if limit is not None and len(into) > limit:
                _end(process)
                return

    def write(stream: IO[bytes]) -> None:
        with suppress(OSError), stream:
            stream.write(data)

    streams = without_none((process.stdout, process.stderr))
    threads = [
        Thread(
            target=read,
            args=pair,
            daemon=True,
        )
        for pair in zip(streams, printed, strict=True)
    ]
    if process.stdin is not None:
        threads.append(
            Thread(
                target=write,
                args=(process.stdin,),
                daemon=True,
            )
        )
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(max(deadline - time.monotonic(), 0))
        if thread.is_alive():
            raise subprocess.TimeoutExpired(process.args, TIMEOUT)
    process.wait(max(deadline - time.monotonic(), 0))
    return bytes(printed[0]), bytes(printed[1])


_running: Final[set[subprocess.Popen[bytes]]] = set()


def end_running() -> None:
    """End all programs that other threads run."""
    for process in tuple(_running):
        _end(process)


def _restrict(process: subprocess.Popen[bytes], limits: Limits) -> None:
    """Limit the resources of a running program, on Linux.

    The address space is not limited: Go reserves much more of it than it uses.
    """
    if sys.platform == "linux":
        import resource

        for kind, most in (
            (resource.RLIMIT_DATA, limits.memory),
            (resource.RLIMIT_CPU, limits.seconds),
        ):
            with suppress(OSError, ValueError):  # the program has ended, or has a lower limit
                resource.prlimit(process.pid, kind, (most, most))


def _is_killed(process: subprocess.Popen[bytes]) -> bool:
    return os.name == "posix" and process.returncode in {-signal.SIGKILL, -signal.SIGXCPU}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a program and its child processes, which would keep its output open."""
    with suppress(ProcessLookupError, PermissionError):
        if os.name == "posix":
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
