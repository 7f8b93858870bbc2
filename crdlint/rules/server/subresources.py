"""Subresources and printer columns.

Upstream: apiextensions validation, ValidateCustomResourceDefinitionSubresources and ValidateCustomResourceColumnDefinition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from crdlint.crd.errors import Code, FieldError, Reason, invalid, required
from crdlint.crd.model import (
    CustomResourceColumnDefinition,
    CustomResourceSubresources,
)
from crdlint.crd.paths import Path
from crdlint.golang.printing import Typed
from crdlint.phrases import OneCommand, Sample
from crdlint.rules.engine.rule import Rule
from crdlint.rules.helps import subresources as helps
from crdlint.safety.bugs import attempt

# A schema with what the examples refer to. It preserves unknown fields, so that an example needs no status subresource.
_OPEN: Final = (
    "schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n"
)
WITH_SCALE: Final = f"{_OPEN}subresources: {{scale: {{%sstatusReplicasPath: .status.replicas}}}}\n"
WITH_COLUMN: Final = f"{_OPEN}additionalPrinterColumns: [{{%s}}]\n"
# Each path of the scale subresource: its name, its attribute, and its possible parents.
SCALE_PATHS: Final = (
    ("specReplicasPath", "spec_replicas_path", (".spec",)),
    ("statusReplicasPath", "status_replicas_path", (".status",)),
    ("labelSelectorPath", "label_selector_path", (".spec", ".status")),
)
TYPES: Final = ("boolean", "date", "integer", "number", "string")
FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")


SCALE = Rule(
    "scale-path-invalid",
    "Invalid path in the scale subresource",
    observed=("scale-changed",),
    scope="version",
    why="`kubectl scale` and autoscalers use these paths. They must be simple JSON paths below `.spec` or `.status`.",
    help="Set `specReplicasPath` to a path below `.spec` and `statusReplicasPath` to one below `.status`, such as "
    "`.spec.replicas` and `.status.replicas`",
    marker="correct `+kubebuilder:subresource:scale`",
    bad=WITH_SCALE % "specReplicasPath: .replicas, ",
    good=WITH_SCALE % "specReplicasPath: .spec.replicas, ",
    source="apiextensions/validation ValidateCustomResourceDefinitionSubresources",
)
COLUMN = Rule(
    "printer-column-invalid",
    "Invalid printer column",
    observed=("column-of-another-type",),
    scope="version",
    why="`kubectl get` prints these columns. Each needs a name, a supported type and a JSON path.",
    help="Specify `name`, `type` (boolean, date, integer, number or string) and `jsonPath` (such as `.status.phase`)",
    marker="correct `+kubebuilder:printcolumn`",
    bad=WITH_COLUMN % "name: Ready, type: bool, jsonPath: .status.ready",
    good=WITH_COLUMN % "name: Ready, type: boolean, jsonPath: .status.ready",
    source="apiextensions/validation ValidateCustomResourceColumnDefinition",
)


def validate(subresources: CustomResourceSubresources | None, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the scale subresource."""
    if subresources is None or subresources.scale is None:
        return
    for name, attribute, parents in SCALE_PATHS:
        text = getattr(subresources.scale, attribute)
        is_optional = len(parents) > 1
        if text:
            yield from _scale_path(text, path.child(f"scale.{name}"), parents)
        elif not is_optional:
            help_ = OneCommand(f"Add `{name}: {parents[0]}.replicas`")
            yield required(
                SCALE.id,
                path.child(f"scale.{name}"),
                "",
                help=help_,
            )


def _scale_path(text: str, path: Path, parents: Sequence[str]) -> Iterator[FieldError]:
    """Yield what is wrong with a path of the scale, which has to be below one of `parents`."""
    problem = _json_path_problem(text)
    if problem is not None:
        yield invalid(SCALE.id, path, text, problem)
    elif not text.startswith(tuple(f"{parent}." for parent in parents)):
        has_choice = len(parents) > 1
        either = "either " if has_choice else ""
        detail = f"should be a json path under {either}{' or '.join(parents)}"
        value = Typed(text, "*string") if has_choice else text
        yield invalid(
            SCALE.id,
            path,
            value,
            detail,
            reason=Reason(Code.NOT_BELOW, tuple(parents)),
        )


def _json_path_problem(text: str) -> str | None:
    return None if text.startswith(".") else "must be a simple json path starting with ."


def column(definition: CustomResourceColumnDefinition, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with a printer column."""
    if not definition.name:
        yield required(
            COLUMN.id,
            path.child("name"),
            "",
            help="Add the `name` of the column",
        )
    types = f"must be one of {','.join(TYPES)}"
    if not definition.type:
        yield required(
            COLUMN.id,
            path.child("type"),
            types,
            help="Add `type: string`, or another of these types",
        )
    elif definition.type not in TYPES:
        reason = Reason(Code.ENUM, TYPES)
        help_ = helps.one_of(definition.type, TYPES, helps.MEANT_TYPES)
        yield invalid(
            COLUMN.id,
            path.child("type"),
            definition.type,
            types,
            reason=reason,
            help=help_,
        )
    if definition.format and definition.format not in FORMATS:
        formats = f"must be one of {','.join(FORMATS)}"
        help_ = helps.one_of(definition.format, FORMATS)
        reason = Reason(Code.ENUM, FORMATS)
        yield invalid(
            COLUMN.id,
            path.child("format"),
            definition.format,
            formats,
            reason=reason,
            help=help_,
        )
    json_path, text = path.child("JSONPath"), definition.json_path
    if not text:
        yield required(
            COLUMN.id,
            json_path,
            "",
            help=Sample("Add `jsonPath`, such as `jsonPath: .status.phase`"),
        )
    elif problem := _json_path_problem(text):
        yield invalid(
            COLUMN.id,
            json_path,
            text,
            problem,
            help=attempt(helps.of_path, text),
        )
