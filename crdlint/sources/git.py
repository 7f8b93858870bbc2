"""Files of a git revision that may hold CRDs, through git itself: nothing is checked out."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class RevisionError(Exception):
    """A revision that cannot be read; ``str`` says why."""


def revision_files(revision: str, *, near: str) -> Iterator[tuple[str, bytes]]:
    """Yield (``revision:path``, bytes) of the YAML and JSON files naming a CRD.

    The repository is the one that holds the path ``near``.
    Raises RevisionError where git, the repository or the revision is missing.
    """
    folder = os.path.abspath(near)
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    root = os.fsdecode(_git(folder, "rev-parse", "--show-toplevel", missing=f"{near} is in no git repository")).rstrip(
        "\n"
    )
    commit = _git(
        root,
        *("rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"),
        missing=f"no git revision, file or folder named {revision!r} (looked in the repository at {root})",
    )
    tree = commit.decode("ascii").strip()
    names = _git(
        root, "grep", "-lz", "--full-name", "-F", "CustomResourceDefinition", tree, "--", *_FILES, none_is_fine=True
    )
    paths = [name.partition(b":")[2] for name in names.split(b"\0") if name]
    objects = {}
    for row in _git(root, "ls-tree", "-rz", "--full-tree", tree).split(b"\0"):
        info, _, path = row.partition(b"\t")
        objects[path] = info.rpartition(b" ")[2]
    contents = _git(root, "cat-file", "--batch", stdin=b"".join(objects[path] + b"\n" for path in paths))
    start = 0
    for path in paths:
        end_of_header = contents.index(b"\n", start)
        size = int(contents[start:end_of_header].rpartition(b" ")[2])
        start = end_of_header + 1
        yield f"{revision}:{os.fsdecode(path)}", contents[start : start + size]
        start += size + 1


def tracked_though_ignored(folder: str) -> list[str]:
    """Return the files below a folder, relative to it, that git tracks though they match a .gitignore: it keeps them.

    Empty where git has nothing to say: it is not there, or the folder is in no repository.
    """
    try:
        listed = _git(folder, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
    except RevisionError:
        return []
    return sorted(os.fsdecode(name) for name in listed.split(b"\0") if name)


_FILES = ("*.yaml", "*.yml", "*.json")


def _git(folder: str, *arguments: str, stdin: bytes = b"", missing: str = "", none_is_fine: bool = False) -> bytes:
    """Return what a git command prints. Raises RevisionError with ``missing`` or git's own words."""
    command = ["git", "-C", folder, *arguments]
    try:
        done = subprocess.run(command, input=stdin, capture_output=True, check=False)  # noqa: S603
    except FileNotFoundError as error:
        msg = "git is not installed, and a revision can be read only with it"
        raise RevisionError(msg) from error
    if done.returncode and not (none_is_fine and done.returncode == 1):
        said = done.stderr.decode("utf-8", "replace").strip()
        raise RevisionError(missing or f"git {arguments[0]}: {said}")
    return done.stdout
