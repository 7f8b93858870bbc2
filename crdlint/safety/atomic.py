"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Final

_NEW_FILE: Final = 0o666  # the system applies the umask
_WRITABLE: Final = 0o222
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# `/dev/stdout` may be a regular file that other programs have open; they would not see a replaced file.
_OPEN_FILES: Final = frozenset({Path("/dev"), Path("/proc")})


class ChangedError(Exception):
    """The content of the file has changed since it was read."""


def write(
    path: str | Path, data: bytes | Iterable[bytes], *, made_from: bytes | None = None
) -> None:
    """Replace the content of a file with `data` (complete or in pieces), or leave the file unchanged.

    Raise OSError, also for a read-only file, or ChangedError if the file no longer contains `made_from` when it is replaced. A
    link still refers to its file, and other hard links to the same file. The file keeps its mode, its extended attributes, and
    its owner if the system allows that. Other files than regular ones, such as pipes, are written in place.
    """
    path = Path(path)
    pieces = (data,) if isinstance(data, bytes) else data
    status: os.stat_result | None = None
    with suppress(FileNotFoundError):
        status = path.stat()
    if status is not None and (
        not stat.S_ISREG(status.st_mode) or not _OPEN_FILES.isdisjoint(path.absolute().parents)
    ):
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    target = path.resolve()
    # Root may write to read-only files, and a renamed file replaces one.
    if status is not None and not (status.st_mode & _WRITABLE and os.access(target, os.W_OK)):
        raise PermissionError(errno.EACCES, "the file is read-only", str(path))
    if status is not None and status.st_nlink > 1:
        _overwrite(target, b"".join(pieces), made_from)
    else:
        _replace(target, pieces, made_from, status)


def _overwrite(path: Path, data: bytes, made_from: bytes | None) -> None:
    """Write a file in place; restore its content if that fails."""
    with path.open("r+b", buffering=0) as file:
        before = file.read()
        if made_from not in (None, before):
            raise ChangedError
        try:
            _fill(file, data)
        except BaseException:
            with suppress(OSError):
                _fill(file, before)
            raise


def _fill(file: FileIO, data: bytes) -> None:
    file.seek(0)
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) :]
    file.truncate()


def _replace(
    target: Path,
    pieces: Iterable[bytes],
    made_from: bytes | None,
    status: os.stat_result | None,
) -> None:
    """Write a new file, and rename it to `target`, whose status is `status` if it exists."""
    # The length of the name is fixed, because the name of the file may already have the maximum length.
    temporary = target.parent / f".crdlint-{os.urandom(8).hex()}"
    try:
        descriptor = os.open(
            temporary, _CREATE, _NEW_FILE if status is None else stat.S_IMODE(status.st_mode)
        )
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
        if status is not None:
            _take_over(temporary, target, status)
        if made_from is not None and _content(target) != made_from:
            raise ChangedError
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _take_over(path: Path, source: Path, status: os.stat_result) -> None:
    """Set the owner, the mode and the extended attributes of a file to those of `source`."""
    from shutil import copystat  # only for files that exist

    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    with suppress(FileNotFoundError):  # `source` was removed meanwhile
        copystat(source, path)
        os.utime(path)


def _content(path: Path) -> bytes | None:
    """Return the content of a file, or None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
