"""`--watch`: a command runs again whenever a file below its paths changes, until Ctrl-C."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Final, NoReturn, TypeAlias

import click

from crdlint.cli import console
from crdlint.config.load import NAMES
from crdlint.files.read import stamp_of
from crdlint.phrases import counted, some
from crdlint.safety.escapes import printable_line

# When each file was written, in nanoseconds, and its size, by its path.
Seen: TypeAlias = dict[str, tuple[int, int]]

_PAUSE: Final = 0.4  # seconds between two looks at the files
_SHARE: Final = 20  # a look may take the twentieth part of the pause after it
_SETTLED: Final = 0.05  # seconds without another change, since editors write a file in steps
_NAMED: Final = 3  # changed files in a line
_LEFT_OUT: Final = frozenset({".git", ".venv", "__pycache__", "node_modules"})


def keep_running(
    run: Callable[[], int], paths: Collection[str], written: Collection[str]
) -> NoReturn:
    """Run a command now, and after each change below `paths`; `written` are the files that it writes itself.

    Wrong usage ends the first run. Later it is reported, because a file that it is about may come back.
    """
    seen = look(paths, written)
    run()
    while True:
        console.err(f"crdlint: watching {counted(len(seen), 'file')}, Ctrl-C ends")
        current = _next_change(seen, paths, written)
        names = changed(seen, current)
        seen = current
        if sys.stdout.isatty():
            click.clear()
        console.err(f"crdlint: changed: {printable_line(some(names, _NAMED))}")
        try:
            run()
        except click.ClickException as error:
            console.show_error(error)


def look(paths: Iterable[str], written: Collection[str] = ()) -> Seen:
    """Return what is known of all files below some paths, and of the configurations above them."""
    left_out = set(map(os.path.realpath, written))
    seen: Seen = {}
    for name in _files(paths):
        if left_out and os.path.realpath(name) in left_out:
            continue
        stamp = stamp_of(name)
        if stamp is not None:  # else a dangling link, or a file that vanished meanwhile
            seen[name] = stamp
    return seen


def changed(before: Seen, after: Seen) -> list[str]:
    """Return the files that were written, added or removed between two looks, sorted."""
    return sorted({name for name, _ in before.items() ^ after.items()})


def _next_change(seen: Seen, paths: Collection[str], written: Collection[str]) -> Seen:
    """Wait for a change, and for the end of it; return what is known of the files then."""
    current, pause = seen, _PAUSE
    while current == seen:
        time.sleep(pause)
        start = time.perf_counter()
        current = look(paths, written)
        pause = max(_PAUSE, _SHARE * (time.perf_counter() - start))
    while True:
        time.sleep(_SETTLED)
        settled = look(paths, written)
        if settled == current:
            return settled
        current = settled


def _files(paths: Iterable[str]) -> Iterator[str]:
    for path in paths:
        yield from _configurations(path)
        if not os.path.isdir(path):  # noqa: PTH112
            yield path
            continue
        for folder, folders, names in os.walk(path):
            folders[:] = [name for name in folders if name not in _LEFT_OUT]
            yield from (os.path.join(folder, name) for name in names)  # noqa: PTH118


def _configurations(path: str) -> Iterator[str]:
    """Yield where a configuration of a path may be in the folders above it."""
    folder = os.path.abspath(path)  # noqa: PTH100
    while (parent := os.path.dirname(folder)) != folder:  # noqa: PTH120
        folder = parent
        yield from (os.path.join(folder, name) for name in NAMES)  # noqa: PTH118
