"""Addresses, versions, formats, URLs, matches and lists, by table."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from counting import LINEAR, growth
from kubecel_support import call
from tables import each

from crdlint.cel.ast import Uint
from crdlint.cel.errors import FunctionError
from crdlint.cel.eval.values import NONE, Duration, Optional_
from crdlint.kubecel.library.named_formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

IP_ERROR = "IP Address {0} parse error during conversion from string: ParseAddr({0}): {1}"
CIDR_PLACE = "network address parse error during conversion from string: "
CIDR_ERROR = CIDR_PLACE * 2 + "netip.ParsePrefix({0}): {1}"


def ip(text: str) -> Any:
    return call("string_to_ip", text)


def cidr(text: str) -> Any:
    return call("string_to_cidr", text)


def version(text: str, normalize: bool = False) -> Any:
    return call("string_bool_to_semver", text, normalize)


def url(text: str) -> Any:
    return call("string_to_url", text)


def raised(function: Callable[..., Any], *args: Any) -> str:
    with pytest.raises(FunctionError) as caught:
        function(*args)
    return str(caught.value)


@each(
    ("text", "canonical", "family"),
    [
        ("192.168.0.1", "192.168.0.1", 4),
        ("0.0.0.0", "0.0.0.0", 4),
        ("2001:db8::68", "2001:db8::68", 6),
        ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1", 6),
        ("::", "::", 6),
        ("1::", "1::", 6),
        ("64:ff9b::1.2.3.4", "64:ff9b::102:304", 6),
        ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304", 6),
        ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", 6),
        ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8", 6),
    ],
)
def test_ip(text: str, canonical: str, family: int) -> None:
    address = ip(text)
    assert (str(address), call("ip_family", address)) == (canonical, family)
    assert call("is_ip", text)
    assert call("ip_is_canonical", text) is (text == canonical)


@each(
    ("text", "reason"),
    [
        ("", "unable to parse IP"),
        ("%a", "missing IPv6 address"),
        ("192.168.0.1.0", "IPv4 address too long"),
        ("192.168.0", "IPv4 address too short"),
        ("192.168.00.1", "IPv4 field has octet with leading zero"),
        ("192.168.0.256", "IPv4 field has value >255"),
        ("192..0.1", 'IPv4 field must have at least one digit (at ".0.1")'),
        ("1.2.3.", 'IPv4 field must have at least one digit (at ".")'),
        ("1.2.3.a", 'unexpected character (at "a")'),
        ("2001:db8:::68", 'each colon-separated field must have at least one digit (at ":68")'),
        ("12345::", 'each group must have 4 or less digits (at "12345::")'),
        ("1::2::3", 'multiple :: in address (at ":3")'),
        ("1:2", "address string too short"),
        ("1:", 'colon must be followed by more characters (at ":")'),
        ("1:2g", 'unexpected character, want colon (at "g")'),
        ("1:2:3:4:5:6:7:8:9", 'trailing garbage after address (at "9")'),
        ("1:2:3:4:5:6:7::8", "the :: must expand to at least one field of zeros"),
        (
            "1:1.2.3.4",
            'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")',
        ),
        ("::2:3:4:5:6:7:1.2.3.4", "the :: must expand to at least one field of zeros"),
        (
            "::1:2:3:4:5:6:7:1.2",
            'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2")',
        ),
        ("::1.2.3.04", "IPv4 field has octet with leading zero"),
        ("fe80::1%", "zone must be a non-empty string"),
    ],
)
def test_ip_errors(text: str, reason: str) -> None:
    assert raised(ip, text) == IP_ERROR.format(f'"{text}"', reason)
    assert not call("is_ip", text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fe80::1%eth0", 'IP address "fe80::1%eth0" with zone value is not allowed'),
        ("::ffff:1.2.3.4", 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'),
    ],
)
def test_ip_refusals(text: str, message: str) -> None:
    assert raised(ip, text) == message
    assert raised(call, "ip_is_canonical", text) == message


@each(
    ("text", "which"),
    [
        ("0.0.0.0", {"is_unspecified"}),
        ("::", {"is_unspecified"}),
        ("127.1.2.3", {"is_loopback"}),
        ("::1", {"is_loopback"}),
        ("224.0.0.5", {"is_link_local_multicast"}),
        ("224.0.1.5", set()),
        ("ff02::1", {"is_link_local_multicast"}),
        ("ff12::1", {"is_link_local_multicast"}),
        ("ff05::1", set()),
        ("169.254.1.1", {"is_link_local_unicast"}),
        ("febf::1", {"is_link_local_unicast"}),
        ("fec0::1", {"is_global_unicast"}),
        ("255.255.255.255", set()),
        ("192.168.0.1", {"is_global_unicast"}),
        ("2001:db8::1", {"is_global_unicast"}),
    ],
)
def test_ip_predicates(text: str, which: set[str]) -> None:
    names = (
        "is_unspecified",
        "is_loopback",
        "is_link_local_multicast",
        "is_link_local_unicast",
        "is_global_unicast",
    )
    assert {name for name in names if call(f"ip_{name}", ip(text))} == which


@each(
    ("text", "message"),
    [
        ("192.168.0.0", "no '/'"),
        ("192.168.0.0/", 'bad bits after slash: ""'),
        ("192.168.0.0/08", 'bad bits after slash: "08"'),
        ("192.168.0.0/+8", 'bad bits after slash: "+8"'),
        ("192.168.0.0/-1", 'bad bits after slash: "-1"'),
        ("192.168.0.0/99999999999999999999", 'bad bits after slash: "99999999999999999999"'),
        ("192.168.0.0/9223372036854775808", 'bad bits after slash: "9223372036854775808"'),
        ("192.168.0.0/9223372036854775807", "prefix length out of range"),
        ("192.168.0.0/33", "prefix length out of range"),
        ("::/129", "prefix length out of range"),
        ("1.2.3/8", 'ParseAddr("1.2.3"): IPv4 address too short'),
        ("fe80::1%a/8", "IPv6 zones cannot be present in a prefix"),
    ],
)
def test_cidr_errors(text: str, message: str) -> None:
    assert raised(cidr, text) == CIDR_ERROR.format(f'"{text}"', message)
    assert not call("is_cidr", text)


def test_cidr() -> None:
    assert (
        raised(cidr, "::ffff:1.2.3.4/8")
        == f'{CIDR_PLACE}IPv4-mapped IPv6 address "::ffff:1.2.3.4/8" is not allowed'
    )
    network = cidr("192.168.1.5/24")
    assert call("is_cidr", "192.168.1.5/24")
    assert (str(network), str(call("cidr_ip", network))) == ("192.168.1.5/24", "192.168.1.5")
    assert (str(call("cidr_masked", network)), call("cidr_prefix_length", network)) == (
        "192.168.1.0/24",
        24,
    )
    assert network != cidr("192.168.1.0/24")
    assert call("cidr_contains_ip_string", network, "192.168.1.255")
    assert not call("cidr_contains_ip_ip", network, ip("192.168.2.0"))
    assert not call("cidr_contains_ip_string", network, "::1")
    assert raised(call, "cidr_contains_ip_string", network, "nothing") == "no such overload"
    assert call("cidr_contains_cidr_string", network, "192.168.1.0/24")
    assert call("cidr_contains_cidr", cidr("::/0"), cidr("2001:db8::/32"))
    assert not call("cidr_contains_cidr_string", network, "192.168.0.0/16")
    assert not call("cidr_contains_cidr_string", cidr("0.0.0.0/0"), "::/0")
    assert raised(call, "cidr_contains_cidr_string", network, "x") == CIDR_ERROR.format(
        '"x"', "no '/'"
    )


@each(
    ("text", "normalize", "canonical"),
    [
        ("1.2.3", False, "1.2.3"),
        ("1.2.3-alpha.1+build.05", False, "1.2.3-alpha.1+build.05"),
        ("1.2.3+a-b", False, "1.2.3+a-b"),
        ("v01.02.03", True, "1.2.3"),
        ("v1", True, "1.0.0"),
        ("1.00", True, "1.0.0"),
        ("1.2.003-rc", True, "1.2.3-rc"),
        ("1.2.00-rc", True, "1.2.0-rc"),
    ],
)
def test_semver(text: str, normalize: bool, canonical: str) -> None:
    assert str(version(text, normalize)) == canonical
    assert call("is_semver_string_bool", text, normalize)


@each(
    ("text", "normalize", "message"),
    [
        ("", False, "Version string empty"),
        ("1.2", False, "No Major.Minor.Patch elements found"),
        ("v1.2.3", False, 'Invalid character(s) found in major number "v1"'),
        ("01.2.3", False, 'Major number must not contain leading zeroes "01"'),
        ("1..3", False, 'strconv.ParseUint: parsing "": invalid syntax'),
        (
            "1.2.99999999999999999999",
            False,
            'strconv.ParseUint: parsing "99999999999999999999": value out of range',
        ),
        ("1.2.3.4", False, 'Invalid character(s) found in patch number "3.4"'),
        ("1.2.3-", False, "Prerelease is empty"),
        ("1.2.3-01", False, 'Numeric PreRelease version must not contain leading zeroes "01"'),
        ("1.2.3-a_b", False, 'Invalid character(s) found in prerelease "a_b"'),
        ("1.2.3+", False, "Build meta data is empty"),
        ("1.2.3+a_b", False, 'Invalid character(s) found in build meta data "a_b"'),
        ("1.2-rc", True, "short version cannot contain PreRelease/Build meta data"),
        ("", True, 'strconv.ParseUint: parsing "": invalid syntax'),
    ],
)
def test_semver_errors(text: str, normalize: bool, message: str) -> None:
    assert raised(version, text, normalize) == message
    assert not call("is_semver_string_bool", text, normalize)


def test_semver_order() -> None:
    ordered = [
        "1.0.0-1",
        "1.0.0-2",
        "1.0.0-10",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-beta",
        "1.0.0",
        "1.0.1",
        "2.0.0",
    ]
    for index, text in enumerate(ordered):
        for other_index, other in enumerate(ordered):
            pair = version(text), version(other)
            assert call("semver_compare_to", *pair) == (index > other_index) - (index < other_index)
            assert call("semver_is_less_than", *pair) is (index < other_index)
            assert call("semver_is_greater_than", *pair) is (index > other_index)
    assert version("1.0.0+a") == version("1.0.0+b") != version("1.0.1")
    assert [
        call(f"semver_{part}", version("18446744073709551615.2.3"))
        for part in ("major", "minor", "patch")
    ] == [
        -1,
        2,
        3,
    ]


LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
LABEL_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)
KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)


@each(
    ("name", "text", "reasons"),
    [
        ("dns1123Label", "my-label", None),
        ("dns1123Label", "a b", [LABEL]),
        ("dns1123Label", "a.b", ["must not contain dots"]),
        ("dns1123Label", "a" * 63, None),
        ("dns1123Label", "a" * 64, ["must be no more than 63 characters"]),
        ("dns1123Label", "é" * 32, ["must be no more than 63 characters", LABEL]),
        ("dns1123LabelPrefix", "my-label-", None),
        ("dns1123LabelPrefix", "-", [LABEL]),
        ("dns1123LabelPrefix", "é-", [LABEL]),
        ("dns1123LabelPrefix", "éa-", [LABEL]),
        ("dns1123Subdomain", "a.b", None),
        ("dns1123Subdomain", "a_b", [SUBDOMAIN]),
        ("dns1123Subdomain", "a" * 253, None),
        ("dns1123Subdomain", "a" * 254, ["must be no more than 253 characters"]),
        ("dns1123SubdomainPrefix", "mysubdomain.prefix.-", None),
        ("dns1035Label", "a1", None),
        ("dns1035Label", "1a", [LABEL_1035]),
        ("dns1035LabelPrefix", "a1-", None),
        ("qualifiedName", "example.com/a_b", None),
        ("qualifiedName", "a b", [f"name part {KEY}"]),
        ("qualifiedName", "/a", ["prefix part must be non-empty"]),
        ("qualifiedName", "a/", ["name part must be non-empty", f"name part {KEY}"]),
        (
            "qualifiedName",
            "a_b/" + "a" * 64,
            [f"prefix part {SUBDOMAIN}", "name part must be no more than 63 bytes"],
        ),
        ("qualifiedName", "a" * 253 + "/" + "a" * 63, None),
        ("qualifiedName", "a" * 254 + "/a", ["prefix part must be no more than 253 bytes"]),
        (
            "qualifiedName",
            "a/b/c",
            [
                f"a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ],
        ),
        ("labelValue", "", None),
        ("labelValue", "a!", [VALUE]),
        ("labelValue", "a" * 63, None),
        ("labelValue", "a" * 64, ["must be no more than 63 bytes"]),
        ("uri", "http://example.com", None),
        ("uri", "a", ['parse "a": invalid URI for request']),
        ("uuid", "123e4567-E89B-12d3-a456426614174000", None),
        ("uuid", "123e4567", ["does not match the UUID format"]),
        ("byte", "aGVsbG8=", None),
        ("byte", "aGVsbG8", ["invalid base64"]),
        ("byte", "", ["invalid base64"]),
        ("date", "2024-02-29", None),
        ("date", "2023-02-29", ["invalid date"]),
        ("date", "2023-00-01", ["invalid date"]),
        ("date", "2023-1-01", ["invalid date"]),
        ("date", "0000-01-01", None),
        ("datetime", "2021-01-01T00:00:00Z", None),
        ("datetime", "2021-01-01t23:59:59é5+99:99", None),
        ("datetime", "2021-01-01T24:00:00Z", ["invalid datetime"]),
        ("datetime", "2021-01-01T00:60:00Z", ["invalid datetime"]),
        ("datetime", "2021-01-01T00:00:60Z", ["invalid datetime"]),
        ("datetime", "2021-01-01", ["invalid datetime"]),
        ("datetime", "2021-01-01T00:00:00Ztrailing", None),
        ("datetime", "", ["invalid datetime"]),
    ],
)
def test_formats(name: str, text: str, reasons: list[str] | None) -> None:
    found = call("format-named", name)
    assert found.content is call(f"format.{name}")
    problems = call("format-validate", found.content, text)
    assert problems == (NONE if reasons is None else Optional_(reasons))


def test_format_names() -> None:
    assert call("format-named", "unknown") is NONE
    assert len(set(FORMATS.values())) == len(FORMATS) == 13


@each(
    ("text", "parts"),
    [
        (
            "https://user:pw@example.com:80/a%20b?k=v#f",
            ("https", "example.com:80", "example.com", "80", "/a%20b"),
        ),
        ("HTTP://[::1]:8080/", ("http", "[::1]:8080", "::1", "8080", "/")),
        ("http://[::1]", ("http", "[::1]", "::1", "", "")),
        ("/path", ("", "", "", "", "/path")),
        ("//host/path", ("", "host", "host", "", "/path")),
        ("///path", ("", "", "", "", "///path")),
        ("mailto:a@b", ("mailto", "", "", "", "")),
        ("file:///a b!", ("file", "", "", "", "/a%20b%21")),
        ("file:/a", ("file", "", "", "", "/a")),
        ("http://h/é%C3%A9", ("http", "h", "h", "", "/%C3%A9%C3%A9")),
        ("*", ("", "", "", "", "*")),
        ("http://h:/?", ("http", "h:", "h", "", "/")),
    ],
)
def test_url(text: str, parts: tuple[str, ...]) -> None:
    value = url(text)
    names = ("scheme", "host", "hostname", "port", "escaped_path")
    assert tuple(call(f"url_get_{name}", value) for name in names) == parts
    assert call("is_url_string", text)


@each(
    ("text", "written"),
    [
        (
            "HTTPS://user:p%20w@example.com:80/a%20b?k=v#f%20g",
            "https://user:p%20w@example.com:80/a%20b?k=v#f%20g",
        ),
        ("file:///a b", "file:///a%20b"),
        ("file:/a", "file:/a"),
        ("http://", "http:"),
        ("mailto:a@b?c", "mailto:a@b?c"),
        ("http://h/?", "http://h/?"),
        ("/p#'a b'", "/p#%27a%20b%27"),
        ("///path", "///path"),
        ("//host/path", "//host/path"),
    ],
)
def test_url_text(text: str, written: str) -> None:
    assert str(url(text)) == written
    assert url(text) == url(text)
    assert hash(url(text)) == hash(url(text))


def test_url_query() -> None:
    assert call("url_get_query", url("/a?k=1&k=a+b%20c&=x&&bad%zz=1&b;c=2&d")) == {
        "k": ["1", "a b c"],
        "": ["x"],
        "d": [""],
    }
    assert call("url_get_query", url("/a?" + "a&" * 10_000)) == {}
    assert (
        raised(url, "a")
        == 'URL parse error during conversion from string: parse "a": invalid URI for request'
    )
    assert not call("is_url_string", "a")


@each(
    ("text", "pattern", "limit", "matches"),
    [
        ("abc 123 def 456", "[0-9]+", -1, ["123", "456"]),
        ("abc 123 def 456", "[0-9]+", 1, ["123"]),
        ("abc 123", "[0-9]+", 0, []),
        ("abc", "[0-9]+", -1, []),
        ("aéb", "", -1, ["", "", "", ""]),
        ("baaab", "a*", -1, ["", "aaa", ""]),
        ("baaab", "a|aa", -1, ["a", "a", "a"]),
        ("aaa", "^a", -1, ["a"]),
        ("ab ab", r"\bab", -1, ["ab", "ab"]),
        ("éà", "..?", -1, ["éà"]),
        ("", "x*", -1, [""]),
        ("a\nb", "(?m)^.$", -1, ["a", "b"]),
        ("ab", "(?P<n>a)|b", -1, ["a", "b"]),
    ],
)
def test_matches(text: str, pattern: str, limit: int, matches: list[str]) -> None:
    pytest.importorskip("re2")
    assert call("string_find_all_string_int", text, pattern, limit) == matches
    if limit < 0:
        assert call("string_find_string", text, pattern) == (matches[0] if matches else "")


def test_bad_pattern() -> None:
    assert (
        raised(call, "string_find_string", "a", "(")
        == "Illegal regex: error parsing regexp: missing closing ): `(`"
    )
    assert (
        raised(call, "string_find_all_string", "a", "(?<=a)")
        == "Illegal regex: error parsing regexp: invalid named capture: `(?<=a)`"
    )


def test_lists() -> None:
    assert call("list_int_is_sorted_bool", [1, 1, 2])
    assert call("list_int_is_sorted_bool", [])
    assert not call("list_int_is_sorted_bool", ["b", "a"])
    assert call("list_int_is_sorted_bool", [1.0, math.nan, 0.5])
    assert raised(call, "list_int_is_sorted_bool", [None]) == "no such overload"
    assert call("list_int_sum_int", [1, 2]) == 3
    assert call("list_uint_sum_uint", []) == Uint(0)
    assert call("list_duration_sum_duration", [Duration(1), Duration(2)]) == Duration(3)
    assert raised(call, "list_int_sum_int", [2**63 - 1, 1]) == "integer overflow"
    assert (
        raised(call, "list_uint_sum_uint", [Uint(2**64 - 1), Uint(1)])
        == "unsigned integer overflow"
    )
    assert (
        raised(call, "list_duration_sum_duration", [Duration(-(2**63)), Duration(-1)])
        == "integer overflow"
    )
    assert raised(call, "list_int_sum_int", ["a"]) == "no such overload"
    assert call("list_int_min_int", [3, 1, 2]) == 1
    assert call("list_int_max_int", ["a", "c", "b"]) == "c"
    assert call("list_int_min_int", [False, True]) is False
    assert math.isnan(call("list_int_max_int", [math.nan, 1.0]))
    assert raised(call, "list_int_min_int", []) == "min called on empty list"
    assert raised(call, "list_int_max_int", []) == "max called on empty list"
    assert raised(call, "list_int_max_int", [[]]) == "no such overload"
    assert call("list_a_index_of_int", [1, True, 1.0], True) == 1
    assert call("list_a_last_index_of_int", [1, True, 1.0], Uint(1)) == 2
    assert call("list_a_index_of_int", [], 1) == call("list_a_last_index_of_int", [], 1) == -1


HOSTILE: dict[str, Callable[[int], str]] = {
    "digits": lambda n: "1" * n,
    "a version": lambda n: "1" * n + ".1.1",
    "a group": lambda n: "1:" + "1" * n,
    "colons": lambda n: ":" * n,
    "groups": lambda n: "::" + "1:" * (n // 2),
    "a prefix": lambda n: "1.1.1.1/" + "1" * n,
    "dashes": lambda n: "-" * n,
}


@each("hostile", HOSTILE.values(), ids=HOSTILE)
def test_hostile(hostile: Callable[[int], str]) -> None:
    def work(count: int) -> None:
        text = hostile(count)
        assert not call("is_ip", text)
        assert not call("is_cidr", text)
        assert not call("is_semver_string", text)
        for format_ in FORMATS.values():
            assert call("format-validate", format_, f"{text}!").has_value

    work(200_000)
    assert growth(work, 1000) < LINEAR
