"""Where a report comes from: the project and its revision, the command, and the time."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from crdlint.__about__ import __version__
from crdlint.files.git import commit_of
from crdlint.files.repository import RepositoryError, repository_of
from crdlint.kubernetes.servers import NEWEST_VERSION
from crdlint.light import NamedTuple

_PROGRAM = "crdlint"
_SHORT = 12  # characters of a commit


class Fact(NamedTuple):
    """A fact about a report, and its name."""

    name: str
    value: str


def provenance(kube_version: str) -> list[Fact]:
    """Return what a reader must know who was not there when a report was made.

    ``kube_version`` is the option of the command, empty without one. The time is in UTC: SOURCE_DATE_EPOCH, if that is
    set, so that the same run can write the same file again.
    """
    return list(_facts(kube_version))


def _facts(kube_version: str) -> Iterator[Fact]:
    project, revision = _project()
    yield Fact("Project", project)
    if revision:
        yield Fact("Revision", revision)
    yield Fact("Kubernetes", kube_version or f"{NEWEST_VERSION}, or what the configuration names")
    command = _command()
    if command:
        yield Fact("Command", command)
    yield Fact("Time", time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(_now())))
    yield Fact("Program", f"{_PROGRAM} {__version__}")


def _project() -> tuple[str, str]:
    """Return the name of the working directory's repository, or its own, and the commit that is checked out."""
    folder = Path.cwd()
    try:
        repository = repository_of(str(folder))
        if repository is None:
            return folder.name, ""
        return Path(repository.top).name, commit_of(repository, "HEAD")[:_SHORT]
    except RepositoryError:
        return folder.name, ""


def _command() -> str:
    """Return the command line, empty if another program made the report."""
    name = Path(sys.argv[0]).name
    is_own = name.startswith(_PROGRAM) or name == "__main__.py"
    return shlex.join([_PROGRAM, *sys.argv[1:]]) if is_own else ""


def _now() -> float:
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    return float(epoch) if epoch.isdecimal() and len(epoch) <= _SHORT else time.time()
