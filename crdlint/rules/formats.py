"""Formats that the API server does not know, of which it warns (apiextensions pkg/apiserver/validation/formats.go)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.golang.quote import quote
from crdlint.rules.engine.advisory import Advisory
from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.model import JSONSchemaProps
    from crdlint.rules.engine.advisory import DecodedCRD

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

_FORMAT: Final = SCHEMA_BITS["format"]
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


def unrecognized(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the server's warnings of formats that it does not know; on update only of those that are new."""
    known_before = {schema.format for schema in crd.old_schemas if _is_unrecognized(schema)}
    for schema in crd.schemas:
        if schema.given & _FORMAT and _is_unrecognized(schema) and schema.format not in known_before:
            message = f"unrecognized format {quote(schema.format)}"
            yield Advisory("warning", FORMAT.id, message, schema.path.child("format"), _help(schema))


def _is_unrecognized(schema: JSONSchemaProps) -> bool:
    return bool(schema.format) and not _is_known(schema)


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


ADVICE: Final = (unrecognized,)
