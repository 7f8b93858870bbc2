"""PEM blocks as Go finds them, and why a bundle has no certificate."""

from __future__ import annotations

from counting import LINEAR, growth
from tables import each

from crdlint.golang.encodings import PEMBlock, blocks, pool_error

# A sequence of two empty sequences and a bit string: as much of a certificate as is looked at.
CERTIFICATE = b"-----BEGIN CERTIFICATE-----\nMAcwADAAAwEA\n-----END CERTIFICATE-----\n"
KEY = b"-----BEGIN KEY-----\nAAAA\n-----END KEY-----\n"
NO_BLOCK = "unable to load root certificates: unable to parse bytes as PEM block"
NO_CERTIFICATE = "unable to load root certificates: no valid certificate authority data seen"
MALFORMED = (
    "unable to load root certificates: failed to parse certificate: x509: malformed certificate"
)


def found(data: bytes) -> list[tuple[bytes, bytes]]:
    return [(one.type, one.content) for one in blocks(data)]


@each(
    ("data", "expected"),
    [
        (KEY, [(b"KEY", b"\0\0\0")]),
        (KEY[:-1], [(b"KEY", b"\0\0\0")]),
        (b"text\n" + KEY + b"text\n" + KEY, [(b"KEY", b"\0\0\0")] * 2),
        (KEY.replace(b"\n", b"\r\n"), [(b"KEY", b"\0\0\0")]),
        (KEY.replace(b"AAAA", b" A A\tA A "), [(b"KEY", b"\0\0\0")]),
        (KEY.replace(b"-----\n", b"----- \t\n"), [(b"KEY", b"\0\0\0")]),
        (b"-----BEGIN A-----\n-----END A-----\n", [(b"A", b"")]),
        (b"-----BEGIN -----\n-----END -----", [(b"", b"")]),
        # a BEGIN without an END of its own
        (b"-----BEGIN A-----\n" + KEY, [(b"KEY", b"\0\0\0")]),
        (b"-----BEGIN KEY-----\nAAAA\n" + KEY, [(b"KEY", b"\0\0\0")]),
        (KEY.replace(b"END KEY", b"END OTHER") + KEY, [(b"KEY", b"\0\0\0")]),
        # not at the beginning of a line
        (b"x" + KEY, []),
        (KEY.replace(b"\n-----END", b"-----END"), []),
        # not closed
        (KEY.replace(b"END KEY-----", b"END KEY----"), []),
        (KEY.replace(b"END KEY-----", b"END KEY-----x"), []),
        (KEY[:-1] + b"\r", []),
        (KEY.replace(b"BEGIN KEY-----", b"BEGIN KEY"), []),
        (b"-----BEGIN A-----\n", []),
        (b"", []),
        # not base64
        (KEY.replace(b"AAAA", b"AAA"), []),
        (KEY.replace(b"AAAA", b"AA=A"), []),
        (KEY.replace(b"AAAA", b"AA\xc3\xa9") + KEY, [(b"KEY", b"\0\0\0")]),
        (KEY.replace(b"AAAA", b"AAA="), [(b"KEY", b"\0\0")]),
    ],
)
def test_blocks(data: bytes, expected: list[tuple[bytes, bytes]]) -> None:
    assert found(data) == expected


@each(
    ("data", "expected"),
    [
        (
            b"-----BEGIN A-----\na: b\nc:d\n\nAAAA\n-----END A-----\n",
            PEMBlock(b"A", True, b"\0\0\0", 49),
        ),
        (b"-----BEGIN A-----\na: b\n\n-----END A-----\n", PEMBlock(b"A", True, b"", 40)),
        # END must not follow headers without an empty line in between
        (b"-----BEGIN A-----\na: b\n-----END A-----\n", None),
        (b"-----BEGIN A-----\na: b\n", None),
        (b"-----BEGIN A-----\na: b\n-----END A-----: \n\n" + KEY, None),
    ],
)
def test_headers(data: bytes, expected: PEMBlock | None) -> None:
    assert next(blocks(data), None) == expected


@each(
    ("bundle", "expected"),
    [
        (CERTIFICATE, None),
        (KEY + CERTIFICATE + b"text", None),
        (CERTIFICATE.replace(b"MAcw", b"MAgw") + CERTIFICATE, None),
        (CERTIFICATE.replace(b"MAcw", b"MAgw"), MALFORMED),
        (CERTIFICATE.replace(b"-----\nMA", b"-----\na: b\n\nMA"), NO_CERTIFICATE),
        (KEY, NO_CERTIFICATE),
        # what is left after the last block is tried as well
        (KEY + b"text\n", NO_BLOCK),
        (b"text", NO_BLOCK),
        (b"\n", NO_BLOCK),
    ],
)
def test_bundles(bundle: bytes, expected: str | None) -> None:
    assert pool_error(bundle) == expected


BAD = {
    "begin": b"-----BEGIN A-----\n",
    "begin and end": b"-----BEGIN A-----\n-----END B-----\n",
    "headers": b"-----BEGIN A-----\na: b\n",
    "headers and ends": b"-----BEGIN A-----\na: b\n-----END A-----\n",
    "ends": b"\n-----END A-----\n",
    "blocks": KEY,
    "bad base64": KEY.replace(b"AAAA", b"AAA"),
    "colons": b"-----BEGIN " + b":" * 20 + b"\n",
}


@each("part", BAD.values(), ids=BAD)
def test_the_work_grows_with_the_bundle(part: bytes) -> None:
    assert growth(lambda n: pool_error(part * n), 200) < LINEAR
    assert pool_error(part * (1_000_000 // len(part))) is not None
