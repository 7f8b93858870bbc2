"""Where CRDs are looked for that no argument names: beside a file, and in the folders of its repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from crdlint.inputs.paths import Selection, discover, has_yaml_suffix

# Of a chart, an operator's repository, controller-gen's.
_FOLDERS: Final = ("crds", "crd", "config/crd")
# From the folder of a test suite; openshift/api keeps the generated CRDs in the last of these names.
_SUITE_FOLDERS: Final = (".", "crds", "zz_generated.crd-manifests", "../../zz_generated.crd-manifests", "..", "../..")


def files_in(folder: str) -> list[str]:
    """Return the YAML and JSON files of a folder by name, not those below its folders. Raises OSError."""
    files = (os.path.join(folder, name) for name in sorted(os.listdir(folder)) if has_yaml_suffix(name))
    return [path for path in files if os.path.isfile(path)]


def files_beside(paths: Iterable[str]) -> list[str]:
    """Return the files in the folders of what paths name; folders that cannot be read have none."""
    found: dict[str, None] = {}
    for path in paths:
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        try:
            files = files_in(folder or os.curdir)
        except OSError:
            continue
        found.update(dict.fromkeys(str(Path(file)) for file in files))
    return list(found)


def crd_folders_near(paths: Iterable[str]) -> list[str]:
    """Return the folders of CRDs beside what each path names, else the nearest ones above it within the repository."""
    found: dict[str, None] = {}
    for path in paths:
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        while True:
            here = [os.path.normpath(os.path.join(folder, name)) for name in _FOLDERS]
            here = [one for one in here if os.path.isdir(one)]
            found.update(dict.fromkeys(here))
            if here or os.path.exists(os.path.join(folder, ".git")) or _is_root(folder):
                break
            folder = os.path.join(folder, os.pardir)
    return list(found)


def configured_crds(places: Iterable[str], folder: str, selection: Selection | None = None) -> list[str]:
    """Return the files that a configuration names as the places of CRDs.

    A place is a file, a folder, or the URL of a git repository. ``folder`` is the configuration's: paths are relative to
    it, and checkouts of repositories are looked for beside it and beside the folders above it.
    """
    found: dict[str, None] = {}
    for place in places:
        path = checkout_of(place, folder) if _URL.match(place) else os.path.normpath(os.path.join(folder, place))
        if path is not None and os.path.exists(path):
            found.update(dict.fromkeys(discover([path], selection or Selection()).files))
    return list(found)


def checkout_of(url: str, folder: str) -> str | None:
    """Return the closest checkout of a git repository, beside a folder or a folder above it; None if there is none."""
    wanted = _repository(url)
    at = os.path.abspath(folder)
    while True:
        try:
            entries = sorted(os.scandir(at), key=lambda entry: entry.name)
        except OSError:
            entries = []
        for path in (at, *(entry.path for entry in entries if entry.is_dir())):
            if wanted in _remotes(path):
                return path
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def _remotes(folder: str) -> set[str]:
    """Return the repositories that the remotes of a checkout are."""
    try:
        with open(os.path.join(folder, ".git", "config"), encoding="utf-8", errors="replace") as file:
            text = file.read(_LARGEST_CONFIG)
    except OSError:
        return set()
    return {_repository(url) for url in _REMOTE.findall(text)}


def _repository(url: str) -> str:
    """Return the host and path of a repository's URL, which are the same for https and ssh."""
    return _URL.sub("", url).replace(":", "/").removesuffix("/").removesuffix(".git").lower()


_URL: Final = re.compile(r"(?:[a-z+]+://(?:[^@/]*@)?|[\w.-]+@(?=[\w.-]+:))")
_REMOTE: Final = re.compile(r"^[ \t]*url[ \t]*=[ \t]*(\S+)", re.MULTILINE)
_LARGEST_CONFIG: Final = 1024 * 1024  # characters


def folders_near_suite(suite: str) -> list[str]:
    """Return the folders in which the CRD of a suite's file may be, the nearest first."""
    folder = os.path.dirname(suite) or os.curdir
    return [os.path.normpath(os.path.join(folder, near)) for near in _SUITE_FOLDERS]


def files_near_suite(suite: str, name: str) -> list[str]:
    """Return the files that a suite's file may mean by the name of its CRD's file."""
    folder = os.path.dirname(suite) or os.curdir
    files = (os.path.join(folder, name), os.path.join(folder, "zz_generated.crd-manifests", name))
    return [path for path in files if os.path.isfile(path)]


def _is_root(folder: str) -> bool:
    return os.path.realpath(folder) == os.path.realpath(os.path.join(folder, os.pardir))
