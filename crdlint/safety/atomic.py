"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_NEW_FILE: Final = 0o666  # the system applies the umask
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# `/dev/stdout` may be a regular file that other programs have open; they would not see a replaced file.
_OPEN_FILES: Final = frozenset({Path("/dev"), Path("/proc")})


class ChangedError(Exception):
    """The content of the file has changed since it was read."""


def write(path: str | Path, data: bytes | Iterable[bytes], *, made_from: bytes | None = None) -> None:
    """Replace the content of a file with `data` (complete or in pieces), or leave the file unchanged.

    Raise OSError, or ChangedError if the file no longer contains `made_from` when it is replaced. A link still refers
    to its file. The file keeps its mode, and its owner if the system allows that. Other files than regular ones, such
    as pipes, are written in place.
    """
    path = Path(path)
    pieces = (data,) if isinstance(data, bytes) else data
    status = _status(path)
    if status is not None and (not stat.S_ISREG(status.st_mode) or not _OPEN_FILES.isdisjoint(path.absolute().parents)):
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    target = path.resolve()
    # The length of the name is fixed, because the name of the file may already have the maximum length.
    made = target.parent / f".crdlint-{os.urandom(8).hex()}"
    try:
        descriptor = os.open(made, _CREATE, _NEW_FILE if status is None else stat.S_IMODE(status.st_mode))
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(pieces)
        if status is not None:
            _take_over(made, status)
        if made_from is not None and _content(target) != made_from:
            raise ChangedError
        made.replace(target)
    except BaseException:
        with suppress(OSError):
            made.unlink()
        raise


def _status(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _take_over(path: Path, status: os.stat_result) -> None:
    """Set the owner and the mode of a file to those of `status`."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    path.chmod(stat.S_IMODE(status.st_mode))


def _content(path: Path) -> bytes | None:
    """Return the content of a file, or None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
