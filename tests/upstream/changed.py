"""What changed between two releases in the files of upstream that crdlint follows."""

from __future__ import annotations

import difflib
import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from .recorder import UnavailableError
from .rows import HERE
from .toml_files import toml

_SERVER: Final = "k8s.io/apiextensions-apiserver"
_REQUIRED: Final = re.compile(r"^(?:require)?\s+(\S+) (v\S+)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Watched:
    """A file or folder of upstream, and the modules of crdlint that follow it."""

    module: str
    path: str
    followers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A file that differs between two releases, as the lines of a unified diff."""

    watched: Watched
    file: str
    diff: tuple[str, ...]

    @property
    def added(self) -> int:
        """The number of lines that the newer release adds."""
        return _count(self.diff, "+")

    @property
    def removed(self) -> int:
        """The number of lines that the newer release removes."""
        return _count(self.diff, "-")


def _count(diff: tuple[str, ...], sign: str) -> int:
    return sum(line.startswith(sign) for line in diff[2:])


def watched() -> list[Watched]:
    """Return all watched files and folders, by module."""
    return [
        Watched(module, path, tuple(followers))
        for module, paths in _table().items()
        if isinstance(paths, dict)
        for path, followers in paths.items()
    ]


def read_up_to() -> str:
    """Return the release up to which the watched files were read, such as `1.37.2`."""
    return str(_table()["read"])


def _table() -> dict[str, Any]:
    return toml(HERE / "watched.toml")


def changes(old: str, new: str) -> Iterator[Change]:
    """Yield the watched files that differ between two releases (`1.37.2`, `1.38.0-beta.0`).

    Raise UnavailableError if a module cannot be downloaded.
    """
    old_modules, new_modules = modules_of(old), modules_of(new)
    for item in watched():
        before, after = _folder(item.module, old_modules), _folder(item.module, new_modules)
        if before != after:
            yield from _changes(item, before, after)


def modules_of(release: str) -> dict[str, str]:
    """Return the versions of the modules that the server's packages of a release require."""
    version = "v0" + release.removeprefix("v")[1:]
    downloaded = _download(_SERVER, version)
    required = dict(_REQUIRED.findall(Path(downloaded["GoMod"]).read_text(encoding="utf-8")))
    return {**required, _SERVER: version}


def _folder(module: str, modules: Mapping[str, str]) -> Path | None:
    """Return the folder of a module in the module cache, or None if the release does not require the module."""
    version = modules.get(module)
    return None if version is None else Path(_download(module, version)["Dir"])


def _download(module: str, version: str) -> dict[str, Any]:
    if shutil.which("go") is None:
        raise UnavailableError("Go is not installed: it downloads the modules (https://go.dev/doc/install)")
    command = ["go", "mod", "download", "-json", f"{module}@{version}"]
    # In a folder without go.mod, so that no other module counts.
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    downloaded: dict[str, Any] = json.loads(done.stdout or "{}")
    if done.returncode or "Error" in downloaded:
        raise UnavailableError(f"{module} {version} cannot be downloaded: {downloaded.get('Error', done.stderr)}")
    return downloaded


def _changes(item: Watched, before: Path | None, after: Path | None) -> Iterator[Change]:
    old, new = _files(before, item.path), _files(after, item.path)
    for name in sorted(old.keys() | new.keys()):
        diff = difflib.unified_diff(old.get(name, []), new.get(name, []), f"old/{name}", f"new/{name}", lineterm="")
        lines = tuple(diff)
        if lines:
            yield Change(item, name, lines)


def _files(module: Path | None, path: str) -> dict[str, list[str]]:
    """Return the lines of the Go files at a path of a module, by name, without tests and generated conversions."""
    if module is None:
        return {}
    at = module / path
    files = [at] if at.is_file() else sorted(at.rglob("*.go") if path != "." else at.glob("*.go"))
    return {
        str(file.relative_to(module)): file.read_text(encoding="utf-8").splitlines() for file in files if _counts(file)
    }


def _counts(file: Path) -> bool:
    return (
        not file.name.endswith("_test.go") and not file.name.startswith("zz_generated") and "testdata" not in file.parts
    )
