"""What the root of a schema may hold (apiextensions validation, validateCustomResourceDefinitionValidation)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.errors import FieldError, forbidden, invalid
from crdlint.crd.model import JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.rules.engine.relations import SAME_PLACE
from crdlint.rules.engine.rule import Link, Rule
from crdlint.rules.server import structural
from crdlint.schema.structural import set_attributes

_SOURCE = "apiextensions/validation validateCustomResourceDefinitionValidation"
# By Go's names, in upstream's order, which its message prints.
_ALLOWED: Final = (
    "Description", "Type", "Format", "Title", "Maximum", "ExclusiveMaximum", "Minimum", "ExclusiveMinimum",
    "MaxLength", "MinLength", "Pattern", "MaxItems", "MinItems", "UniqueItems", "MultipleOf", "Required", "Items",
    "Properties", "ExternalDocs", "Example", "XPreserveUnknownFields", "XValidations",
)  # fmt: skip
_Rule: Final = partial(Rule, scope="version", source=_SOURCE)
_STATUS: Final = "properties: {status: {type: object}}"
_OBJECT: Final = f"type: object\n    {_STATUS}"
_SUBRESOURCE: Final = "subresources: {status: {}}\n"


STATUS_FIELDS = _Rule(
    "root-fields-with-status",
    "Keyword is not allowed at the root of a schema with status subresource",
    observed=("root-fields-beside-status",),
    follows=(Link(structural.ROOT_MAP, SAME_PLACE),),
    headline="{at} is not allowed at the root of a schema with the status subresource",
    why="With the status subresource, spec and status are updated separately. Only some keywords are allowed at the "
    "root, where they apply to both.",
    help="Remove the keyword from the root, or move it to `properties.spec`",
    bad=f"schema:\n  openAPIV3Schema:\n    {_OBJECT}\n    minProperties: 1\n{_SUBRESOURCE}",
    good=f"schema:\n  openAPIV3Schema:\n    {_OBJECT}\n{_SUBRESOURCE}",
)
STATUS_TYPE = _Rule(
    "root-type-with-status",
    "Root of a schema with status subresource is not an object",
    claims_nothing=True,
    headline="type of `openAPIV3Schema` is {value}, not `object`",
    why="The API server reads and writes the field `status` of the object at the root.",
    help="Set `type: object` at the root of the schema",
    bad=f"schema:\n  openAPIV3Schema: {{type: string, {_STATUS}}}\n{_SUBRESOURCE}",
    good=f"schema:\n  openAPIV3Schema: {{type: object, {_STATUS}}}\n{_SUBRESOURCE}",
)
NULLABLE = Rule(
    "root-nullable",
    "Root of the schema is nullable",
    claims_nothing=True,
    headline="`nullable: true` is not allowed at the root of the schema",
    scope="schema",
    why="A Kubernetes object is never null, so the API server does not allow `nullable` here.",
    help="Remove `nullable` from the root of the schema",
    bad="type: object\nnullable: true\n",
    good="type: object",
    source=_SOURCE,
)


def validate(schema: JSONSchemaProps, path: Path, *, status_enabled: bool) -> Iterator[FieldError]:
    """Yield what is wrong with the root as such; ``path`` is the envelope's."""
    if status_enabled:
        yield from _with_status(schema, path)
    if schema.nullable:
        yield forbidden(
            NULLABLE.id,
            path.child("openAPIV3Schema.nullable"),
            "nullable cannot be true at the root",
        )


def _with_status(schema: JSONSchemaProps, path: Path) -> Iterator[FieldError]:
    set_fields = set_attributes(schema, nested=True) | {
        name for name in ("enum", "all_of", "any_of", "one_of") if name in vars(schema)
    }
    for field in schema.FIELDS:
        if field.attribute not in set_fields:
            continue
        if field.go_name == "Type":
            if schema.type != "object":
                detail = 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
                yield invalid(
                    STATUS_TYPE.id,
                    path.child("openAPIV3Schema.type"),
                    schema.type,
                    detail,
                )
                return
        elif field.go_name not in _ALLOWED:
            detail = (
                f"only [{' '.join(_ALLOWED)}] fields are allowed at the root of the schema if the status "
                "subresource is enabled"
            )
            field_path = schema.path.child(field.json_name)
            help_ = f"Remove `{field.json_name}` from the root, or move it to `properties.spec`"
            yield invalid(
                STATUS_FIELDS.id,
                path.child("openAPIV3Schema"),
                schema,
                detail,
                at=field_path,
                help=help_,
            )
            return
