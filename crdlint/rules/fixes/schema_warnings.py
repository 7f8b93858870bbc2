"""Fixes for the findings of `rules/server/schema_warnings.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.finding import Edits, Finding, Fixer, FixesOfRules
from crdlint.rules.server.schema_warnings import OTHER_FORMATS, spellings, unrecognized
from crdlint.spelling import name_meant


@Fixer("Correct the spelling of the format", "unsafe").example(
    bad="address: {type: string, format: hostnmae}",
    good="address: {type: string, format: hostname}",
)
def _respelled_format(finding: Finding) -> Edits:
    """Correct the spelling: from then on the API server rejects values of another format, so that this is unsafe."""
    schema = finding.schema(finding.owner)
    near = (
        name_meant(schema.format, spellings(schema.type))
        if schema.format not in OTHER_FORMATS
        else None
    )
    return finding.write(near) if near else []


FIXES: Final[FixesOfRules] = {
    unrecognized.rule.id: (_respelled_format,),
}
