"""Fixes for the findings of `rules/server/subresources.py`."""

from __future__ import annotations

from string import ascii_letters, digits
from typing import Final

from crdlint.crd.errors import REQUIRED, Code
from crdlint.light import regex
from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.helps.subresources import MEANT_TYPES, SIMPLE_PATH, meant_word
from crdlint.rules.server.subresources import (
    COLUMN,
    FORMATS,
    SCALE,
    TYPES,
    WITH_COLUMN,
    WITH_SCALE,
)
from crdlint.schema.defaulting import META_FIELDS
from crdlint.yaml.nodes import Mapping, Scalar, child, text_or_empty


def from_a_dot(finding: FieldFinding) -> Edits:
    """Write a path from its leading dot on."""
    node = finding.scalar()
    path = _with_dot(node.value)
    if path not in {"", node.value}:
        yield finding.editor.respell(node, path)


def _with_dot(path: str) -> str:
    """Return a path from its leading dot on, or an empty text if it is not simple."""
    match = SIMPLE_PATH.match(path)
    return "" if match is None else f".{match[1].replace('/', '.')}"


@Fixer("Write the path below spec or status", "unsafe")
def _below_its_parent(finding: FieldFinding) -> Edits:
    node = finding.scalar()
    reason = finding.reason(Code.NOT_BELOW)
    if reason is not None and len(reason.arguments) == 1 and node.value.startswith("."):
        path = node.value.removeprefix(".spec").removeprefix(".status")
        if path.count(".") == 1:
            yield finding.editor.respell(node, f"{reason.arguments[0]}{path}")


@Fixer("Add the usual path", "unsafe").example(bad=WITH_SCALE % "")
def _usual_path(finding: FieldFinding) -> Edits:
    name = finding.name.rpartition(".")[2]
    scale = expect(Mapping, finding.owner, "scale")
    usual = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}.get(
        name
    )
    if usual and finding.error.type == REQUIRED:
        yield finding.editor.set(scale, name, finding.editor.value(usual))


# By the field of a column: what the API server knows, and what other words mean.
_WORDS: Final = {"type": (TYPES, MEANT_TYPES), "format": (FORMATS, {})}


@Fixer("Correct the type or format", "safe")
def _column_word(finding: FieldFinding) -> Edits:
    words, others = _WORDS.get(finding.name, ((), {}))
    near = meant_word(finding.scalar().value, words, others)
    if near is not None:
        yield finding.editor.respell(finding.scalar(), near)


@Fixer("Begin the path with a dot", "safe").example(
    bad=WITH_COLUMN % "name: Ready, type: boolean, jsonPath: status.ready"
)
def _column_path(finding: FieldFinding) -> Edits:
    is_path = finding.name == "JSONPath" and _begins_with_field(finding)
    return from_a_dot(finding) if is_path else []


def _begins_with_field(finding: FieldFinding) -> bool:
    """Return whether a path without its dot begins with a field of objects, if the schemas have any."""
    first = _FIRST_STEP.match(_with_dot(finding.scalar().value))
    properties = [root.properties for root in finding.crd.spec.root_schemas()]
    if first is None or not any(properties):
        return True
    return first[1] in META_FIELDS or any(first[1] in fields for fields in properties)


_FIRST_STEP: Final = regex(r"\.([A-Za-z_]\w*)")


@Fixer("Add the type of the field", "unsafe").example(
    bad=WITH_COLUMN % "name: Ready, jsonPath: .status.ready",
    good=WITH_COLUMN % "name: Ready, jsonPath: .status.ready, type: string",
)
def _column_type(finding: FieldFinding) -> Edits:
    if finding.name != "type" or finding.error.type != REQUIRED:
        return
    schema = next(iter(finding.crd.spec.root_schemas()), None)
    path = text_or_empty(child(finding.owner, "jsonPath"))
    for step in path.split(".")[1:]:
        schema = None if schema is None else schema.properties.get(step)
    is_date = path == ".metadata.creationTimestamp" or (
        schema is not None and schema.format == "date-time"
    )
    type_ = (
        "date"
        if is_date
        else "string"
        if schema is None or schema.type not in TYPES
        else schema.type
    )
    yield finding.editor.set(finding.owner, "type", finding.editor.value(type_))


_TIME_OF_CREATION: Final = ".metadata.creationTimestamp"
_STATUS_OF_CONDITION: Final = regex(
    r"""\.conditions\[\?\(@\.type ?== ?['"](\w+)['"]\)\]\.status\Z"""
)


@Fixer("Name the column after its field", "unsafe").example(
    bad=WITH_COLUMN % "type: boolean, jsonPath: .status.ready"
)
def _column_name(finding: FieldFinding) -> Edits:
    if finding.name != "name":
        return
    path = expect(Scalar, finding.owner, "jsonPath").value
    condition = _STATUS_OF_CONDITION.search(path)
    if condition is not None:
        yield finding.editor.set(finding.owner, "name", finding.editor.value(condition[1]))
        return
    last = path[len(path.rstrip(f"{ascii_letters}{digits}_")) :].lstrip(f"{digits}_")
    if path == _TIME_OF_CREATION:
        last = "age"  # as kubectl calls it
    if last:
        yield finding.editor.set(
            finding.owner, "name", finding.editor.value(last[0].upper() + last[1:])
        )


FIXES: Final = FixesOf(
    FieldFinding,
    {
        SCALE.id: (
            Fixer(
                "Begin the path with a dot",
                "safe",
                from_a_dot,
                bad=WITH_SCALE % "specReplicasPath: spec.replicas, ",
            ),
            _below_its_parent,
            _usual_path,
        ),
        COLUMN.id: (_column_word, _column_path, _column_type, _column_name),
    },
)
