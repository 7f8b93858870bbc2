"""Fixes for the findings of `rules/server/selectable_fields.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.edits import Edits, expect, require
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.fixes.subresources import from_a_dot
from crdlint.rules.server.selectable_fields import DUPLICATED, PATH, version_with
from crdlint.spelling import name_meant
from crdlint.yaml.nodes import Sequence


@Fixer("Correct the name of the field", "unsafe")
def _nearest_field(finding: FieldFinding) -> Edits:
    node = finding.scalar()
    steps = node.value.split(".")[1:]
    schema = next(iter(finding.crd.spec.root_schemas()))
    written: list[str] = []
    spec, first = schema.properties.get("spec"), next(iter(steps), "")
    if first in {"spec", "status"} - schema.properties.keys():
        return  # the property is misspelt
    if spec is not None and first in spec.properties and first not in schema.properties:
        written, schema = ["spec"], spec
    for step in steps:
        written.append(
            require(step if step in schema.properties else name_meant(step, schema.properties))
        )
        schema = schema.properties[written[-1]]
    if written != steps:
        yield finding.editor.respell(node, "." + ".".join(written))


@Fixer("Remove the repetition", "safe")
def _repetition(finding: FieldFinding) -> Edits:
    item = finding.owner
    yield finding.editor.remove_at(
        expect(Sequence, finding.editor.parent(item)), finding.editor.index(item)
    )


FIXES: Final = FixesOf(
    FieldFinding,
    {
        PATH.id: (
            Fixer("Begin the path with a dot", "safe", from_a_dot).example(
                bad=version_with("[{jsonPath: spec.color}]")
            ),
            _nearest_field,
        ),
        DUPLICATED.id: (_repetition,),
    },
)
