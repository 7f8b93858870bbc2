"""Advice: printer columns that show nothing useful."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from crdlint.crd.model import CustomResourceColumnDefinition, JSONSchemaProps
from crdlint.crd.paths import Path
from crdlint.light import regex
from crdlint.rules.engine.advisory import Advisory, DecodedCRD
from crdlint.rules.engine.rule import Caution, Hint
from crdlint.schema.json_paths import follow

_OfVersion: Final = partial(Caution, scope="version")
_AGE: Final = "{name: Age, type: date, jsonPath: .metadata.creationTimestamp}"
_READY: Final = "{name: Ready, type: boolean, jsonPath: .spec.ready}"
_CREATED: Final = ".metadata.creationTimestamp"
# A comparison in a filter with a word that has no quotes, or with one equals sign.
_UNQUOTED: Final = regex(r"\?\(\s*@[\w.\[\]'-]*\s*(?:==|!=)\s*(?!true\b|false\b)[A-Za-z_]\w*\s*\)")
_SINGLE: Final = regex(r"\?\(\s*@[\w.\[\]'-]*\s*=\s*[^=\s~]")
# A comparison of a field without `@`, which is the item.
_BARE: Final = regex(r"\?\(\s*([A-Za-z_]\w*)\s*[=!<>]")
# The types of fields whose values a column can show.
_SHOWN: Final = {
    "integer": {"integer", "number"},
    "number": {"integer", "number"},
    "boolean": {"boolean"},
    "date": {"string"},
}
_DAY: Final = "Set the type of the column to `string`: values with `format: date` have no time"
_DAY_MARKER: Final = 'write `type="string"` in `+kubebuilder:printcolumn`'


def _columns(columns: str) -> str:
    fields = "ready: {type: boolean}, at: {type: string}, done: {type: string, format: date-time}"
    conditions = (
        "conditions: {type: array, items: {type: object, properties: {type: {type: string}, "
        "status: {type: string}}}}"
    )
    root = f"properties: {{spec: {{type: object, properties: {{{fields}, {conditions}}}}}}}"
    return (
        f"schema: {{openAPIV3Schema: {{type: object, {root}}}}}\n"
        f"additionalPrinterColumns: [{columns}]\n"
    )


def _filtered(comparison: str) -> str:
    column = f"jsonPath: '.spec.conditions[?(@.type{comparison})].status'"
    return _columns(f"{{name: Ready, type: string, {column}}}, {_AGE}")


def each_column(
    crd: DecodedCRD,
) -> Iterator[tuple[CustomResourceColumnDefinition, Path]]:
    """Yield the columns of all versions with their paths, those that versions share once."""
    for parts in crd.parts:
        for i, column in enumerate(parts.columns):
            yield column, parts.path.child("additionalPrinterColumns").index(i)


def fields_of_columns(
    crd: DecodedCRD,
) -> Iterator[tuple[CustomResourceColumnDefinition, JSONSchemaProps, Path]]:
    """Yield the columns whose path leads to a field, with its schema, and their paths."""
    for parts in crd.parts:
        for i, column in enumerate(parts.columns):
            if not column.json_path or parts.schema is None:
                continue
            target = follow(column.json_path, parts.schema)
            if isinstance(target, JSONSchemaProps) and target.type:
                yield column, target, parts.path.child("additionalPrinterColumns").index(i)


@_OfVersion(
    "printer-column-filter",
    "Filter of a printer column never finds an item",
    observed=("column-filter-without-quotes",),
    why="`kubectl get` shows nothing in the column: the filter compares with a field of that name, or does not compare at all.",
    help='Write `==` and quotes around the text, such as `?(@.type=="Ready")`',
    marker="correct the `JSONPath` of `+kubebuilder:printcolumn`",
    bad=_filtered("==Ready"),
    good=_filtered('=="Ready"'),
).practice
def _filter(crd: DecodedCRD) -> Iterator[Advisory]:
    for column, path in each_column(crd):
        bare = _BARE.search(column.json_path)
        is_odd = any(pattern.search(column.json_path) for pattern in (_UNQUOTED, _SINGLE))
        if is_odd or bare is not None:
            message = f"column `{column.name}` is always empty: its filter never finds an item"
            help_ = None if bare is None else f"Write `@.{bare[1]}` instead of `{bare[1]}`"
            yield Advisory(message, path.child("jsonPath"), help_)


@_OfVersion(
    "printer-column-duplicate-name",
    "Two printer columns with the same name",
    observed=("columns-with-one-name",),
    why="Users cannot distinguish the columns.",
    help="Rename one of the columns",
    marker="correct the `name` of `+kubebuilder:printcolumn`",
    bad=_columns(f"{_READY}, {_READY}, {_AGE}"),
    good=_columns(f"{_READY}, {_AGE}"),
).practice
def _duplicate(crd: DecodedCRD) -> Iterator[Advisory]:
    for parts in crd.parts:
        seen: set[str] = set()
        cause = ""
        for i, column in enumerate(parts.columns):
            if column.name in seen:
                path = parts.path.child("additionalPrinterColumns").index(i).child("name")
                message = f"another column is called `{column.name}`"
                cause = cause or message
                yield Advisory(message, path, cause=cause)
            seen.add(column.name)


@_OfVersion(
    "printer-column-date-without-format",
    "Date column for a string without the format `date-time`",
    observed=("date-column-of-format-date", "date-column-of-a-text"),
    why="`kubectl get` prints `<invalid>` for every text that is not a date with a time, as RFC 3339 specifies.",
    help="Add `format: date-time` to the field if its values have a time, or set the type of the column to `string`",
    marker="write `+kubebuilder:validation:Format=date-time` on the field",
    bad=_columns(f"{{name: A, type: date, jsonPath: .spec.at}}, {_AGE}"),
    good=_columns(f"{{name: A, type: date, jsonPath: .spec.done}}, {_AGE}"),
).practice
def _date(crd: DecodedCRD) -> Iterator[Advisory]:
    if not any(column.type == "date" for column, _ in each_column(crd)):
        return
    for column, schema, path in fields_of_columns(crd):
        is_text = schema.type == "string" and schema.format not in {"date-time", "datetime"}
        if column.type == "date" and is_text:
            message = f"column `{column.name}` shows `<invalid>` for each text that is not a date with a time"
            is_day = schema.format == "date"
            help_, marker = (_DAY, _DAY_MARKER) if is_day else (None, None)
            yield Advisory(message, path.child("type"), help_, marker=marker)


@_OfVersion(
    "printer-column-type-mismatch",
    "Printer column has another type than its field",
    observed=("column-of-another-type",),
    why="`kubectl get` shows nothing for a value that is not of the type of the column.",
    help="Set the type of the column to that of the field, or to `string`",
    marker="correct the `type` of `+kubebuilder:printcolumn`",
    bad=_columns(f"{{name: A, type: integer, jsonPath: .spec.ready}}, {_AGE}"),
    good=_columns(f"{_READY}, {_AGE}"),
).practice
def _mismatch(crd: DecodedCRD) -> Iterator[Advisory]:
    for column, schema, path in fields_of_columns(crd):
        if schema.type not in _SHOWN.get(column.type, {schema.type}):
            message = f"column `{column.name}` shows nothing: its type is {column.type}, that of its field {schema.type}"
            shown = schema.type if schema.type in {"integer", "number", "boolean"} else "string"
            yield Advisory(message, path.child("type"), f"Set the type of the column to `{shown}`")


@Hint(
    "printer-column-age-as-text",
    "Printer column shows a timestamp instead of the age",
    scope="version",
    observed=("column-of-the-creation-time-as-text",),
    why="kubectl prints the age of an object only for a column of type date.",
    help="Set the type of the column to `date`",
    marker='write `type="date"` in `+kubebuilder:printcolumn`',
    bad=_columns(f"{{name: Age, type: string, jsonPath: {_CREATED}}}"),
    good=_columns(_AGE),
).practice
def _age_as_text(crd: DecodedCRD) -> Iterator[Advisory]:
    for column, path in each_column(crd):
        is_age = column.name.lower() == "age" and column.json_path == _CREATED
        if is_age and column.type == "string":
            message = f"column `{column.name}` shows the time of the creation, not the age"
            yield Advisory(message, path.child("type"))
