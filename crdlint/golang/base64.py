"""Base64 decoding as in Go's encoding/base64: line ends are skipped, and errors contain the byte offset."""

from __future__ import annotations

import base64
import binascii
import re
from typing import Final

_DIGITS: Final = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_ALPHABET: Final = frozenset(_DIGITS + b"+/")
_URL_ALPHABET: Final = frozenset(_DIGITS + b"-_")
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
    offset = _corrupt_byte(text.encode("utf-8", "surrogatepass"), _URL_ALPHABET if url else _ALPHABET)
    if offset is not None:
        raise CorruptInputError(f"illegal base64 data at input byte {offset}")
    return base64.b64decode(joined)


def _corrupt_byte(data: bytes, alphabet: frozenset[int]) -> int | None:
    """Return the offset that Go reports, or None if the data is valid. Upstream: base64.Encoding.decodeQuantum."""
    i = count = 0
    while i < len(data):
        byte = data[i]
        i += 1
        if byte in alphabet:
            count = (count + 1) % 4
        elif byte in b"\r\n":
            continue
        elif byte != ord("=") or count < 2:
            return i - 1
        else:
            return _corrupt_padding(data, i, count)
    return i - count if count else None


def _corrupt_padding(data: bytes, i: int, count: int) -> int | None:
    """Check the text from the first `=` of a quantum of `count` digits; return the offset of an invalid byte, or None."""
    if count == 2:
        i = _skip_line_ends(data, i)
        if i == len(data):
            return i
        if data[i] != ord("="):
            return i - 1
        i += 1
    i = _skip_line_ends(data, i)
    return i if i < len(data) else None


def _skip_line_ends(data: bytes, i: int) -> int:
    while i < len(data) and data[i] in b"\r\n":
        i += 1
    return i
