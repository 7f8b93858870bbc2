"""Base64 as in Go, and CA bundles of PEM and DER. Upstream: Go's encoding/base64, encoding/pem and crypto/x509, client-go."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

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


_BEGIN: Final = b"-----BEGIN "
_END: Final = b"\n-----END "
_DASHES: Final = b"-----"
_BLANKS: Final = b" \t"


class PEMBlock(NamedTuple):
    """A PEM block: its type, whether it has headers, its decoded content, and the offset of the data after it."""

    type: bytes
    has_headers: bool
    content: bytes
    end: int


def blocks(data: bytes) -> Iterator[PEMBlock]:
    """Yield the PEM blocks of `data`, skipping other data."""
    after_end = 0  # the end of the last block, or of the last END that was checked
    while (end := data.find(_END, after_end)) >= 0:
        # If BEGIN lines are repeated before an END, the last one counts.
        search, after_end = after_end, end + len(_END)
        begin = data.rfind(_BEGIN, search, end)
        if begin < 0 or (begin > search and data[begin - 1] != ord("\n")):
            continue
        line, position = _line(data, begin + len(_BEGIN))
        if not line.endswith(_DASHES):
            continue
        kind = line.removesuffix(_DASHES)
        body = position
        while position < len(data) and b":" in _line(data, position)[0]:
            position = _line(data, position)[1]
        if position == len(data) or position > after_end:
            return
        has_headers = position != body
        # Without headers, END may directly follow BEGIN: they share a newline.
        content = _content(data[position:end]) if position <= end or not has_headers else None
        closing = kind + _DASHES
        rest, following = _line(data, after_end + len(closing))
        if content is not None and data.startswith(closing, after_end) and not rest:
            yield PEMBlock(kind, has_headers, content, following)
            after_end = following


def _content(data: bytes) -> bytes | None:
    """Return the decoded base64, or None if it is invalid."""
    try:
        return decode_base64(data.translate(None, _BLANKS).decode("latin-1"))
    except CorruptInputError:
        return None


def _line(data: bytes, start: int) -> tuple[bytes, int]:
    """Return the rest of the line at `start` without trailing blanks, and the start of the next line. Upstream: pem.getLine."""
    end = data.find(b"\n", start)
    if end < 0:
        return data[start:].rstrip(_BLANKS), len(data)
    return data[start:end].removesuffix(b"\r").rstrip(_BLANKS), end + 1


_SEQUENCE: Final = 0x30


def pool_error(bundle: bytes) -> str | None:
    """Return why a PEM bundle has no usable certificate, by its outer DER structure, or None. Upstream: transport.rootCertPool."""
    problem: str | None = None
    end = 0
    for block in blocks(bundle):
        end = block.end
        if block.type != b"CERTIFICATE" or block.has_headers:
            continue
        if _is_certificate(block.content):
            return None
        problem = problem or "failed to parse certificate: x509: malformed certificate"
    if problem is None:
        is_read = bundle and end == len(bundle)
        problem = (
            "no valid certificate authority data seen"
            if is_read
            else "unable to parse bytes as PEM block"
        )
    return f"unable to load root certificates: {problem}"


def _is_certificate(der: bytes) -> bool:
    """Return whether DER is a sequence of a certificate, a signature algorithm and a signature."""
    outer = _element(der, 0)
    if outer is None or outer[0] != _SEQUENCE or outer[2] != len(der):
        return False
    start, tags = outer[1], []
    while start < outer[2] and (inner := _element(der, start)) is not None:
        tags.append(inner[0])
        start = inner[2]
    return start == outer[2] and tags == [_SEQUENCE, _SEQUENCE, 0x03]


def _element(der: bytes, offset: int) -> tuple[int, int, int] | None:
    """Return (tag, start of content, end) of the DER element at `offset`, or None if it is truncated."""
    if len(der) < offset + 2:
        return None
    tag, length, start = der[offset], der[offset + 1], offset + 2
    if length & 0x80:
        count = length & 0x7F
        length = int.from_bytes(der[start : start + count], "big")
        start += count
    end = start + length
    return (tag, start, end) if end <= len(der) else None
