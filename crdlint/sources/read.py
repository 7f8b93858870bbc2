"""Bytes to text: encodings by byte order mark, and why some bytes are no text; bounded in size."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from crdlint.sources.paths import STDIN, reason

if TYPE_CHECKING:
    from typing import BinaryIO

MAX_BYTES: Final = 256 * 1024 * 1024
_MARKER: Final = "CustomResourceDefinition"
_MARKERS: Final = tuple(_MARKER.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be"))
# UTF-32's mark begins as UTF-16's does, so it is looked for first.
_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF32_LE, None),
    (codecs.BOM_UTF32_BE, None),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class UnreadableError(Exception):
    """An input that cannot be read as text; ``str`` says why."""


def read_bytes(path: str) -> bytes:
    """Return a file's bytes, or standard input's for ``-``. Raises UnreadableError, also over MAX_BYTES."""
    try:
        if path == STDIN:
            return _bounded(sys.stdin.buffer)
        with Path(path).open("rb") as file:
            return _bounded(file)
    except (OSError, ValueError) as error:
        raise UnreadableError(reason(error)) from error


def read_text(path: str, *, only_crds: bool = False) -> str | None:
    """Return a file's text, None where only those are asked for that may hold CRDs. Raises UnreadableError."""
    data = read_bytes(path)
    return None if only_crds and not may_hold_crd(data) else decode(data)


def may_hold_crd(data: bytes) -> bool:
    """Return whether a CRD can be in there: the quick look that keeps other files from being parsed."""
    return any(marker in data for marker in _MARKERS)


def encoding_of(data: bytes) -> tuple[bytes, str]:
    """Return the byte order mark, empty where there is none, and the encoding. Raises UnreadableError."""
    mark, encoding = next(((m, e) for m, e in _BYTE_ORDER_MARKS if data.startswith(m)), (b"", "utf-8"))
    if encoding is None:
        msg = "UTF-32, which is no encoding of YAML that the API server reads: save it as UTF-8"
        raise UnreadableError(msg)
    return mark, encoding


def decode(data: bytes) -> str:
    """Return the text of UTF-8 or, by its byte order mark, UTF-16 bytes, without the mark. Raises UnreadableError."""
    mark, encoding = encoding_of(data)
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableError(_position(data, len(mark) + error.start, encoding)) from error
    if "\0" in text:
        at = text.index("\0")
        msg = f"binary data: a NUL character at line {text.count(chr(10), 0, at) + 1} (character {at + 1} of the file)"
        raise UnreadableError(msg)
    return text


def _bounded(file: BinaryIO) -> bytes:
    data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        msg = f"larger than {MAX_BYTES // 1024 // 1024} MiB, which no CRD is: not read"
        raise UnreadableError(msg)
    return data


def _position(data: bytes, at: int, encoding: str) -> str:
    name = encoding.upper()
    if encoding != "utf-8":
        return f"not {name} as its byte order mark says: byte offset {at}"
    line = data.count(b"\n", 0, at) + 1
    before = data[data.rfind(b"\n", 0, at) + 1 : at].removeprefix(codecs.BOM_UTF8 if line == 1 else b"")
    column = len(before.decode("utf-8", "replace")) + 1
    return f"not {name}: byte 0x{data[at]:02x} at line {line}, column {column} (byte offset {at})"
