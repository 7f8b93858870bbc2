"""What is not checked, as findings: internal errors of crdlint, and inputs that cannot be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from crdlint.diagnostics.diagnostic import INTERNAL_ERROR, Diagnostic
from crdlint.rules.engine.rule import Rule

if TYPE_CHECKING:
    from crdlint.crd.positions import Span
    from crdlint.safety.bugs import Bug

INTERNAL: Final = Rule(
    id=INTERNAL_ERROR,
    summary="Document that crdlint cannot check because of a bug",
    why="crdlint does not know whether the API server accepts the document. Other documents are checked. The exit status "
    "is 3, and no configuration, ignore comment or baseline hides the finding.",
    help="Check the document with another version of crdlint, and report the bug with it",
    scope="text",
    origin="crdlint",
)
UNREADABLE: Final = Rule(
    id="unreadable",
    summary="File or directory cannot be read",
    why="crdlint does not know what the file contains. The exit status is 2.",
    help="Make the file readable, or exclude it",
    scope="text",
    origin="crdlint",
)


def internal_error(file: str, bug: Bug, span: Span) -> Diagnostic:
    """Return the finding that a document is not checked."""
    return INTERNAL.diagnostic(
        file, "advice", f"a bug in crdlint keeps the document from being checked: {bug.text}", span
    )
