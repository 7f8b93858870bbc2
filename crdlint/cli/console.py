"""Standard output and standard error: every command writes through here."""

from __future__ import annotations

import errno
import io
import os
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

import click

from crdlint.report.escapes import printable_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TextIO


_BAR_EVERY: Final = 0.1  # seconds


class StreamError(Exception):
    """Standard output cannot be written to; `str()` is the reason. `is_closed_pipe` is set if its reader has gone."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output cannot be written: {error.strerror or error}")
        self.is_closed_pipe = error.errno == errno.EPIPE


class _Output(io.TextIOWrapper):
    """Standard output, whose errors are StreamErrors, so that they differ from errors of other files."""

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


class _Bar:
    """A progress bar on standard error, taken away before anything else is written."""

    def __init__(self, total: int) -> None:
        from rich.console import Console
        from rich.progress import Progress

        # Drawn here and not by a thread of rich's, so that no output comes between its lines.
        self._progress = Progress(console=Console(stderr=True), transient=True, auto_refresh=False)
        self._task = self._progress.add_task("checking", total=total)
        self._shown = False
        self._due = 0.0  # when it may be drawn again

    def step(self) -> None:
        """Count a file."""
        self._progress.advance(self._task)
        if time.monotonic() >= self._due:
            self._due = time.monotonic() + _BAR_EVERY
            with _lost_if_unwritable():
                if not self._shown:
                    self._shown = True
                    self._progress.start()
                self._progress.refresh()

    def clear(self) -> None:
        """Take the bar away."""
        if self._shown:
            self._shown = False
            with _lost_if_unwritable():
                self._progress.stop()


@contextmanager
def _lost_if_unwritable() -> Iterator[None]:
    """Drop what is written to standard error if that cannot be written to."""
    try:
        yield
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
    with _lost_if_unwritable():
        click.echo(text, nl=nl, err=True, color=True)


def show_error(error: click.ClickException) -> None:
    """Write a usage error to standard error; arguments may be file names (`crdlint check *`)."""
    text = io.StringIO()
    error.show(text)
    err(*text.getvalue().removesuffix("\n").split("\n"))


def discard(stream: TextIO) -> None:
    """Drop what is still to be written to a standard stream, now and at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
