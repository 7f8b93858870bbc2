"""Packed charts as a side of a comparison: their files, unpacked to a folder."""

from __future__ import annotations

import os
import posixpath

from crdlint.files.read import UnreadableError, read_bytes
from crdlint.files.repository import RepositoryError
from crdlint.sources.helm.archive import MAX_BYTES, ArchiveError, Budget, members
from crdlint.sources.helm.layout import ARCHIVES
from crdlint.sources.previous.copies import target_of


def is_archive(path: str) -> bool:
    """Return whether a path is that of a packed chart by its name."""
    return path.endswith(ARCHIVES) and os.path.isfile(path)


def unpack(archive: str, folder: str) -> str:
    """Write the regular files of a packed chart to a folder, and return its top folder; raise RepositoryError.

    Links in the archive are left out, as Helm does. An empty `.git` marks the folder as a repository, so that no
    reference in a file leads out of it.
    """
    tops: set[str] = set()
    try:
        os.makedirs(os.path.join(folder, ".git"), exist_ok=True)
        for member in members(read_bytes(archive, MAX_BYTES), Budget(), ("",)):
            name = posixpath.normpath(member.name)
            tops.add(name.partition("/")[0])
            with open(target_of(folder, name), "wb") as file:
                file.write(member.data)
    except (ArchiveError, UnreadableError) as error:
        raise RepositoryError(f"{archive}: cannot be unpacked: {error}") from error
    except OSError as error:
        raise RepositoryError(f"{archive}: cannot be unpacked: {error.filename}: {error.strerror}") from error
    return os.path.join(folder, *tops) if len(tops) == 1 else folder
