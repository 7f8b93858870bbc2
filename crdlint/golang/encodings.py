"""Base64 as in Go, and CA bundles of PEM and DER. Upstream: Go's encoding/base64, encoding/pem and crypto/x509, client-go."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Final

from crdlint.gathering import without_none
from crdlint.light import NamedTuple, regex

_DIGITS: Final = regex(rb"[A-Za-z0-9+/\r\n]*")
_URL_DIGITS: Final = regex(rb"[A-Za-z0-9_\r\n-]*")
_BLANK_LINES: Final = regex(rb"[\r\n]*")
_SWAPPED: Final = str.maketrans("-_+/", "+/-_")
_LINE_ENDS: Final = regex(r"[\r\n]+")


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
    line_ends = data.count(b"\r", 0, end) + data.count(b"\n", 0, end)
    count = (end - line_ends) % 4
    if end == len(data):
        return end - count if count else None
    may_be_padded = count >= 2
    if not may_be_padded or data[end] != _PADDING:
        return end
    end += 1
    if count == 2:
        end = _end_of(_BLANK_LINES, data, end)
        if end == len(data):
            return end
        if data[end] != _PADDING:
            return end - 1
        end += 1
    end = _end_of(_BLANK_LINES, data, end)
    return end if end < len(data) else None


_PADDING: Final = ord("=")


def _end_of(run: re.Pattern[bytes], data: bytes, start: int) -> int:
    match = run.match(data, start)
    return match.end() if match else start


_BEGIN: Final = b"-----BEGIN "
_END: Final = b"\n-----END "
_DASHES: Final = b"-----"
_BLANKS: Final = b" \t"


class PEMBlock(NamedTuple):
    """A PEM block.

    `type`: its type, such as `CERTIFICATE`.
    `has_headers`: whether it has headers.
    `content`: its decoded content.
    `end`: the offset of the data after it.
    """

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
        begins_line = begin == search or data[begin - 1] == ord("\n")
        if begin < 0 or not begins_line:
            continue
        line, body = _line(data, begin + len(_BEGIN))
        if not line.endswith(_DASHES):
            continue
        position = _after_headers(data, body)
        if position == len(data) or position > after_end:
            return
        has_headers = position != body
        # Without headers, END may directly follow BEGIN: they share a newline.
        if position > end and has_headers:
            continue
        kind = line.removesuffix(_DASHES)
        block = _block(data, kind, position, end, has_headers=has_headers)
        if block is not None:
            yield block
            after_end = block.end


def _after_headers(data: bytes, position: int) -> int:
    """Return the start of the first line without a colon."""
    while position < len(data):
        line, following = _line(data, position)
        if b":" not in line:
            return position
        position = following
    return position


def _block(
    data: bytes,
    kind: bytes,
    start: int,
    end: int,
    *,
    has_headers: bool,
) -> PEMBlock | None:
    """Return the block whose content is between `start` and its END at `end`, None if it is invalid."""
    content = _content(data[start:end])
    closing = end + len(_END)
    rest, following = _line(data, closing + len(kind + _DASHES))
    if content is None or rest or not data.startswith(kind + _DASHES, closing):
        return None
    return PEMBlock(kind, has_headers, content, following)


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
    problem = "unable to parse bytes as PEM block"
    all_blocks = list(blocks(bundle))
    certificates = [
        block for block in all_blocks if block.type == b"CERTIFICATE" and not block.has_headers
    ]
    if any(_is_certificate(block.content) for block in certificates):
        return None
    if certificates:
        problem = "failed to parse certificate: x509: malformed certificate"
    elif all_blocks and all_blocks[-1].end == len(bundle):
        problem = "no valid certificate authority data seen"
    return f"unable to load root certificates: {problem}"


def _is_certificate(der: bytes) -> bool:
    """Return whether DER is a sequence of a certificate, a signature algorithm and a signature."""
    outer = _element(der, 0)
    if outer is None:
        return False
    tag, start, end = outer
    if tag != _SEQUENCE or end != len(der):
        return False
    inner = list(_elements(der, start, end))
    is_whole = bool(inner) and inner[-1][2] == end
    return is_whole and [tag for tag, _, _ in inner] == [_SEQUENCE, _SEQUENCE, 0x03]


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


def valid_until(bundle: bytes) -> datetime | None:
    """Return when the last certificate of a PEM bundle expires, None if it has none or one that cannot be read."""
    certificates = [
        block.content
        for block in blocks(bundle)
        if block.type == b"CERTIFICATE" and not block.has_headers
    ]
    ends = list(map(_not_after, certificates))
    dates = without_none(ends)
    return max(dates) if dates and len(dates) == len(ends) else None


_VERSION: Final = 0xA0
_VALIDITY: Final = 3  # the elements before it: serial number, signature algorithm, issuer
_TIMES: Final = {0x17: "%y%m%d%H%M%SZ", 0x18: "%Y%m%d%H%M%SZ"}  # UTCTime, GeneralizedTime


def _not_after(der: bytes) -> datetime | None:
    """Return when a certificate expires. Upstream: x509.parseValidity."""
    outer = _element(der, 0)
    body = None if outer is None else _element(der, outer[1])
    inner = [] if body is None else list(_elements(der, *body[1:]))
    if inner and inner[0][0] == _VERSION:
        del inner[0]
    if len(inner) <= _VALIDITY:
        return None
    times = list(_elements(der, *inner[_VALIDITY][1:]))
    if len(times) != 2 or times[1][0] not in _TIMES:
        return None
    tag, start, end = times[1]
    try:
        parsed = datetime.strptime(der[start:end].decode("ascii"), _TIMES[tag])
    except ValueError:
        return None
    return parsed.replace(tzinfo=timezone.utc)


def _elements(der: bytes, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the DER elements between two offsets."""
    while start < end:
        element = _element(der, start)
        if element is None:
            return
        yield element
        start = element[2]
