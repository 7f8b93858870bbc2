"""Named formats and why a text has them not (apiserver pkg/cel/library/format.go).

The texts are those of apimachinery's pkg/util/validation and pkg/api/validate/content, which count a text's length in
bytes but say "characters" in the first; the checks of CRD formats are kube-openapi's pkg/validation/strfmt.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from crdlint.cel.runtime.strings import lower_ascii
from crdlint.cel.types import Type, object_type
from crdlint.kubecel.runtime.opaque import Opaque

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Check: TypeAlias = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class NamedFormat(Opaque):
    """A format; `check` returns why a text has it not, `max_regex_size` is what costs are estimated from."""

    cel_type: ClassVar[Type] = object_type("kubernetes.NamedFormat")
    go_type: ClassVar[str] = "cel.Format"

    name: str
    check: Check = field(compare=False)
    max_regex_size: int = field(compare=False)


def named(name: str) -> NamedFormat | None:
    """Return the format of a name, None for an unknown name."""
    return FORMATS.get(name)


def validate(format_: NamedFormat, text: str) -> list[str] | None:
    """Return why a text has not a format, None where it has it."""
    return format_.check(text) or None


def _regex_error(message: str, pattern: str, *examples: str) -> str:
    given = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {given}regex used for validation is '{pattern}')"


def _length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class _Name:
    """A kind of name: its pattern, its greatest length in a unit of upstream's, what is said of other texts."""

    pattern: re.Pattern[str]
    refusal: str
    limit: int
    unit: str = "characters"

    def __call__(self, text: str) -> list[str]:
        errors = [] if _length(text) <= self.limit else [f"must be no more than {self.limit} {self.unit}"]
        return errors if self.pattern.fullmatch(text) else [*errors, self.refusal]


_LABEL: Final = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN: Final = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_1035: Final = "[a-z]([-a-z0-9]*[a-z0-9])?"
_KEY: Final = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE: Final = f"({_KEY})?"
_UUID: Final = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"
_BASE64: Final = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
_DATE: Final = "([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME: Final = "([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))"
# Upstream's patterns are anchored.
_ANCHORS: Final = len("^$")

_KEY_ERROR: Final = _regex_error(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
    _KEY,
    "MyName",
    "my.name",
    "123-abc",
)
_KEY_LIMIT: Final = 63
_SUBDOMAIN_ERROR: Final = _regex_error(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
    "and must start and end with an alphanumeric character",
    _SUBDOMAIN,
    "example.com",
)

_subdomain: Final = _Name(re.compile(_SUBDOMAIN), _SUBDOMAIN_ERROR, 253)
_key_prefix: Final = _Name(re.compile(_SUBDOMAIN), _SUBDOMAIN_ERROR, 253, "bytes")
_key_name: Final = _Name(re.compile(_KEY), _KEY_ERROR, _KEY_LIMIT, "bytes")
_dns_label: Final = _Name(
    re.compile(_LABEL),
    _regex_error(
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character",
        _LABEL,
        "my-name",
        "123-abc",
    ),
    63,
)
_dns1035_label: Final = _Name(
    re.compile(_LABEL_1035),
    _regex_error(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
        "start with an alphabetic character, and end with an alphanumeric character",
        _LABEL_1035,
        "my-name",
        "abc-123",
    ),
    63,
)
_label_value: Final = _Name(
    re.compile(_VALUE),
    _regex_error(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
        "and must start and end with an alphanumeric character",
        _VALUE,
        "MyValue",
        "my_value",
        "12345",
    ),
    63,
    "bytes",
)


def _label(text: str) -> list[str]:
    errors = _dns_label(text)
    if errors and errors[-1] == _dns_label.refusal and _subdomain.pattern.fullmatch(text):
        errors[-1] = "must not contain dots"
    return errors


def _qualified_name(text: str) -> list[str]:
    parts = text.split("/", 2)
    if len(parts) > 2:
        return [
            f"a valid label key {_KEY_ERROR} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    errors: list[str] = []
    if len(parts) == 2:
        errors += _key_prefix(parts[0]) if parts[0] else ["must be non-empty"]
        errors = [f"prefix part {error}" for error in errors]
    if not parts[-1]:
        errors.append("name part must be non-empty")
    return [*errors, *(f"name part {error}" for error in _key_name(parts[-1]))]


def _as_prefix(check: Check) -> Check:
    """Return a check of texts that something is put behind: a dash at the end is let pass."""

    def find(text: str) -> list[str]:
        octets = text.encode("utf-8", "surrogatepass")
        if len(octets) > 1 and octets.endswith(b"-"):
            # Upstream cuts off two bytes for the one letter.
            text = (octets[:-2] + b"a").decode("utf-8", "surrogateescape")
        return check(text)

    return find


def _uri(text: str) -> list[str]:
    from crdlint.golang.url import URLError, parse_request_uri

    try:
        parse_request_uri(text)
    except URLError as error:
        return [str(error)]
    return []


def _matching(pattern: str, message: str) -> Check:
    match = re.compile(pattern).fullmatch
    return lambda text: [] if match(text) else [message]


def _is_date(text: str) -> bool:
    match = re.fullmatch(_DATE, text)
    if match is None:
        return False
    year, month, day = map(int, match.groups())
    return 1 <= month <= 12 and 1 <= day <= monthrange(year, month)[1]


def _is_datetime(text: str) -> bool:
    parts = lower_ascii(text).split("t", 2)
    if len(parts) < 2 or not _is_date(parts[0]):
        return False
    match = re.fullmatch(_TIME, parts[1])
    return match is not None and match[1] <= "23" and match[2] <= "59" and match[3] <= "59"


FORMATS: Final = {
    "dns1123Label": NamedFormat("DNS1123Label", _label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", _subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", _dns1035_label, 30),
    "qualifiedName": NamedFormat("QualifiedName", _qualified_name, 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", _as_prefix(_label), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", _as_prefix(_subdomain), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", _as_prefix(_dns1035_label), 30),
    "labelValue": NamedFormat("LabelValue", _label_value, 40),
    "uri": NamedFormat("URI", _uri, 1103),
    "uuid": NamedFormat("uuid", _matching(_UUID, "does not match the UUID format"), len(_UUID) + _ANCHORS),
    "byte": NamedFormat("byte", _matching(_BASE64, "invalid base64"), 84),
    "date": NamedFormat("date", lambda text: [] if _is_date(text) else ["invalid date"], len(_TIME) + _ANCHORS),
    "datetime": NamedFormat(
        "datetime", lambda text: [] if _is_datetime(text) else ["invalid datetime"], len(_TIME) + _ANCHORS
    ),
}
