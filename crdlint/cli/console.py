"""Standard output and standard error: every command writes through here."""

from __future__ import annotations

import errno
import io
import os
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from crdlint.report.escapes import printable_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO


_BAR_EVERY: Final = 0.1  # seconds


class StreamError(Exception):
    """Standard output cannot be written to; ``str`` says why. ``is_closed_pipe`` is set if its reader has gone."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror or error}")
        self.is_closed_pipe = error.errno == errno.EPIPE


class _Output(io.TextIOWrapper):
    """Standard output, whose errors are StreamErrors: no other file's error is taken for one."""

    def write(self, text: str, /) -> int:
        with self._errors():
            return super().write(text)

    def flush(self) -> None:
        with self._errors():
            super().flush()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
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
            setattr(sys, name, open(descriptor, "r" if is_input else "w", encoding="utf-8", closefd=False))  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        # `sys.__stdout__` is left as it is: the size of the terminal is asked for there.
        file = open(sys.stdout.fileno(), "wb", closefd=False)  # noqa: SIM115
        sys.stdout = _Output(file, sys.stdout.encoding, "backslashreplace", line_buffering=sys.stdout.line_buffering)


_bar: _Bar | None = None


@dataclass(slots=True)
class _Bar:
    """How far a run is, in a line of a terminal that what is written next takes the place of."""

    total: int
    done: int = 0
    shown: str = ""
    due: float = 0.0  # when it may be drawn again

    def step(self) -> None:
        """Count a file."""
        self.done += 1
        if time.monotonic() >= self.due:
            self.clear()
            self.shown = f"checking {self.done:,} of {self.total:,} files"
            self.due = time.monotonic() + _BAR_EVERY
            self._write(self.shown)

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            self._write(f"\r{' ' * len(self.shown)}\r")
            self.shown = ""

    def _write(self, text: str) -> None:
        try:
            click.echo(text, nl=False, err=True)
        except OSError:
            discard(sys.stderr)


@contextmanager
def progress(total: int) -> Iterator[Callable[[], None]]:
    """Show on standard error, if that is a terminal, how many files are checked; return what counts one."""
    global _bar
    if not total or not sys.stderr.isatty():
        yield lambda: None
        return
    _bar = _Bar(total)
    try:
        yield _bar.step
    finally:
        _bar.clear()
        _bar = None


def out(text: str, *, nl: bool = True) -> None:
    """Write text to standard output, escaped by its format already. Raises StreamError."""
    if not text and not nl:
        return
    if _bar is not None:
        _bar.clear()
    click.echo(text, nl=nl, color=True)


def err(*lines: str) -> None:
    """Write lines to standard error, each escaped; they are lost if it cannot be written to."""
    out_on_err("\n".join(map(printable_line, lines)))


def out_on_err(text: str, *, nl: bool = True) -> None:
    """Write text to standard error, escaped by its format already; it is lost if that cannot be written to."""
    if _bar is not None:
        _bar.clear()
    try:
        click.echo(text, nl=nl, err=True, color=True)
    except OSError:
        discard(sys.stderr)


def show_error(error: click.ClickException) -> None:
    """Write a usage error to standard error; arguments may be file names (`crdlint check *`)."""
    text = io.StringIO()
    error.show(text)
    err(*text.getvalue().removesuffix("\n").split("\n"))


def discard(stream: TextIO) -> None:
    """Drop what is still to be written to a standard stream, now and at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
