"""Formats that the API server does not know, of which it warns (apiextensions pkg/apiserver/validation/formats.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.golang.quote import quote
from crdlint.rules.engine.finding import Remark
from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from crdlint.crd.model import JSONSchemaProps

FORMAT = Rule(
    id="format-unrecognized",
    summary="A format that the API server does not know.",
    why="It is ignored: values that do not have it are accepted.",
    bad="type: object\nproperties:\n  address: {type: string, format: ip-address}\n",
    good="type: object\nproperties:\n  address: {type: string, format: ipv4}\n",
    help="remove the format, or check the value with a pattern or a rule",
    source="apiextensions-apiserver/pkg/apiserver/validation GetUnrecognizedFormats",
    severity="warning",
)

RULES = (FORMAT,)

_STRING: Final = [
    "bsonobjectid",
    "uri",
    "email",
    "hostname",
    "ipv4",
    "ipv6",
    "cidr",
    "mac",
    "uuid",
    "uuid3",
    "uuid4",
    "uuid5",
    "isbn",
    "isbn10",
    "isbn13",
    "creditcard",
    "ssn",
    "hexcolor",
    "rgbcolor",
    "byte",
    "password",
    "date",
    "duration",
    "datetime",
    "k8s-short-name",
    "k8s-long-name",
]
# Hyphens do not count in the formats of strings, as go-openapi has it.
_KNOWN_STRING: Final = frozenset(name.replace("-", "") for name in _STRING)
_KNOWN: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


def is_unrecognized(schema: JSONSchemaProps) -> bool:
    """Tell whether the server would warn of a schema's format."""
    return bool(schema.format) and not _is_known(schema)


def remark(schema: JSONSchemaProps) -> Remark:
    """Return the server's warning of a format that it does not know."""
    message = f"unrecognized format {quote(schema.format)}"
    return Remark("warning", FORMAT.id, message, schema.path.child("format"), _help(schema))


def _is_known(schema: JSONSchemaProps) -> bool:
    if schema.type in {"", "string"}:
        return schema.format.replace("-", "") in _KNOWN_STRING
    return schema.format in _KNOWN.get(schema.type, ())


def _help(schema: JSONSchemaProps) -> str | None:
    from difflib import get_close_matches

    if schema.type in _KNOWN:
        return f"`{schema.type}` knows the formats {' and '.join(_KNOWN[schema.type])}"
    if schema.type not in {"", "string"}:
        return f"`{schema.type}` has no formats: remove it"
    near = get_close_matches(schema.format, ["date-time", *_STRING], n=1, cutoff=0.5)
    return f"did you mean `{near[0]}`? A format that is not known is ignored" if near else None
