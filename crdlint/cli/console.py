"""Standard output and standard error, through which every command writes, and the internal errors of a run."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Final, TypeVar

import click

from crdlint.__about__ import __version__
from crdlint.cli.streams import StreamError as StreamError
from crdlint.cli.streams import discard as discard
from crdlint.cli.streams import prepare as prepare
from crdlint.cli.streams import written
from crdlint.safety.bugs import Bug
from crdlint.safety.escapes import printable_line

Item = TypeVar("Item")
_STATUS_EVERY: Final = 0.1  # seconds
BUG: Final = 3  # the exit status after an internal error
ISSUES: Final = "https://github.com/crdlint/crdlint/issues"


_status: _Status | None = None


class _Status:
    """A line on standard error about what is being read, taken away before anything else is written."""

    def __init__(self) -> None:
        self._shown = False
        self._due = 0.0  # when it may be drawn again

    def show(self, text: str) -> None:
        """Draw the line, if that is not too soon after the last time."""
        if self._shown and time.monotonic() < self._due:
            return
        from shutil import get_terminal_size

        self._due = time.monotonic() + _STATUS_EVERY
        with _lost_if_unwritable():
            self._write(printable_line(text)[: get_terminal_size().columns - 1])
            self._shown = True

    def clear(self) -> None:
        if self._shown:
            self._shown = False
            with _lost_if_unwritable():
                self._write("")

    @staticmethod
    def _write(text: str) -> None:
        sys.stderr.write(f"\r\x1b[2K{text}")
        sys.stderr.flush()


@contextmanager
def _lost_if_unwritable() -> Iterator[None]:
    """Drop what is written to standard error if that cannot be written to."""
    try:
        yield
    except OSError:
        discard(sys.stderr)


def watched(items: Iterable[Item], names: Sequence[str]) -> Iterator[Item]:
    """Yield items; while each one is awaited, show its name on standard error if that is a terminal."""
    global _status
    if not names or not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield from items
        return
    _status = _Status()
    iterator = iter(items)
    try:
        for number, name in enumerate(names, 1):
            _status.show(f"checking {number:,} of {len(names):,}: {name}")
            yield from islice(iterator, 1)
    finally:
        _status.clear()
        _status = None


def out(text: str, *, nl: bool = True) -> None:
    """Write text to standard output, escaped by its format already. Raises StreamError."""
    if not text and not nl:
        return
    _prepare_for(text, nl=nl, is_error=False)
    click.echo(text, nl=nl, color=True)


def _prepare_for(text: str, *, nl: bool, is_error: bool) -> None:
    """Take the status away before a text is written, and pass the text to who listens."""
    if _status is not None:
        _status.clear()
    written(f"{text}\n" if nl else text, is_error=is_error)


def err(*lines: str) -> None:
    """Write lines to standard error, each escaped; they are lost if it cannot be written to."""
    out_on_err("\n".join(map(printable_line, lines)))


def out_on_err(text: str, *, nl: bool = True) -> None:
    """Write text to standard error, escaped by its format already; it is lost if that cannot be written to."""
    _prepare_for(text, nl=nl, is_error=True)
    with _lost_if_unwritable():
        click.echo(
            text,
            nl=nl,
            err=True,
            color=True,
        )


def show_error(error: click.ClickException) -> None:
    """Write a usage error to standard error; arguments may be file names (`crdlint check *`)."""
    text = io.StringIO()
    error.show(text)
    err(*text.getvalue().removesuffix("\n").split("\n"))


class Bugs:
    """The internal errors of a run, each reported once; `by_file` are (file, text) of all of them."""

    def __init__(self) -> None:
        self.by_file: list[tuple[str, str]] = []

    def __bool__(self) -> bool:
        return bool(self.by_file)

    def add(self, file: str, bugs: Iterable[Bug]) -> None:
        """Add the internal errors of a file, and report those that are new."""
        for bug in bugs:
            if all(text != bug.text for _, text in self.by_file):
                report_bug(bug, file)
            self.by_file.append((file, bug.text))

    def report_repeated(self) -> None:
        """Report how many more files have each internal error."""
        files: dict[str, set[str]] = {}
        for file, text in self.by_file:
            files.setdefault(text, set()).add(file)
        for text, names in files.items():
            if len(names) > 1:
                err(f"crdlint: the same bug in {len(names) - 1:,} more files: {text}")


def report_bug(bug: Bug, file: str) -> None:
    """Report a bug in crdlint on standard error, and how to report it; with CRDLINT_DEBUG also its traceback."""
    if os.environ.get("CRDLINT_DEBUG"):
        err(*bug.traceback.splitlines())
    where = f" while checking {file}" if file else ""
    err(
        f"crdlint: a bug in crdlint{where}: {bug.text}",
        f"  Please report it at {ISSUES} with the file that caused it,",
        f"  crdlint {__version__}, Python {sys.version.split()[0]} on {sys.platform}, and what CRDLINT_DEBUG=1 prints.",
    )
