"""Fixes of patterns that Go's regexp package rejects, or that match nothing."""

from __future__ import annotations

from crdlint.rules.engine.edits import Edits, require
from crdlint.rules.engine.finding import PathFinding
from crdlint.rules.engine.fixer import Fixer


@Fixer("Correct the pattern", "unsafe").example(
    bad="name: {type: string, pattern: '^[a-z+$'}", good="name: {type: string, pattern: '^[a-z]+$'}"
)
def repaired_pattern(finding: PathFinding) -> Edits:
    """Write the valid pattern that is probably meant."""
    from crdlint.golang.regexp_repair import repair

    node = finding.scalar()
    yield finding.editor.respell(node, require(require(repair(node.value)).pattern))


WITHOUT_SLASHES = Fixer(
    "Write the pattern without the slashes of JavaScript", "unsafe", repaired_pattern.edits
)
