"""Fields of the spec that no update may change."""

from __future__ import annotations

from crdlint.rules.engine.rule import Rule

IMMUTABLE = Rule(
    id="spec-immutable",
    summary="Update changes an immutable field of the spec",
    why="Group and plural are part of the resource's URL. Scope and kind decide how its objects are stored.",
    bad="",
    good="",
    help="Restore the previous value, or create a CRD with another name and move the objects to it",
    source="apiextensions/validation validateCustomResourceDefinitionSpecUpdate",
    scope="spec",
)

RULES = (IMMUTABLE,)
