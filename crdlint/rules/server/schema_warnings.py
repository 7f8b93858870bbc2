"""Warnings of the API server: of formats that it does not know, and of sets of objects.

Upstream: WarningsOnCreate and WarningsOnUpdate in apiextensions pkg/registry/customresourcedefinition/strategy.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from crdlint.crd.gotypes import SCHEMA_BITS
from crdlint.crd.model import JSONSchemaProps
from crdlint.golang.text import quote
from crdlint.kubernetes.servers import FormatWarnings, Server
from crdlint.rules.engine import headlines
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.relations import INT_OR_STRING, SAME_SCHEMA
from crdlint.rules.engine.rule import Link, Rule
from crdlint.rules.helps import schema_warnings as helps
from crdlint.rules.server import forbidden_fields

_SET: Final = """\
ports:
  type: array
  x-kubernetes-list-type: {}
  items: {{type: object, x-kubernetes-map-type: atomic, properties: {{name: {{type: string}}}}}}
"""
_FORMAT: Final = SCHEMA_BITS["format"]
_STRING: Final = (
    "bsonobjectid", "uri", "email", "hostname", "ipv4", "ipv6", "cidr", "mac", "uuid", "uuid3", "uuid4", "uuid5",
    "isbn", "isbn10", "isbn13", "creditcard", "ssn", "hexcolor", "rgbcolor", "byte", "password", "date", "duration",
    "datetime", "k8s-short-name", "k8s-long-name",
)  # fmt: skip
_KNOWN: Final = {"integer": ("int32", "int64"), "number": ("float", "double")}


UNRECOGNIZED: Final = Rule(
    "format-unrecognized",
    "Unrecognized format",
    follows=(Link(forbidden_fields.TYPE_UNSUPPORTED, SAME_SCHEMA),),
    severity="warning",
    observed=("unknown-format",),
    why="The API server ignores the format, so it accepts values that do not match it. Kubernetes 1.34 and later "
    "return a warning for strings, 1.36 and later also for numbers.",
    help="Remove the format, or validate the value with a pattern or a rule",
    marker="correct `+kubebuilder:validation:Format`",
    bad="address: {type: string, format: ip-address}",
    good="address: {type: string}",
    source="apiextensions-apiserver/pkg/apiserver/validation GetUnrecognizedFormats",
)


# The format of bytes in OpenAPI: generators write it, also in copies of schemas of Kubernetes, and users cannot change that.
_OF_GENERATORS: Final = "binary"


@UNRECOGNIZED.advice
def unrecognized(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the server's warnings of formats that it does not know; on update only of those that are new."""
    server = crd.versions.newest
    if server.format_warnings is FormatWarnings.NONE:
        return
    known_before = {schema.format for schema in crd.old_schemas if is_reported(schema, server)}
    for schema in crd.schemas:
        if (
            schema.set_fields & _FORMAT
            and is_reported(schema, server)
            and schema.format not in known_before
        ):
            message, path = (
                f"unrecognized format {quote(schema.format)}",
                schema.path.child("format"),
            )
            headline = headlines.of_format(schema.format, schema.type, path)
            yield Advisory(
                message,
                path,
                helps.of_format(schema, formats_of(schema.type)),
                kind="warning",
                headline=headline,
                cause=_cause(schema.format),
                severity="info" if schema.format == _OF_GENERATORS else None,
            )


def _cause(format_: str) -> str:
    """Return what fields with a format have in common if it is a mistake of a generator."""
    if format_ == INT_OR_STRING:
        return INT_OR_STRING
    return "a format of unsigned integers" if format_.startswith("uint") else ""


@Rule(
    "set-items-not-scalar",
    "Set items are not scalars",
    severity="warning",
    observed=(
        "atomic-list-of-objects-applies",
        "set-of-objects-breaks-apply",
        "set-of-lists-breaks-apply",
    ),
    why="Server-side apply fails with status 500 for each object that has such a set, even if it applies another field. A CEL "
    "rule that compares the set ends in an error. Since Kubernetes 1.37, the API server warns about it.",
    help="Set `x-kubernetes-list-type: map` with keys that identify an item, or `x-kubernetes-list-type: atomic`",
    marker="write `+listType=atomic`",
    bad=_SET.format("set"),
    good=_SET.format("atomic"),
    source="apiextensions-apiserver/pkg/registry/customresourcedefinition getNonScalarListTypeSetWarnings",
).advice
def sets_of_objects(crd: DecodedCRD) -> Iterator[Advisory]:
    """Yield the server's warnings of sets of objects or lists, each once; on update only those that are new."""
    if not crd.versions.newest.warns_of_sets_of_objects:
        return
    first: dict[str, JSONSchemaProps] = {}
    for schema in crd.schemas:
        if schema.x_list_type == "set":
            first.setdefault(type_in_set(schema), schema)
    known_before = {"", *map(type_in_set, crd.old_schemas)}
    for type_ in sorted(first.keys() - known_before):
        path = first[type_].path.child("x-kubernetes-list-type")
        yield Advisory(
            set_warning(type_),
            path,
            kind="warning",
            headline=headlines.of_set(type_, path),
        )


def set_warning(type_: str) -> str:
    """Return the server's warning of a set whose items are of a type."""
    what = f"x-kubernetes-list-type: set for items of type {quote(type_)}"
    return f"{what} is not supported by server-side apply or CEL validation rules"


def type_in_set(schema: JSONSchemaProps) -> str:
    """Return `object` or `array` for a set of such items, else an empty text."""
    items = schema.item_schema if schema.x_list_type == "set" else None
    return items.type if items is not None and items.type in {"object", "array"} else ""


def is_reported(schema: JSONSchemaProps, server: Server) -> bool:
    """Return whether a server warns of the format of a new schema."""
    if not schema.format or server.format_warnings is FormatWarnings.NONE:
        return False
    is_string = schema.type == "string"
    if server.format_warnings is FormatWarnings.STRINGS and not is_string:
        return False
    as_string = server.format_warnings is FormatWarnings.ALL_AS_STRINGS
    if as_string or schema.type in {"", "string"}:
        from crdlint.schema.formats import is_supported  # many CRDs have no format of a string

        return not is_supported(schema.format, server)
    return schema.format not in _KNOWN.get(schema.type, ())


def formats_of(type_: str) -> list[str]:
    """Return the formats that the server knows for values of a type."""
    return ["date-time", *_STRING] if type_ in {"", "string"} else list(_KNOWN.get(type_, ()))
