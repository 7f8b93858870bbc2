"""Standard output and its errors, and who listens to what a run writes, before anything else is imported."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol, TextIO, TypeVar

Item = TypeVar("Item")
_CLOSED_PIPE: Final = 141  # the exit status as of a program that SIGPIPE ends


class StreamError(Exception):
    """Standard output cannot be written to; `str()` is the reason. `is_closed_pipe` is set if its reader has gone."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror or error}")
        self.is_closed_pipe = error.errno == errno.EPIPE


class _Output(io.TextIOWrapper):
    """Standard output, whose errors are StreamErrors, so that they differ from errors of other files."""

    def write(self, text: str, /) -> int:
        return self._raising(super().write, text)

    def flush(self) -> None:
        self._raising(super().flush)

    def _raising(self, use: Callable[..., Item], *arguments: str) -> Item:
        try:
            return use(*arguments)
        except OSError as error:
            discard(self)
            raise StreamError(error) from error


def prepare() -> None:
    """Open the standard streams that are closed, and let standard output take every character.

    Using a stream that was closed still fails. Without this, the next file to be opened would take its descriptor.
    """
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            is_input = descriptor == 0
            os.dup2(os.open(os.devnull, os.O_WRONLY if is_input else os.O_RDONLY), descriptor)
            mode = "r" if is_input else "w"
            stream = open(descriptor, mode, encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)
    if isinstance(sys.stdout, io.TextIOWrapper):
        # `sys.__stdout__` is left as it is: the size of the terminal is asked for there.
        file = open(sys.stdout.fileno(), "wb", closefd=False)  # noqa: SIM115
        sys.stdout = _Output(
            file,
            sys.stdout.encoding,
            "backslashreplace",
            line_buffering=sys.stdout.line_buffering,
        )


def discard(stream: TextIO) -> None:
    """Drop what is still to be written to a standard stream, now and at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def status_of(error: StreamError, report: Callable[[str], None]) -> int:
    """Report why standard output cannot be written, unless its reader has gone, and return the exit status."""
    if error.is_closed_pipe:
        return _CLOSED_PIPE
    report(f"crdlint: {error}")
    return 2


class Listener(Protocol):
    """Takes what a run writes, and its exit status if each later run would write the same."""

    def add(self, text: str, *, is_error: bool) -> None:
        """Take what is written next."""

    def keep(self, status: int) -> None:
        """Take the exit status."""


_listener: Listener | None = None


def listen(listener: Listener | None) -> None:
    """Let a listener take what this run writes."""
    global _listener
    _listener = listener


def written(text: str, *, is_error: bool) -> None:
    """Pass what is written to the listener."""
    if _listener is not None:
        _listener.add(text, is_error=is_error)


def keep(status: int) -> None:
    """Let the listener know that all is written, and that each later run would write the same."""
    if _listener is not None:
        _listener.keep(status)
