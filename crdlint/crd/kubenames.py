"""What names look like in Kubernetes (apimachinery pkg/util/validation, pkg/api/validate/content).

Each function returns the reasons why a text is no such name, in upstream's words; an empty list where it is one.
Lengths are in bytes of UTF-8, as Go counts them.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence


def _regex_error(message: str, pattern: str, *examples: str) -> str:
    joined = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {joined}regex used for validation is '{pattern}')"


def _too_long(limit: int) -> str:
    return f"must be no more than {limit} characters"


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


class _Name:
    """A kind of name: a pattern, a length in bytes, and what is said when a text has neither."""

    def __init__(self, message: str, pattern: str, limit: int, *examples: str) -> None:
        self._match = re.compile(pattern).fullmatch
        self._refusal = _regex_error(message, pattern, *examples)
        self._limit = limit

    def __call__(self, text: str) -> list[str]:
        errors = [_too_long(self._limit)] if _length(text) > self._limit else []
        return errors if self._match(text) else [*errors, self._refusal]


_DNS1123_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_KEY_MESSAGE: Final = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_KEY_ERROR: Final = _regex_error(_KEY_MESSAGE, _KEY, "MyName", "my.name", "123-abc")
_KEY_LIMIT: Final = 63

is_dns1123_subdomain: Final = _Name(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    rf"{_DNS1123_LABEL}(\.{_DNS1123_LABEL})*",
    253,
    "example.com",
)
is_dns1035_label: Final = _Name(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character",
    "[a-z]([-a-z0-9]*[a-z0-9])?",
    63,
    "my-name",
    "abc-123",
)
is_label_value: Final = _Name(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    f"({_KEY})?",
    63,
    "MyValue",
    "my_value",
    "12345",
)


def is_label_key(text: str) -> list[str]:
    """Return why a text is no qualified name (an optional DNS prefix, a slash, a name)."""
    errors: list[str] = []
    parts: Sequence[str] = text.split("/")
    if len(parts) > 2:
        return [
            f"a valid label key {_KEY_ERROR} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    if len(parts) == 2:
        if not parts[0]:
            errors.append("prefix part must be non-empty")
        else:
            errors.extend(f"prefix part {error}" for error in is_dns1123_subdomain(parts[0]))
    name = parts[-1]
    if not name:
        errors.append("name part must be non-empty")
    elif _length(name) > _KEY_LIMIT:
        errors.append(f"name part {_too_long(_KEY_LIMIT)}")
    if not re.fullmatch(_KEY, name):
        errors.append(f"name part {_KEY_ERROR}")
    return errors
