"""The only reader of files: regular files of limited size, decoded by their byte order mark.

Named pipes, devices and sockets are never opened: a pipe blocks until another program writes, and a device may never end.
"""

from __future__ import annotations

import codecs
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Final

from crdlint.files.recognition import LFS_POINTER, is_lfs_pointer, may_hold_crd
from crdlint.light import regex

STDIN: Final = "-"
MAX_BYTES: Final = 256 * 1024 * 1024
# The mark of UTF-32 starts with that of UTF-16, so it is checked first.
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF32_LE, None),
    (codecs.BOM_UTF32_BE, None),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def open_descriptor(path: str) -> int | None:
    """Return the number of the open descriptor that a path such as `-` or `/dev/fd/63` spells, or None; no link leads to one."""
    if path == STDIN:
        return 0
    match = _DESCRIPTOR.fullmatch(path) if path.startswith(_OF_DESCRIPTORS) else None
    return int(match[1] or 0) if match is not None else None


_OF_DESCRIPTORS: Final = ("/dev/", "/proc/")
_DESCRIPTOR: Final = regex(r"/dev/stdin|(?:/dev/fd|/proc/self/fd)/([0-9]{1,6})")


def reason(error: Exception) -> str:
    """Return the system's message for an error of a path."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


class UnreadableError(Exception):
    """An input cannot be read as text; `str()` is the reason."""


def read_bytes(path: str, limit: int = MAX_BYTES, *, follow_link: bool = True) -> bytes:
    """Return the bytes of a regular file, or of standard input for `-`.

    `limit` is the maximum size in bytes. If not `follow_link`, a symbolic link is rejected. Raise UnreadableError.
    """
    try:
        number = open_descriptor(path)
        if number is None:
            return _read_regular(path, limit, follow_link=follow_link)
        if number == 0:
            if sys.stdin is None:
                raise UnreadableError("standard input is closed")
            return _bounded(sys.stdin.buffer, limit)
        with os.fdopen(os.dup(number), "rb") as file:
            return _bounded(file, limit)
    except (OSError, ValueError) as error:
        raise UnreadableError(reason(error)) from error


def _read_regular(path: str, limit: int, *, follow_link: bool) -> bytes:
    """Read a regular file; the descriptor is checked again, because the file may have been replaced in the meantime."""
    _require_regular(os.stat(path) if follow_link else os.lstat(path))
    descriptor = os.open(path, _FLAGS if follow_link else _FLAGS | _NO_LINK)
    try:
        status = os.fstat(descriptor)
        _require_regular(status)
        data = os.read(descriptor, min(status.st_size, limit) + 1)
        while more := os.read(descriptor, min(_CHUNK, limit + 1 - len(data))):
            data += more
        return _within(data, limit)
    finally:
        os.close(descriptor)


_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)


def _require_regular(status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        what = _KINDS.get(stat.S_IFMT(status.st_mode), "a special file")
        raise UnreadableError(f"not a regular file but {what}")


_KINDS: Final = {
    stat.S_IFDIR: "a directory",
    stat.S_IFLNK: "a symbolic link",
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def with_parents(folder: str) -> Iterator[str]:
    """Yield a directory and its parent directories, the nearest first."""
    yield folder
    while (parent := os.path.dirname(folder)) != folder:
        folder = parent
        yield folder


def entries_of(folder: str) -> list[os.DirEntry[str]]:
    """Return the entries of a directory by name; raise OSError."""
    with os.scandir(folder) as entries:
        return sorted(entries, key=lambda entry: entry.name)


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether an entry is a directory or a link to one. A link to itself is neither."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def read_text(path: str, *, only_crds: bool = False) -> str | None:
    """Return the text of a file, or None with `only_crds` if it cannot contain CRDs; raise UnreadableError.

    The file that a pointer of Git LFS refers to may contain anything.
    """
    data = read_bytes(path)
    if only_crds and not may_hold_crd(data) and not is_lfs_pointer(data):
        return None
    return decode(data)


def text_if_readable(path: str, *, only_crds: bool = False) -> str | None:
    """Return what `read_text` returns, or None if the file cannot be read."""
    with suppress(UnreadableError):
        return read_text(path, only_crds=only_crds)
    return None


def stamp_of(path: str) -> tuple[int, int] | None:
    """Return what identifies the version of a file, None if there is none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size


def readable_text(path: str) -> str:
    """Return the text of a file, empty if it cannot be read."""
    return text_if_readable(path) or ""


def encoding_of(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark (empty if there is none) and the encoding; raise UnreadableError."""
    mark, encoding = next(
        ((m, e) for m, e in _BYTE_ORDER_MARKS if data.startswith(m)), (b"", "utf-8")
    )
    if encoding is None:
        raise UnreadableError(
            "UTF-32, which is no encoding of YAML that the API server reads: save it as UTF-8"
        )
    return mark, encoding


def decode(data: bytes) -> str:
    """Decode UTF-8 or, with a byte order mark, UTF-16, without the mark; raise UnreadableError."""
    if is_lfs_pointer(data):
        raise UnreadableError(LFS_POINTER)
    mark, encoding = encoding_of(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableError(_position(data, len(mark) + error.start, encoding)) from error
    if "\0" in text:
        position = text.index("\0")
        msg = f"binary data: a NUL character at line {text.count(chr(10), 0, position) + 1} (character {position + 1} of the file)"
        raise UnreadableError(msg)
    return text


def _bounded(file: BinaryIO, limit: int) -> bytes:
    data = file.read(min(_CHUNK, limit + 1)) or b""
    if len(data) == _CHUNK:  # reading all at once would allocate `limit` bytes for each small file
        data += file.read(limit + 1 - _CHUNK) or b""
    return _within(data, limit)


def _within(data: bytes, limit: int) -> bytes:
    """Return the bytes of an input; raise UnreadableError if they are more than `limit`."""
    if len(data) > limit:
        raise UnreadableError(too_large(limit))
    return data


def too_large(limit: int) -> str:
    """Return the reason why content of more than `limit` bytes is not read."""
    size = f"{limit // 1024} KiB" if limit % _MEBIBYTE else f"{limit // _MEBIBYTE} MiB"
    return f"larger than {size}: not read"


_MEBIBYTE: Final = 1024 * 1024
_CHUNK: Final = 64 * 1024


def _position(data: bytes, offset: int, encoding: str) -> str:
    name = encoding.upper()
    if encoding != "utf-8":
        return f"not {name} according to its byte order mark: byte offset {offset}"
    line = data.count(b"\n", 0, offset) + 1
    before = data[data.rfind(b"\n", 0, offset) + 1 : offset].removeprefix(
        codecs.BOM_UTF8 if line == 1 else b""
    )
    column = len(before.decode("utf-8", "replace")) + 1
    return f"not {name}: byte 0x{data[offset]:02x} at line {line}, column {column} (byte offset {offset})"
