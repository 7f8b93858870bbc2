"""CRDs on which the API server panics instead of answering."""

from __future__ import annotations

from typing import Final

from crdlint.crd.errors import NO_ANSWER, FieldError
from crdlint.crd.paths import Path
from crdlint.rules.engine.rule import Rule

PANIC: Final = Rule(
    "api-server-panic",
    "API server panics while it validates the CRD",
    scope="version",
    source="net/http: panic serving",
    origin="crdlint",
    observed=("server-panics",),
    why="The API server looks for a selectable field in a schema that it cannot convert. First patch releases up to 1.30.0 do so "
    "for a rule of a schema without a type. It panics and closes the connection, so clients report only a broken connection.",
    help="Fix the schema first: see the other findings of this CRD",
    bad="schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n      spec: {type: object, properties: "
    "{color: {type: array, items: [{type: string}]}}}\nselectableFields: [{jsonPath: .spec.color}]\n",
    good="schema:\n  openAPIV3Schema:\n    type: object\n    properties:\n      spec: {type: object, properties: "
    "{color: {type: string}}}\nselectableFields: [{jsonPath: .spec.color}]\n",
)


def panic(path: Path) -> FieldError:
    """Return the finding that the server panics on a field."""
    detail = "the API server panics and closes the connection"
    return FieldError(PANIC.id, NO_ANSWER, path, None, detail)
