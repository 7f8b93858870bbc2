"""Offline execution of Helm and kustomize: without network, other programs, plugins, or the user's settings."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from crdlint.files.read import MAX_BYTES
from crdlint.light import dataclass, regex
from crdlint.safety.programs import Done, Limits, run, shortened

_LIMITS: Final = Limits(memory=1024 * 1024 * 1024, seconds=30)
_NOWHERE: Final = "http://127.0.0.1:9"  # the discard port: nothing listens there
# The garbage collector of Go runs seldom as long as memory is small.
_GO: Final = {"GOGC": "400", "GOMEMLIMIT": "200MiB"}
_PROXIES: Final = ("http_proxy", "https_proxy", "all_proxy", "ftp_proxy")
# Variables for directories and files of settings, which otherwise are below the home directory.
_SETTINGS: Final = (
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CONFIG_HOME",
    "XDG_CACHE_HOME",
    "XDG_DATA_HOME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "HELM_CACHE_HOME",
    "HELM_CONFIG_HOME",
    "HELM_DATA_HOME",
    "HELM_PLUGINS",
    "HELM_REPOSITORY_CACHE",
    "KUSTOMIZE_PLUGIN_HOME",
    "PATH",
)
_SETTINGS_FILES: Final = (
    "KUBECONFIG",
    "HELM_REPOSITORY_CONFIG",
    "HELM_REGISTRY_CONFIG",
    "DOCKER_CONFIG",
)


@dataclass(frozen=True, slots=True)
class Sandbox:
    """A temporary directory: programs run in `files`, `home` is empty."""

    files: str
    home: str

    def write(self, tree: Mapping[str, bytes]) -> None:
        """Write files, by their paths below `files`."""
        for name, data in tree.items():
            path = os.path.join(self.files, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)

    def run(self, command: Sequence[str], folder: str = "") -> Done:
        """Run a program in a directory below `files`; raise ProgramError."""
        inherited = ["SYSTEMROOT"] if sys.platform == "win32" and "SYSTEMROOT" in os.environ else []
        proxies = {name: _NOWHERE for lower in _PROXIES for name in (lower, lower.upper())}
        files = dict.fromkeys(_SETTINGS_FILES, os.path.join(self.home, "none"))
        own = {
            **proxies,
            **dict.fromkeys(_SETTINGS, self.home),
            **files,
            "HELM_NO_PLUGINS": "1",
            "LC_ALL": "C",
            **_GO,
        }
        environment = {name: os.environ[name] for name in inherited} | own
        path = os.path.join(self.files, folder)
        return run(
            command,
            environment=environment,
            folder=path,
            limit=MAX_BYTES,
            limits=_LIMITS,
        )


@contextmanager
def sandbox() -> Iterator[Sandbox]:
    """Return a new sandbox, which is removed at the end of the context."""
    with tempfile.TemporaryDirectory(prefix="crdlint-", ignore_cleanup_errors=True) as folder:
        box = Sandbox(
            os.path.join(os.path.realpath(folder), "files"),
            os.path.join(os.path.realpath(folder), "home"),
        )
        os.mkdir(box.files)
        os.mkdir(box.home)
        yield box


# The prefix of a line of Go's log packages: a date and time, or a date, time and process.
_STAMP: Final = regex(
    r"\d{4}/\d\d/\d\d \d\d:\d\d:\d\d(?:\.\d+)? |[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ \S+\] "
)
_ERROR: Final = regex(r"\Aerror: ", re.IGNORECASE)
_WARNING: Final = regex(
    r"# Warning:|Warning:|Flag --\S+ has been deprecated|level=(?:WARN|INFO|DEBUG) |WARNING:"
)


def needs_memory(done: Done) -> bool:
    """Return whether a program of Go ended because its memory is limited."""
    return "out of memory" in done.errors or "cannot allocate memory" in done.errors


def reason(done: Done, longest: int) -> str:
    """Return a short reason why a program failed, without warnings, time stamps and process ids."""
    if needs_memory(done):
        return f"it needs more than {_LIMITS.memory // 1024 // 1024 // 1024} GiB of memory"
    lines = list(map(_without_stamp, done.errors.splitlines()))
    lines = [line for line in lines if line.strip() and not _WARNING.match(line)]
    start = next((i for i, line in enumerate(lines) if _ERROR.match(line)), 0)
    text = _ERROR.sub("", "\n".join(lines[start:]))
    text = text.replace("Use --debug flag to render out invalid YAML", "")
    return shortened(text, longest) or "it prints no reason"


def _without_stamp(line: str) -> str:
    stamp = _STAMP.match(line)
    return line if stamp is None else line[stamp.end() :]
