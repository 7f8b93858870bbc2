"""One input checked, from its path to what there is to say: a unit of work that can run in another process.

What cannot be read, and a bug of ours, is told with the result, so that neither keeps other inputs from being checked.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from crdlint.sources.paths import STDIN
from crdlint.sources.read import UnreadableError, decode, may_hold_crd, read_bytes

if TYPE_CHECKING:
    from crdlint.linter import FileResult
    from crdlint.sources.baseline import Baseline


@dataclass(frozen=True, slots=True)
class Settings:
    """What decides, besides an input's text, what is said of it.

    ``kube_version`` is a version or a range, ``baseline`` has the CRDs to judge updates from, and ``keep`` keeps
    the CRDs and rules in results, which then cannot leave the process.
    """

    kube_version: str
    baseline: Baseline | None = None
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Bug:
    """A bug of ours: the exception in one line, and its traceback."""

    text: str
    traceback: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What has come of an input: results, or why it could not be read, or a bug; nothing where no CRD can be in it."""

    name: str
    results: tuple[FileResult, ...] = ()
    problem: str | None = None
    bug: Bug | None = None


def shown_name(path: str) -> str:
    """Return how an input is named to people."""
    return "<stdin>" if path == STDIN else path


def check_file(path: str, settings: Settings) -> Checked:
    """Check a file, or standard input (``-``)."""
    name = shown_name(path)
    try:
        data = read_bytes(path)
        if not may_hold_crd(data):
            return Checked(name)
        text = decode(data)
    except UnreadableError as error:
        return Checked(name, problem=str(error))
    return check_text(text, name, settings)


def check_text(text: str, name: str, settings: Settings) -> Checked:
    """Check a text under a file's name."""
    from crdlint.linter import lint_file

    try:
        result = lint_file(
            text,
            filename=name,
            kube_version=settings.kube_version,
            baseline=settings.baseline,
            skip_unfinished=True,
            keep=settings.keep,
        )
    except Exception as error:
        return Checked(name, bug=bug_of(error))
    return Checked(name, (result,))


def bug_of(error: BaseException) -> Bug:
    """Return an exception as what is told of it."""
    import traceback

    return Bug(f"{type(error).__name__}: {error}", "".join(traceback.format_exception(error)))
