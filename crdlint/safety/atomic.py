"""Files written as a whole or not at all."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

_NEW_FILE: Final = 0o666  # less the umask, which the system applies
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
# `/dev/stdout` may be a regular file, whose readers would keep the file that was replaced.
_OPEN_FILES: Final = frozenset({Path("/dev"), Path("/proc")})


class ChangedError(Exception):
    """The file no longer has the content that its new content was made from."""


def write(path: str | Path, data: bytes | Iterable[bytes], *, made_from: bytes | None = None) -> None:
    """Replace the content of a file with ``data``, whole or in pieces, or leave the file as it is.

    Raises OSError and ChangedError.
    A link keeps pointing at its file. The file keeps its mode, and its owner where the system allows that.
    What is no regular file, such as a pipe, is written to in place.
    ``made_from`` is the content that the file must still have right before it is replaced.
    """
    path = Path(path)
    pieces = (data,) if isinstance(data, bytes) else data
    status = _status(path)
    if status is not None and (not stat.S_ISREG(status.st_mode) or not _OPEN_FILES.isdisjoint(path.absolute().parents)):
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    target = path.resolve()
    # The name does not grow with the file's, which may be as long as names can be.
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
    """Give a file the owner and the mode of ``status``."""
    if hasattr(os, "chown"):
        with suppress(PermissionError):
            os.chown(path, status.st_uid, status.st_gid)
    path.chmod(stat.S_IMODE(status.st_mode))


def _content(path: Path) -> bytes | None:
    """Return what a file contains, None if it does not exist."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
