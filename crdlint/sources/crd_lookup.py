"""Search for CRDs that no argument names: beside a file, and in directories of its repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Final

from crdlint.files.paths import has_yaml_suffix
from crdlint.files.read import UnreadableError, entries_of, is_folder, read_bytes, with_parents
from crdlint.files.repository import leads_out, repository_top
from crdlint.light import regex

# Directories of charts, of operators' repositories, and of controller-gen.
_FOLDERS: Final = ("crds", "crd", "config/crd")
# Relative to the directory of a test suite; openshift/api has the generated CRDs in the last one.
_SUITE_FOLDERS: Final = (
    ".",
    "crds",
    "zz_generated.crd-manifests",
    "../../zz_generated.crd-manifests",
    "..",
    "../..",
)


def files_in(folder: str) -> list[str]:
    """Return the YAML and JSON files in a directory by name, without subdirectories and links out of it; raise OSError."""
    top = os.path.realpath(folder)
    names = filter(has_yaml_suffix, sorted(os.listdir(folder)))
    shown = "" if folder == os.curdir else folder
    files = (os.path.join(shown, name) for name in names)
    return [path for path in files if not os.path.isdir(path) and not leads_out(path, [top])]


def files_beside(paths: Iterable[str]) -> list[str]:
    """Return the files in the directories of `paths`; directories that cannot be read are treated as empty."""
    from pathlib import Path

    result: dict[str, None] = {}
    for path in paths:
        with suppress(OSError):
            files = files_in(_folder_of(path) or os.curdir)
            result.update(dict.fromkeys(str(Path(file)) for file in files))
    return list(result)


def crd_folders_near(paths: Iterable[str]) -> list[str]:
    """Return the CRD directories beside each path, or else the nearest ones in its parent directories within the repository."""
    result: dict[str, None] = {}
    for path in paths:
        nearest = filter(None, map(_crd_folders_in, _folders_above(path)))
        result.update(dict.fromkeys(next(nearest, [])))
    return list(result)


def _folders_above(path: str) -> Iterator[str]:
    """Yield the directory of a path, and its parent directories up to the top of the repository."""
    folder = _folder_of(path)
    yield folder
    while not os.path.exists(os.path.join(folder, ".git")):
        parent = os.path.join(folder, os.pardir)
        if os.path.realpath(folder) == os.path.realpath(parent):
            return
        folder = parent
        yield folder


def _crd_folders_in(folder: str) -> list[str]:
    """Return the CRD directories of a directory, without links that lead out of the repository."""
    named = (os.path.normpath(os.path.join(folder, name)) for name in _FOLDERS)
    return [path for path in named if os.path.isdir(path) and not leads_out(path)]


def _folder_of(path: str) -> str:
    return path if os.path.isdir(path) else os.path.dirname(path)


def configured_crds(locations: Iterable[str], folder: str) -> list[str]:
    """Return the existing files and directories of the locations of CRDs in a configuration.

    A location is a file, a directory, or the URL of a git repository. `folder` is the directory of the configuration:
    paths are relative to it, and checkouts of repositories are searched beside it and beside its parent directories.
    """
    paths: list[str] = []
    for location in locations:
        path: str | None = os.path.normpath(os.path.join(folder, location))
        if _URL.match(location):
            path = checkout_of(location, folder)
        if path is not None and os.path.lexists(path):
            paths.append(path)
    return paths


def checkout_of(url: str, folder: str) -> str | None:
    """Return the closest checkout of a git repository, beside a directory or one of its parents, or None."""
    repository = _repository(url)
    for current in with_parents(os.path.abspath(folder)):
        paths = [current]
        with suppress(OSError):
            paths += [entry.path for entry in entries_of(current) if is_folder(entry)]
        for path in paths:
            if repository in _remotes(path):
                return path
    return None


def _remotes(folder: str) -> set[str]:
    try:
        data = read_bytes(os.path.join(folder, ".git", "config"), _LARGEST_CONFIG)
    except UnreadableError:
        return set()
    return set(map(_repository, _REMOTE.findall(data.decode("utf-8", "replace"))))


def _repository(url: str) -> str:
    """Return the host and path of a repository's URL, which are equal for https and ssh."""
    return _URL.sub("", url).replace(":", "/").removesuffix("/").removesuffix(".git").lower()


_URL: Final = regex(r"\A(?:[a-z+]+://(?:[^@/]*@)?|[\w.-]+@(?=[\w.-]+:))")
_REMOTE: Final = regex(r"^[ \t]*url[ \t]*=[ \t]*(\S+)", re.MULTILINE)
_LARGEST_CONFIG: Final = 1024 * 1024  # bytes


def folders_near_suite(suite: str) -> list[str]:
    """Return the directories within the repository that may contain the CRD of a suite, the nearest first."""
    folder = os.path.dirname(suite) or os.curdir
    folders = (os.path.join(folder, near) for near in _SUITE_FOLDERS)
    top = repository_top(os.path.realpath(folder))
    return [os.path.normpath(near) for near in folders if not leads_out(near, [top])]


def files_near_suite(suite: str, name: str) -> list[str]:
    """Return the files within the repository that a suite may mean by the file name of its CRD."""
    folder = os.path.dirname(suite)
    files = (os.path.join(folder, name), os.path.join(folder, "zz_generated.crd-manifests", name))
    top = repository_top(os.path.realpath(folder))
    return [path for path in files if os.path.isfile(path) and not leads_out(path, [top])]
