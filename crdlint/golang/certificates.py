"""CA bundles as the API server loads them (client-go transport.TLSConfigFor, Go's encoding/pem and crypto/x509)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crdlint.golang.base64 import CorruptInputError, decode_base64

_BEGIN: Final = b"-----BEGIN "
_END: Final = b"\n-----END "
_DASHES: Final = b"-----"
_BLANKS: Final = b" \t"


@dataclass(frozen=True, slots=True)
class Block:
    """A PEM block: its type, whether it has headers, its decoded content, and where the data after it begins."""

    type: bytes
    has_headers: bool
    content: bytes
    end: int


def blocks(data: bytes) -> Iterator[Block]:
    """Yield the PEM blocks of data. What is no block is skipped."""
    at = 0
    while at < len(data):
        block = _next(data, at)
        if block is None:
            return
        yield block
        at = block.end


def _next(data: bytes, start: int) -> Block | None:
    """Return the first block that begins at ``start`` or later, None if there is none."""
    after_end = start  # behind the last END that was looked at
    while True:
        end = data.find(_END, after_end)
        if end < 0:
            return None
        # Of repeated BEGIN lines without an END of their own, the last one counts.
        search, after_end = after_end, end + len(_END)
        begin = data.rfind(_BEGIN, search, end)
        if begin < 0 or (begin > search and data[begin - 1] != ord("\n")):
            continue
        line, at = _line(data, begin + len(_BEGIN))
        if not line.endswith(_DASHES):
            continue
        kind = line.removesuffix(_DASHES)
        body = at
        while True:
            if at == len(data):
                return None
            line, following = _line(data, at)
            if b":" not in line:
                break
            at = following
        if at > after_end:
            return None
        has_headers = at != body
        # Without headers, END may follow BEGIN directly: they share a newline.
        content = _content(data[at:end]) if at <= end or not has_headers else None
        if content is None or not _closes(data, after_end, kind):
            continue
        return Block(kind, has_headers, content, _line(data, after_end)[1])


def _closes(data: bytes, at: int, kind: bytes) -> bool:
    """Return whether an END line ends with a type, five dashes and blanks."""
    closing = kind + _DASHES
    return data.startswith(closing, at) and not _line(data, at + len(closing))[0]


def _content(data: bytes) -> bytes | None:
    """Return what base64 decodes to, None if it is not base64."""
    try:
        return decode_base64(data.translate(None, _BLANKS).decode("latin-1"))
    except CorruptInputError:
        return None


def _line(data: bytes, at: int) -> tuple[bytes, int]:
    """Return the line from an index on without blanks at its end, and where the next one begins (getLine)."""
    end = data.find(b"\n", at)
    if end < 0:
        return data[at:].rstrip(_BLANKS), len(data)
    return data[at:end].removesuffix(b"\r").rstrip(_BLANKS), end + 1


_SEQUENCE: Final = 0x30


def pool_error(bundle: bytes) -> str | None:
    """Return why no certificate of a PEM bundle can be used, None if at least one can.

    Only the outer DER structure of a certificate is validated. Upstream: client-go transport.rootCertPool.
    """
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
        problem = "no valid certificate authority data seen" if is_read else "unable to parse bytes as PEM block"
    return f"unable to load root certificates: {problem}"


def _is_certificate(der: bytes) -> bool:
    """Tell whether DER is a sequence of three: the certificate, its signature's algorithm and the signature."""
    outer = _element(der, 0)
    if outer is None or outer[0] != _SEQUENCE or outer[2] != len(der):
        return False
    at, tags = outer[1], []
    while at < outer[2]:
        inner = _element(der, at)
        if inner is None:
            return False
        tags.append(inner[0])
        at = inner[2]
    return tags == [_SEQUENCE, _SEQUENCE, 0x03]


def _element(der: bytes, at: int) -> tuple[int, int, int] | None:
    """Return (tag, start of content, end) of the DER element at an offset."""
    if len(der) < at + 2:
        return None
    tag, length, start = der[at], der[at + 1], at + 2
    if length & 0x80:
        count = length & 0x7F
        length = int.from_bytes(der[start : start + count], "big")
        start += count
    end = start + length
    return (tag, start, end) if end <= len(der) else None
