"""Fixes for the findings of `rules/server/root.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.edits import Edits
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.server.root import NULLABLE, STATUS_FIELDS, STATUS_TYPE
from crdlint.yaml.nodes import Mapping


def _field(finding: FieldFinding) -> Edits:
    node = finding.node(finding.error.at)
    mapping = finding.editor.parent(node)
    if isinstance(mapping, Mapping):
        yield finding.editor.remove_at(mapping, finding.editor.index(node) - 1)


@Fixer("Remove what has no effect", "safe").example(
    bad="schema:\n  openAPIV3Schema:\n    type: object\n    properties: {status: {type: object}}\n"
    "    $schema: http://json-schema.org/schema#\nsubresources: {status: {}}\n"
)
def _without_effect(finding: FieldFinding) -> Edits:
    field = finding.error.at
    if field is not None and str(field.step) in {"$schema", "id"}:
        yield from _field(finding)


@Fixer("Write `type: object`", "safe")
def _object(finding: FieldFinding) -> Edits:
    return [finding.editor.respell(finding.scalar(), "object")]


FIXES: Final = FixesOf(
    FieldFinding,
    {
        STATUS_FIELDS.id: (
            _without_effect,
            Fixer("Remove the field from the root", "unsafe", _field),
        ),
        STATUS_TYPE.id: (_object,),
        NULLABLE.id: (Fixer("Remove `nullable`", "safe", _field),),
    },
)
