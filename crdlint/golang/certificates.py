"""CA bundles as the API server loads them (client-go transport.TLSConfigFor, Go's encoding/pem and crypto/x509)."""

from __future__ import annotations

from typing import Final

from crdlint.golang.pem import blocks

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
