"""Fixes for the findings of `rules/server/schema_warnings.py`."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.edits import Edits, rename_to_true
from crdlint.rules.engine.finding import AdviceFinding
from crdlint.rules.engine.fixer import Fixer, FixesOf
from crdlint.rules.helps.schema_warnings import other_format, spellings
from crdlint.rules.server.schema_warnings import formats_of, unrecognized
from crdlint.spelling import name_meant

_INT_OR_STRING: Final = "x-kubernetes-int-or-string"


@Fixer("Correct the spelling of the format", "unsafe").example(
    bad="address: {type: string, format: hostnmae}",
    good="address: {type: string, format: hostname}",
)
def _respelled_format(finding: AdviceFinding) -> Edits:
    """Correct the spelling: from then on the API server rejects values of another format, so that this is unsafe."""
    schema = finding.schema(finding.owner)
    if other_format(schema.format) is not None:
        return []
    near = name_meant(schema.format, spellings(formats_of(schema.type)))
    return finding.write(near) if near else []


@Fixer("Write `x-kubernetes-int-or-string`", "unsafe").example(
    bad="port:\n  type: string\n  format: int-or-string",
    good="port:\n  x-kubernetes-int-or-string: true",
)
def _int_or_string(finding: AdviceFinding) -> Edits:
    """Write an integer or a string as Kubernetes does: from then on the API server accepts both."""
    editor, owner = finding.editor, finding.owner
    is_one = other_format(finding.scalar().value) == "int-or-string"
    if is_one and owner.find(_INT_OR_STRING) is None:
        yield from rename_to_true(
            finding.editor,
            owner,
            "type",
            _INT_OR_STRING,
        )
        yield editor.remove(owner, "format")


FIXES: Final = FixesOf(
    AdviceFinding,
    {
        unrecognized.rule.id: (_respelled_format, _int_or_string),
    },
)
