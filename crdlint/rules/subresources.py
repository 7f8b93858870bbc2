"""Subresources and printer columns (apiextensions validation, ValidateCustomResourceDefinitionSubresources, ...Column...)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Final

from crdlint.crd.errors import REQUIRED, Code, FieldError, Reason, invalid, required
from crdlint.diagnostics.spelling import nearest
from crdlint.golang.values import Typed
from crdlint.rules.engine.finding import Edits, Finding, Fixer, mapping_at
from crdlint.rules.engine.rule import Rule
from crdlint.safety.bugs import attempt

if TYPE_CHECKING:
    from crdlint.crd.model import CustomResourceColumnDefinition, CustomResourceSubresources
    from crdlint.crd.paths import Path


# A schema with what the examples refer to. It preserves unknown fields, so that an example needs no status subresource.
_OPEN: Final = "schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n"
# A simple path without its dot, or as kubectl, JSONPath, CEL and JSON Pointer write it.
_SIMPLE: Final = re.compile(
    r"[\"“”]?\{?(?:\$|self(?=\.(?:spec|status|metadata)\b))?[./]{0,2}([A-Za-z_](?:[^{}\s$\[]|\[[^\]{}]*\])*?)\}?[\"“”]?\Z"
)
_LIKE: Final = 0.7
_MEANT: Final = {
    "int": "integer", "int32": "integer", "int64": "integer", "str": "string", "text": "string", "bool": "boolean",
    "float": "number", "double": "number", "datetime": "date", "date-time": "date", "time": "date", "timestamp": "date",
}  # fmt: skip
_TYPES: Final = ("boolean", "date", "integer", "number", "string")
_FORMATS: Final = ("byte", "date", "date-time", "double", "float", "int32", "int64", "password")


def from_a_dot(finding: Finding) -> Edits:
    """Write a path from its leading dot on."""
    node = finding.scalar()
    match = _SIMPLE.match(node.value)
    path = "" if match is None else f".{match[1].replace('/', '.')}"
    if path not in {"", node.value}:
        yield finding.editor.respell(node, path)


@Fixer("Write the path below spec or status", "unsafe")
def _below_its_parent(finding: Finding) -> Edits:
    node = finding.scalar()
    reason = finding.reason(Code.NOT_BELOW)
    if reason is not None and node.value.startswith(".") and node.value.count(".") == 1:
        yield finding.editor.respell(node, f"{reason.arguments[0]}{node.value}")


@Fixer("Add the usual path", "unsafe").example(
    bad=_OPEN + "subresources: {scale: {statusReplicasPath: .status.replicas}}\n"
)
def _usual_path(finding: Finding) -> Edits:
    parent = finding.path.parent
    if parent is None:
        return
    name = finding.name.rpartition(".")[2]
    scale = mapping_at(finding.node(parent), "scale")
    usual = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}.get(name)
    if usual and finding.error is not None and finding.error.type == REQUIRED:
        yield finding.editor.set(scale, name, finding.editor.value(usual))


@Fixer("Write the type or format that is meant", "safe")
def _column_word(finding: Finding) -> Edits:
    if finding.name not in {"type", "format"}:
        return
    node = finding.scalar()
    known = _TYPES if finding.name == "type" else _FORMATS
    near = (_MEANT.get(node.value.lower()) if finding.name == "type" else None) or nearest(node.value, known, _LIKE)
    if near is not None:
        yield finding.editor.respell(node, near)


@Fixer("Begin the path with a dot", "safe").example(
    bad=_OPEN + "additionalPrinterColumns: [{name: Ready, type: boolean, jsonPath: status.ready}]\n"
)
def _column_path(finding: Finding) -> Edits:
    return from_a_dot(finding) if finding.name == "JSONPath" else []


@Fixer("Add `type: string`", "unsafe").example(
    bad=_OPEN + "additionalPrinterColumns: [{name: Ready, jsonPath: .status.ready}]\n",
    good=_OPEN + "additionalPrinterColumns: [{name: Ready, jsonPath: .status.ready, type: string}]\n",
)
def _column_type(finding: Finding) -> Edits:
    if finding.name == "type" and finding.error is not None and finding.error.type == REQUIRED:
        yield finding.editor.set(finding.owner, "type", finding.editor.value("string"))


@Fixer("Name the column after its field", "unsafe").example(
    bad=_OPEN + "additionalPrinterColumns: [{type: boolean, jsonPath: .status.ready}]\n"
)
def _column_name(finding: Finding) -> Edits:
    if finding.name != "name":
        return
    json_path = finding.owner.find("jsonPath")
    path = getattr(json_path[1], "value", "") if json_path is not None else ""
    last = path[len(path.rstrip(f"{ascii_letters}{digits}_")) :].lstrip(f"{digits}_")
    if last:
        yield finding.editor.set(finding.owner, "name", finding.editor.value(last[0].upper() + last[1:]))


SCALE = Rule(
    id="scale-path-invalid",
    marker="correct `+kubebuilder:subresource:scale`",
    summary="Invalid path in the scale subresource",
    why="`kubectl scale` and autoscalers use these paths. They must be simple JSON paths below `.spec` or `.status`.",
    bad=_OPEN + "subresources: {scale: {specReplicasPath: .replicas, statusReplicasPath: .status.replicas}}\n",
    good=_OPEN + "subresources: {scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}}\n",
    help="Set `specReplicasPath` to a path below `.spec` and `statusReplicasPath` to one below `.status`, such as "
    "`.spec.replicas` and `.status.replicas`",
    source="apiextensions/validation ValidateCustomResourceDefinitionSubresources",
    scope="version",
    fixes=(
        Fixer("Begin the path with a dot", "safe", from_a_dot).example(
            bad=_OPEN
            + "subresources: {scale: {specReplicasPath: spec.replicas, statusReplicasPath: .status.replicas}}\n"
        ),
        _below_its_parent,
        _usual_path,
    ),
)
COLUMN = Rule(
    id="printer-column-invalid",
    marker="correct `+kubebuilder:printcolumn`",
    summary="Invalid printer column",
    why="`kubectl get` prints these columns. Each needs a name, a supported type and a JSON path.",
    bad=_OPEN + "additionalPrinterColumns: [{name: Ready, type: bool, jsonPath: .status.ready}]\n",
    good=_OPEN + "additionalPrinterColumns: [{name: Ready, type: boolean, jsonPath: .status.ready}]\n",
    help="Specify `name`, `type` (boolean, date, integer, number or string) and `jsonPath` (such as `.status.phase`)",
    source="apiextensions/validation ValidateCustomResourceColumnDefinition",
    scope="version",
    fixes=(_column_word, _column_path, _column_type, _column_name),
)


def validate(subresources: CustomResourceSubresources | None, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with the scale subresource."""
    if subresources is None or subresources.scale is None:
        return
    scale = subresources.scale
    for name, text, parent in (
        ("specReplicasPath", scale.spec_replicas_path, ".spec"),
        ("statusReplicasPath", scale.status_replicas_path, ".status"),
    ):
        field_path = path.child(f"scale.{name}")
        if not text:
            yield required(SCALE.id, field_path, "", help=f"Add `{name}: {parent}.replicas`")
        elif problem := _json_path_problem(text):
            yield invalid(SCALE.id, field_path, text, problem)
        elif not text.startswith(f"{parent}."):
            detail = f"should be a json path under {parent}"
            yield invalid(SCALE.id, field_path, text, detail, reason=Reason(Code.NOT_BELOW, (parent,)))
    selector = scale.label_selector_path
    if selector:
        field_path = path.child("scale.labelSelectorPath")
        if problem := _json_path_problem(selector):
            yield invalid(SCALE.id, field_path, selector, problem)
        elif not selector.startswith((".spec.", ".status.")):
            yield invalid(
                SCALE.id, field_path, Typed(selector, "*string"), "should be a json path under either .spec or .status"
            )


def _one_of(word: str, known: Sequence[str]) -> str:
    """Return the help for a word that is not one of the known ones."""
    near = (_MEANT.get(word.lower()) if known is _TYPES else None) or nearest(word, known, _LIKE)
    return f"Write `{near}`" if near else f"Write one of {', '.join(f'`{name}`' for name in known)}"


def _json_path_problem(text: str) -> str | None:
    return None if text.startswith(".") else "must be a simple json path starting with ."


def _dotted_help(json_path: str) -> str:
    """Return the help for a path that does not start with a dot."""
    path = _SIMPLE.match(json_path)
    return f"Write `.{path[1]}`" if path is not None else "Write the path of a field, such as `.status.phase`"


def column(definition: CustomResourceColumnDefinition, path: Path) -> Iterator[FieldError]:
    """Yield what is wrong with a printer column."""
    if not definition.name:
        yield required(COLUMN.id, path.child("name"), "", help="Add the `name` of the column")
    types = f"must be one of {','.join(_TYPES)}"
    if not definition.type:
        yield required(COLUMN.id, path.child("type"), types, help="Add `type: string`, or another of these types")
    elif definition.type not in _TYPES:
        yield invalid(COLUMN.id, path.child("type"), definition.type, types, help=_one_of(definition.type, _TYPES))
    if definition.format and definition.format not in _FORMATS:
        formats = f"must be one of {','.join(_FORMATS)}"
        yield invalid(
            COLUMN.id, path.child("format"), definition.format, formats, help=_one_of(definition.format, _FORMATS)
        )
    json_path = path.child("JSONPath")
    if not definition.json_path:
        yield required(COLUMN.id, json_path, "", help="Add `jsonPath`, such as `jsonPath: .status.phase`")
    elif problem := _json_path_problem(definition.json_path):
        yield invalid(
            COLUMN.id, json_path, definition.json_path, problem, help=attempt(_dotted_help, definition.json_path)
        )
