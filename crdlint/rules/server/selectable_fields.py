"""spec.versions[].selectableFields (apiextensions validation, ValidateCustomResourceSelectableFields)."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as SequenceOf
from collections.abc import Set as AbstractSet
from functools import partial
from typing import Final

from crdlint.crd.errors import (
    DUPLICATE,
    INVALID,
    TOO_MANY,
    Code,
    FieldError,
    Reason,
    invalid,
    required,
    too_many_detail,
)
from crdlint.crd.model import JSONSchemaProps, SelectableField
from crdlint.crd.paths import Path
from crdlint.gathering import without_none
from crdlint.rules.engine.relations import ANYWHERE
from crdlint.rules.engine.rule import Link, Rule
from crdlint.rules.server import panics, structural, versions
from crdlint.schema.structural import Rejection, junctors, unsupported, unsupported_field
from crdlint.schema.traversal import lineage

_SOURCE = "apiextensions/validation ValidateCustomResourceSelectableFields"
MAX_SELECTABLE_FIELDS: Final = 8
_Rule: Final = partial(Rule, scope="version", source=_SOURCE)


def version_with(fields: str) -> str:
    """Return a version with selectable fields."""
    return (
        "schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n      spec: {type: object, properties: "
        f"{{color: {{type: string}}}}}}\nselectableFields: {fields}\n"
    )


_GOOD = version_with("[{jsonPath: .spec.color}]")


PATH = _Rule(
    "selectable-field-invalid",
    "Selectable field is not a string, boolean or integer of the schema",
    follows=(Link(versions.SCHEMA_REQUIRED, ANYWHERE),),
    headline={INVALID: "`jsonPath` {value} of a selectable field leads to no {what}"},
    observed=("selectable-field",),
    why="Field selectors compare only values of fields that the schema specifies. Kubernetes 1.31 and later support "
    "selectable fields.",
    help="Set `jsonPath` to a string, boolean or integer field of the schema outside of `metadata`, such as `.spec.color`",
    marker="correct `+kubebuilder:selectablefield`",
    bad=version_with("[{jsonPath: .spec.colour}]"),
    good=_GOOD,
)
DUPLICATED = _Rule(
    "selectable-field-duplicate",
    "Duplicate selectable field",
    claims_nothing=True,
    unnecessary=True,
    why="Repeating a field has no effect and usually means that another field was intended. Kubernetes 1.31 and later "
    "support selectable fields.",
    help="Remove the duplicate, or name another field",
    marker="remove one `+kubebuilder:selectablefield`",
    bad=version_with("[{jsonPath: .spec.color}, {jsonPath: .spec.color}]"),
    good=_GOOD,
)
TOO_MANY_FIELDS = _Rule(
    "selectable-fields-too-many",
    "More than eight selectable fields",
    claims_nothing=True,
    why="The API server computes selectable fields for every object that it lists or watches, and limits their number. "
    "Since Kubernetes 1.35 an update may keep more than eight.",
    help="Remove selectable fields until at most eight are left",
    marker="remove `+kubebuilder:selectablefield`",
    bad="schema:\n  openAPIV3Schema: {type: object, properties: {"
    + ", ".join(f"f{i}: {{type: string}}" for i in range(9))
    + "}}\nselectableFields: ["
    + ", ".join(f"{{jsonPath: .f{i}}}" for i in range(9))
    + "]\n",
    good=_GOOD,
)


def validate(
    fields: SequenceOf[SelectableField],
    schema: JSONSchemaProps | None,
    path: Path,
    *,
    too_many_allowed: bool,
    is_convertible: bool = False,
) -> Iterator[FieldError]:
    """Yield the errors of selectable fields; `path` is the path of the spec or version that has them.

    `is_convertible` means that the schema is known to be convertible to a structural one.

    Without a schema, or with one that is not convertible, upstream's validation panics on paths that may name a field.
    """
    rejection = None if schema is None or is_convertible else _first_rejection(schema)
    if rejection is not None:
        schema = None
        cause, reason = rejection
        cause_path = cause.path.child(reason.field)
        schema_path = path.child("schema.openAPIV3Schema")
        yield invalid(
            structural.NOT_CONVERTIBLE.id,
            schema_path,
            "",
            reason.text,
            at=cause_path,
            key=True,
        )
    fields_path = path.child("selectableFields")
    seen: set[str] = set()
    for i, field in enumerate(fields):
        text, field_path = field.json_path, fields_path.index(i).child("jsonPath")
        names_no_field = text == "." or not text.startswith(".")  # whatever the schema is
        if schema is not None:
            yield from _selectable_field(text, schema, field_path, seen)
        elif names_no_field:
            yield from _selectable_field(text, JSONSchemaProps(), field_path, seen)
        else:
            yield panics.panic(field_path)
    if len(seen) > MAX_SELECTABLE_FIELDS and not too_many_allowed:
        detail = too_many_detail(MAX_SELECTABLE_FIELDS)
        yield FieldError(
            TOO_MANY_FIELDS.id,
            TOO_MANY,
            fields_path,
            len(seen),
            detail,
        )


def hidden(
    fields: SequenceOf[SelectableField],
    schema: JSONSchemaProps,
    path: Path,
    uncertain: AbstractSet[int],
) -> Iterator[FieldError]:
    """Yield the errors after a schema is made convertible, but none of what is in its `uncertain` parts, by identity."""
    from crdlint.schema.json_paths import Missing, follow

    seen: set[str] = set()
    for i, field in enumerate(fields):
        target = follow(field.json_path, schema)
        closest = target.schema if isinstance(target, Missing) else target
        if closest is not None and uncertain.isdisjoint(map(id, lineage(closest))):
            field_path = path.child("selectableFields").index(i).child("jsonPath")
            yield from _selectable_field(field.json_path, schema, field_path, seen)


def _selectable_field(
    text: str,
    schema: JSONSchemaProps,
    field_path: Path,
    seen: set[str],
) -> Iterator[FieldError]:
    from crdlint.schema.json_paths import FieldPathError, valid_field_path

    if not text:
        yield required(PATH.id, field_path, "")
        return
    try:
        target_path, target = valid_field_path(text, schema, allow_array_notation=False)
    except FieldPathError as error:
        yield invalid(
            PATH.id,
            field_path,
            text,
            f"is an invalid path: {error}",
            reason=Reason(Code.NO_FIELD),
        )
        return
    assert target_path is not None  # noqa: S101  a text that is not empty has a step
    if target_path.steps()[0] == "metadata":
        yield invalid(
            PATH.id,
            field_path,
            text,
            "must not point to fields in metadata",
        )
    if target is None or target.type not in {"string", "boolean", "integer"}:
        detail = (
            "must point to a field of type string, boolean or integer. Enum string fields and strings with "
            "formats are allowed."
        )
        yield invalid(PATH.id, field_path, text, detail)
    if str(target_path) in seen:
        yield FieldError(DUPLICATED.id, DUPLICATE, field_path, text, "")
    seen.add(str(target_path))


def _first_rejection(root: JSONSchemaProps) -> tuple[JSONSchemaProps, Rejection] | None:
    """Return NewStructural's first error and its node: a field that no node may have, alternatives, the rest of the node."""
    pending: list[tuple[JSONSchemaProps, bool]] = [(root, False)]
    while pending:
        schema, alternatives_seen = pending.pop()
        rejection = unsupported(schema)
        if rejection is not None and (alternatives_seen or unsupported_field(schema) is not None):
            return schema, rejection
        if alternatives_seen:
            continue
        structure = (schema.item_schema, *schema.properties.values(), schema.additional_schema)
        pending.extend((child, False) for child in without_none(reversed(structure)))
        pending.append((schema, True))
        pending.extend((child, False) for child in reversed([*junctors(schema)]))
    return None
