"""The internal errors of a run: each is reported once on standard error, and the exit status is then 3."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Final

from crdlint.__about__ import __version__
from crdlint.cli import console

if TYPE_CHECKING:
    from collections.abc import Iterable

    from crdlint.safety.bugs import Bug

STATUS: Final = 3
ISSUES: Final = "https://github.com/crdlint/crdlint/issues"


class Bugs:
    """The internal errors of a run; `by_file` are (file, text) of all of them."""

    def __init__(self) -> None:
        self.by_file: list[tuple[str, str]] = []

    def __bool__(self) -> bool:
        """Return whether there is one."""
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
                console.err(f"crdlint: the same bug in {len(names) - 1:,} more files: {text}")


def report_bug(bug: Bug, file: str) -> None:
    """Report a bug in crdlint on standard error, and how to report it; with CRDLINT_DEBUG also its traceback."""
    if os.environ.get("CRDLINT_DEBUG"):
        console.err(*bug.traceback.splitlines())
    where = f" while checking {file}" if file else ""
    console.err(
        f"crdlint: a bug in crdlint{where}: {bug.text}",
        f"  Please report it at {ISSUES} with the file that caused it,",
        f"  crdlint {__version__}, Python {sys.version.split()[0]} on {sys.platform}, and what CRDLINT_DEBUG=1 prints.",
    )
