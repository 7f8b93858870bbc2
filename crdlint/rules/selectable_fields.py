"""spec.versions[].selectableFields (apiextensions validation, ValidateCustomResourceSelectableFields)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import DUPLICATE, TOO_MANY, FieldError, invalid, required
from crdlint.rules.registry import Rule
from crdlint.schema.fieldpath import FieldPathError, valid_field_path
from crdlint.schema.structural import unsupported
from crdlint.schema.traversal import schemas

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Sequence as SequenceOf

    from crdlint.crd.model import JSONSchemaProps, SelectableField
    from crdlint.crd.paths import Path

_SOURCE = "apiextensions/validation ValidateCustomResourceSelectableFields"
MAX_SELECTABLE_FIELDS: Final = 8


def _version(fields: str) -> str:
    return (
        "schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n      spec: {type: object, properties: "
        f"{{color: {{type: string}}}}}}\nselectableFields: {fields}\n"
    )


_GOOD = _version("[{jsonPath: .spec.color}]")

PATH = Rule(
    id="selectable-field-invalid",
    summary="A selectable field that the schema does not have, or not as a string, boolean or integer.",
    why="Field selectors compare the value of a field that every object may have.",
    bad=_version("[{jsonPath: .spec.colour}]"),
    good=_GOOD,
    help="name a field of the schema, outside of metadata, of type string, boolean or integer, such as `.spec.color`",
    source=_SOURCE,
    scope="version",
)
DUPLICATED = Rule(
    id="selectable-field-duplicate",
    summary="A selectable field that is named twice.",
    why="Naming it again makes nothing more selectable.",
    bad=_version("[{jsonPath: .spec.color}, {jsonPath: .spec.color}]"),
    good=_GOOD,
    help="name each field once",
    source=_SOURCE,
    scope="version",
)
TOO_MANY_FIELDS = Rule(
    id="selectable-fields-too-many",
    summary="More than eight selectable fields.",
    why="Each is computed for every object that is listed or watched.",
    bad="schema:\n  openAPIV3Schema: {type: object, properties: {"
    + ", ".join(f"f{i}: {{type: string}}" for i in range(9))
    + "}}\nselectableFields: ["
    + ", ".join(f"{{jsonPath: .f{i}}}" for i in range(9))
    + "]\n",
    good=_GOOD,
    help="keep the eight that matter most",
    source=_SOURCE,
    scope="version",
)

RULES = (PATH, DUPLICATED, TOO_MANY_FIELDS)


def validate(
    fields: SequenceOf[SelectableField],
    schema: JSONSchemaProps,
    path: Path,
    schema_path: Path,
    *,
    too_many_allowed: bool,
) -> Iterator[FieldError]:
    """Yield what is wrong with selectable fields; ``schema_path`` is where a schema that is not structural is reported."""
    refusal = next(filter(None, map(unsupported, schemas(schema))), None)
    if refusal is not None:
        yield invalid("schema-not-convertible", schema_path, "", refusal, at=schema.path)
        return
    seen: set[str] = set()
    for i, field in enumerate(fields):
        at = path.index(i).child("jsonPath")
        text = field.json_path
        if not text:
            yield required(PATH.id, at, "")
            continue
        try:
            found, target = valid_field_path(text, schema, allow_array_notation=False)
        except FieldPathError as error:
            yield invalid(PATH.id, at, text, f"is an invalid path: {error}")
            continue
        assert found is not None  # noqa: S101  a text that is not empty has a step
        if found.steps()[0] == "metadata":
            yield invalid(PATH.id, at, text, "must not point to fields in metadata")
        if target is None or target.type not in {"string", "boolean", "integer"}:
            detail = (
                "must point to a field of type string, boolean or integer. "
                "Enum string fields and strings with formats are allowed."
            )
            yield invalid(PATH.id, at, text, detail)
        if str(found) in seen:
            yield FieldError(DUPLICATED.id, DUPLICATE, at, text, "")
        seen.add(str(found))
    if len(seen) > MAX_SELECTABLE_FIELDS and not too_many_allowed:
        yield FieldError(
            TOO_MANY_FIELDS.id, TOO_MANY, path, len(seen), f"must have at most {MAX_SELECTABLE_FIELDS} items"
        )
