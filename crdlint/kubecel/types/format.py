"""Named formats, and the reasons why a text does not match. Upstream: apiserver pkg/cel/library/format.go.

The texts are those of apimachinery's pkg/util/validation and pkg/api/validate/content. The former measure the length of
a text in bytes but call them "characters". The checks of CRD formats are kube-openapi's pkg/validation/strfmt.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from crdlint.cel.library.strings import lower_ascii
from crdlint.crd.kubenames import (
    is_dns1035_label,
    is_dns1123_label,
    is_dns1123_subdomain,
    is_label_key,
    is_label_value,
    mask_trailing_dash,
)
from crdlint.kubecel.types.opaque import NAMED_FORMAT, Opaque

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from crdlint.cel.types import Type

    Check: TypeAlias = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class NamedFormat(Opaque):
    """A format; `check` returns the reasons why a text does not match, `max_regex_size` is used for cost estimates."""

    cel_type: ClassVar[Type] = NAMED_FORMAT
    go_type: ClassVar[str] = "cel.Format"

    name: str
    check: Check = field(compare=False)
    max_regex_size: int = field(compare=False)


_UUID: Final = "(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}"
_BASE64: Final = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
_DATE: Final = "([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME: Final = "([0-9]{2}):([0-9]{2}):([0-9]{2})(.[0-9]+)?(z|([+-][0-9]{2}:[0-9]{2}))"
# Upstream's patterns are anchored.
_ANCHORS: Final = len("^$")


def _as_prefix(check: Check) -> Check:
    """Return a check for the prefix of a name, which may end in a dash."""
    return lambda text: check(mask_trailing_dash(text))


def _uri(text: str) -> list[str]:
    from crdlint.golang.addresses import URLError, parse_request_uri

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
    "dns1123Label": NamedFormat("DNS1123Label", is_dns1123_label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", is_dns1123_subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", is_dns1035_label, 30),
    "qualifiedName": NamedFormat("QualifiedName", lambda text: [str(error) for error in is_label_key(text)], 60),
    "dns1123LabelPrefix": NamedFormat("DNS1123LabelPrefix", _as_prefix(is_dns1123_label), 30),
    "dns1123SubdomainPrefix": NamedFormat("DNS1123SubdomainPrefix", _as_prefix(is_dns1123_subdomain), 60),
    "dns1035LabelPrefix": NamedFormat("DNS1035LabelPrefix", _as_prefix(is_dns1035_label), 30),
    "labelValue": NamedFormat("LabelValue", is_label_value, 40),
    "uri": NamedFormat("URI", _uri, 1103),
    "uuid": NamedFormat("uuid", _matching(_UUID, "does not match the UUID format"), len(_UUID) + _ANCHORS),
    "byte": NamedFormat("byte", _matching(_BASE64, "invalid base64"), 84),
    "date": NamedFormat("date", lambda text: [] if _is_date(text) else ["invalid date"], len(_TIME) + _ANCHORS),
    "datetime": NamedFormat(
        "datetime", lambda text: [] if _is_datetime(text) else ["invalid datetime"], len(_TIME) + _ANCHORS
    ),
}
