"""String formats as the server checks them. Upstream: kube-openapi pkg/validation/strfmt and its copy of govalidator.

The keys of `FORMATS` are names without dashes, because upstream compares names in this form. In resources, a server
checks only the formats of its version (apiextensions pkg/apiserver/validation/formats.go, see `is_supported`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache
from typing import Final

from crdlint.crd.kubenames import is_dns1123_label, is_dns1123_subdomain
from crdlint.kubernetes.servers import Server
from crdlint.light import regex

# A text of each format.
SAMPLES: Final = {
    "date-time": "2026-01-31T15:04:05Z",
    "datetime": "2026-01-31T15:04:05Z",
    "date": "2026-01-31",
    "duration": "1h30m",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "cidr": "192.0.2.0/24",
    "mac": "00:00:5e:00:53:01",
    "uri": "https://example.com/path",
    "hostname": "www.example.com",
    "email": "name@example.com",
    "byte": "aGVsbG8=",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "uuid4": "123e4567-e89b-42d3-a456-426614174000",
}
_KUBERNETES_NAMES: Final = frozenset({"k8sshortname", "k8slongname"})


def normalized(name: str) -> str:
    """Return the name of a format in the form in which names are compared."""
    return name.replace("-", "")


def is_registered(name: str, server: Server) -> bool:
    """Return whether a server knows the format of a string at all, for example in defaults."""
    return _is_known(name, with_kubernetes_names=server.has_kubernetes_name_formats)


def is_supported(name: str, server: Server) -> bool:
    """Return whether a server checks the format of a string in resources."""
    return _is_known(name, with_kubernetes_names=server.checks_kubernetes_name_formats)


def _is_known(name: str, *, with_kubernetes_names: bool) -> bool:
    key = normalized(name)
    return key in FORMATS and (with_kubernetes_names or key not in _KUBERNETES_NAMES)


def _matches(pattern: str, flags: int = re.ASCII) -> Callable[[str], bool]:
    """Return a test of texts; its pattern is compiled by the first call, because most runs need few of the patterns."""
    compiled = cache(lambda: re.compile(pattern, flags))
    return lambda text: compiled().fullmatch(text) is not None


_is_full_date: Final = _matches(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_TIME: Final = regex(
    r"([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?([zZ]|([+-][0-9]{2}:[0-9]{2}))", re.ASCII
)


def _is_date(text: str) -> bool:
    """Return whether a text is a valid date such as 2006-01-02; the year 0 is allowed."""
    if not _is_full_date(text):
        return False
    try:
        date(int(text[:4]) or 4, int(text[5:7]), int(text[8:]))
    except ValueError:
        return False
    return True


def _is_date_time(text: str) -> bool:
    """Return whether a text is a date, a `t`, and a time with a zone; text after a second `t` is ignored."""
    day, *times = re.split("[tT]", text)
    match = _TIME.fullmatch(times[0]) if times and _is_date(day) else None
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


_DURATION_PART: Final = regex(r"(?<![0-9])([0-9]+)[\t\n\f\r ]*([A-Za-zµ]+)")
# For each unit: its nanoseconds, its names, and the last name, which may be followed by more letters.
_UNITS: Final = (
    (1, ("ns",), "nano"),
    (10**3, ("us", "µs"), "micro"),
    (10**6, ("ms",), "milli"),
    (10**9, ("s",), "sec"),
    (60 * 10**9, ("m",), "min"),
    (3600 * 10**9, ("h", "hr"), "hour"),
    (24 * 3600 * 10**9, ("d",), "day"),
    (7 * 24 * 3600 * 10**9, ("w", "wk"), "week"),
)


def lenient_duration(text: str) -> int | None:
    """Return the nanoseconds, wrapped at 64 bits, of numbers with units in a text (`22 ns`, `3 weeks`), or None without any."""
    parts: list[int] = []
    for digits, unit in _DURATION_PART.findall(text):
        significant = digits.lstrip("0") or "0"
        if len(significant) > 19 or int(significant) >= 1 << 63:
            return None
        parts += [int(significant) * size for size in _sizes(unit.lower())]
    if not parts:
        return None
    return (sum(parts) + (1 << 63)) % (1 << 64) - (1 << 63)


def _sizes(unit: str) -> Iterator[int]:
    """Yield the nanoseconds of the unit that a name is that of."""
    for size, names, last in _UNITS:
        if unit in names or unit.startswith(last):
            yield size


def _is_duration(text: str) -> bool:
    """Return whether a text is a Go duration, or contains a number with a unit as in Scala."""
    from crdlint.golang.times import parse_duration

    return parse_duration(text) is not None or lenient_duration(text) is not None


_LONGEST_HOSTNAME: Final = 255  # bytes of UTF-8
_LONGEST_LABEL: Final = 63
_ASCII_HOSTNAME: Final = regex(
    r"[a-zA-Z0-9$+<=>^`|~](?:-?[a-zA-Z0-9$+<=>^`|~]{0,62})?"
    r"|(?:[a-zA-Z0-9$+<=>^`|~](?:[-a-zA-Z0-9$+<=>^`|~]{0,61}[a-zA-Z0-9$+<=>^`|~])?\.)+[a-zA-Z]{2,63}"
)


def is_hostname(text: str) -> bool:
    """Return whether a text is a host name: one label, or several of which the last has only letters, of any script.

    Upstream's regular expression is split here: its bounded repetitions of large classes would need hundreds of megabytes.
    """
    octets = text.encode("utf-8", "surrogatepass")
    if len(octets) > _LONGEST_HOSTNAME:
        return False
    if any(len(label) > _LONGEST_LABEL for label in octets.split(b".")):
        return False
    if text.isascii():
        return _ASCII_HOSTNAME.fullmatch(text) is not None
    return _is_international_hostname(text.split("."))


def _is_international_hostname(labels: list[str]) -> bool:
    from crdlint.golang.matching import matches

    if len(labels) == 1:
        # One dash may follow the first character, even as the last.
        label = labels[0]
        return matches(r"^[a-zA-Z0-9\p{S}\p{L}]+$", label[0] + label[1:].removeprefix("-"))
    top = labels.pop()
    if len(top) < 2 or not matches(r"^[a-zA-Z\p{L}]+$", top):
        return False
    are_trimmed = all(label and label.strip("-") == label for label in labels)
    return are_trimmed and matches(r"^[a-zA-Z0-9\-\p{S}\p{L}]+$", "".join(labels))


def _is_uri(text: str) -> bool:
    from crdlint.golang.addresses import URLError, parse_request_uri

    try:
        parse_request_uri(text)
    except URLError:
        return False
    return True


def _is_email(text: str) -> bool:
    from crdlint.golang.mail import is_address

    return is_address(text)


def _is_ip(text: str, mark: str, *, sloppy: bool) -> bool:
    from crdlint.golang.addresses import parse_ip

    return mark in text and parse_ip(text, sloppy=sloppy)


def is_cidr(text: str) -> bool:
    """Return whether a text is an address with a prefix length."""
    address, _, length = text.partition("/")
    bits = _PREFIX_LENGTH.fullmatch(length)
    longest = 128 if ":" in address else 32
    if bits is None or int(bits[1]) > longest:
        return False
    return _is_ip(address, "", sloppy=True)


_PREFIX_LENGTH: Final = regex("0*([0-9]{1,3})")


# A hardware address of 6, 8 or 20 bytes, with colons, dashes or dots.
_MAC: Final = "|".join(
    f"{digits}(?:{separator}{digits}){{{count}}}"
    for digits, separator, counts in (
        ("[0-9a-fA-F]{2}", "[:]", (5, 7, 19)),
        ("[0-9a-fA-F]{2}", "[-]", (5, 7, 19)),
        ("[0-9a-fA-F]{4}", "[.]", (2, 3, 9)),
    )
    for count in counts
)
_HEX4: Final = "[0-9a-f]{4}"


def _uuid(third: str, fourth: str) -> Callable[[str], bool]:
    return _matches(
        f"[0-9a-f]{{8}}-?{_HEX4}-?{third}-?{fourth}-?[0-9a-f]{{12}}", re.ASCII | re.IGNORECASE
    )


_is_isbn10_text: Final = _matches("[0-9]{9}X|[0-9]{10}")
_is_isbn13_text: Final = _matches("[0-9]{13}")
_SPACE_AND_DASH: Final = regex(r"[\t\n\f\r -]+")


def _is_isbn10(text: str) -> bool:
    digits = _SPACE_AND_DASH.sub("", text)
    if not _is_isbn10_text(digits):
        return False
    last = 10 if digits[9] == "X" else int(digits[9])
    return (sum((i + 1) * int(digits[i]) for i in range(9)) + 10 * last) % 11 == 0


def _is_isbn13(text: str) -> bool:
    digits = _SPACE_AND_DASH.sub("", text)
    if not _is_isbn13_text(digits):
        return False
    weighted = sum(map(int, digits[::2])) + 3 * sum(map(int, digits[1::2]))
    return weighted % 10 == 0


_is_card: Final = _matches(
    "4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}"
    r"|(?:2131|1800|35\d{3})\d{11}"
)


def _is_credit_card(text: str) -> bool:
    """Return whether a text is a credit card number by its first digits and its check digit; other characters are ignored."""
    digits = re.sub("[^0-9]+", "", text)
    # Of every second digit, from the end, its double is added, or the sum of the digits of that.
    added = [sum(divmod(int(digit) * (1 + i % 2), 10)) for i, digit in enumerate(reversed(digits))]
    return _is_card(digits) and sum(added) % 10 == 0


_is_ssn: Final = _matches(r"\d{3}[- ]?\d{2}[- ]?\d{4}")
_CHANNEL: Final = r"\s*(0|[1-9]\d?|1\d\d?|2[0-4]\d|25[0-5])\s*"

FORMATS: Final[dict[str, Callable[[str], bool]]] = {
    "bsonobjectid": _matches("[0-9a-fA-F]{24}"),
    "uri": _is_uri,
    "email": _is_email,
    "hostname": is_hostname,
    "ipv4": lambda text: _is_ip(text, ".", sloppy=True),  # also an IPv6 address that contains one
    "ipv6": lambda text: _is_ip(text, ":", sloppy=False),
    "cidr": is_cidr,
    "mac": _matches(_MAC),
    "uuid": _uuid(_HEX4, _HEX4),
    "uuid3": _uuid("3[0-9a-f]{3}", _HEX4),
    "uuid4": _uuid("4[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "uuid5": _uuid("5[0-9a-f]{3}", "[89ab][0-9a-f]{3}"),
    "isbn": lambda text: _is_isbn10(text) or _is_isbn13(text),
    "isbn10": _is_isbn10,
    "isbn13": _is_isbn13,
    "creditcard": _is_credit_card,
    "ssn": lambda text: len(text.encode("utf-8", "surrogatepass")) == 11 and _is_ssn(text),
    "hexcolor": _matches("#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})"),
    "rgbcolor": _matches(
        rf"rgb\({_CHANNEL},{_CHANNEL},{_CHANNEL}\)".replace(r"\s", "[\\t\\n\\f\\r ]")
    ),
    "byte": _matches(
        r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
    ),
    "password": lambda _text: True,
    "date": _is_date,
    "duration": _is_duration,
    "datetime": _is_date_time,
    "k8sshortname": lambda text: not is_dns1123_label(text),
    "k8slongname": lambda text: not is_dns1123_subdomain(text),
}
