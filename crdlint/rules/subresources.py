"""Subresources and printer columns (apiextensions validation, ValidateCustomResourceDefinitionSubresources, ...Column...)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import invalid, required
from crdlint.golang.values import Typed
from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from crdlint.crd.errors import FieldError
    from crdlint.crd.model import CustomResourceColumnDefinition, CustomResourceSubresources
    from crdlint.crd.paths import Path

SCALE = Rule(
    id="scale-path-invalid",
    summary="The scale subresource reads a path that is not where scale looks.",
    why="Autoscalers read replicas below .spec and .status by simple paths.",
    bad="subresources: {scale: {specReplicasPath: .replicas, statusReplicasPath: .status.replicas}}\n",
    good="subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}\n",
    help="write paths such as `.spec.replicas` and `.status.replicas`",
    source="apiextensions/validation ValidateCustomResourceDefinitionSubresources",
    scope="version",
)
COLUMN = Rule(
    id="printer-column-invalid",
    summary="A printer column without a name, type or path, or with one that there is not.",
    why="`kubectl get` prints these columns.",
    bad="additionalPrinterColumns: [{name: Ready, type: bool, jsonPath: .status.ready}]\n",
    good="additionalPrinterColumns: [{name: Ready, type: boolean, jsonPath: .status.ready}]\n",
    help="give `name`, `type` (boolean, date, integer, number or string) and `jsonPath` (such as `.status.phase`)",
    source="apiextensions/validation ValidateCustomResourceColumnDefinition",
    scope="version",
)

RULES = (SCALE, COLUMN)

_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")


def validate(subresources: CustomResourceSubresources | None, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the scale subresource."""
    if subresources is None or subresources.scale is None:
        return
    scale = subresources.scale
    for name, text, parent in (
        ("specReplicasPath", scale.spec_replicas_path, ".spec"),
        ("statusReplicasPath", scale.status_replicas_path, ".status"),
    ):
        at = path.child(f"scale.{name}")
        if not text:
            yield required(SCALE.id, at, "", help=f"add `{name}: {parent}.replicas`")
        elif problem := _json_path_problem(text):
            yield invalid(SCALE.id, at, text, problem)
        elif not text.startswith(f"{parent}."):
            yield invalid(SCALE.id, at, text, f"should be a json path under {parent}")
    selector = scale.label_selector_path
    if selector:
        at = path.child("scale.labelSelectorPath")
        if problem := _json_path_problem(selector):
            yield invalid(SCALE.id, at, selector, problem)
        elif not selector.startswith((".spec.", ".status.")):
            yield invalid(
                SCALE.id, at, Typed(selector, "*string"), "should be a json path under either .spec or .status"
            )


def _json_path_problem(text: str) -> str | None:
    return None if text.startswith(".") else "must be a simple json path starting with ."


def column(given: CustomResourceColumnDefinition, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with a printer column."""
    if not given.name:
        yield required(COLUMN.id, path.child("name"), "", help="add the `name` that heads the column")
    types = f"must be one of {','.join(_TYPES)}"
    if not given.type:
        yield required(COLUMN.id, path.child("type"), types, help="add `type: string`, or another of these")
    elif given.type not in _TYPES:
        yield invalid(COLUMN.id, path.child("type"), given.type, types)
    if given.format and given.format not in _FORMATS:
        yield invalid(COLUMN.id, path.child("format"), given.format, f"must be one of {','.join(_FORMATS)}")
    at = path.child("JSONPath")
    if not given.json_path:
        yield required(COLUMN.id, at, "", help="add `jsonPath`, such as `jsonPath: .status.phase`")
    elif problem := _json_path_problem(given.json_path):
        yield invalid(COLUMN.id, at, given.json_path, problem, help=f"write `.{given.json_path}`")
