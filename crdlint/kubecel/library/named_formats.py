"""Named formats, and the reasons why a text does not match. Upstream: apiserver pkg/cel/library/format.go.

The texts are those of apimachinery's pkg/util/validation and pkg/api/validate/content. The former measure the length of
a text in bytes but call them "characters". The checks of CRD formats are kube-openapi's pkg/validation/strfmt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
from typing import Any, ClassVar, Final, TypeAlias

from crdlint.cel.decls import CallCost, member, overload
from crdlint.cel.estimates import REGEX_FACTOR, CallEstimate, Estimate, traversal
from crdlint.cel.eval.cost import actual_size
from crdlint.cel.eval.values import NONE, Optional_
from crdlint.cel.types import STRING, Type, list_type, optional_type
from crdlint.crd import kubenames
from crdlint.crd.errors import Wording
from crdlint.kubecel.library.declaration import NAMED_FORMAT, Library, Opaque, constant, of_sizes
from crdlint.kubernetes.servers import NEWEST, OLDEST, Server
from crdlint.light import dataclass
from crdlint.schema import formats

Check: TypeAlias = Callable[[str], list[str]]


@dataclass(frozen=True, slots=True)
class NamedFormat(Opaque):
    """A format; `check` returns the reasons why a text does not match, `max_regex_size` is used for cost estimates."""

    cel_type: ClassVar[Type] = NAMED_FORMAT
    go_type: ClassVar[str] = "cel.Format"

    name: str
    check: Check = field(compare=False)
    max_regex_size: int = field(compare=False)


def _as_prefix(check: Check) -> Check:
    """Return a check for the prefix of a name, which may end in a dash."""
    return lambda text: check(kubenames.mask_trailing_dash(text))


def _uri(text: str) -> list[str]:
    from crdlint.golang.addresses import URLError, parse_request_uri

    try:
        parse_request_uri(text)
    except URLError as error:
        return [str(error)]
    return []


def _check(format_: str, message: str) -> Check:
    """Return a check by a format of CRDs."""
    return lambda text: [] if formats.FORMATS[format_](text) else [message]


FORMATS: Final = {
    "dns1123Label": NamedFormat("DNS1123Label", kubenames.is_dns1123_label, 30),
    "dns1123Subdomain": NamedFormat("DNS1123Subdomain", kubenames.is_dns1123_subdomain, 60),
    "dns1035Label": NamedFormat("DNS1035Label", kubenames.is_dns1035_label, 30),
    "qualifiedName": NamedFormat("QualifiedName", kubenames.is_label_key, 60),
    "dns1123LabelPrefix": NamedFormat(
        "DNS1123LabelPrefix", _as_prefix(kubenames.is_dns1123_label), 30
    ),
    "dns1123SubdomainPrefix": NamedFormat(
        "DNS1123SubdomainPrefix", _as_prefix(kubenames.is_dns1123_subdomain), 60
    ),
    "dns1035LabelPrefix": NamedFormat(
        "DNS1035LabelPrefix", _as_prefix(kubenames.is_dns1035_label), 30
    ),
    "labelValue": NamedFormat("LabelValue", kubenames.is_label_value, 40),
    "uri": NamedFormat("URI", _uri, 1103),
    # Upstream takes the size of the pattern of times for dates as well.
    "uuid": NamedFormat("uuid", _check("uuid", "does not match the UUID format"), 70),
    "byte": NamedFormat("byte", _check("byte", "invalid base64"), 84),
    "date": NamedFormat("date", _check("date", "invalid date"), 71),
    "datetime": NamedFormat("datetime", _check("datetime", "invalid datetime"), 71),
}

_MAX_NAME_SIZE: Final = 64
_MAX_REGEX_SIZE: Final = 128


def _validate(format_: NamedFormat, text: str, server: Server = NEWEST) -> Any:
    problems = [
        each.on(server) if isinstance(each, Wording) else each for each in format_.check(text)
    ]
    return Optional_(problems) if problems else NONE


_OLDER: Final = {"format-validate": partial(_validate, server=OLDEST)}


def _track_validate(values: Sequence[Any], _: Any) -> int | None:
    if not isinstance(values[0], NamedFormat):
        return None
    return traversal(1.0 + actual_size(values[1])) * math.ceil(
        values[0].max_regex_size * REGEX_FACTOR
    )


_ESTIMATE: Final = of_sizes(
    2, lambda _, text: CallEstimate(text.traversal().scaled(_MAX_REGEX_SIZE * REGEX_FACTOR))
)


LIBRARY: Final = Library(
    "format",
    introduced=(1, 31),
    docs={
        "format.byte": "Returns the format `byte`: base64.",
        "format.date": "Returns the format `date`: `2026-01-31`.",
        "format.datetime": "Returns the format `datetime`: RFC 3339.",
        "format.dns1035Label": "Returns the format of a DNS label that starts with a letter.",
        "format.dns1035LabelPrefix": "Returns the format of the start of a DNS label that starts with a letter.",
        "format.dns1123Label": "Returns the format of a DNS label.",
        "format.dns1123LabelPrefix": "Returns the format of the start of a DNS label.",
        "format.dns1123Subdomain": "Returns the format of a DNS subdomain.",
        "format.dns1123SubdomainPrefix": "Returns the format of the start of a DNS subdomain.",
        "format.labelValue": "Returns the format of the value of a label.",
        "format.named": "Returns the format with a name as an optional.",
        "format.qualifiedName": "Returns the format of a qualified name, such as the key of a label.",
        "format.uri": "Returns the format `uri`.",
        "format.uuid": "Returns the format `uuid`.",
        "validate": "Returns the messages about a string that does not have a format, empty if it has.",
    },
    functions=(
        member(
            "validate",
            "format-validate",
            (NAMED_FORMAT, STRING),
            optional_type(list_type(STRING)),
            _validate,
        ),
        overload(
            "format.named",
            "format-named",
            (STRING,),
            optional_type(NAMED_FORMAT),
            lambda name: Optional_(FORMATS[name]) if name in FORMATS else NONE,
        ),
        *(
            overload(
                f"format.{name}",
                f"format.{name}",
                (),
                NAMED_FORMAT,
                partial(FORMATS.get, name),
            )
            for name in FORMATS
        ),
    ),
    older_bindings=lambda dialect: {} if dialect.counts_bytes_of_labels else _OLDER,
    costs={"validate": CallCost(_ESTIMATE, _track_validate)},
    equality={NAMED_FORMAT: constant(Estimate(1, _MAX_NAME_SIZE).traversal())},
)
