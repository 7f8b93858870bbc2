"""Texts of several formats, as Go's parsers take them: addresses of mail, host names, prefixes, lenient durations."""

from __future__ import annotations

from tables import each

from crdlint.golang.mail import is_address
from crdlint.schema.formats import FORMATS, is_cidr, is_hostname, lenient_duration

ADDRESSES = [
    "a@b",
    "a.b+c@example.com",
    " a@ b ",
    "é@例え.jp",
    '"a b"@c',
    r'"a\"b"@c',
    "<a@b>",
    "A B <a@b>",
    '"A, B" <a@b>',
    "A. B. <a@b>",
    ".. <a@b>",
    "a@b (comment (within) it)",
    "A (c) B <a@b>",
    "a@[1.2.3.4]",
    "a@[IPv6:::1]",
    "a@[::ffff:1.2.3.4]",
    "group: a@b;",
    "group: a@b (c); (d)",
    "=?utf-8?q?=C3=A9?= <a@b>",
    "=?x?q?=?= <a@b>",
    "A =?x?q?y?= <a@b>",
    "a@b (=?us-ascii?b?eA==?=)",
    "a@b (\\) )",
]
NO_ADDRESSES = [
    "",
    " ",
    "a",
    "a @b",
    "A\ud800 <a@b>",
    "@b",
    "a@",
    ".a@b",
    "a.@b",
    "a..b@c",
    'a@"b"',
    '""@b',
    "a@b c",
    "a@b, c@d",
    "A a@b",
    "A, B <a@b>",
    "<a@b",
    "<a@b> c",
    "a@b (c",
    "a@[::1]",
    "a@[1.2.3]",
    "a@[01.2.3.4]",
    "group:;",
    "group: a@b, c@d;",
    "group: a@b",
    "g: h: a@b;;",
    "=?x?q?y?= <a@b>",
    "a@b (=?x?b?eA==?=)",
    "a\n@b",
    "a@b\ud800",
    "\x7f@b",
]


@each("text", ADDRESSES)
def test_addresses(text: str) -> None:
    assert is_address(text)


@each("text", NO_ADDRESSES)
def test_no_addresses(text: str) -> None:
    assert not is_address(text)


@each(
    "text",
    [
        "(" * 50000,
        "a@b" + "(" * 50000,
        "a" * 100000,
        "a " * 50000,
        '"' + "\\" * 50001,
        "a." * 50000,
    ],
)
def test_hostile_addresses(text: str) -> None:
    assert not is_address(text)


HOSTNAMES = [
    "a",
    "1",
    "a-",
    "a-b",
    "a$",
    "☃",
    "é.com",
    "a.b-c.de",
    "1.2.com",
    "☃-☃.com",
    "x" * 63,
    "é-",
    "例え.テスト",
]
NO_HOSTNAMES = [
    "",
    "-a",
    "a--b",
    "a-b-c",
    "a.b",
    "a.b1",
    "a..com",
    ".com",
    "a.com.",
    "a-.com",
    "-a.com",
    "a_b",
    "x" * 64,
    "é-é-é",
    "é._.com",
]
NO_HOSTNAMES += ["é._.com", "é_", "é.1", "é.c", "a.☃☃", "é..com", f"{'a.' * 127}com", "é" * 32]


@each("text", HOSTNAMES)
def test_hostnames(text: str) -> None:
    assert is_hostname(text)


@each("text", NO_HOSTNAMES)
def test_no_hostnames(text: str) -> None:
    assert not is_hostname(text)


PREFIXES = {
    "10.0.0.0/8": True,
    "010.0.0.0/0000000008": True,
    "::/128": True,
    "10.0.0.0/33": False,
    "::/129": False,
    "10.0.0.0/": False,
    "10.0.0.0": False,
    "10.0.0.0/+8": False,
}


@each(("text", "expected"), PREFIXES.items())
def test_prefixes(text: str, expected: bool) -> None:
    assert is_cidr(text) is expected


DURATIONS = {
    "22 ns": 22,
    "1.5 days": 5 * 24 * 3600 * 10**9,
    "12x34 µs": 34000,
    "3": None,
    "0" * 5000 + "7 ns": 7,
    "9223372036854775807 ns": 2**63 - 1,
    "9223372036854775807 ns 2 ns": -(2**63) + 1,
    "9223372036854775808 ns": None,
    "1" * 100000: None,
    "1 " * 50000: None,
}


@each(("text", "expected"), DURATIONS.items(), ids=[text[:30] for text in DURATIONS])
def test_lenient_durations(text: str, expected: int | None) -> None:
    assert lenient_duration(text) == expected


# For each format, texts that it accepts and texts that it rejects.
TEXTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "date": (("2024-02-29", "0000-02-29"), ("2023-02-29", "2023-2-01")),
    "datetime": (
        ("2020-01-01T12:34:00Z", "2020-01-01t23:59:59.5+01:00", "2020-01-01T00:00:00\u01305Z"),
        ("2020-01-01T24:00:00Z", "2020-01-01T00:60:00Z", "2020-01-01T00:00:60Z", "2020-01-01", ""),
    ),
    "ipv4": (("10.0.0.1", "::ffff:1.2.3.4"), ("::1", "10.0.0")),
    "ipv6": (("::1", "::ffff:1.2.3.4"), ("10.0.0.1", "1:2")),
    "uuid": (("123e4567-E89B-12d3-a456-426614174000",), ("123e4567-e89b-12d3-a456-42661417400g",)),
    "isbn10": (
        ("0-306-40615-2", "097522980X", "0 9752298 0 X"),
        ("0306406153", "0975229801", "030640615"),
    ),
    "isbn13": (
        ("978-0-306-40615-7", "9780000000002", "9783161484100"),
        ("9780306406158", "9783161484101"),
    ),
    "creditcard": (
        ("4111 1111 1111 1111", "5500-0000-0000-0004", "378282246310005"),
        ("4111111111111112", "41111"),
    ),
    "ssn": (("078-05-1120",), ("078051120", "078-05-112")),
}


@each(("name", "texts"), TEXTS.items(), ids=TEXTS)
def test_formats(name: str, texts: tuple[tuple[str, ...], tuple[str, ...]]) -> None:
    accepted, rejected = texts
    assert [text for text in accepted if not FORMATS[name](text)] == []
    assert [text for text in rejected if FORMATS[name](text)] == []
