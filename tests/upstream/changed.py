"""What changed between two releases in the files of upstream that crdlint follows."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from .module_proxy import path_in, required, sources
from .rows import HERE
from .toml_files import toml

_SERVER: Final = "k8s.io/apiextensions-apiserver"


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
        if isinstance(paths, dict) and module != "renamed"
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
    for module, items in _by_module().items():
        before, after = _sources(module, old), _sources(module, new)
        for item in items:
            yield from differing(item, before, after)


def _by_module() -> dict[str, list[Watched]]:
    found: dict[str, list[Watched]] = {}
    for item in watched():
        found.setdefault(item.module, []).append(item)
    return found


def _sources(module: str, release: str) -> dict[str, str]:
    """Return the sources of a module at the version that a release requires; none if it does not require the module."""
    version = _packages(release)
    if module == _SERVER:
        return sources(module, version)
    modules = required(_SERVER, version)
    for name in (module, *_table().get("renamed", {}).get(module, ())):
        path = path_in(modules, name)
        if path is not None:
            return sources(path, modules[path])
    return {}


def _packages(release: str) -> str:
    """Return the version of the server's packages in a release: `v0.37.2` for 1.37.2."""
    return "v0" + release.removeprefix("v")[1:]


def differing(
    item: Watched, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Change]:
    """Yield the files at a watched path that differ between two versions of a module, given by their sources."""
    names = {name for name in before.keys() | after.keys() if _is_watched(name, item.path)}
    for name in sorted(names):
        old, new = before.get(name, "").splitlines(), after.get(name, "").splitlines()
        diff = tuple(difflib.unified_diff(old, new, f"old/{name}", f"new/{name}", lineterm=""))
        if diff:
            yield Change(item, name, diff)


def _is_watched(name: str, path: str) -> bool:
    folder, _, file = name.rpartition("/")
    if (
        file.endswith("_test.go")
        or file.startswith("zz_generated")
        or "testdata" in folder.split("/")
    ):
        return False
    if path == ".":
        return not folder
    return name == path or name.startswith(f"{path}/")
