"""Validation of names in Kubernetes. Upstream: apimachinery pkg/util/validation, pkg/api/validate/content.

Each function returns the reasons why a text is invalid, in upstream's words; an empty list if it is valid. Lengths are
in bytes of UTF-8, although upstream calls them characters; for labels, only older servers do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from crdlint.crd.errors import Wording


def _regex_error(message: str, pattern: str, *examples: str) -> str:
    joined = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {joined}regex used for validation is '{pattern}')"


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class _Name:
    """A kind of name: its pattern, the message for other texts, its maximum length and the message for longer ones.

    `part` is the start of both messages.
    """

    pattern: re.Pattern[str]
    rejection: str
    limit: int
    too_long: str
    part: str = ""

    def __call__(self, text: str) -> list[str]:
        errors = [] if _length(text) <= self.limit else [self.too_long]
        return errors if self.pattern.fullmatch(text) else [*errors, f"{self.part}{self.rejection}"]


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"


def _label_too_long(limit: int, part: str = "") -> str:
    return Wording.by_version(f"{part}{_too_long(limit)}", (35, f"{part}must be no more than {limit} bytes"))


_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_SUBDOMAIN_ERROR: Final = _regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _SUBDOMAIN,
    "example.com",
)
_KEY_ERROR: Final = _regex_error(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    _KEY,
    "MyName",
    "my.name",
    "123-abc",
)

is_dns1123_subdomain: Final = _Name(re.compile(_SUBDOMAIN), _SUBDOMAIN_ERROR, 253, _too_long(253))
is_dns1035_label: Final = _Name(
    re.compile(_LABEL_1035),
    _regex_error(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
        "start with an alphabetic character, and end with an alphanumeric character",
        _LABEL_1035,
        "my-name",
        "abc-123",
    ),
    63,
    _too_long(63),
)
is_label_value: Final = _Name(
    re.compile(f"({_KEY})?"),
    _regex_error(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
        "and must start and end with an alphanumeric character",
        f"({_KEY})?",
        "MyValue",
        "my_value",
        "12345",
    ),
    63,
    _label_too_long(63),
)
_dns1123_label: Final = _Name(
    re.compile(_LABEL),
    _regex_error(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character",
        _LABEL,
        "my-name",
        "123-abc",
    ),
    63,
    _too_long(63),
)
_PREFIX: Final = "prefix part "
_NAME: Final = "name part "
_key_prefix: Final = _Name(re.compile(_SUBDOMAIN), _SUBDOMAIN_ERROR, 253, _label_too_long(253, _PREFIX), _PREFIX)
_key_name: Final = _Name(re.compile(_KEY), _KEY_ERROR, 63, _label_too_long(63, _NAME), _NAME)


def is_dns1123_label(text: str) -> list[str]:
    """Return the reasons why a text is not a DNS label, such as the name of a namespace."""
    errors = _dns1123_label(text)
    if errors and errors[-1] == _dns1123_label.rejection and is_dns1123_subdomain.pattern.fullmatch(text):
        errors[-1] = "must not contain dots"
    return errors


def is_label_key(text: str) -> list[str]:
    """Return the reasons why a text is not a qualified name (an optional DNS prefix, a slash, a name)."""
    parts = text.split("/", 2)
    if len(parts) > 2:
        detail = f"{_KEY_ERROR} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return [Wording.by_version(f"a qualified name {detail}", (35, f"a valid label key {detail}"))]
    errors: list[str] = []
    if len(parts) == 2:
        errors += _key_prefix(parts[0]) if parts[0] else [f"{_PREFIX}must be non-empty"]
    if not parts[-1]:
        errors.append(f"{_NAME}must be non-empty")
    return [*errors, *_key_name(parts[-1])]


def is_path_segment(text: str, prefix: bool) -> list[str]:
    """Return the reasons why a text is not a segment of a URL path or, with `prefix`, the start of one.

    Upstream: path.IsValidPathSegmentName, path.IsValidPathSegmentPrefix.
    """
    if not prefix and text in {".", ".."}:
        return [f"may not be '{text}'"]
    return [f"may not contain '{unwanted}'" for unwanted in "/%" if unwanted in text]


def mask_trailing_dash(text: str) -> str:
    """Return a valid end for a prefix of a name: a dash at its end is allowed, because more text follows.

    As upstream, replace the last two bytes by one.
    """
    octets = text.encode("utf-8", "surrogatepass")
    if len(octets) > 1 and octets.endswith(b"-"):
        return (octets[:-2] + b"a").decode("utf-8", "surrogateescape")
    return text
