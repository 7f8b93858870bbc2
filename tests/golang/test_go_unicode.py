"""unicode.IsPrint and unicode.IsControl."""

import base64
import sys
import unicodedata
import zlib

import pytest
from tables import each

from crdlint.golang import text
from crdlint.golang.text import is_print


def packed_runs() -> bytes:
    """Make golang/text.py's table from this Python's Unicode."""
    lengths, start, printable = bytearray(), 0, False
    for code in range(sys.maxunicode + 2):
        if printable == (code <= sys.maxunicode and chr(code).isprintable()):
            continue
        length = code - start
        groups = [length & 0x7F]
        while length := length >> 7:
            groups.append(length & 0x7F | 0x80)
        lengths += bytes(reversed(groups))
        start, printable = code, not printable
    return bytes(lengths)


@pytest.mark.skipif(unicodedata.unidata_version != "15.0.0", reason="Go 1.25 has Unicode 15.0.0")
def test_table_is_unicode_15() -> None:
    assert zlib.decompress(base64.b85decode(text._RUNS)) == packed_runs()  # noqa: SLF001


def test_agrees_with_python_but_for_characters_added_between_their_versions() -> None:
    newer = tuple(map(int, unicodedata.unidata_version.split("."))) > (15, 0, 0)
    for code in range(sys.maxunicode + 1):
        printable = chr(code).isprintable()
        if printable is newer:
            continue
        assert is_print(code) is printable, f"U+{code:04X}"


@each(
    ("code", "printable"),
    [
        (0x00, False),
        (0x1F, False),
        (0x20, True),
        (0x7E, True),
        (0x7F, False),
        (0x9F, False),
        (0xA0, False),
        (0xA1, True),
        (0xAD, False),
        (0x301, True),
        (0x378, False),
        (0x2003, False),
        (0xD800, False),
        (0xE000, False),
        (0xFFFD, True),
        (0x1FAE8, True),  # Unicode 15.0
        (0x2FFC, False),  # Unicode 15.1
        (0x1FAE9, False),  # Unicode 16.0
        (0x10FFFF, False),
    ],
)
def test_is_print(code: int, printable: bool) -> None:
    assert is_print(code) is printable
