"""CA bundles as the API server loads them (client-go transport.TLSConfigFor, Go's encoding/pem and crypto/x509)."""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLOCK: Final = re.compile(
    rb"^-----BEGIN (?P<type>[^\n]*?)-----[ \t\r]*\n(?P<headers>(?:[^\n:]+:[^\n]*\n)*)"
    rb"(?P<body>.*?)^-----END (?P=type)-----[ \t\r]*$",
    re.MULTILINE | re.DOTALL,
)
_SEQUENCE: Final = 0x30


def pool_error(bundle: bytes) -> str | None:
    """Return why no certificate of a PEM bundle can be used, None where at least one can.

    A certificate is looked at as far as its outer DER structure; what only crypto/x509 would find within is not.
    """
    problem: str | None = None
    blocks = list(_blocks(bundle))
    for kind, headers, der in blocks:
        if kind != b"CERTIFICATE" or headers:
            continue
        if _is_certificate(der):
            return None
        problem = problem or "failed to parse certificate: x509: malformed certificate"
    if problem is None:
        problem = "unable to parse bytes as PEM block" if not blocks else "no valid certificate authority data seen"
    return f"unable to load root certificates: {problem}"


def _blocks(bundle: bytes) -> Iterator[tuple[bytes, bytes, bytes]]:
    """Yield (type, headers, decoded body) of each well-formed PEM block."""
    for match in _BLOCK.finditer(bundle):
        try:
            body = base64.b64decode(b"".join(match["body"].split()), validate=True)
        except binascii.Error:
            continue
        yield match["type"], match["headers"], body


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
