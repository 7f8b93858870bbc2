"""URLs and the addresses in them, as Go 1.26 reads them."""

from __future__ import annotations

import pytest
from tables import each

from crdlint.golang.addresses import AddressError, URLError, parse, parse_addr


@each(
    ("text", "host"),
    [
        ("https://a/b", "a"),
        ("https://a:/b", "a:"),
        ("https://a:80", "a:80"),
        ("//a:80/b", "a:80"),
        ("https://[::1]/", "[::1]"),
        ("https://[::1]:80/", "[::1]:80"),
        ("https://u@[fe80::1%25en%31]:80/", "[fe80::1%en1]:80"),
        ("https://[::ffff:1.2.3.4]/", "[::ffff:1.2.3.4]"),
        ("postgres://a:1,b:2/c", "a:1,b:2"),
    ],
)
def test_host(text: str, host: str) -> None:
    assert parse(text).host == host


@each(
    ("text", "message"),
    [
        ("https://a:b:c/", 'invalid port ":b:c" after host'),
        ("https://a:1:2/", 'invalid port ":1:2" after host'),
        ("HTTP://::1/", 'invalid port "::1" after host'),
        ("postgres://a:1,b:c/", 'invalid port ":c" after host'),
        ("https://[::1/", "missing ']' in host"),
        ("https://[::1]80/", 'invalid port "80" after host'),
        ("https://a[::1]/", "invalid IP-literal"),
        ("https://[[::1]/", "invalid IP-literal"),
        ("https://[1.2.3.4]/", "invalid IP-literal"),
        ("https://[a]/", 'invalid host: ParseAddr("a"): unable to parse IP'),
        ("https://[]/", 'invalid host: ParseAddr(""): unable to parse IP'),
        ("https://[::1%25]/", 'invalid host: ParseAddr("::1%"): zone must be a non-empty string'),
        (
            "https://[1::2::3]/",
            'invalid host: ParseAddr("1::2::3"): multiple :: in address (at ":3")',
        ),
        ("https://a b/", 'invalid character " " in host name'),
        ("https://a%41/", 'invalid URL escape "%41"'),
    ],
)
def test_host_errors(text: str, message: str) -> None:
    with pytest.raises(URLError) as caught:
        parse(text)
    assert str(caught.value) == f'parse "{text}": {message}'


@each(
    ("text", "address"),
    [
        ("1.2.3.4", (4, 0x01020304, "")),
        ("::", (6, 0, "")),
        ("::1", (6, 1, "")),
        ("1:2:3:4:5:6:7:8", (6, 0x00010002000300040005000600070008, "")),
        ("1::8%eth0", (6, (1 << 112) | 8, "eth0")),
        ("::1.2.3.4", (6, 0x01020304, "")),
    ],
)
def test_address(text: str, address: tuple[int, int, str]) -> None:
    assert parse_addr(text) == address


@each(
    ("text", "message"),
    [
        ("", "unable to parse IP"),
        ("%a", "missing IPv6 address"),
        ("1.2.3", "IPv4 address too short"),
        ("1.2.3.4.5", "IPv4 address too long"),
        ("1.2.3.256", "IPv4 field has value >255"),
        ("1.2.3.04", "IPv4 field has octet with leading zero"),
        ("1..3.4", 'IPv4 field must have at least one digit (at ".3.4")'),
        ("1.2.3.x", 'unexpected character (at "x")'),
        ("1:2", "address string too short"),
        ("1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'),
        ("1:2:3:4::5:6:7:8", "the :: must expand to at least one field of zeros"),
        ("12345::", 'each group must have 4 or less digits (at "12345::")'),
        ("1:", 'colon must be followed by more characters (at ":")'),
        ("1:x", 'each colon-separated field must have at least one digit (at "x")'),
        ("1x::", 'unexpected character, want colon (at "x::")'),
        (
            "1:2.3.4.5",
            'embedded IPv4 address must replace the final 2 fields of the address (at "2.3.4.5")',
        ),
        (
            "1::2:3:4:5:6:7:1.2.3.4",
            'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")',
        ),
    ],
)
def test_address_errors(text: str, message: str) -> None:
    with pytest.raises(AddressError) as caught:
        parse_addr(text)
    assert str(caught.value) == f'ParseAddr("{text}"): {message}'
