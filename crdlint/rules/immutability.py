"""Fields of the spec that no update may change."""

from __future__ import annotations

from crdlint.rules.engine.rule import Rule

IMMUTABLE = Rule(
    id="spec-immutable",
    summary="A field of the spec that no update may change.",
    why="Group and plural are the resource's address; scope and kind decide how its objects are stored.",
    bad="",
    good="",
    help="leave the field as it was, or make a new CRD under another name and move the objects over",
    source="apiextensions/validation validateCustomResourceDefinitionSpecUpdate",
    scope="spec",
)

RULES = (IMMUTABLE,)
