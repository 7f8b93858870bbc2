"""Base64 decoding as in Go's encoding/base64: line ends are skipped, and errors contain the byte offset."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

_DIGITS: Final = re.compile(rb"[A-Za-z0-9+/\r\n]*")
_URL_DIGITS: Final = re.compile(rb"[A-Za-z0-9_\r\n-]*")
_BLANK_LINES: Final = re.compile(rb"[\r\n]*")
_SWAPPED: Final = str.maketrans("-_+/", "+/-_")
_LINE_ENDS: Final = re.compile(r"[\r\n]+")


class CorruptInputError(ValueError):
    """The text is not base64; `str()` is Go's message with the 0-based offset of the invalid byte."""


def decode_base64(text: str, *, url: bool = False) -> bytes:
    """Decode a text, with - and _ instead of + and / if `url`; raise CorruptInputError if it is invalid."""
    joined = _LINE_ENDS.sub("", text)
    if url:
        joined = joined.translate(_SWAPPED)
    try:
        if len(joined) % 4 == 0:
            return base64.b64decode(joined, validate=True)
    except (binascii.Error, ValueError):
        pass
    offset = _corrupt_byte(text.encode("utf-8", "surrogatepass"), _URL_DIGITS if url else _DIGITS)
    if offset is not None:
        raise CorruptInputError(f"illegal base64 data at input byte {offset}")
    return base64.b64decode(joined)


def _corrupt_byte(data: bytes, digits: re.Pattern[bytes]) -> int | None:
    """Return the offset that Go reports, or None if the data is valid. Upstream: base64.Encoding.decodeQuantum."""
    end = _end_of(digits, data, 0)
    count = (end - data.count(b"\r", 0, end) - data.count(b"\n", 0, end)) % 4
    if end == len(data):
        return end - count if count else None
    if data[end] != ord("=") or count < 2:
        return end
    end += 1
    if count == 2:
        end = _end_of(_BLANK_LINES, data, end)
        if end == len(data):
            return end
        if data[end] != ord("="):
            return end - 1
        end += 1
    end = _end_of(_BLANK_LINES, data, end)
    return end if end < len(data) else None


def _end_of(run: re.Pattern[bytes], data: bytes, start: int) -> int:
    match = run.match(data, start)
    return match.end() if match else start
