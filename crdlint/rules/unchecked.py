"""What is not checked, or not as it is meant: bugs of crdlint, inputs that cannot be read, and ignore comments without effect."""

from __future__ import annotations

from functools import partial
from typing import Final

from crdlint.crd.positions import Span
from crdlint.diagnostics.diagnostic import INTERNAL_ERROR, Diagnostic
from crdlint.rules.engine.rule import Caution, Rule
from crdlint.safety.bugs import Bug

_GOOD: Final = """\
type: object
properties:
  mode:
    type: string
    # crdlint: ignore[yaml-boolean] the old clients send true and false
    enum: [on, off]
"""
_Caution: Final = partial(Caution, scope="schema")

# Each rule in a few lines: what is wrong, why it matters and what to do; then the examples.
# fmt: off
INTERNAL: Final = Rule(INTERNAL_ERROR, "Document that crdlint cannot check because of a bug", scope="text",
    why="crdlint does not know whether the API server accepts the document. Other documents are checked. The exit status "
    "is 3, and no configuration, ignore comment or baseline hides the finding.",
    help="Check the document with another version of crdlint, and report the bug with it",
    origin="crdlint")
UNREADABLE: Final = Rule("unreadable", "File or directory cannot be read", scope="text", origin="crdlint",
    why="crdlint does not know what the file contains. The exit status is 2.",
    help="Make the file readable, or exclude it")
MALFORMED: Final = _Caution("ignore-malformed", "Ignore comment cannot be parsed",
    why="The comment has no effect, so crdlint still reports the findings that it should ignore.",
    help="Write `# crdlint: ignore[RULE] reason` with one or more rule ids; `crdlint rules` lists them",
    bad="type: object # crdlint: ignore\n", good=_GOOD)
UNKNOWN_RULE: Final = _Caution("ignore-unknown-rule", "Ignore comment names an unknown rule",
    why="The comment has no effect. The id is misspelled, or belongs to another version of crdlint.",
    help="Correct the rule id; `crdlint rules` lists all ids",
    bad="type: object # crdlint: ignore[unknown-feild]\n", good=_GOOD)
UNUSED: Final = _Caution("ignore-unused", "Ignore comment or entry matches no finding",
    why="Either the finding was fixed, or the comment is in the wrong place, or the entry of the configuration names another "
    "one. It could hide a new finding of the same rule.",
    help="Remove the comment, or move it: a comment at the end of a line covers that line, a comment on its own line "
    "covers the key or item below it, and `# crdlint: ignore-file[RULE]` covers the file",
    bad="type: object # crdlint: ignore[pattern-invalid]\n", good=_GOOD)
# fmt: on


def internal_error(file: str, bug: Bug, span: Span) -> Diagnostic:
    """Return the finding that a document is not checked."""
    return INTERNAL.diagnostic(
        file, "advice", f"a bug in crdlint keeps the document from being checked: {bug.text}", span
    )
