"""Fixes for the findings of `rules/server/approval.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.edits import Edits, expect
from crdlint.rules.engine.finding import FieldFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.server.approval import (
    ANNOTATION,
    APPROVAL,
    PRESERVE,
    PRESERVE_DEFAULTS,
    PROTECTED,
    WITH_DEFAULT,
    version_with,
)
from crdlint.yaml.editor import quoted
from crdlint.yaml.nodes import Mapping, Sequence

_PRESERVE: Final = "x-kubernetes-preserve-unknown-fields: true"


@Fixer("Add the annotation that the API is not approved", "unsafe").example(
    good=(
        f"{PROTECTED}  annotations: {{{ANNOTATION}: 'unapproved, not reviewed by the Kubernetes community'}}\n"
        "spec: {group: example.k8s.io}\n"
    )
)
def _bypass(finding: FieldFinding) -> Edits:
    editor = finding.editor
    metadata = expect(Mapping, finding.root, "metadata")
    value = quoted("unapproved, not reviewed by the Kubernetes community", double=editor.is_json)
    if metadata.find("annotations") is None:
        yield editor.insert(metadata, "annotations", f"{{{editor.name(ANNOTATION)}: {value}}}")
    elif expect(Mapping, metadata, "annotations").items:
        yield editor.set(expect(Mapping, metadata, "annotations"), ANNOTATION, value)


@Fixer("Keep unknown fields with `x-kubernetes-preserve-unknown-fields`", "unsafe").example(
    good=version_with(_PRESERVE)
)
def preserved_in_schemas(finding: FieldFinding) -> Edits:
    """Keep unknown fields by the schemas of all versions instead of by the spec."""
    editor, name = finding.editor, "x-kubernetes-preserve-unknown-fields"
    spec = expect(Mapping, finding.root, "spec")
    yield editor.remove(spec, "preserveUnknownFields")
    for version in expect(Sequence, spec, "versions").items:
        schema = expect(Mapping, version, "schema", "openAPIV3Schema")
        if schema.find(name) is None:
            yield editor.insert(schema, name, "true", after="type")


FIXES: Final = FixesOf(
    FieldFinding,
    {
        APPROVAL.id: (_bypass,),
        PRESERVE.id: (preserved_in_schemas,),
        PRESERVE_DEFAULTS.id: (
            preserved_in_schemas.example(good=version_with(f"{_PRESERVE}, {WITH_DEFAULT}")),
        ),
    },
)
