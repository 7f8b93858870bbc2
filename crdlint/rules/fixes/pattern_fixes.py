"""Fixes of patterns that Go's regexp package rejects, or that match nothing."""

from __future__ import annotations

from crdlint.rules.engine.finding import Edits, Finding, Fixer, require


@Fixer("Correct the pattern", "unsafe").example(
    bad="name: {type: string, pattern: '^[a-z+$'}", good="name: {type: string, pattern: '^[a-z]+$'}"
)
def repaired_pattern(finding: Finding) -> Edits:
    """Write the valid pattern that is probably meant."""
    from crdlint.golang.regexp_repair import repair

    node = finding.scalar()
    yield finding.editor.respell(node, require(require(repair(node.value)).pattern))


WITHOUT_SLASHES = Fixer(
    "Write the pattern without the slashes of JavaScript", "unsafe", repaired_pattern.edits
)
