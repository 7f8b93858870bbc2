"""Advice about ignore comments that are invalid, name an unknown rule, or match no findings."""

from __future__ import annotations

from typing import Final

from crdlint.rules.engine.rule import Caution

_GOOD: Final = """\
type: object
properties:
  mode:
    type: string
    # crdlint: ignore[yaml-boolean] the old clients send true and false
    enum: [on, off]
"""

MALFORMED: Final = Caution(
    id="ignore-malformed",
    summary="Ignore comment cannot be parsed",
    why="The comment has no effect, so crdlint still reports the findings that it should ignore.",
    bad="type: object # crdlint: ignore\n",
    good=_GOOD,
    scope="schema",
    help="Write `# crdlint: ignore[RULE] reason` with one or more rule ids; `crdlint rules` lists them",
)
UNKNOWN_RULE: Final = Caution(
    id="ignore-unknown-rule",
    summary="Ignore comment names an unknown rule",
    why="The comment has no effect. The id is misspelled, or belongs to another version of crdlint.",
    bad="type: object # crdlint: ignore[unknown-feild]\n",
    good=_GOOD,
    scope="schema",
    help="Correct the rule id; `crdlint rules` lists all ids",
)
UNUSED: Final = Caution(
    id="ignore-unused",
    summary="Ignore comment or entry matches no finding",
    why="Either the finding was fixed, or the comment is in the wrong place, or the entry of the configuration names another "
    "one. It could hide a new finding of the same rule.",
    bad="type: object # crdlint: ignore[pattern-invalid]\n",
    good=_GOOD,
    scope="schema",
    help="Remove the comment, or move it: a comment at the end of a line covers that line, a comment on its own line "
    "covers the key or item below it, and `# crdlint: ignore-file[RULE]` covers the file",
)
