"""Validation of names in Kubernetes. Upstream: apimachinery pkg/util/validation, pkg/api/validate/content.

Each function returns the reasons why a text is invalid, in upstream's words; an empty list if it is valid. Lengths are
in bytes of UTF-8, although upstream calls them characters; for labels, only older servers do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import Wording
from crdlint.light import NamedTuple, regex

if TYPE_CHECKING:
    import re


class _Name(NamedTuple):
    """A kind of name: its pattern, the error for other texts, its maximum length and the error for longer ones."""

    pattern: re.Pattern[str]
    rejection: str
    limit: int
    too_long: str

    def faults(self, text: str) -> list[str]:
        errors = [] if len(text.encode("utf-8", "surrogatepass")) <= self.limit else [self.too_long]
        return errors if self.pattern.fullmatch(text) else [*errors, self.rejection]


def _name(
    message: str,
    pattern: str,
    *examples: str,
    limit: int = 63,
    part: str = "",
    in_bytes: bool = False,
) -> _Name:
    """Return a kind of name; `part` is the start of its errors, and newer servers count bytes with `in_bytes`."""
    listed = " or ".join(f"'{example}', " for example in examples)
    rejection = f"{part}{message} (e.g. {listed}regex used for validation is '{pattern}')"
    too_long = f"{part}must be no more than {limit} characters"
    if in_bytes:
        too_long = Wording.by_version(too_long, (35, f"{part}must be no more than {limit} bytes"))
    return _Name(regex(pattern), rejection, limit, too_long)


_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_SUBDOMAIN_TEXT: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character"
)
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_KEY_TEXT: Final = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
_KEYS: Final = ("MyName", "my.name", "123-abc")
_PREFIX: Final = "prefix part "
_NAME: Final = "name part "

_subdomain: Final = _name(_SUBDOMAIN_TEXT, _SUBDOMAIN, "example.com", limit=253)
is_dns1123_subdomain: Final = _subdomain.faults
is_dns1035_label: Final = _name(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    *("my-name", "abc-123"),
).faults
is_label_value: Final = _name(
    f"a valid label must be an empty string or {_KEY_TEXT.removeprefix('must ')}",
    f"({_KEY})?",
    *("MyValue", "my_value", "12345"),
    in_bytes=True,
).faults
_dns1123_label: Final = _name(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    _LABEL,
    *("my-name", "123-abc"),
)
_key_prefix: Final = _name(
    _SUBDOMAIN_TEXT,
    _SUBDOMAIN,
    "example.com",
    limit=253,
    part=_PREFIX,
    in_bytes=True,
)
_key_name: Final = _name(_KEY_TEXT, _KEY, *_KEYS, part=_NAME, in_bytes=True)


def is_dns1123_label(text: str) -> list[str]:
    """Return the reasons why a text is not a DNS label, such as the name of a namespace."""
    errors = _dns1123_label.faults(text)
    if errors and errors[-1] == _dns1123_label.rejection and _subdomain.pattern.fullmatch(text):
        errors[-1] = "must not contain dots"
    return errors


def is_label_key(text: str) -> list[str]:
    """Return the reasons why a text is not a qualified name (an optional DNS prefix, a slash, a name)."""
    parts = text.split("/", 2)
    if len(parts) > 2:
        error = _key_name.rejection.removeprefix(_NAME)
        detail = (
            f"{error} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        )
        return [
            Wording.by_version(f"a qualified name {detail}", (35, f"a valid label key {detail}"))
        ]
    errors: list[str] = []
    if len(parts) == 2:
        errors += _key_prefix.faults(parts[0]) if parts[0] else [f"{_PREFIX}must be non-empty"]
    if not parts[-1]:
        errors.append(f"{_NAME}must be non-empty")
    return [*errors, *_key_name.faults(parts[-1])]


def is_path_segment(text: str, prefix: bool) -> list[str]:
    """Return why a text is no segment of a URL path or, with `prefix`, starts none. Upstream: path.IsValidPathSegmentName."""
    if not prefix and text in {".", ".."}:
        return [f"may not be '{text}'"]
    return [f"may not contain '{unwanted}'" for unwanted in "/%" if unwanted in text]


def mask_trailing_dash(text: str) -> str:
    """Return the prefix of a name with a valid end: where it is a dash, the last two bytes become one, as upstream."""
    octets = text.encode("utf-8", "surrogatepass")
    if len(octets) > 1 and octets.endswith(b"-"):
        return (octets[:-2] + b"a").decode("utf-8", "surrogateescape")
    return text
